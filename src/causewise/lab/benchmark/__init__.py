"""Methods × data sets → rows in one SQLite file → metrics → tables and figures; knows no method by name.

contenders  who runs: methods, set up, each under one seed
sets        on what: labelled pairs, each swapped or not by a coin
runner      what is not stored yet is done and stored, and how long it will take; worker: in its processes
row, store  what one method said on one pair, kept in a file; such files in general, also for the studies
metrics     accuracy, AUDRC, AUROC; intervals: how sure we are of them
scores      rows -> methods × sets; paper: what the paper prints
rendering   as text; figures: as pictures; publish: the leaderboard page, and everything in one folder
"""
