"""fetch(): download a published data set, check it, unpack it; a set becomes visible only when it is whole.

The archive is downloaded by pooch into `.downloads` under the data directory (temporary file, hash, atomic move) and
kept there, because one archive may hold many sets. Files are unpacked into a temporary folder, checked, and moved into
place one by one with the labels last: a set without labels counts as absent, so neither a crash nor two processes at
once can leave half of one behind.
"""

import hashlib
import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from whence.datasets.archive import ArchiveError, NotInsideError, unpack
from whence.datasets.download import DownloadError, Resuming
from whence.datasets.fingerprint import labels_sha256, tree_sha256
from whence.datasets.folder import VARIABLE, data_folder, is_present, member_files
from whence.datasets.readers import FORMATS
from whence.datasets.registry import Entry, Mirror, Source
from whence.pair import InputError

Progress = Callable[[str, int, int | None], None]
"""Called with an address, the bytes at hand and the bytes expected."""


@dataclass(frozen=True)
class Fetched:
    """How fetching one set went."""

    name: str
    folder: Path
    news: bool = False
    """Whether anything was downloaded; a set that is there already is left alone."""
    failure: str = ""
    """The sentence that says why there is no set; empty when there is one."""


def fetch(
    entry: Entry,
    data_dir: str | Path | None = None,
    *,
    again: bool = False,
    address: str | None = None,
    downloader: Resuming | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Bring one set into the data directory; its mirrors are tried in turn, or only `address` where one is given."""
    root = data_folder(data_dir)
    target = root / entry.folder
    if is_present(entry, root) and not again:
        return Fetched(entry.name, target)
    reasons = []
    for mirror in _mirrors(entry, address):
        try:
            _fetch_from(mirror, entry, root, downloader or Resuming(), progress)
            return Fetched(entry.name, target, news=True)
        except (DownloadError, ArchiveError, InputError) as problem:
            reasons.append(f"{mirror.source.url}: {problem}")
        except OSError as problem:
            return Fetched(entry.name, target, failure=_unwritable(root, problem))
    return Fetched(entry.name, target, failure=_sentence(entry, target, reasons))


def _mirrors(entry: Entry, address: str | None) -> tuple[Mirror, ...]:
    if address is None:
        return entry.mirrors
    given = Source("given", address, verified=False)
    return (Mirror(given, entry.folder), Mirror(given, ""))


def _fetch_from(mirror: Mirror, entry: Entry, root: Path, downloader: Resuming, progress: Progress | None) -> None:
    archive = _download(mirror.source, root / ".downloads", downloader, progress)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=root) as staging:
        folder = Path(staging)
        try:
            unpack(archive, entry, mirror.inside, folder)
            _check(entry, folder)
        except NotInsideError:
            raise
        except (ArchiveError, InputError):
            archive.unlink(missing_ok=True)  # or the next attempt would find the same
            raise
        _install(entry, folder, root / entry.folder)


def _download(source: Source, folder: Path, downloader: Resuming, progress: Progress | None) -> Path:
    import pooch

    folder.mkdir(parents=True, exist_ok=True)
    name = f"{source.key}-{hashlib.sha256(source.url.encode()).hexdigest()[:12]}.zip"
    registry = {name: f"sha256:{source.sha256}" if source.sha256 else None}
    store = pooch.create(path=folder, base_url="", registry=registry, urls={name: source.url})
    if progress is not None:
        tell = progress
        downloader = replace(downloader, report=lambda done, total: tell(source.url, done, total))
    with _quiet_pooch():
        try:
            return Path(store.fetch(name, downloader=downloader))
        except ValueError:  # pooch's word for a wrong hash
            raise DownloadError("the file that came has another SHA-256 than the registered one") from None


def _check(entry: Entry, folder: Path) -> None:
    if entry.tree_sha256 and tree_sha256(member_files(entry, folder)) != entry.tree_sha256:
        raise ArchiveError("the files in the archive differ from the registered ones (SHA-256 over all files)")
    labels = FORMATS[entry.format](folder, entry)
    if entry.labels_sha256 and labels_sha256(labels) != entry.labels_sha256:
        raise ArchiveError("the labels in the archive differ from the registered ones")
    labels[0].read()


def _install(entry: Entry, staging: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(staging.iterdir(), key=lambda path: path.name == entry.labels):
        path.replace(target / path.name)


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Progress is reported by us; pooch's own lines on stderr would tear the bar apart."""
    import pooch

    logger = pooch.get_logger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _sentence(entry: Entry, target: Path, reasons: list[str]) -> str:
    return (
        f"Could not fetch {entry.name} ({'; '.join(reasons)}); expected a download that can be checked: try again "
        f"later, or put the files by hand into {target} (with {entry.labels}), or set {VARIABLE} to a folder that has "
        "them in the published layout."
    )


def _unwritable(root: Path, problem: OSError) -> str:
    return (
        f"Could not write to {root} ({problem.strerror or problem}); expected a folder with write permission and room: "
        f"set {VARIABLE} or --data to one."
    )
