"""Arrays in, arrays out: nothing here knows what a cause is, and nothing here imports the rest of the package."""
