"""From an address to a whole file: continued where it broke off, never larger or longer than allowed.

An archive is kept under a name that ends in its own SHA-256, because one archive may hold many sets; it is read only
while its bytes still have that hash, and the registered one where there is one.
"""

import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from causewise.errors import InputError
from causewise.lab.datasets.registry import Source

Progress = Callable[[str, int, int | None], None]
"""Called with an address, the bytes at hand and the bytes expected (None where the server does not say)."""

CHUNK = 1 << 16
MEBIBYTE = 1 << 20


class DownloadError(Exception):
    """A download that did not succeed; the message says why, in words."""


class _InterruptedDownloadError(Exception):
    """The connection failed in a way that another attempt may mend."""


# ---- kept archives


def kept_archive(source: Source, folder: Path) -> Path | None:
    """The archive of an earlier download, if its bytes are still those that came; any other is thrown away."""
    found = None
    for path in folder.glob(f"{_stem(source)}-*.zip"):
        if path.stem.endswith("-" + _sha256(path)) and path.stem.endswith(source.sha256):
            found = path
        else:
            path.unlink(missing_ok=True)
    return found


def download(source: Source, folder: Path, downloader: "ResumingDownloader", progress: Progress | None) -> Path:
    """The archive, fetched anew; it is visible in `folder` only when it is whole and its hash is right."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    partial = Path(name)
    try:
        with os.fdopen(handle, "w+b") as sink:
            downloader.fill(sink, source.url, progress)
        sha256 = _sha256(partial)
        if source.sha256 not in ("", sha256):
            raise DownloadError("the file that came has another SHA-256 than the registered one")
        archive = partial.replace(folder / f"{_stem(source)}-{sha256}.zip")
        for other in folder.glob(f"{_stem(source)}-*.zip"):
            if other != archive:
                other.unlink(missing_ok=True)
        return archive
    finally:
        partial.unlink(missing_ok=True)


def _stem(source: Source) -> str:
    # An address from the command line may hold bytes that are no text.
    url = source.url.encode(errors="surrogatepass")
    return f"{source.key}-{hashlib.sha256(url).hexdigest()[:12]}"


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---- the download

_RANGES = {
    "timeout": (1e-3, 1e6),
    "attempts": (1, 100),
    "pause": (0, 1e6),
    "max_time": (1e-3, 1e6),
    "max_size": (1, 1e15),
}


@dataclass(frozen=True)
class ResumingDownloader:
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
    brought: set[Path] = field(default_factory=set, compare=False, repr=False)
    """The archives of this run: none of them is fetched a second time for another set."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            if not low <= getattr(self, name) <= high:  # NaN is in no range
                raise InputError(f"Got {name}={getattr(self, name):g}; expected a number from {low:g} to {high:g}.")

    def fill(self, sink: IO[bytes], url: str, progress: Progress | None) -> None:
        """Download into an open file."""
        # In a thread: a server that sends a byte now and then keeps every call to the network from timing out.
        done: SimpleQueue[BaseException | None] = SimpleQueue()
        stop = threading.Event()
        transfer = _Transfer(self, sink, url, progress or _unheard, stop)

        def work() -> None:
            try:
                transfer.run()
                done.put(None)
            except BaseException as problem:
                done.put(problem)

        threading.Thread(target=work, name="causewise-download", daemon=True).start()
        try:
            problem = done.get(timeout=self.max_time)
        except Empty:
            raise DownloadError(f"not complete after {self.max_time:g} s, the limit (--max-time)") from None
        finally:
            stop.set()
        if problem is not None:
            raise problem


def _unheard(url: str, done: int, total: int | None) -> None:
    pass


@dataclass(frozen=True)
class _Transfer:
    """One download, in its thread; it ends at the next bytes after `stop` is set."""

    how: ResumingDownloader
    sink: IO[bytes]
    url: str
    progress: Progress
    stop: threading.Event

    def run(self) -> None:
        reason = ""
        for attempt in range(self.how.attempts):
            pause = self.how.pause * 2 ** (attempt - 1) if attempt else 0
            if self.stop.wait(min(pause, self.how.max_time)):
                return None
            try:
                return self._attempt()
            except _InterruptedDownloadError as problem:
                reason = str(problem)
        raise DownloadError(f"{reason} ({self.how.attempts} attempt{'s' * (self.how.attempts > 1)})")

    def _attempt(self) -> None:
        import requests

        reached = self.sink.tell()
        # Without compression the length the server announces is the length that arrives.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={reached}-"} if reached else {})
        try:
            with requests.get(self.url, headers=headers, stream=True, timeout=self.how.timeout) as answer:
                _check_status(answer.status_code)
                if answer.status_code != 206 or not _continues(answer.headers.get("Content-Range", ""), reached):
                    reached = 0
                    self.sink.seek(0)
                    self.sink.truncate()
                    if answer.status_code == 206:
                        raise _InterruptedDownloadError("the server continued at another byte than asked for")
                self._receive(answer, reached)
        except requests.exceptions.ReadTimeout:
            raise _InterruptedDownloadError(f"no answer within {self.how.timeout:g} s") from None
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError) as problem:
            raise _InterruptedDownloadError(_explanation(problem)) from None
        except (requests.exceptions.RequestException, ValueError) as problem:
            raise DownloadError(f"{type(problem).__name__}: {problem}") from None

    def _receive(self, answer: Any, reached: int) -> None:
        announced = _length(answer.headers.get("Content-Length"))
        total = None if announced is None else reached + announced
        self._check_size(total or 0)
        # Otherwise the bytes that came before the break are thrown away with the error.
        answer.raw.enforce_content_length = False
        for chunk in answer.iter_content(CHUNK):
            if self.stop.is_set():
                return
            self._check_size(self.sink.tell() + len(chunk))
            self.sink.write(chunk)
            self.progress(self.url, self.sink.tell(), total)
        if total is not None and self.sink.tell() < total:
            raise _InterruptedDownloadError(f"the server broke off after {self.sink.tell()} of {total} bytes")

    def _check_size(self, size: int) -> None:
        if size > self.how.max_size:
            raise DownloadError(f"larger than {self.how.max_size / MEBIBYTE:g} MiB, the limit (--max-size)")


def _check_status(status: int) -> None:
    if status in (200, 206):
        return
    # Too early, too many requests, a server in trouble: worth another attempt. Anything else is an answer.
    if status in (408, 425, 429) or status >= 500:
        raise _InterruptedDownloadError(f"the server answered {status}")
    raise DownloadError(f"the server answered {status}, so the file is not there any more")


def _continues(content_range: str, reached: int) -> bool:
    return re.match(rf"\s*bytes\s+{reached}-", content_range) is not None


def _length(announced: str | None) -> int | None:
    if announced is None or re.fullmatch(r"\s*[0-9]{1,18}\s*", announced):
        return None if announced is None else int(announced)
    raise DownloadError(f"the server announced the length {announced[:40]!r}; expected a number of bytes")


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
