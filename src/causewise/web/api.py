"""The paths that speak JSON. Nothing that a stranger sent is parsed here beyond a short question: workers do that."""

import asyncio
import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from causewise.web.bodies import InFlight
from causewise.web.desk import FrontDesk, Table, state
from causewise.web.job_pool import JobPool, PoolTask
from causewise.web.questions import (
    Arrays,
    Asking,
    Columns,
    FileScanning,
    Pairing,
    Paste,
    Scanning,
    TableScanning,
    Upload,
    filled,
    parsed,
)
from causewise.web.refusal import Refusal
from causewise.web.schema import Decided, JobState, Seen, accepts, answers
from causewise.web.uploads import is_form, read_form, read_json


class Json(JSONResponse):
    """JSON that is text already."""

    def render(self, content: str) -> bytes:
        """As it is."""
        return content.encode()


def routes(desk: FrontDesk) -> APIRouter:
    """All paths under /api."""
    api, flight = APIRouter(prefix="/api", default_response_class=Json), InFlight()
    _tables(api, desk, flight)
    _pairs(api, desk, flight)
    _scans(api, desk, flight)
    _jobs(api, desk)
    _lessons(api, desk)
    return api


def _tables(api: APIRouter, desk: FrontDesk, flight: InFlight) -> None:
    """What is looked at once and asked about by its name afterwards."""
    limits = desk.limits

    @api.post("/tables", responses=answers(Seen, asking=True), openapi_extra=accepts(Paste, Upload))
    async def look(request: Request) -> Json:
        """Keep a table, a file, pasted lines or an example, and say how it was understood."""
        if is_form(request):
            form = await read_form(request, limits, flight)
            asking: Asking = filled(Upload, form.fields)
            name, content, example = form.name, form.content, ""
        else:
            paste = parsed(Paste, await read_json(request, limits, flight))
            if (paste.text is None) == (paste.example is None):
                raise Refusal(422, "Got neither or both of 'text' and 'example'; expected one of them.")
            asking, example = paste, paste.example or ""
            name, content = example or "the pasted table", (paste.text or "").encode(errors="replace")
        settings = _settings(desk, name, asking) | {"columns": limits.columns, "example": example}
        found = await finished(desk.quick, desk.quick.submit("look", settings, content), request)
        table = Table(name, found["content"] or content, settings["asked"], found["seen"])
        return _seen(desk.tables.put(table), table)

    @api.get("/tables/{name}", responses=answers(Seen, named=True))
    async def seen(name: str) -> Json:
        """A table that is kept, as it was understood."""
        return _seen(name, desk.tables.get(name))


def _pairs(api: APIRouter, desk: FrontDesk, flight: InFlight) -> None:
    """Two columns: judged at once, or as a job whose answer is kept."""
    limits = desk.limits

    @api.post("/infer", responses=answers(Decided, asking=True), openapi_extra=accepts(Arrays, Columns))
    async def infer(request: Request) -> Json:
        """Judge two columns: arrays in JSON, or a file with the names of two of its columns."""
        if is_form(request):
            form = await read_form(request, limits, flight)
            question = filled(Columns, form.fields)
            settings = _settings(desk, form.name, question) | {"question": question.model_dump(), "page": False}
            task = desk.quick.submit("pair", settings, form.content)
        else:
            content = await read_json(request, limits, flight, limits.upload_bytes)
            task = desk.quick.submit("arrays", {}, content)
        return Json((await finished(desk.quick, task, request))["record"])

    @api.post("/answers", status_code=202, responses=answers(JobState, 202, True, True), openapi_extra=accepts(Pairing))
    async def ask(request: Request) -> Json:
        """Judge two columns of a table that is kept; the answer gets a page and a link."""
        question = parsed(Pairing, await read_json(request, limits, flight))
        table = desk.tables.get(question.table)
        settings = {"name": table.name, "asked": table.asked, "question": question.model_dump(), "page": True}
        return _begun(desk, desk.begin("pair", settings, table.content, question.table))

    @api.get("/answers/{name}", responses=answers(Decided, named=True))
    async def answer(name: str) -> Json:
        """An answer that is kept: what `causewise infer --json` prints, or `causewise scan --out x.json` writes."""
        return Json(desk.answers.get(name).record)


def _scans(api: APIRouter, desk: FrontDesk, flight: InFlight) -> None:
    """Every pair of a table, as a job."""
    limits = desk.limits

    @api.post(
        "/scan",
        status_code=202,
        responses=answers(JobState, 202, True, True),
        openapi_extra=accepts(TableScanning, FileScanning),
    )
    async def scan(request: Request) -> Json:
        """Judge every pair of a table that is kept, or of a file that is sent along; ask about the job."""
        if is_form(request):
            form = await read_form(request, limits, flight)
            question: Scanning = filled(FileScanning, form.fields)
            kept, content = "", form.content
            settings = _settings(desk, form.name, question)
        else:
            question = parsed(TableScanning, await read_json(request, limits, flight))
            kept, table = question.table, desk.tables.get(question.table)
            settings, content = {"name": table.name, "asked": table.asked}, table.content
        settings |= {"question": question.model_dump(), "seconds": limits.scan_seconds}
        return _begun(desk, desk.begin("table", settings, content, kept))


def _jobs(api: APIRouter, desk: FrontDesk) -> None:
    """Work that takes its time, by its name."""

    @api.get("/jobs/{name}", responses=answers(JobState, named=True))
    async def job(name: str) -> Json:
        """Where a job stands; one that nobody asks about for some time is given up."""
        return _job(desk, name)

    @api.delete("/jobs/{name}", responses=answers(JobState, named=True))
    async def cancel(name: str) -> Json:
        """Give a job up."""
        desk.cancel(name)
        return _job(desk, name)


def _lessons(api: APIRouter, desk: FrontDesk) -> None:
    """What the teaching view asks for."""

    @api.get("/lesson", include_in_schema=False)
    async def lesson(request: Request) -> Json:
        """A drawn pair and what is said of it, for the teaching view."""
        settings = {key: _plain(value) for key, value in request.query_params.items()}
        found = await finished(desk.quick, desk.quick.submit("lesson", settings, b""), request)
        return Json(json.dumps(found, allow_nan=False))


async def finished(crew: JobPool, task: PoolTask, request: Request) -> Any:
    """The answer of a task; it is stopped when whoever asked has left."""
    answer = asyncio.wrap_future(task.future)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({answer, left}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            crew.stop(task, Refusal(400, "The connection was closed before the answer was ready."))
        return await answer
    except asyncio.CancelledError:
        crew.stop(task, Refusal(503, "The server is closing."))
        raise
    finally:
        left.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _settings(desk: FrontDesk, name: str, asking: Any) -> dict[str, Any]:
    """How a table is to be read, and how much of it."""
    limits = desk.limits
    bounds = {"max_bytes": limits.table_bytes, "max_lines": limits.rows}
    return {"name": name, "asked": {"decimal": asking.decimal, "header": asking.header, **bounds}}


def _seen(name: str, table: Table) -> Json:
    return Json(json.dumps({"table": name, "name": table.name, **table.seen}, allow_nan=False))


def _begun(desk: FrontDesk, name: str) -> Json:
    told = _job(desk, name)
    told.status_code, told.headers["Location"] = 202, f"/api/jobs/{name}"
    return told


def _job(desk: FrontDesk, name: str) -> Json:
    job = desk.job(name)
    told = json.dumps({"id": name, **state(job)})
    if not job.answer:
        return Json(told)
    # The record is text already, and may be long.
    kept = desk.answers.get(job.answer)
    return Json(f'{told[:-1]}, "title": {json.dumps(kept.title)}, "result": {kept.record}}}')


def _plain(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
