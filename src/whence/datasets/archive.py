"""The files of one data set out of a zip archive, into a folder; nothing else is unpacked, and nothing outside it."""

import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from whence.datasets.registry import Entry


class ArchiveError(Exception):
    """The archive is not what it should be; the message says how."""


class NotInsideError(ArchiveError):
    """The archive is sound, but this set is not in it."""


def unpack(archive: Path, entry: Entry, inside: str, into: Path) -> None:
    """Write the members of `entry`, found in the only folder that ends in `inside` and holds its labels."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in _members(opened.namelist(), entry, inside):
                # Only the last part of the name is used, so no member can lead out of the folder.
                (into / PurePosixPath(member).name).write_bytes(opened.read(member))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as problem:
        raise ArchiveError(f"what came is not a usable zip archive ({problem})") from None


def _members(names: Sequence[str], entry: Entry, inside: str) -> list[str]:
    belongs = re.compile(entry.members)
    holders: dict[PurePosixPath, list[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        if belongs.fullmatch(path.name):
            holders.setdefault(path.parent, []).append(name)
    with_labels = {
        folder: members
        for folder, members in holders.items()
        if len(members) > 1 and any(PurePosixPath(member).name == entry.labels for member in members)
    }
    matching = [folder for folder in with_labels if _ends_with(folder, PurePosixPath(inside))]
    if len(matching) == 1:
        return with_labels[matching[0]]
    found = ", ".join(sorted(map(str, with_labels))) or "none"
    raise NotInsideError(f"the archive has no single folder {inside} with pairs and {entry.labels} (found: {found})")


def _ends_with(folder: PurePosixPath, inside: PurePosixPath) -> bool:
    count = len(inside.parts)
    return count == 0 or folder.parts[-count:] == inside.parts
