"""Labelled cause-effect pairs.

collection   LabelledPair and Collection: columns in file order, the label, the weight, the original id
registry     the thirteen published sets (registry.toml): size, terms, citation, addresses, hashes
folder       where the files lie: an argument, WHENCE_DATA, or a per-user cache
readers      one reader per file format
loading      load(): a name -> a collection
cache        fetch(): download, check, unpack; archive and download are its tools
laws, gaussian_process, mechanisms, classic, simulated, networks    what the generators are made of
damage, breaks, robustness    the robustness grid: named cells, each a generator
generators   generate(): a name, a seed -> a collection
writing      a generated collection -> files that load() reads back
"""

from typing import TYPE_CHECKING, Any

from whence.datasets.collection import Collection, Exclusion, LabelledPair
from whence.datasets.loading import load
from whence.datasets.registry import names
from whence.datasets.subsample import subsample

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from whence.datasets.generators import generate as generate
    from whence.datasets.generators import generator_names as generator_names
    from whence.datasets.generators import grid as grid

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


def __getattr__(name: str) -> Any:
    """The generators bring the compiler with them; reading files does not need it."""
    if name not in ("generate", "generator_names", "grid"):
        raise AttributeError(f"module 'whence.datasets' has no attribute {name!r}")
    from whence.datasets import generators

    return getattr(generators, name)
