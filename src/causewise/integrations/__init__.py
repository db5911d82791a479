"""Bridges to what people already use, each thin and optional.

orienting   orient(): the undirected edges of a graph, oriented where the table answers
foreign     graphs of networkx, causal-learn and pgmpy, read and written
dowhy       an invertible mechanism for dowhy.gcm
pgmpy       a function and an estimator for pgmpy's ExpertInLoop

No package is imported before a file of its name here is; none of them is a requirement.
"""
