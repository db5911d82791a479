"""A Decision or benchmark rows → pictures and one self-contained page; everything is computed before rendering starts."""
