"""Background knowledge: what a person states beforehand about the columns of a table."""
