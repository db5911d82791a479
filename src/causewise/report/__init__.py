"""Results as pictures and pages: summarised once, worded in one place, rendered many times.

geometry          what is drawn of one direction, thinned; columns sorted once; many rows as hexagons
score_bars        the score as a sum in digits that add up, its halves, the three outcomes
decision_wording  every sentence about a decision
measures          its numbers as rows of tables
provenance        how to repeat it and how to cite it
decision_summary  everything a page shows of it
canvas            matplotlib without pyplot: colours, axes, files, SVG inside a page
decision_picture  both directions drawn
pair_numbers      one pair as numbers, for draw.js in any page
scan_wording      every sentence about a scan
graph_layout      where the names and arrows of a scan's graph stand
causal_layout     the same of a causal graph, in layers, and how each kind of edge looks
graph_pictures    the graph of a scan and the causal graph drawn
effect_picture    the effect of one column on another drawn, and its card
scan_matrix       all pairs of a scan drawn
scan_summary      everything the page of a scan shows
what_if           effects of all pairs of a graph's columns, in words and as numbers for what_if.js
graph_summary     everything the page of a causal graph shows
html_pages        the pages of a decision, a scan and a causal graph, and cards for notebooks
"""
