"""Other people's methods: one directional (or whole-pair) score per file, every published setting a named argument."""
