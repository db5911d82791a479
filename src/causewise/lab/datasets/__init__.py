"""Labelled cause-effect pairs.

collection   LabelledPair and Collection: columns in file order, the label, the weight, the original id
registry     the thirteen published sets (registry.toml): size, terms, citation, addresses, hashes
readers      one reader per file format
storage      the data directory: load() a set from it, write() a generated one into it
fetching     fetch(): download, check, unpack
downloads    an address -> a whole file, within limits; kept archives
archives     the files of one set out of a zip archive, and their hashes
laws, mechanisms    what the generators are made of: columns, random functions, effects of a cause and a noise
classic, lookalikes, robustness    the generators: published laws, laws fitted to published files, the robustness grid
sampling     a seed -> labelled pairs: of a generator, or random rows of other pairs
generators   generate(): a name, a seed -> a collection
"""

from typing import TYPE_CHECKING, Any

from causewise.lab.datasets.collection import Collection, Exclusion, LabelledPair
from causewise.lab.datasets.registry import names
from causewise.lab.datasets.sampling import subsample
from causewise.lab.datasets.storage import load

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from causewise.lab.datasets.generators import generate as generate
    from causewise.lab.datasets.generators import generator_names as generator_names
    from causewise.lab.datasets.generators import grid as grid

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
        raise AttributeError(f"module 'causewise.lab.datasets' has no attribute {name!r}")
    from causewise.lab.datasets import generators

    return getattr(generators, name)
