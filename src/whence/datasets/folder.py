"""Where the data files lie: the folder asked for, else the one WHENCE_DATA names, else a per-user cache."""

import os
from collections.abc import Sequence
from pathlib import Path

from whence.datasets.registry import Entry, entry
from whence.pair import InputError

VARIABLE = "WHENCE_DATA"
GENERATED = "generated.toml"
"""Marks a folder that `whence data generate` wrote, and says with what seed."""


def data_folder(asked: str | Path | None = None) -> Path:
    """The data directory; nothing is created."""
    if asked is not None:
        return Path(asked).expanduser()
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]).expanduser()
    import pooch

    return Path(pooch.os_cache("whence"))


def is_present(entry: Entry, root: Path) -> bool:
    """Whether a published set is complete enough to load: its labels, and at least as many pair files as it needs."""
    folder = root / entry.folder
    if not (folder / entry.labels).is_file():
        return False
    found = len(member_files(entry, folder)) - 1
    return found >= (1 if entry.format == "cells" else entry.pairs)


def member_files(entry: Entry, folder: Path) -> list[Path]:
    """The files of a set in a folder, sorted by name."""
    import re

    belongs = re.compile(entry.members)
    return sorted(path for path in folder.iterdir() if belongs.fullmatch(path.name))


class AbsentError(InputError):
    """A published set is not in the data directory."""


def missing(entry: Entry, root: Path) -> AbsentError:
    """The sentence for a set that is not there."""
    return AbsentError(
        f"The data set {entry.name} is not in {root}; expected the files of {entry.title} in {root / entry.folder} "
        f"(with {entry.labels}): run `whence data fetch {entry.name}`, put the files there by hand, or set {VARIABLE} "
        "to a folder that holds them in the published layout."
    )


def all_missing(names: Sequence[str], root: Path) -> AbsentError:
    """One sentence for all the sets that are not there."""
    if len(names) == 1:
        return missing(entry(names[0]), root)
    return AbsentError(
        f"The data sets {', '.join(names)} are not in {root}; run `whence data fetch all`, put their files there by "
        f"hand, or set {VARIABLE} to a folder that holds them in the published layout."
    )
