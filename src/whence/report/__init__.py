"""A Decision or benchmark rows → pictures and one self-contained page; compute first, then render."""
