"""Every pair of a table: which columns are related, and which of two causes the other."""
