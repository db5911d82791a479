"""Every pair of a table: screened, oriented, ordered and drawn as a graph."""
