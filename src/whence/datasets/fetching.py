"""fetch(): download a published data set, check it, unpack it; a set becomes visible only when it is whole.

The archive is downloaded by pooch into `.downloads` under the data directory (temporary file, hash, atomic move) and
kept there, because one archive may hold many sets. Files are unpacked into a temporary folder, checked, and moved into
place one by one with the labels last: a set without labels counts as absent, so neither a crash nor two processes at
once can leave half of one behind.
"""

import hashlib
import logging
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from whence.datasets.collection import Label
from whence.datasets.readers import FORMATS
from whence.datasets.registry import Mirror, PublishedSet, Source
from whence.datasets.storage import VARIABLE, data_folder, is_present, member_files
from whence.pair import InputError

Progress = Callable[[str, int, int | None], None]
"""Called with an address, the bytes at hand and the bytes expected (None where the server does not say)."""

CHUNK = 1 << 16


class DownloadError(Exception):
    """A download that did not succeed; the message says why, in words."""


class _InterruptedDownloadError(Exception):
    """The connection failed in a way that another attempt may mend."""


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


# ---- the door


def fetch(
    known: PublishedSet,
    data_dir: str | Path | None = None,
    *,
    again: bool = False,
    address: str | None = None,
    downloader: "ResumingDownloader | None" = None,
    progress: Progress | None = None,
) -> Fetched:
    """Bring one set into the data directory; its mirrors are tried in turn, or only `address` where one is given."""
    root = data_folder(data_dir)
    target = root / known.folder
    if is_present(known, root) and not again:
        return Fetched(known.name, target)
    reasons = []
    for mirror in _mirrors(known, address):
        try:
            _fetch_from(mirror, known, root, downloader or ResumingDownloader(), progress)
            return Fetched(known.name, target, downloaded=True)
        except (DownloadError, ArchiveError, InputError) as problem:
            reasons.append(f"{mirror.source.url}: {problem}")
        except OSError as problem:
            return Fetched(known.name, target, failure=_unwritable(root, problem))
    return Fetched(known.name, target, failure=_not_fetched(known, target, reasons))


def _mirrors(known: PublishedSet, address: str | None) -> tuple[Mirror, ...]:
    if address is None:
        return known.mirrors
    # Whoever packed an archive of their own kept the published folders or put the files of one set anywhere.
    given = Source("given", address, verified=False)
    return (Mirror(given, known.folder), Mirror(given, ""))


def _fetch_from(
    mirror: Mirror, known: PublishedSet, root: Path, downloader: "ResumingDownloader", progress: Progress | None
) -> None:
    archive = _download(mirror.source, root / ".downloads", downloader, progress)
    # The temporary folder lies inside the data directory: a move within one file system is atomic, a copy is not.
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=root) as staging:
        folder = Path(staging)
        try:
            unpack(archive, known, mirror.inside, folder)
            _check(known, folder)
        except NotInsideError:
            raise
        except (ArchiveError, InputError):
            archive.unlink(missing_ok=True)  # or the next attempt would find the same
            raise
        _install(known, folder, root / known.folder)


def _check(known: PublishedSet, folder: Path) -> None:
    if known.tree_sha256 and tree_sha256(member_files(known, folder)) != known.tree_sha256:
        raise ArchiveError("the files in the archive differ from the registered ones (SHA-256 over all files)")
    labels = FORMATS[known.format](folder, known)
    if known.labels_sha256 and labels_sha256(labels) != known.labels_sha256:
        raise ArchiveError("the labels in the archive differ from the registered ones")
    labels[0].read()  # some sets have no registered hash of their files: at least one pair must be readable


def _install(known: PublishedSet, staging: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(staging.iterdir(), key=lambda path: path.name == known.labels):  # the labels last
        path.replace(target / path.name)


def _not_fetched(known: PublishedSet, target: Path, reasons: list[str]) -> str:
    return (
        f"Could not fetch {known.name} ({'; '.join(reasons)}); expected a download that can be checked: try again "
        f"later, or put the files by hand into {target} (with {known.labels}), or set {VARIABLE} to a folder that has "
        "them in the published layout."
    )


def _unwritable(root: Path, problem: OSError) -> str:
    return (
        f"Could not write to {root} ({problem.strerror or problem}); expected a folder with write permission and room: "
        f"set {VARIABLE} or --data to one."
    )


# ---- hashes


def tree_sha256(files: Iterable[Path]) -> str:
    """SHA-256 over the lines `name sha256`, sorted by name: what `sha256sum` per file would list."""
    # Not the archive's own hash: hosts pack archives anew, and the files inside stay the same.
    lines = sorted(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def labels_sha256(labels: Iterable[Label]) -> str:
    """SHA-256 over the lines `id truth weight`."""
    lines = [f"{label.pair_id} {label.truth:+d} {label.weight:g}\n" for label in labels]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


# ---- the archive


def unpack(archive: Path, known: PublishedSet, inside: str, into: Path) -> None:
    """Write the files of one set, found in the only folder that ends in `inside` and holds its labels."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in _members(opened.namelist(), known, inside):
                # Only the last part of the name is used, so no member can lead out of the folder.
                (into / PurePosixPath(member).name).write_bytes(opened.read(member))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as problem:
        raise ArchiveError(f"what came is not a usable zip archive ({problem})") from None


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
    found = ", ".join(sorted(map(str, with_labels))) or "none"
    raise NotInsideError(f"the archive has no single folder {inside} with pairs and {known.labels} (found: {found})")


def _ends_with(folder: PurePosixPath, inside: PurePosixPath) -> bool:
    count = len(inside.parts)
    return count == 0 or folder.parts[-count:] == inside.parts


# ---- the download


def _download(source: Source, folder: Path, downloader: "ResumingDownloader", progress: Progress | None) -> Path:
    import pooch

    folder.mkdir(parents=True, exist_ok=True)
    name = f"{source.key}-{hashlib.sha256(source.url.encode()).hexdigest()[:12]}.zip"
    reporting = replace(downloader, progress=progress or downloader.progress)
    known_hash = f"sha256:{source.sha256}" if source.sha256 else None
    with _quiet_pooch():
        try:
            got = pooch.retrieve(source.url, known_hash, fname=name, path=folder, downloader=reporting)
        except ValueError:  # what pooch raises for a wrong hash
            raise DownloadError("the file that came has another SHA-256 than the registered one") from None
    return Path(got)


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


@dataclass(frozen=True)
class ResumingDownloader:
    """Called by pooch with a temporary file, which only becomes visible when it is complete and its hash is right.

    pooch's own downloader starts a broken download from the beginning; this one goes on at the byte it reached.
    """

    timeout: float = 30.0
    """Seconds to wait for a connection, and for the next bytes."""
    attempts: int = 4
    pause: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    progress: Progress | None = None

    def __call__(self, url: str, output_file: str, pooch: Any, check_only: bool = False) -> None:
        """Fill `output_file`."""
        reason = ""
        with open(output_file, "w+b") as sink:  # noqa: PTH123  # pooch hands over a name
            for attempt in range(self.attempts):
                time.sleep(self.pause * 2 ** (attempt - 1) if attempt else 0)
                try:
                    return self._continue(url, sink)
                except _InterruptedDownloadError as problem:
                    reason = str(problem)
        raise DownloadError(f"{reason} ({self.attempts} attempt{'s' * (self.attempts > 1)})")

    def _continue(self, url: str, sink: IO[bytes]) -> None:
        import requests

        reached = sink.tell()
        # Without compression the length the server announces is the length that arrives.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={reached}-"} if reached else {})
        try:
            with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as answer:
                _check_status(answer.status_code)
                if answer.status_code != 206:  # the server ignores the range and sends everything
                    reached = 0
                    sink.seek(0)
                    sink.truncate()
                self._receive(url, answer, sink, reached)
        except requests.exceptions.ReadTimeout:
            raise _InterruptedDownloadError(f"no answer within {self.timeout:g} s") from None
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError) as problem:
            raise _InterruptedDownloadError(_explanation(problem)) from None
        except requests.exceptions.RequestException as problem:
            raise DownloadError(f"{type(problem).__name__}: {problem}") from None

    def _receive(self, url: str, answer: Any, sink: IO[bytes], reached: int) -> None:
        announced = answer.headers.get("Content-Length", "")
        total = reached + int(announced) if announced.isdigit() else None
        # Otherwise the bytes that came before the break are thrown away with the error.
        answer.raw.enforce_content_length = False
        for chunk in answer.iter_content(CHUNK):
            sink.write(chunk)
            if self.progress is not None:
                self.progress(url, sink.tell(), total)
        if total is not None and sink.tell() < total:
            raise _InterruptedDownloadError(f"the server broke off after {sink.tell()} of {total} bytes")


def _check_status(status: int) -> None:
    if status in (200, 206):
        return
    # Too early, too many requests, a server in trouble: worth another attempt. Anything else is an answer.
    if status in (408, 425, 429) or status >= 500:
        raise _InterruptedDownloadError(f"the server answered {status}")
    raise DownloadError(f"the server answered {status}, so the file is not there any more")


def _explanation(problem: Exception) -> str:
    # requests wraps every cause in ConnectionError; only the text tells them apart.
    text = str(problem)
    if "IncompleteRead" in text or "Connection broken" in text:
        return "the server broke off before the end"
    if "NameResolution" in text or "getaddrinfo" in text or "Name or service" in text:
        return "the host's name cannot be found: is this computer online?"
    if "timed out" in text:
        return "the connection timed out"
    return "no connection: is this computer online?"
