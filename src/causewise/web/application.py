"""The application: its paths, what an exception becomes, and whom the server speaks to.

A page of some other site can make a browser send requests here, and, by pointing its own name at this machine (DNS
rebinding), read the answers as well. So the Host must be one of ours, an Origin must be the Host's, and whatever
changes something must come from a page of ours or from no page at all.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import python_multipart  # noqa: F401  # a missing extra is said before the server starts, not with the first upload
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from causewise.web import routes
from causewise.web.bodies import BodyReader
from causewise.web.jobs import JobManager
from causewise.web.request_error import RequestError, closing_error

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
