"""fetch(): download a published data set, check it, unpack it; a set becomes visible only when it is whole.

Archives are kept in `.downloads` under the data directory. Files are unpacked into a temporary folder, checked, and
moved into place one by one with the labels last: a set without labels counts as absent, so neither a crash nor two
processes at once can leave half of one behind.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from causewise.errors import InputError
from causewise.lab.datasets.archives import ArchiveError, NotInsideError, labels_sha256, tree_sha256, unpack
from causewise.lab.datasets.downloads import DownloadError, Progress, ResumingDownloader, download, kept_archive
from causewise.lab.datasets.readers import FORMATS
from causewise.lab.datasets.registry import Mirror, PublishedSet, Source
from causewise.lab.datasets.storage import VARIABLE, data_folder, is_present, member_files


@dataclass(frozen=True)
class Fetched:
    """How fetching one set went."""

    name: str
    folder: Path
    downloaded: bool = False
    """False also for a set that was there already, which is left alone."""
    failure: str = ""
    """The sentence that says why there is no set; empty when there is one."""


# ---- the door


def fetch(
    known: PublishedSet,
    data_dir: str | Path | None = None,
    *,
    again: bool = False,
    address: str | None = None,
    downloader: ResumingDownloader | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Bring one set into the data directory; its mirrors are tried in turn, or only `address` where one is given."""
    root = data_folder(data_dir)
    target = root / known.folder
    if is_present(known, root) and not again:
        return Fetched(known.name, target)
    downloader = downloader or ResumingDownloader()
    reasons = []
    for mirror in _mirrors(known, address):
        try:
            _fetch_from(mirror, known, root, downloader, progress, again)
            return Fetched(known.name, target, downloaded=True)
        except (DownloadError, ArchiveError, InputError) as problem:
            reasons.append(f"{mirror.source.url}: {problem}")
        except OSError as problem:
            return Fetched(known.name, target, failure=_unwritable(root, problem))
    return Fetched(known.name, target, failure=_not_fetched(known, target, reasons))


def problem_with(known: PublishedSet, data_dir: str | Path | None = None) -> str:
    """What is wrong with the files of a set that is at hand, however they came; empty where nothing is."""
    try:
        _check(known, data_folder(data_dir) / known.folder)
    except (ArchiveError, InputError) as problem:
        return str(problem)
    return ""


def _mirrors(known: PublishedSet, address: str | None) -> tuple[Mirror, ...]:
    if address is None:
        return known.mirrors
    # Whoever packed an archive of their own kept the published folders or put the files of one set anywhere.
    given = Source("given", address, verified=False)
    return (Mirror(given, known.folder), Mirror(given, ""))


def _fetch_from(
    mirror: Mirror,
    known: PublishedSet,
    root: Path,
    downloader: ResumingDownloader,
    progress: Progress | None,
    again: bool,
) -> None:
    folder = root / ".downloads"
    kept = kept_archive(mirror.source, folder)
    if kept in downloader.brought:
        return _take(kept, mirror.inside, known, root, downloader.max_size)
    if kept and not again:
        try:
            return _take(kept, mirror.inside, known, root, downloader.max_size)
        except (ArchiveError, InputError):
            pass  # what an earlier run kept may be the wrong archive; the server may have the right one by now
    archive = download(mirror.source, folder, downloader, progress)
    downloader.brought.add(archive)
    return _take(archive, mirror.inside, known, root, downloader.max_size)


def _take(archive: Path, inside: str, known: PublishedSet, root: Path, max_size: float) -> None:
    """Unpack, check and install one set."""
    # The temporary folder lies inside the data directory: a move within one file system is atomic, a copy is not.
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=root) as staging:
        folder = Path(staging)
        try:
            unpack(archive, known, inside, folder, max_size)
            _check(known, folder)
        except NotInsideError:
            raise
        except (ArchiveError, InputError):
            archive.unlink(missing_ok=True)  # or the next attempt would find the same
            raise
        _install(known, folder, root / known.folder)


def _check(known: PublishedSet, folder: Path) -> None:
    if known.tree_sha256 and tree_sha256(member_files(known, folder)) != known.tree_sha256:
        raise ArchiveError("the files differ from the registered ones (SHA-256 over all files)")
    labels = FORMATS[known.format](folder, known)
    if known.labels_sha256 and labels_sha256(labels) != known.labels_sha256:
        raise ArchiveError("the labels differ from the registered ones")
    labels[0].read()  # some sets have no registered hash of their files: at least one pair must be readable


def _install(known: PublishedSet, staging: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(staging.iterdir(), key=lambda path: path.name == known.labels):  # the labels last
        path.replace(target / path.name)


def _not_fetched(known: PublishedSet, target: Path, reasons: list[str]) -> str:
    return (
        f"Could not fetch {known.name} ({'; '.join(reasons)}); expected a download that can be checked: try again "
        f"later, or get the files at {known.home} and put them by hand into {target} (with {known.labels}), or set "
        f"{VARIABLE} to a folder that has them in the published layout."
    )


def _unwritable(root: Path, problem: OSError) -> str:
    return (
        f"Could not write to {root} ({problem.strerror or problem}); expected a folder with write permission and room: "
        f"set {VARIABLE} or --data to one."
    )
