"""fetch(): download a published data set, check it, unpack it; a set becomes visible only when it is whole.

Archives are kept in `.downloads` under the data directory. Files are unpacked into a temporary folder, checked, and
moved into place one by one with the labels last: a set without labels counts as absent, so neither a crash nor two
processes at once can leave half of one behind.

A download is continued where it broke off, and is never larger or longer than allowed. An archive is kept under a name
that ends in its own SHA-256, because one archive may hold many sets; it is read only while its bytes still have that
hash, and the registered one where there is one.
"""

import hashlib
import os
import re
import socket
import ssl
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse, InvalidURL
from pathlib import Path, PurePosixPath
from typing import IO, cast
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from causewise.errors import InputError
from causewise.lab.datasets.collection import Label
from causewise.lab.datasets.storage import VARIABLE, Mirror, PublishedSet, data_folder
from causewise.version import VERSION

Progress = Callable[[str, int, int | None], None]
"""Called with an address, the bytes at hand and the bytes expected (None where the server does not say)."""

CHUNK = 1 << 16
MEBIBYTE = 1 << 20
_RANGES = {
    "timeout": (1e-3, 1e6),
    "attempts": (1, 100),
    "pause": (0, 1e6),
    "max_time": (1e-3, 1e6),
    "max_size": (1, 1e15),
}


class DownloadError(Exception):
    """A download that did not succeed; the message says why, in words."""


class _InterruptedDownloadError(Exception):
    """The connection failed in a way that another attempt may mend."""


@dataclass(frozen=True)
class Downloader:
    """How to download; a broken download goes on at the byte it reached."""

    timeout: float = 30.0
    """Seconds to wait for a connection, and for the next bytes."""
    attempts: int = 4
    pause: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    max_time: float = 3600.0
    """Seconds one download may take, all attempts together."""
    max_size: float = 1024 * MEBIBYTE
    """Bytes one download may have; the files unpacked from it, all together, may have as many."""
    fresh: set[Path] = field(default_factory=set, compare=False, repr=False)
    """The archives of this run: none of them is fetched a second time for another set."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            if not low <= getattr(self, name) <= high:  # NaN is in no range
                raise InputError(f"Got {name}={getattr(self, name):g}; expected a number from {low:g} to {high:g}.")

    def download(self, mirror: Mirror, folder: Path, progress: Progress | None = None) -> Path:
        """The archive, fetched anew; it is visible in `folder` only when it is whole and its hash is right."""
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
        partial = Path(name)
        try:
            with os.fdopen(handle, "w+b") as sink:
                self._fill(sink, mirror.url, progress)
            sha256 = _sha256(partial)
            if mirror.sha256 not in ("", sha256):
                raise DownloadError("the file that came has another SHA-256 than the registered one")
            archive = partial.replace(folder / f"{_stem(mirror)}-{sha256}.zip")
        finally:
            partial.unlink(missing_ok=True)
        for other in folder.glob(f"{_stem(mirror)}-*.zip"):
            if other != archive:
                other.unlink(missing_ok=True)
        self.fresh.add(archive)
        return archive

    def _fill(self, sink: IO[bytes], url: str, progress: Progress | None) -> None:
        deadline, reason = time.monotonic() + self.max_time, ""
        for attempt in range(self.attempts):
            if attempt:
                time.sleep(min(self.pause * 2 ** (attempt - 1), self._time_left(deadline)))
            try:
                return self._attempt(sink, url, progress, deadline)
            except _InterruptedDownloadError as problem:
                reason = str(problem)
        raise DownloadError(f"{reason} ({self.attempts} attempt{'s' * (self.attempts > 1)})")

    def _attempt(self, sink: IO[bytes], url: str, progress: Progress | None, deadline: float) -> None:
        reached = sink.tell()
        # Without compression the length the server announces is the length that arrives.
        headers = {"Accept-Encoding": "identity", "User-Agent": f"causewise/{VERSION}"}
        if reached:
            headers["Range"] = f"bytes={reached}-"
        patience = min(self.timeout, self._time_left(deadline))
        with _network_errors(patience):
            answer = _open(url, headers, patience)
        with answer:
            content_range = answer.headers.get("Content-Range", "")
            if answer.status != 206 or not re.match(rf"\s*bytes\s+{reached}-", content_range):
                reached = 0
                sink.seek(0)
                sink.truncate()
                if answer.status == 206:
                    raise _InterruptedDownloadError("the server continued at another byte than asked for")
            announced = _length(answer.headers.get("Content-Length"))
            total = None if announced is None else reached + announced
            self._check_size(total or 0)
            while True:
                self._time_left(deadline)
                # Whatever has come, not a whole chunk: a server that sends a byte now and then never times out.
                with _network_errors(patience):
                    chunk = answer.read1(CHUNK)
                if not chunk:
                    break
                self._check_size(sink.tell() + len(chunk))
                sink.write(chunk)
                if progress:
                    progress(url, sink.tell(), total)
        if total is not None and sink.tell() < total:
            raise _InterruptedDownloadError(f"the server broke off after {sink.tell()} of {total} bytes")

    def _time_left(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise DownloadError(f"not complete after {self.max_time:g} s, the limit (--max-time)")
        return left

    def _check_size(self, size: int) -> None:
        if size > self.max_size:
            raise DownloadError(f"larger than {self.max_size / MEBIBYTE:g} MiB, the limit (--max-size)")


def kept_archive(mirror: Mirror, folder: Path) -> Path | None:
    """The archive of an earlier download, if its bytes are still those that came; any other is thrown away."""
    kept = None
    for path in folder.glob(f"{_stem(mirror)}-*.zip"):
        if path.stem.endswith("-" + _sha256(path)) and path.stem.endswith(mirror.sha256):
            kept = path
        else:
            path.unlink(missing_ok=True)
    return kept


def _stem(mirror: Mirror) -> str:
    # An address from the command line may hold bytes that are no text.
    url = mirror.url.encode(errors="surrogatepass")
    return f"{mirror.key}-{hashlib.sha256(url).hexdigest()[:12]}"


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _open(url: str, headers: dict[str, str], timeout: float) -> HTTPResponse:
    if not url.startswith(("http://", "https://")):
        raise ValueError("expected an address that begins with http:// or https://")
    try:
        return cast(HTTPResponse, urlopen(Request(url, headers=headers), timeout=timeout))
    except HTTPError as answer:
        answer.close()
        # Too early, too many requests, a server in trouble: worth another attempt. Anything else is an answer.
        if answer.code in (408, 425, 429) or answer.code >= 500:
            raise _InterruptedDownloadError(f"the server answered {answer.code}") from None
        raise DownloadError(f"the server answered {answer.code}, so the file is not there any more") from None


@contextmanager
def _network_errors(timeout: float) -> Iterator[None]:
    """What the network says, in words; writing to the disk stays outside."""
    try:
        yield
    except (ValueError, InvalidURL) as problem:
        raise DownloadError(f"{type(problem).__name__}: {problem}") from None
    except (OSError, HTTPException) as problem:
        cause = problem.reason if isinstance(problem, URLError) else problem
        if isinstance(cause, TimeoutError):
            words = f"no answer within {timeout:g} s"
        elif isinstance(cause, socket.gaierror):
            words = "the host's name cannot be found: is this computer online?"
        elif isinstance(cause, ssl.SSLCertVerificationError):
            words = f"the server's certificate is not trusted ({cause.verify_message})"
        elif isinstance(cause, (HTTPException, ConnectionResetError)):
            words = "the server broke off before the end"
        else:
            words = "no connection: is this computer online?"
        raise _InterruptedDownloadError(words) from None


def _length(announced: str | None) -> int | None:
    if announced is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,18}\s*", announced):
        return int(announced)
    raise DownloadError(f"the server announced the length {announced[:40]!r}; expected a number of bytes")


# ---- a set out of an archive


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
