"""What is sent, counted and timed while it comes: one request cannot be endless, nor can all of them together."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.requests import ClientDisconnect, Request

from causewise.web.limits import ServerLimits
from causewise.web.refusal import Refusal, busy

_LINGER = 5.0
"""Seconds for which the rest of a body that is refused is read and dropped: a client that is still sending when the
connection closes never sees the sentence."""


class InFlight:
    """Bytes of all requests that are being read."""

    def __init__(self) -> None:
        self.bytes = 0
        self.requests = 0


async def body(request: Request, limits: ServerLimits, most: int, flight: InFlight) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes; refused when it is too long, too slow, or there is no room."""
    held, start = 0, time.monotonic()
    pieces = request.stream()
    flight.requests += 1
    try:
        _check_length(int(_number(request.headers.get("content-length"))), most)
        async for piece in _timed(pieces, limits):
            held += len(piece)
            flight.bytes += len(piece)
            _check_length(held, most)
            if flight.bytes > limits.in_flight_bytes:
                raise busy(flight.requests, "uploads")
            late = time.monotonic() - start - limits.pause_seconds
            if late > 0 and held < late * limits.body_rate:
                raise _slow()
            yield piece
    except Refusal as refusal:
        if refusal.status != 408:
            await _drained(pieces)
        raise
    except ClientDisconnect:
        raise Refusal(400, "The connection was closed before everything was sent.") from None
    finally:
        flight.bytes -= held
        flight.requests -= 1


async def _timed(pieces: AsyncIterator[bytes], limits: ServerLimits) -> AsyncIterator[bytes]:
    while True:
        try:
            yield await asyncio.wait_for(anext(pieces), limits.pause_seconds)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise _slow() from None


async def _drained(pieces: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(_LINGER):
            async for _ in pieces:
                pass


def _check_length(length: int, most: int) -> None:
    if length > most:
        raise Refusal(
            413,
            f"Got more than {most:,} bytes; expected at most that in one request: give fewer rows or columns, pack the "
            "file with gzip, or use the command line.",
        )


def _number(text: str | None) -> str:
    return text if text and text.isascii() and text.isdecimal() and len(text) < 19 else "0"


def _slow() -> Refusal:
    return Refusal(
        408,
        "Got nothing more for too long; expected the rest of the request: send it again, faster.",
        headers={"Connection": "close"},
    )
