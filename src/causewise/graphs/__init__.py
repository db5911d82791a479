"""More than two columns: a causal order, and what moves the mean and the spread of each."""
