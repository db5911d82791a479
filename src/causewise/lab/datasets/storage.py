"""The published data sets (registry.toml), and the data directory: load() a set from it, write() one into it.

A published set lies there in the published layout; a generated one as `<name>/pair_<i>.txt` and `pairs_gt.txt`, with a
note on what drew it.
"""

import difflib
import json
import os
import re
import sys
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.lab.datasets.collection import (
    FORMATS,
    Collection,
    Exclusion,
    Label,
    LabelledPair,
    LazyPairs,
    read_indexed_csv,
)
from causewise.version import VERSION

VARIABLE = "CAUSEWISE_DATA"
GENERATED = "generated.toml"
"""Marks a folder that `causewise data generate` wrote, and says with what seed."""
LABELS = "pairs_gt.txt"
_UNFINISHED = "generated.toml.part"
"""The note of a set that is being written, or was when the process died."""

# ---- the registry


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


def list_unverified(names: Container[str]) -> tuple[str, ...]:
    """Those of the named sets whose values cannot be checked."""
    return tuple(known.name for known in published_sets() if known.name in names and not known.values_verified)


def remark_on(names: Container[str]) -> str:
    """What every list and table says about such sets, without the full stop; empty where there are none."""
    sets = ", ".join(list_unverified(names))
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


# ---- the data directory


class AbsentError(InputError):
    """A published set is not in the data directory."""


def load(name: str, data_dir: str | Path | None = None, limit: int | None = None) -> Collection:
    """The data set `name` in file order, its first `limit` pairs only where a limit is given.

    A set that `generate` wrote into the data directory under the same name comes first; its title says so.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from causewise.lab.datasets import generate, load
    >>> from causewise.lab.datasets.storage import write
    >>> with TemporaryDirectory() as folder:
    ...     _ = write(generate("LS", pairs=3, n=100), Path(folder), seed=0)
    ...     print(len(load("LS", folder)))
    3
    """
    if limit is not None and limit < 1:
        raise InputError(f"Got limit={limit}; expected a number of pairs, at least 1, or none for all of them.")
    root = data_folder(data_dir)
    generated = root / name / GENERATED
    if generated.is_file():
        return _load_generated(generated, limit)
    known = published_set(name)
    if not known.is_present(root):
        raise absent_error(known, root)
    labels = known.read_labels(root / known.folder)
    return Collection(known.name, LazyPairs(name, labels)[:limit], known.title, known.citation, known.exclusions)


def data_folder(asked: str | Path | None = None) -> Path:
    """The folder asked for, else the one CAUSEWISE_DATA names, else a per-user cache; nothing is created."""
    if asked is not None:
        return Path(asked).expanduser()
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]).expanduser()
    local = os.environ.get("LOCALAPPDATA")
    if sys.platform == "win32" and local:
        return Path(local, "causewise", "causewise", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "causewise"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "causewise")


def absent_error(known: PublishedSet, root: Path) -> AbsentError:
    """The sentence for a set that is not there."""
    return AbsentError(
        f"The data set {known.name} is not in {root}; expected the files of {known.title} in {root / known.folder} "
        f"(with {known.labels}): run `causewise data fetch {known.name}`, put the files there by hand (they are at "
        f"{known.home}), or set {VARIABLE} to a folder that holds them in the published layout."
    )


def absent_sets_error(names: Sequence[str], root: Path) -> AbsentError:
    """One sentence for all the sets that are not there."""
    if len(names) == 1:
        return absent_error(published_set(names[0]), root)
    return AbsentError(
        f"The data sets {', '.join(names)} are not in {root}; run `causewise data fetch all`, put their files there by "
        f"hand, or set {VARIABLE} to a folder that holds them in the published layout."
    )


def write(collection: Collection, root: Path, seed: int) -> Path:
    """Write every pair of a generated collection under `root / name`, so that `load` finds it there."""
    folder = root / collection.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = {each.name for each in folder.iterdir() if not each.is_dir()}
        if files and not files & {GENERATED, _UNFINISHED}:
            raise InputError(
                f"Got the folder {folder}, whose files were not generated by causewise; expected a new one, or a set "
                "that `causewise data generate` wrote: choose another folder."
            )
        # The note makes the folder loadable: it goes first and comes back last, so that a crash leaves no mixed set.
        replace_with(folder / _UNFINISHED, _note(collection, seed).encode())
        (folder / GENERATED).unlink(missing_ok=True)
        for index, labelled in enumerate(collection.pairs, start=1):
            (folder / f"pair_{index}.txt").write_text(_csv(labelled), encoding="ascii")
        truths = "".join(f"{int(labelled.truth > 0)}\n" for labelled in collection.pairs)
        (folder / LABELS).write_text(truths, encoding="ascii")
        (folder / _UNFINISHED).replace(folder / GENERATED)
    except OSError as problem:
        raise InputError(
            f"Could not write {folder} ({problem.strerror or problem}); expected a folder with write permission and "
            "room: choose another one."
        ) from None
    return folder


def _load_generated(note: Path, limit: int | None) -> Collection:
    try:
        about = tomllib.loads(note.read_text(encoding="utf-8"))
        name, title, citation = (str(about[key]) for key in ("name", "title", "citation"))
        count = int(about["pairs"])
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise InputError(
            f"Could not read {note} ({type(problem).__name__}: {problem}); expected the note that `causewise data "
            "generate` writes: generate the set again, or remove its folder."
        ) from None
    labels = read_indexed_csv(note.with_name(LABELS))[:count]
    return Collection(name, LazyPairs(name, labels)[:limit], title, citation)


def _csv(labelled: LabelledPair) -> str:
    # `repr` of a float is the shortest text that reads back to the same bits.
    rows = zip(labelled.pair.x.tolist(), labelled.pair.y.tolist(), strict=True)
    return '"","x","y"\n' + "".join(f'"{row}",{x!r},{y!r}\n' for row, (x, y) in enumerate(rows, start=1))


def _note(collection: Collection, seed: int) -> str:
    fields: dict[str, str | int] = {
        "name": collection.name,
        "title": collection.title,
        "citation": collection.citation,
        "pairs": len(collection),
        "rows": collection.pairs[0].pair.n,
        "seed": seed,
        "causewise": VERSION,
        "numpy": version("numpy"),
    }
    # A JSON string is a valid TOML string, and the standard library writes no TOML.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
