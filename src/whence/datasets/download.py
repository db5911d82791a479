"""A downloader for pooch that continues a broken download at the byte it reached, with a limit on waiting."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

Report = Callable[[int, int | None], None]
"""Called with the bytes at hand and the bytes expected (None where the server does not say)."""

CHUNK = 1 << 16


class DownloadError(Exception):
    """A download that did not succeed; the message says why, in words."""


class _BrokenOffError(Exception):
    """The connection failed in a way that another attempt may mend."""


def silent(done: int, total: int | None) -> None:
    """A report that nobody reads."""


@dataclass(frozen=True)
class Resuming:
    """Called by pooch with a temporary file, which only becomes visible when it is complete and its hash is right."""

    timeout: float = 30.0
    """Seconds to wait for a connection, and for the next bytes."""
    attempts: int = 4
    pause: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    report: Report = silent

    def __call__(self, url: str, output_file: str, pooch: Any, check_only: bool = False) -> None:
        """Fill `output_file`."""
        reason = ""
        with open(output_file, "w+b") as sink:  # noqa: PTH123  # pooch hands over a name
            for attempt in range(self.attempts):
                time.sleep(self.pause * 2 ** (attempt - 1) if attempt else 0)
                try:
                    return self._continue(url, sink)
                except _BrokenOffError as problem:
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
                if answer.status_code != 206:
                    reached = 0
                    sink.seek(0)
                    sink.truncate()
                self._receive(answer, sink, reached)
        except requests.exceptions.ReadTimeout:
            raise _BrokenOffError(f"no answer within {self.timeout:g} s") from None
        except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError) as problem:
            raise _BrokenOffError(_in_words(problem)) from None
        except requests.exceptions.RequestException as problem:
            raise DownloadError(f"{type(problem).__name__}: {problem}") from None

    def _receive(self, answer: Any, sink: IO[bytes], reached: int) -> None:
        announced = answer.headers.get("Content-Length", "")
        total = reached + int(announced) if announced.isdigit() else None
        # Otherwise the bytes that came before the break are thrown away with the error.
        answer.raw.enforce_content_length = False
        for chunk in answer.iter_content(CHUNK):
            sink.write(chunk)
            self.report(sink.tell(), total)
        if total is not None and sink.tell() < total:
            raise _BrokenOffError(f"the server broke off after {sink.tell()} of {total} bytes")


def _check_status(status: int) -> None:
    if status in (200, 206):
        return
    if status in (408, 425, 429) or status >= 500:
        raise _BrokenOffError(f"the server answered {status}")
    raise DownloadError(f"the server answered {status}, so the file is not there any more")


def _in_words(problem: Exception) -> str:
    text = str(problem)
    if "IncompleteRead" in text or "Connection broken" in text:
        return "the server broke off before the end"
    if "NameResolution" in text or "getaddrinfo" in text or "Name or service" in text:
        return "the host's name cannot be found: is this computer online?"
    if "timed out" in text:
        return "the connection timed out"
    return "no connection: is this computer online?"
