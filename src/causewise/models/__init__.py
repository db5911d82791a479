"""Conditional models of an effect given a cause; all fits return the same record."""
