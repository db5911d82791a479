"""Labelled cause-effect pairs.

collection   LabelledPair and Collection: columns in file order, the label, the weight, the original id; one reader per
             file format
storage      the thirteen published sets (registry.toml), the data directory: load() from it, write() into it
fetching     fetch(): an archive downloaded within limits, the files of one set out of it, their hashes checked
laws         what the generators are made of: laws of a column, random functions, effects of a cause and a noise
simulators   published laws and their look-alikes; pairs that are hard
generators   generate(): a name, a seed -> a collection; subsample(): random rows of one
"""

from causewise.lab.datasets.collection import Collection, Exclusion, LabelledPair
from causewise.lab.datasets.generators import generate, generator_names, grid, subsample
from causewise.lab.datasets.storage import load, names

__all__ = [
    "Collection",
    "Exclusion",
    "LabelledPair",
    "generate",
    "generator_names",
    "grid",
    "load",
    "names",
    "subsample",
]
