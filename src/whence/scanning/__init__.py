"""Every pair of a table."""
