"""Labelled cause-effect pairs: registry, cache, one reader per file format, generators."""
