"""The files of one set out of a zip archive, and the hashes that say whether they are the published ones."""

import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from causewise.lab.datasets.collection import Label
from causewise.lab.datasets.registry import PublishedSet

CHUNK = 1 << 20


class ArchiveError(Exception):
    """The archive is not what it should be; the message says how."""


class NotInsideError(ArchiveError):
    """The archive is sound, but this set is not in it."""


def unpack(archive: Path, known: PublishedSet, inside: str, into: Path, max_size: float) -> None:
    """Write the files of one set, found in the only folder that ends in `inside` and holds its labels."""
    with _readable():
        opened = zipfile.ZipFile(archive)
    with opened:
        names = _members(opened.namelist(), known, inside)
        members = [opened.getinfo(name) for name in names]
        # A member is never read beyond the size it declares, so the declared sizes bound what is written.
        if sum(member.file_size for member in members) > max_size:
            raise ArchiveError(f"its files are larger than {max_size / 2**20:g} MiB unpacked, the limit (--max-size)")
        for member in members:
            # Only the last part of the name is used, so no member can lead out of the folder.
            with (into / PurePosixPath(member.filename).name).open("wb") as sink:
                for chunk in _chunks(opened, member):
                    sink.write(chunk)


def tree_sha256(files: Iterable[Path]) -> str:
    """SHA-256 over the lines `name sha256`, sorted by name: what `sha256sum` per file would list."""
    # Not the archive's own hash: hosts pack archives anew, and the files inside stay the same.
    lines = sorted(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def labels_sha256(labels: Iterable[Label]) -> str:
    """SHA-256 over the lines `id truth weight`."""
    lines = [f"{label.pair_id} {label.truth:+d} {label.weight:g}\n" for label in labels]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _members(names: Sequence[str], known: PublishedSet, inside: str) -> list[str]:
    belongs = re.compile(known.members)
    holders: dict[PurePosixPath, list[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        if belongs.fullmatch(path.name):
            holders.setdefault(path.parent, []).append(name)
    # Labels alone are no set: an archive may hold the targets of a set and leave its pairs out.
    with_labels = {
        folder: members
        for folder, members in holders.items()
        if len(members) > 1 and any(PurePosixPath(member).name == known.labels for member in members)
    }
    matching = [folder for folder in with_labels if _ends_with(folder, PurePosixPath(inside))]
    if len(matching) == 1:
        return with_labels[matching[0]]
    found = ", ".join(sorted(map(str, with_labels))[:5]) or "none"
    raise NotInsideError(f"the archive has no single folder {inside} with pairs and {known.labels} (found: {found})")


def _ends_with(folder: PurePosixPath, inside: PurePosixPath) -> bool:
    count = len(inside.parts)
    return count == 0 or folder.parts[-count:] == inside.parts


def _chunks(opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with _readable():
        stream = opened.open(member)
    with stream:
        while True:
            with _readable():
                chunk = stream.read(CHUNK)
            if not chunk:
                return
            yield chunk


@contextmanager
def _readable() -> Iterator[None]:
    # zipfile says that an archive is damaged with whatever exception its bytes happen to run into: struct.error,
    # zlib.error, LZMAError, UnicodeDecodeError, OverflowError, OSError among them; that it is encrypted, with
    # RuntimeError. Writing stays outside.
    try:
        yield
    except Exception as problem:
        raise ArchiveError(f"what came is not a usable zip archive ({problem})") from None
