"""Methods × data sets → rows in one SQLite file → metrics → tables and figures; knows no method by name.

sets        labelled pairs, each swapped or not by a coin; methods with their settings and seed; cross-fitting
runner      what is not stored yet is done and stored, and how long it will take
store       what one method said on one pair, kept in a file; ledger: such files in general, also for the studies
metrics     accuracy, AUDRC, AUROC, and their intervals
published   what the paper prints, and what other sources have published
scores      rows -> methods × sets
rendering   as text; figures: as pictures; publish: the leaderboard page, and everything in one folder
"""
