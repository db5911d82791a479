"""fetch(): download a published data set, check it, unpack it; a set becomes visible only when it is whole.

Archives are kept in `.downloads` under the data directory. Files are unpacked into a temporary folder, checked, and
moved into place one by one with the labels last: a set without labels counts as absent, so neither a crash nor two
processes at once can leave half of one behind.
"""

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from causewise.errors import InputError
from causewise.lab.datasets.collection import Label
from causewise.lab.datasets.downloads import Downloader, DownloadError, Progress, kept_archive
from causewise.lab.datasets.storage import VARIABLE, Mirror, PublishedSet, data_folder


class ArchiveError(Exception):
    """The archive is not what it should be; the message says how."""


class NotInsideError(ArchiveError):
    """The archive is sound, but this set is not in it."""


@dataclass(frozen=True)
class Fetched:
    """How fetching one set went."""

    name: str
    folder: Path
    downloaded: bool = False
    """False also for a set that was there already, which is left alone."""
    failure: str = ""
    """The sentence that says why there is no set; empty when there is one."""


def fetch(
    known: PublishedSet,
    data_dir: str | Path | None = None,
    *,
    again: bool = False,
    address: str | None = None,
    downloader: Downloader | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Bring one set into the data directory; its mirrors are tried in turn, or only `address` where one is given."""
    root = data_folder(data_dir)
    target = root / known.folder
    if known.is_present(root) and not again:
        return Fetched(known.name, target)
    downloader = downloader or Downloader()
    reasons = []
    for mirror in _mirrors(known, address):
        try:
            _fetch_from(mirror, known, root, downloader, progress, again)
            return Fetched(known.name, target, downloaded=True)
        except (DownloadError, ArchiveError, InputError) as problem:
            reasons.append(f"{mirror.url}: {problem}")
        except OSError as problem:
            failure = (
                f"Could not write to {root} ({problem.strerror or problem}); expected a folder with write permission "
                f"and room: set {VARIABLE} or --data to one."
            )
            return Fetched(known.name, target, failure=failure)
    failure = (
        f"Could not fetch {known.name} ({'; '.join(reasons)}); expected a download that can be checked: try again "
        f"later, or get the files at {known.home} and put them by hand into {target} (with {known.labels}), or set "
        f"{VARIABLE} to a folder that has them in the published layout."
    )
    return Fetched(known.name, target, failure=failure)


def _mirrors(known: PublishedSet, address: str | None) -> tuple[Mirror, ...]:
    if address is None:
        return known.mirrors
    # Whoever packed an archive of their own kept the published folders or put the files of one set anywhere.
    return (Mirror("given", address, known.folder), Mirror("given", address, ""))


def _fetch_from(
    mirror: Mirror, known: PublishedSet, root: Path, downloader: Downloader, progress: Progress | None, again: bool
) -> None:
    folder = root / ".downloads"
    archive = kept_archive(mirror, folder)
    if archive and archive not in downloader.fresh:
        try:
            if not again:
                return _install(archive, mirror.inside, known, root, downloader.max_size)
        except (ArchiveError, InputError):
            pass  # what an earlier run kept may be the wrong archive; the server may have the right one by now
        archive = None
    archive = archive or downloader.download(mirror, folder, progress)
    return _install(archive, mirror.inside, known, root, downloader.max_size)


def _install(archive: Path, inside: str, known: PublishedSet, root: Path, max_size: float) -> None:
    # The temporary folder lies inside the data directory: a move within one file system is atomic, a copy is not.
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=root) as staging:
        folder, target = Path(staging), root / known.folder
        try:
            unpack(archive, known, inside, folder, max_size)
            _check(known, folder)
        except NotInsideError:
            raise
        except (ArchiveError, InputError):
            archive.unlink(missing_ok=True)  # or the next attempt would find the same
            raise
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.iterdir(), key=lambda path: path.name == known.labels):  # the labels last
            path.replace(target / path.name)


# ---- the files of a set against the registered hashes


def problem_with(known: PublishedSet, data_dir: str | Path | None = None) -> str:
    """What is wrong with the files of a set that is at hand, however they came; empty where nothing is."""
    try:
        _check(known, data_folder(data_dir) / known.folder)
    except (ArchiveError, InputError) as problem:
        return str(problem)
    return ""


def _check(known: PublishedSet, folder: Path) -> None:
    if known.tree_sha256 and tree_sha256(known.files(folder)) != known.tree_sha256:
        raise ArchiveError("the files differ from the registered ones (SHA-256 over all files)")
    labels = known.read_labels(folder)
    if known.labels_sha256 and labels_sha256(labels) != known.labels_sha256:
        raise ArchiveError("the labels differ from the registered ones")
    labels[0].read()  # some sets have no registered hash of their files: at least one pair must be readable


def tree_sha256(files: Iterable[Path]) -> str:
    """SHA-256 over the lines `name sha256`, sorted by name: what `sha256sum` per file would list."""
    # Not the archive's own hash: hosts pack archives anew, and the files inside stay the same.
    lines = sorted(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def labels_sha256(labels: Iterable[Label]) -> str:
    """SHA-256 over the lines `id truth weight`."""
    lines = [f"{label.pair_id} {label.truth:+d} {label.weight:g}\n" for label in labels]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


# ---- zip archives


def unpack(archive: Path, known: PublishedSet, inside: str, into: Path, max_size: float) -> None:
    """Write the files of one set, found in the only folder that ends in `inside` and holds its labels."""
    with _zip_errors():
        opened = zipfile.ZipFile(archive)
    with opened:
        names = _members(opened.namelist(), known, inside)
        members = [opened.getinfo(name) for name in names]
        # A member is never read beyond the size it declares, so the declared sizes bound what is read and written.
        if sum(member.file_size for member in members) > max_size:
            raise ArchiveError(f"its files are larger than {max_size / 2**20:g} MiB unpacked, the limit (--max-size)")
        for member in members:
            with _zip_errors():
                content = opened.read(member)
            # Only the last part of the name is used, so no member can lead out of the folder.
            (into / PurePosixPath(member.filename).name).write_bytes(content)


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
    end = PurePosixPath(inside).parts
    matching = [folder for folder in with_labels if not end or folder.parts[-len(end) :] == end]
    if len(matching) == 1:
        return with_labels[matching[0]]
    others = ", ".join(sorted(map(str, with_labels))[:5]) or "none"
    raise NotInsideError(f"the archive has no single folder {inside} with pairs and {known.labels} (found: {others})")


@contextmanager
def _zip_errors() -> Iterator[None]:
    # zipfile says that an archive is damaged with whatever exception its bytes happen to run into: struct.error,
    # zlib.error, LZMAError, UnicodeDecodeError, OverflowError, OSError among them; that it is encrypted, with
    # RuntimeError. Writing stays outside.
    try:
        yield
    except Exception as problem:
        raise ArchiveError(f"what came is not a usable zip archive ({problem})") from None
