"""Integrations with packages that people already use, each thin and optional.

orientation  orient(): the undirected edges of a graph of networkx, causal-learn or pgmpy, oriented by the table
causallearn  background knowledge of causal-learn from ours, and ours from it
dowhy        an invertible mechanism for dowhy.gcm, and a whole fitted graph
pgmpy        a function and an estimator for pgmpy's ExpertInLoop

No package is imported before a file of its name here is; none of them is a requirement. Graphs of other packages are
recognised by the names of their classes, so that none of these is imported either.
"""
