"""Simulation studies: each is one command, seeded, resumable, and ends in a table and figures.

running          what a study is, and running one: cells -> rows -> tables and figures on disk
estimators       the concave estimator against iterated least squares; consistency and coverage
identifiability  the equation, and every LOCI variant, on the way out of a non-identifiable model
likelihood       what the likelihood score measures: the relation, or the marginals
splitting        unseen rows and p-values: what they cost in accuracy and gain in calibration
"""
