"""The published data sets: names, sizes, terms, citations, where to get them. The table itself is registry.toml."""

import difflib
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from causewise.errors import InputError
from causewise.lab.datasets.collection import Exclusion, Label
from causewise.lab.datasets.readers import FORMATS


@dataclass(frozen=True)
class Mirror:
    """A download that holds one or more data sets, and where one of them lies inside."""

    key: str
    """The same for all sets of one download."""
    url: str
    inside: str
    """Folder in the archive that holds the files; empty when they lie at its top or in one folder only."""
    verified: bool = False
    """Whether the download itself was ever tried from this address; the file hashes are checked in any case."""
    sha256: str = ""
    """Of the archive, where it is known."""


@dataclass(frozen=True)
class PublishedSet:
    """One data set of the registry."""

    name: str
    title: str
    pairs: int
    rows: str
    format: str
    folder: str
    """Folder under the data directory."""
    labels: str
    """The file with the labels: a set counts as present when it is there, so it is written last."""
    members: str
    """Regular expression for the names of the files that belong to the set, labels included."""
    home: str
    """The page where a person gets the files."""
    licence: str
    citation: str
    mirrors: tuple[Mirror, ...]
    tree_sha256: str = ""
    """Hash over names and hashes of all member files; empty where the bytes were never at hand."""
    labels_sha256: str = ""
    """Hash over the parsed labels, which a change of line ends or number format leaves alone."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Bytes of files that have no hash, as far as they are known."""
    exclusions: tuple[Exclusion, ...] = ()

    def files(self, folder: Path) -> list[Path]:
        """Those of its files that are in a folder, sorted by name."""
        belongs = re.compile(self.members)
        return sorted(path for path in folder.iterdir() if belongs.fullmatch(path.name))

    def is_present(self, root: Path) -> bool:
        """Whether a data directory has enough to load: the labels, and at least as many pair files as needed."""
        folder = root / self.folder
        if not (folder / self.labels).is_file():
            return False
        return len(self.files(folder)) - 1 >= (1 if self.format == "cells" else self.pairs)

    def remark_on_size(self, root: Path) -> str:
        """On a file whose size is not the known one, without the full stop; empty where there is none."""
        for name, size in self.sizes.items():
            path = root / self.folder / name
            actual = path.stat().st_size if path.is_file() else size
            if actual != size:
                return f"{self.name}: {name} has {actual:,} bytes and the known copy {size:,}, so its values may differ"
        return ""

    def read_labels(self, folder: Path) -> list[Label]:
        """The labels in a folder that holds the files, but for the excluded pairs."""
        return FORMATS[self.format](folder / self.labels, {exclusion.pair_id for exclusion in self.exclusions})

    @property
    def values_verified(self) -> bool:
        """Whether the numbers in its files can be checked, or the labels alone."""
        return bool(self.tree_sha256)


@cache
def published_sets() -> tuple[PublishedSet, ...]:
    """Every data set, in the order of the paper's tables."""
    table = tomllib.loads(files(__package__).joinpath("registry.toml").read_text(encoding="utf-8"))
    return tuple(_from_toml(fields, table["family"], table["source"]) for fields in table["set"])


def names() -> tuple[str, ...]:
    """Names of the published data sets.

    Examples
    --------
    >>> from causewise.lab.datasets import names
    >>> names()[:3]
    ('AN', 'ANs', 'LS')
    """
    return tuple(known.name for known in published_sets())


def published_set(name: str) -> PublishedSet:
    """Look a data set up; an unknown name gets a sentence with the near misses."""
    for candidate in published_sets():
        if candidate.name == name:
            return candidate
    near = difflib.get_close_matches(name, names(), n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of: {', '.join(names())}."
    raise InputError(f"Got the data set {name!r}, which causewise does not know; {hint}")


def unverified(names: Collection[str]) -> tuple[str, ...]:
    """Those of the named sets whose values cannot be checked."""
    return tuple(known.name for known in published_sets() if known.name in names and not known.values_verified)


def remark_on(names: Collection[str]) -> str:
    """What every list and table says about such sets, without the full stop; empty where there are none."""
    sets = ", ".join(unverified(names))
    return f"{sets}: the values cannot be verified, only the labels (no hash of the files is known)" if sets else ""


def _from_toml(fields: Mapping[str, Any], families: Mapping[str, Any], sources: Mapping[str, Any]) -> PublishedSet:
    # A set overrides what its family says; `folder` is known only then, so the mirrors are filled in last.
    own = families[fields["family"]] | {key: value for key, value in fields.items() if key != "family"}
    mirrors = tuple(
        Mirror(key=m["source"], inside=m["inside"].format(folder=own["folder"]), **sources[m["source"]])
        for m in own.pop("mirrors")
    )
    groups = own.pop("exclude", [])
    exclusions = tuple(Exclusion(number, group["reason"]) for group in groups for number in group["ids"])
    return PublishedSet(**own, mirrors=mirrors, exclusions=exclusions)
