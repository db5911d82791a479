"""Request bodies: bounded in bytes and time while they arrive, held in memory and never on disk."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath

from python_multipart.exceptions import FormParserError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from causewise.formatting import visible
from causewise.serving.limits import RequestError, queue_full_error
from causewise.web.limits import ServerLimits

_DRAIN_SECONDS = 5.0
"""For which the rest of a body that is too large is read and dropped: a client that is still sending when the
connection closes never sees the sentence."""


@dataclass(frozen=True)
class Upload:
    """The file of a form, and its other fields."""

    name: str
    content: bytes
    fields: dict[str, str]


class BodyReader:
    """Reads bodies; no request can be endless, nor can all of them together."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._bytes = self._requests = 0
        """Of all requests that are being read."""

    async def read(self, request: Request, most_json: int | None = None) -> bytes | Upload:
        """The file of a form, or the bytes of a body in JSON."""
        if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
            return await self._read_form(request)
        return await self.read_json(request, most_json)

    async def read_json(self, request: Request, most: int | None = None) -> bytes:
        """The bytes of a body in JSON."""
        return b"".join([chunk async for chunk in self._stream(request, most or self._limits.json_bytes)])

    async def _read_form(self, request: Request) -> Upload:
        most = self._limits.upload_bytes
        parser = MultiPartParser(
            request.headers, self._stream(request, most), max_files=1, max_fields=24, max_part_size=1 << 16
        )
        parser.spool_max_size = most + 1  # beyond this size a file would go to disk
        try:
            form = await parser.parse()
        except (MultiPartException, FormParserError) as problem:  # older versions of starlette let the latter through
            raise RequestError(
                400, f"Got a form that cannot be read ({visible(problem)}); expected one file."
            ) from None
        try:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise RequestError(422, "Got a form without a file; expected the table in a field called 'file'.")
            fields = {key: value for key, value in form.multi_items() if isinstance(value, str)}
            # The last part of the name alone, whatever system it comes from: no folder of anybody is named here.
            name = PurePath((file.filename or "").replace("\\", "/")).name
            return Upload(visible(name)[:120] or "table", await file.read(), fields)
        finally:
            await form.close()

    async def _stream(self, request: Request, most: int) -> AsyncGenerator[bytes, None]:
        limits, size, start = self._limits, 0, time.monotonic()
        chunks = request.stream()
        self._requests += 1
        try:
            _check_size(int(request.headers.get("content-length", 0)), most)
            while chunk := await asyncio.wait_for(anext(chunks, b""), limits.pause_seconds):
                size += len(chunk)
                self._bytes += len(chunk)
                _check_size(size, most)
                if self._bytes > limits.in_flight_bytes:
                    raise queue_full_error(self._requests, "uploads")
                late = time.monotonic() - start - limits.pause_seconds
                if late > 0 and size < late * limits.body_rate:
                    raise TimeoutError
                yield chunk
        except RequestError:
            with suppress(TimeoutError, ClientDisconnect, RuntimeError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    async for _ in chunks:
                        pass
            raise
        except TimeoutError:
            raise RequestError(
                408,
                "Got nothing more for too long; expected the rest of the request: send it again, faster.",
                headers={"Connection": "close"},
            ) from None
        except ClientDisconnect:
            raise RequestError(400, "The connection was closed before everything was sent.") from None
        finally:
            self._bytes -= size
            self._requests -= 1


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise RequestError(
            413,
            f"Got more than {most:,} bytes; expected at most that in one request: give fewer rows or columns, pack the "
            "file with gzip, or use the command line.",
        )
