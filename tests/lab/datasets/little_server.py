"""A server on this machine that breaks off, lies, hangs or drips, and the little archive it serves."""

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from causewise.lab.datasets.fetching import Downloader
from causewise.lab.datasets.storage import Mirror, PublishedSet

QUICK = Downloader(timeout=5, attempts=3, pause=0.01)


def contents() -> dict[str, str]:
    body = '"","x","y"\n' + "".join(f'"{i}",{i},{(i * 7) % 12}\n' for i in range(12))
    return {"pairs_gt.txt": "1\n0\n" * 50} | {f"pair_{i}.txt": body.replace("11", str(100 + i)) for i in range(1, 101)}


def zipped(inside: str = "top-1234/data/ANLSMN_pairs/AN", **extra: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in ({f"{inside}/{name}": text for name, text in contents().items()} | extra).items():
            archive.writestr(name, text)
    return buffer.getvalue()


class Behaviour:
    """What the server does; it also remembers what it was asked."""

    def __init__(
        self,
        body: bytes,
        *,
        cuts: int = 0,
        status: int = 200,
        hang: float = 0,
        ranges: bool = True,
        drip: float = 0,
        length: str | None = "",
        shift: int = 0,
    ) -> None:
        self.body, self.cuts, self.status, self.hang, self.ranges = body, cuts, status, hang, ranges
        self.drip, self.length, self.shift = drip, length, shift
        self.asked: list[str | None] = []

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range")
        self.asked.append(asked)
        time.sleep(self.hang)
        if self.status != 200:
            return handler.send_error(self.status)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and self.ranges else 0
        part = self.body[start:]
        handler.send_response(206 if start else 200)
        if self.length is not None:
            handler.send_header("Content-Length", self.length or str(len(part)))
        if start:
            first = start + self.shift
            handler.send_header("Content-Range", f"bytes {first}-{len(self.body) - 1}/{len(self.body)}")
        handler.end_headers()
        if self.cuts > 0:
            self.cuts -= 1
            part = part[: len(part) // 2]
        for place in range(0, len(part), 1 if self.drip else len(part) or 1):
            handler.wfile.write(part[place : place + 1] if self.drip else part)
            time.sleep(self.drip)
        return None


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                behaviour.answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/data.zip"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def from_url(known: PublishedSet, *urls: str, sha256: str = "") -> PublishedSet:
    mirrors = [Mirror(f"m{i}", url, "data/ANLSMN_pairs/AN", sha256=sha256) for i, url in enumerate(urls)]
    return replace(known, mirrors=tuple(mirrors))
