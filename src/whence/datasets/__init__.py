"""Labelled cause-effect pairs.

collection   LabelledPair and Collection: columns in file order, the label, the weight, the original id
registry     the thirteen published sets (registry.toml): size, terms, citation, addresses, hashes
folder       where the files lie: an argument, WHENCE_DATA, or a per-user cache
readers      one reader per file format
loading      load(): a name -> a collection
cache        fetch(): download, check, unpack; archive and download are its tools
laws, gaussian_process, mechanisms, classic, simulated, networks    what the generators are made of
damage, breaks, grid    the robustness grid: named cells, each a generator
generators   generate(): a name, a seed -> a collection
writing      a generated collection -> files that load() reads back
"""

from whence.datasets.collection import Collection, Exclusion, LabelledPair
from whence.datasets.generators import generate, generator_names
from whence.datasets.generators import grid_cells as grid
from whence.datasets.loading import load
from whence.datasets.registry import names
from whence.datasets.subsample import subsample

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
