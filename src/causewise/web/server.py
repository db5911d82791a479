"""Sockets, slow clients and signals: the application on a port of this machine."""

import asyncio
import json
import logging
import signal
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from causewise.errors import InputError
from causewise.web.application import create_application
from causewise.web.jobs import JobManager
from causewise.web.limits import ServerLimits

_GRACE_SECONDS = 2
"""For requests under way when the server is told to end."""
_LATE = json.dumps({"detail": "Got no whole request in time; expected one: send it again, faster."}).encode()


def serve(host: str, port: int, limits: ServerLimits, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, and end every process; `on_ready` is called with the address.

    Raises
    ------
    KeyboardInterrupt
        If it was SIGINT, once everything is removed.
    """
    listener = open_socket(host, port)
    for library in ("uvicorn", "python_multipart"):  # damaged requests are answered, not written to the terminal
        logging.getLogger(library).setLevel(logging.ERROR)
    server = Server(JobManager(limits), host, lambda: on_ready(address(host, listener.getsockname()[1])))
    server.run(sockets=[listener])
    if server.stopped_by == signal.SIGINT:
        raise KeyboardInterrupt


class Server(uvicorn.Server):
    """uvicorn's, which says when it is ready, and ends by returning, whichever signal ended it."""

    def __init__(self, jobs: JobManager, host: str, on_ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            create_application(jobs, host),
            http=limit_header_time(jobs.limits.header_seconds),
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=800,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)
        self._jobs, self._on_ready, self.stopped_by = jobs, on_ready, 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's."""
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, once every request has its answer: that of its work, or that the server is closing.

        Uvicorn would wait for work that nobody ends, and then write a traceback for each that it cancels.
        """
        for each in self.servers:
            each.close()
        closing = asyncio.create_task(asyncio.to_thread(self._jobs.close))
        if requests := set(self.server_state.tasks):
            _, late = await asyncio.wait(requests, timeout=_GRACE_SECONDS)
            for request in late:
                request.cancel()
        await closing
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Not raised anew afterwards, and a second signal does not skip the cleaning up."""
        self.stopped_by = self.stopped_by or sig
        self.should_exit = True


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, or one sentence."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or "no such name"
        raise InputError(
            f"Got the host {host!r}, which cannot be found ({reason}); expected a name or an address of this machine, "
            "such as 127.0.0.1."
        ) from None
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(place, family=family, backlog=256, dualstack_ipv6=dual)
    except OSError as problem:
        reason = (problem.strerror or "refused").partition(" (while")[0].lower()  # the address is in the sentence
        raise InputError(
            f"Could not listen on port {port} of {host} ({reason}); expected a free port: choose another with --port, "
            "or 0 for any."
        ) from None


def address(host: str, port: int) -> str:
    """What to type into a browser.

    Examples
    --------
    >>> address("127.0.0.1", 8765), address("::1", 80)
    ('http://127.0.0.1:8765/', 'http://[::1]:80/')
    """
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


def limit_header_time(seconds: float) -> type[H11Protocol]:
    """The protocol of uvicorn, with a limit on how long the head of a request may take, which uvicorn has not."""

    class LimitedProtocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._set_timer()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._set_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._clear_timer()
            super().connection_lost(exc)

        def _set_timer(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._clear_timer()
            elif self._timer is None:
                self._timer = self.loop.call_later(seconds, self._time_out)

        def _clear_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _time_out(self) -> None:
            self._timer = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                head = f"HTTP/1.1 408 Request Timeout\r\ncontent-length: {len(_LATE)}\r\n"
                kind = "content-type: application/json\r\nconnection: close\r\n\r\n"
                self.transport.write((head + kind).encode() + _LATE)
                self.transport.close()

    return LimitedProtocol
