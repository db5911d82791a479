"""The application on a port of this machine: sockets, slow clients, signals; its paths, what an exception becomes, and
whom it speaks to.

A page of some other site can make a browser send requests here, and, by pointing its own name at this machine (DNS
rebinding), read the answers as well. So the Host must be one of ours, an Origin must be the Host's, and whatever
changes something must come from a page of ours or from no page at all.
"""

import asyncio
import ipaddress
import json
import logging
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from causewise.errors import InputError
from causewise.serving.limits import RequestError, closing_error
from causewise.web import routes
from causewise.web.bodies import BodyReader
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


# ---- the application

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_MEDIA_TYPES = ("application/json", "multipart/form-data")
_HOST = re.compile(r"(\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@/\s]+))(:[0-9]{1,5})?")
_HEADERS = {
    "content-security-policy": routes.OWN_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_SENTENCES = {
    404: "There is nothing at this address; expected / for the page, or a path of /openapi.json.",
    405: "Got a method that this address does not take; /openapi.json says which it takes.",
}


def create_application(jobs: JobManager, host: str = "127.0.0.1") -> "SecurityMiddleware":
    """The whole application, for a server that is bound to `host`; jobs are done from startup to shutdown."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        watch = asyncio.create_task(jobs.watch())
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.to_thread(jobs.close)

    app = FastAPI(
        title="causewise",
        version="1",
        description="From two columns of numbers: which one causes the other, how sure, and why.",
        docs_url=None,  # it would load a script from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.jobs, app.state.bodies = jobs, BodyReader(jobs.limits)
    app.include_router(routes.api)
    app.include_router(routes.pages)
    app.add_exception_handler(RequestError, _answer_request_error)
    app.add_exception_handler(HTTPException, _answer_http_exception)
    app.add_exception_handler(Exception, _answer_failure)
    return SecurityMiddleware(app, Hosts(host))


async def _answer_request_error(request: Request, error: Any) -> JSONResponse:
    return JSONResponse(error.record, error.status, dict(error.headers))


async def _answer_http_exception(request: Request, problem: Any) -> JSONResponse:
    sentence = _SENTENCES.get(problem.status_code, "Got a request that this server cannot answer.")
    return JSONResponse({"detail": sentence}, problem.status_code, problem.headers)


async def _answer_failure(request: Request, problem: Exception) -> JSONResponse:
    # Starlette raises it again for the terminal.
    return JSONResponse({"detail": "causewise failed on this, and not by a fault of yours."}, 500)


class Hosts:
    """The names this server answers to.

    Examples
    --------
    >>> "127.0.0.1:8000" in Hosts("127.0.0.1"), "evil.example" in Hosts("127.0.0.1")
    (True, False)
    """

    def __init__(self, bound: str) -> None:
        self._any_address = bound in ("0.0.0.0", "::", "")
        others = {socket.gethostname().lower(), socket.getfqdn().lower()} if not is_loopback(bound) else set()
        self._names = LOOPBACK | others | {bound.lower().strip("[]")}

    def __contains__(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        name = (match["address"] or match["name"]).lower() if match else ""
        # An address cannot be rebound: only a name can come to mean another machine.
        return bool(name) and (name in self._names or (self._any_address and _is_address(name)))


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach an address."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class SecurityMiddleware:
    """Rejects what is not meant for this server, and adds the security headers to every response.

    It stands around the whole application, so that the answer to a failure of ours has the headers too.
    """

    def __init__(self, app: FastAPI, hosts: Hosts) -> None:
        self.app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for key, value in _HEADERS.items():
                    headers.setdefault(key, value)
            await send(message)

        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            error = check_request(scope["method"], Headers(scope=scope), self._hosts)
            respond: ASGIApp = self.app if error is None else JSONResponse(error.record, error.status)
            try:
                await respond(scope, receive, send_with_headers)
            except asyncio.CancelledError:  # the server is closing, and this request took too long to arrive
                if not has_begun:
                    error = closing_error()
                    await JSONResponse(error.record, error.status)(scope, receive, send_with_headers)


def check_request(method: str, headers: Headers, hosts: Hosts) -> RequestError | None:
    """Why a request is rejected; None where it is not."""
    host, site = headers.getlist("host"), headers.get("sec-fetch-site", "none")
    if len(host) != 1:
        return RequestError(400, f"Got {len(host)} Host headers; expected one, with the address of this server.")
    if host[0] not in hosts:
        return RequestError(
            421,
            f"Got the host {host[0][:80]!r}, which this server does not answer to; expected the address it printed "
            "when it was started.",
        )
    if set(headers.getlist("origin")) - {f"http://{host[0]}", f"https://{host[0]}"}:
        return RequestError(403, "Got a request from a page of another site; expected one from this server's own page.")
    if method in ("GET", "HEAD"):
        is_foreign = site in ("cross-site", "same-site") and headers.getlist("sec-fetch-mode") != ["navigate"]
    else:
        is_foreign = site not in ("same-origin", "none")
    if is_foreign:
        return RequestError(403, "Got a request from another site; expected one from this server's own page.")
    kind = headers.get("content-type", "")
    if method == "POST" and kind.partition(";")[0].strip().lower() not in _MEDIA_TYPES:
        return RequestError(
            415, f"Got the type {kind[:80]!r}; expected application/json, or multipart/form-data with a file."
        )
    return None
