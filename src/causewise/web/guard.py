"""Whom the server speaks to, and the headers of everything it says.

A page of some other site can make a browser send requests here, and, by pointing its own name at this machine (DNS
rebinding), read the answers as well. So the Host must be one of ours, an Origin must be the Host's, and whatever
changes something must come from a page of ours or from no page at all.
"""

import ipaddress
import json
import re
import socket
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from causewise.web.refusal import Refusal

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE = ("GET", "HEAD")
_KINDS = ("application/json", "multipart/form-data")
_HOST = re.compile(r"(\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@/\s]+))(:[0-9]{1,5})?")
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors {around}"
)
OWN_POLICY = _POLICY.format(script="'self'", style="'self'", around="'none'")
"""Of our own pages: scripts and styles are files of this server."""
_HEADERS = {
    "content-security-policy": OWN_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def report_policy(nonce: str) -> str:
    """Of a report, which brings its style and script along, and stands inside our page."""
    allowed = f"'nonce-{nonce}'"
    return _POLICY.format(script=allowed, style=allowed, around="'self'")


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
        name = _name(host)
        # An address cannot be rebound: only a name can come to mean another machine.
        return bool(name) and (name in self._names or (self._any_address and _is_address(name)))


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach an address."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


class Guard:
    """Refuses what is not meant for this server, and adds the headers to what it answers."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = check(scope["method"], scope["headers"], self._hosts)
        if refusal is not None:
            await _answer(refusal, _with_headers(send))
        else:
            await self._app(scope, receive, _with_headers(send))


def check(method: str, headers: Iterable[tuple[bytes, bytes]], hosts: Hosts) -> Refusal | None:
    """Why a request is not answered; None where it is."""
    said: dict[str, list[str]] = {}
    for key, value in headers:
        said.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    host = said.get("host", [])
    if len(host) != 1:
        return Refusal(400, f"Got {len(host)} Host headers; expected one, with the address of this server.")
    if host[0] not in hosts:
        return Refusal(
            421,
            f"Got the host {host[0][:80]!r}, which this server does not answer to; expected the address it printed "
            "when it was started.",
        )
    origin, site = said.get("origin", []), said.get("sec-fetch-site", ["none"])[0]
    if any(each != f"http://{host[0]}" and each != f"https://{host[0]}" for each in origin):
        return Refusal(403, "Got a request from a page of another site; expected one from this server's own page.")
    if method not in _SAFE:
        if site not in ("same-origin", "none"):
            return Refusal(403, "Got a request from another site; expected one from this server's own page.")
        kind = said.get("content-type", [""])[0]
        if method == "POST" and kind.partition(";")[0].strip().lower() not in _KINDS:
            return Refusal(
                415, f"Got the type {kind[:80]!r}; expected application/json, or multipart/form-data with a file."
            )
    elif site in ("cross-site", "same-site") and said.get("sec-fetch-mode") != ["navigate"]:
        return Refusal(403, "Got a request from another site; expected one from this server's own page.")
    return None


async def _answer(refusal: Refusal, send: Send) -> None:
    body = json.dumps(refusal.record).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(key.lower().encode(), value.encode()) for key, value in refusal.headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {key.lower() for key, _ in message["headers"]}
            ours = [(key.encode(), value.encode()) for key, value in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *(each for each in ours if each[0] not in given)]}
        await send(message)

    return sending


def _name(host: str) -> str:
    """The host without its port; nothing where it is not written as a host is."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]).lower() if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
