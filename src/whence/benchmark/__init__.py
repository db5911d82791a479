"""Methods × data sets → rows in one SQLite file → metrics → tables and figures; knows no method by name."""
