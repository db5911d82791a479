"""A name -> its labelled pairs, from the files as published or as `whence data generate` wrote them."""

from pathlib import Path

from whence.datasets.collection import Collection, LazyPairs
from whence.datasets.folder import GENERATED, data_folder, is_present, missing
from whence.datasets.readers import FORMATS
from whence.datasets.registry import entry
from whence.datasets.writing import read_generated
from whence.pair import InputError


def load(name: str, data_dir: str | Path | None = None, limit: int | None = None) -> Collection:
    """The data set `name` in file order, its first `limit` pairs only where a limit is given.

    A set that `generate` wrote into the data directory under the same name comes first; its title says so.
    """
    if limit is not None and limit < 1:
        raise InputError(f"Got limit={limit}; expected a number of pairs, at least 1, or none for all of them.")
    root = data_folder(data_dir)
    generated = root / name / GENERATED
    if generated.is_file():
        return read_generated(generated, limit)
    known = entry(name)
    if not is_present(known, root):
        raise missing(known, root)
    labels = FORMATS[known.format](root / known.folder, known)
    return Collection(known.name, LazyPairs(name, labels)[:limit], known.title, known.citation, known.exclusions)
