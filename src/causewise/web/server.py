"""Sockets, slow clients and signals: the application on a port of this machine."""

import asyncio
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from causewise.errors import InputError
from causewise.web.application import create
from causewise.web.desk import FrontDesk
from causewise.web.limits import ServerLimits

_KEEP_ALIVE = 15
_GRACE = 2
"""Seconds for answers that are under way when the server is told to end."""
_CONNECTIONS = 800
_LATE = json.dumps({"detail": "Got no whole request in time; expected one: send it again, faster."}).encode()


def serve(host: str, port: int, limits: ServerLimits, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, and end every process; `on_ready` is told the address.

    Raises
    ------
    KeyboardInterrupt
        If it was SIGINT, once everything is removed.
    """
    listening = bound(host, port)
    for talker in ("uvicorn", "python_multipart"):  # what strangers send damaged is answered, not told to the terminal
        logging.getLogger(talker).setLevel(logging.ERROR)
    config = uvicorn.Config(
        create(FrontDesk(limits), host),
        http=patient(limits.header_seconds),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    server = Server(config, lambda: on_ready(address(host, listening.getsockname()[1])))
    server.run(sockets=[listening])
    if server.stopped_by == signal.SIGINT:
        raise KeyboardInterrupt


class Server(uvicorn.Server):
    """One that says when it is ready, and ends by returning, whichever signal ended it."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._on_ready, self.stopped_by = on_ready, 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's."""
        await super().startup(sockets)
        self._on_ready()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Not raised anew afterwards, and a second signal does not skip the cleaning up."""
        self.stopped_by = self.stopped_by or sig
        self.should_exit = True


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens, or one sentence."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or "no such name"
        raise InputError(
            f"Got the host {host!r}, which cannot be found ({reason}); expected a name or an address of this machine, "
            "such as 127.0.0.1."
        ) from None
    family, _, _, _, place = found[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(256)
    except OSError as problem:
        listening.close()
        raise InputError(
            f"Could not listen on port {port} of {host} ({(problem.strerror or 'refused').lower()}); expected a free "
            "port: choose another with --port, or 0 for any."
        ) from None
    return listening


def address(host: str, port: int) -> str:
    """What to type into a browser.

    Examples
    --------
    >>> address("127.0.0.1", 8765), address("::1", 80)
    ('http://127.0.0.1:8765/', 'http://[::1]:80/')
    """
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def patient(seconds: float) -> type[H11Protocol]:
    """The protocol of uvicorn, with a limit on how long the head of a request may take, which uvicorn has not."""

    class Patient(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._disarm()
            super().connection_lost(exc)

        def _look(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._disarm()
            elif self._timer is None:
                self._timer = self.loop.call_later(seconds, self._late)

        def _disarm(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _late(self) -> None:
            self._timer = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                head = f"HTTP/1.1 408 Request Timeout\r\ncontent-length: {len(_LATE)}\r\n"
                kind = "content-type: application/json\r\nconnection: close\r\n\r\n"
                self.transport.write((head + kind).encode() + _LATE)
                self.transport.close()

    return Patient
