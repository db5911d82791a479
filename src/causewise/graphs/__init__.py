"""More than two columns: a causal order, and which parents affect the mean and the variance of each."""
