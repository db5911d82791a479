"""The pages: the start, which also shows an answer by its link; the reports themselves; scripts and styles."""

import re
import secrets
import unicodedata
from functools import cache, partial
from importlib.resources import files
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from causewise.catalogue import DEFAULT, list_methods
from causewise.examples import EXAMPLES
from causewise.methods.combined.method import NEITHER_PRIOR
from causewise.report.templating import environment
from causewise.web.desk import FrontDesk, KeptAnswer
from causewise.web.guard import report_policy
from causewise.web.refusal import Refusal, nowhere
from causewise.web.reports import as_file, with_nonce

_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def routes(desk: FrontDesk) -> APIRouter:
    """All paths that a person opens."""
    pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    # Whoever asks for the head of a page gets what GET would say; the server leaves the body out.
    page = partial(pages.api_route, methods=["GET", "HEAD"])

    @page("/")
    async def start() -> HTMLResponse:
        return HTMLResponse(_start(desk))

    @page("/answers/{name}")
    async def answer(name: str) -> HTMLResponse:
        try:
            return HTMLResponse(_start(desk, name, desk.answers.get(name)))
        except Refusal as refusal:
            return HTMLResponse(_start(desk, sentence=str(refusal)), refusal.status)

    @page("/answers/{name}/report")
    async def report(name: str) -> HTMLResponse:
        kept, nonce = desk.answers.get(name), secrets.token_urlsafe(16)
        policy = {"content-security-policy": report_policy(nonce)}
        return HTMLResponse(with_nonce(kept.page, kept.mark, nonce), headers=policy)

    @page("/answers/{name}/file")
    async def file(name: str) -> HTMLResponse:
        kept = desk.answers.get(name)
        disposition = {"content-disposition": f'attachment; filename="{file_name(kept.title)}"'}
        return HTMLResponse(as_file(kept.page, kept.mark), headers=disposition)

    @page("/static/{name}")
    async def static(name: str) -> Response:
        content = _static().get(name)
        if content is None:
            raise nowhere("file", name)
        return Response(content, media_type=_KINDS[name[name.rindex(".") :]])

    @page("/teach")
    async def teach() -> HTMLResponse:
        return HTMLResponse(environment("causewise.web").get_template("teach.html").render())

    return pages


def file_name(title: str) -> str:
    """A name for a file that any system takes.

    Examples
    --------
    >>> file_name('Höhe → "Temperatur"')
    'causewise-Hohe-Temperatur.html'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return "-".join(["causewise", *re.findall(r"[A-Za-z0-9]+", plain)])[:80] + ".html"


def _start(desk: FrontDesk, name: str = "", answer: KeptAnswer | None = None, sentence: str = "") -> str:
    chosen = [each for each in list_methods() if each.family != "control"]
    shown: dict[str, Any] = {"examples": EXAMPLES, "methods": chosen, "default": DEFAULT}
    shown |= {"limits": desk.limits, "name": name, "answer": answer, "sentence": sentence}
    shown["prior"] = round(100 * NEITHER_PRIOR)
    shown["table"] = answer.table if answer and answer.table in desk.tables else ""
    return environment("causewise.web").get_template("index.html").render(**shown)


@cache
def _static() -> dict[str, bytes]:
    """Everything a page loads, by name: there is no path that could lead elsewhere."""
    own = {each.name: each.read_bytes() for each in (files("causewise.web") / "static").iterdir()}
    # The report's look and drawing are the report's, not a copy.
    names = ("style.css", "draw.css", "draw.js")
    return own | {name: environment().get_template(name).render().encode() for name in names}
