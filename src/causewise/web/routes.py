"""The paths: JSON under /api, the pages, and their scripts and styles.

Bodies are not declared as parameters: FastAPI would read them without a bound, write large files to disk, parse what
clients send in this process instead of a worker, and take either JSON or a form where these paths take both.
"""

import json
import re
import secrets
import unicodedata
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from causewise.catalogue import DEFAULT, list_methods
from causewise.examples import EXAMPLES
from causewise.methods.combined.method import NEITHER_PRIOR
from causewise.report.html_pages import environment
from causewise.serving.limits import RequestError
from causewise.serving.questions import Question, ReadingOptions, parse
from causewise.web import schema
from causewise.web.bodies import BodyReader, Upload
from causewise.web.jobs import CachedAnswer, CachedTable, JobManager
from causewise.web.limits import not_found_error

_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors {around}"
)
OWN_POLICY = _POLICY.format(script="'self'", style="'self'", around="'none'")
"""Of our own pages: scripts and styles are files of this server."""
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_ERRORS = {
    400: "The request is damaged.",
    403: "It comes from a page of another site.",
    404: "Nothing is kept under this name, or not any more.",
    408: "The request came too slowly.",
    413: "The request, its table once unpacked, or the memory for it is too large.",
    415: "Neither JSON nor a form.",
    421: "The Host is not one of this server's.",
    422: "The input is at fault, or takes too long.",
    500: "A failure of ours, or a worker process that died.",
    501: "An optional part is not installed where the server runs.",
    503: "Too many jobs are waiting; the sentence says how many.",
}


def _declare_errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": schema.ErrorRecord, "description": _ERRORS[code]} for code in codes}


def _declare_body(model: type[Question], form: type[Question] | None = None) -> dict[str, Any]:
    """The body of a path that takes JSON or a form with a file."""
    content: dict[str, Any] = {"application/json": {"schema": model.model_json_schema()}}
    if form is not None:
        form_schema = form.model_json_schema()
        file = {"type": "string", "contentMediaType": "application/octet-stream", "description": "A table."}
        texts = {  # everything in a form is text
            name: {"type": "string"} | {key: value for key, value in field.items() if key in ("title", "description")}
            for name, field in form_schema.get("properties", {}).items()
        }
        form_schema |= {"properties": {"file": file} | texts, "required": ["file", *form_schema.get("required", [])]}
        content["multipart/form-data"] = {"schema": form_schema}
    return {"requestBody": {"required": True, "content": content}}


async def get_jobs(request: Request) -> JobManager:
    """The job manager of the application."""
    return request.app.state.jobs


async def get_bodies(request: Request) -> BodyReader:
    """The reader of request bodies of the application."""
    return request.app.state.bodies


Jobs = Annotated[JobManager, Depends(get_jobs)]
Bodies = Annotated[BodyReader, Depends(get_bodies)]
_NOT_FOUND = _declare_errors(404)
_BODY_ERRORS = _declare_errors(408, 413, 415, 500, 501, 503)

api = APIRouter(prefix="/api", responses=_declare_errors(400, 403, 421, 422))
_begin_job = partial(api.post, status_code=202, response_model=schema.JobStatus, responses=_BODY_ERRORS | _NOT_FOUND)


@api.post(
    "/tables",
    response_model=schema.TableOverview,
    responses=_BODY_ERRORS,
    openapi_extra=_declare_body(schema.TableText, ReadingOptions),
)
async def add_table(request: Request, jobs: Jobs, bodies: Bodies) -> Response:
    """Keep a table, a file, pasted lines or an example, and say how it was understood."""
    options: ReadingOptions
    if isinstance(body := await bodies.read(request), Upload):
        options, name, content, example = parse(ReadingOptions, body.fields), body.name, body.content, ""
    else:
        options = table_text = parse(schema.TableText, body)
        if (table_text.text is None) == (table_text.example is None):
            raise RequestError(422, "Got neither or both of 'text' and 'example'; expected one of them.")
        example = table_text.example or ""
        name, content = example or "the pasted table", (table_text.text or "").encode(errors="replace")
    settings = _reading_settings(jobs, name, options) | {"columns": jobs.limits.columns, "example": example}
    result = await jobs.run("overview", settings, content, request)
    table = CachedTable(name, result["content"] or content, settings["reading"], result["overview"])
    size = len(table.content) + 400 * len(table.overview["columns"])
    return _describe_table(jobs.tables.put(table, size), table)


@api.get("/tables/{name}", response_model=schema.TableOverview, responses=_NOT_FOUND)
async def get_table(name: str, jobs: Jobs) -> Response:
    """A table that is kept, as it was understood."""
    return _describe_table(name, jobs.tables.get(name))


@api.post(
    "/infer",
    response_model=schema.DecisionRecord,
    responses=_BODY_ERRORS,
    openapi_extra=_declare_body(schema.ArrayPair, schema.FilePair),
)
async def infer(request: Request, jobs: Jobs, bodies: Bodies) -> Response:
    """Infer the direction of two columns: arrays in JSON, or a file with the names of two of its columns."""
    if isinstance(body := await bodies.read(request, jobs.limits.upload_bytes), Upload):
        question = parse(schema.FilePair, body.fields)
        settings = _reading_settings(jobs, body.name, question) | {"question": question.model_dump(), "page": False}
        result = await jobs.run("pair", settings, body.content, request)
    else:
        result = await jobs.run("arrays", {}, body, request)
    return _json(result["record"])


@_begin_job("/answers", openapi_extra=_declare_body(schema.TablePair))
async def begin_pair(request: Request, jobs: Jobs, bodies: Bodies) -> Response:
    """Infer the direction of two columns of a table that is kept; the answer gets a page and a link."""
    question = parse(schema.TablePair, await bodies.read_json(request))
    table = jobs.tables.get(question.table)
    settings = {"name": table.name, "reading": table.reading, "question": question.model_dump(), "page": True}
    name = jobs.begin("pair", settings, table.content, question.table)
    return _describe_job(jobs, name, 202, location=f"/api/jobs/{name}")


@api.get("/answers/{name}", response_model=schema.DecisionRecord, responses=_NOT_FOUND)
async def get_answer(name: str, jobs: Jobs) -> Response:
    """An answer that is kept: what `infer --json` prints, or `scan --out x.json` and `graph --out x.json` write."""
    return _json(jobs.answers.get(name).record)


@_begin_job("/scan", openapi_extra=_declare_body(schema.TableScan, schema.FileScan))
async def begin_scan(request: Request, jobs: Jobs, bodies: Bodies) -> Response:
    """Scan every pair of a table that is kept, or of a file that is sent along; ask about the job."""
    return await _begin_table(request, jobs, bodies, "table", schema.FileScan, schema.TableScan)


@_begin_job("/graph", openapi_extra=_declare_body(schema.TableGraph, schema.FileGraph))
async def begin_graph(request: Request, jobs: Jobs, bodies: Bodies) -> Response:
    """Find the causal graph of a table that is kept, or of a file that is sent along; ask about the job."""
    return await _begin_table(request, jobs, bodies, "graph", schema.FileGraph, schema.TableGraph)


async def _begin_table(
    request: Request,
    jobs: JobManager,
    bodies: BodyReader,
    kind: str,
    of_file: type[schema.FileScan | schema.FileGraph],
    of_table: type[schema.TableScan | schema.TableGraph],
) -> Response:
    """A job about all columns of a table."""
    question: Question
    if isinstance(body := await bodies.read(request), Upload):
        question = sent = parse(of_file, body.fields)
        table_name, content, settings = "", body.content, _reading_settings(jobs, body.name, sent)
    else:
        question = asked = parse(of_table, body)
        table_name, table = asked.table, jobs.tables.get(asked.table)
        content, settings = table.content, {"name": table.name, "reading": table.reading}
    settings |= {"question": question.model_dump(), "seconds": jobs.limits.scan_seconds}
    name = jobs.begin(kind, settings, content, table_name)
    return _describe_job(jobs, name, 202, location=f"/api/jobs/{name}")


@api.get("/jobs/{name}", response_model=schema.JobStatus, responses=_NOT_FOUND)
async def get_job(name: str, jobs: Jobs) -> Response:
    """Where a job stands; one that nobody asks about for some time is stopped."""
    return _describe_job(jobs, name)


@api.delete("/jobs/{name}", response_model=schema.JobStatus, responses=_NOT_FOUND)
async def cancel_job(name: str, jobs: Jobs) -> Response:
    """Stop a job."""
    jobs.cancel(name)
    return _describe_job(jobs, name)


@api.get("/lesson", include_in_schema=False)
async def get_lesson(request: Request, jobs: Jobs) -> Response:
    """A simulated pair and what is said of it, for the teaching view."""
    settings = {key: _number_or_text(value) for key, value in request.query_params.items()}
    return _json(json.dumps(await jobs.run("lesson", settings, b"", request), allow_nan=False))


pages = APIRouter(include_in_schema=False)
# Whoever asks for the head of a page gets what GET would say; the server leaves the body out.
_page = partial(pages.api_route, methods=["GET", "HEAD"])


@_page("/")
async def show_render_start_page(jobs: Jobs) -> HTMLResponse:
    """The start page."""
    return _render_start_page(jobs)


@_page("/teach")
async def show_teaching_page() -> HTMLResponse:
    """The teaching view."""
    return HTMLResponse(environment("causewise.web").get_template("teach.html").render())


@_page("/answers/{name}")
async def show_answer(name: str, jobs: Jobs) -> HTMLResponse:
    """The start page with an answer."""
    try:
        return _render_start_page(jobs, name, jobs.answers.get(name))
    except RequestError as error:
        return _render_start_page(jobs, sentence=str(error), status=error.status)


@_page("/answers/{name}/report")
async def show_report(name: str, jobs: Jobs) -> HTMLResponse:
    """The report of an answer, which brings its style and script along and stands inside our page."""
    answer, nonce = jobs.answers.get(name), secrets.token_urlsafe(16)
    policy = _POLICY.format(script=f"'nonce-{nonce}'", style=f"'nonce-{nonce}'", around="'self'")
    return HTMLResponse(answer.page_with_nonce(nonce), headers={"content-security-policy": policy})


@_page("/answers/{name}/file")
async def download_report(name: str, jobs: Jobs) -> HTMLResponse:
    """The report of an answer, as a file."""
    answer = jobs.answers.get(name)
    disposition = f'attachment; filename="{file_name(answer.title)}"'
    return HTMLResponse(answer.page_as_file(), headers={"content-disposition": disposition})


@_page("/static/{name}")
async def send_static(name: str) -> Response:
    """A script or a style."""
    content = _load_static_files().get(name)
    if content is None:
        raise not_found_error("file", name)
    return Response(content, media_type=_MEDIA_TYPES[name[name.rindex(".") :]])


def file_name(title: str) -> str:
    """A name for a file that any system takes.

    Examples
    --------
    >>> file_name('Höhe → "Temperatur"')
    'causewise-Hohe-Temperatur.html'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return "-".join(["causewise", *re.findall(r"[A-Za-z0-9]+", plain)])[:80] + ".html"


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


def _reading_settings(jobs: JobManager, name: str, options: ReadingOptions) -> dict[str, Any]:
    """How a table is to be read, and how much of it."""
    bounds = {"max_bytes": jobs.limits.table_bytes, "max_lines": jobs.limits.rows}
    return {
        "name": name,
        "reading": {"decimal": options.decimal, "header": options.header, "sheet": options.sheet, **bounds},
    }


def _describe_table(name: str, table: CachedTable) -> Response:
    return _json(json.dumps({"table": name, "name": table.name, **table.overview}, allow_nan=False))


def _describe_job(jobs: JobManager, name: str, status: int = 200, **headers: str) -> Response:
    job = jobs.get(name)
    text = json.dumps({"id": name, **job.status()})
    if job.answer:  # the record is text already, and may be long
        answer = jobs.answers.get(job.answer)
        text = f'{text[:-1]}, "title": {json.dumps(answer.title)}, "result": {answer.record}}}'
    return Response(text, status, headers, "application/json")


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _render_start_page(
    jobs: JobManager, name: str = "", answer: CachedAnswer | None = None, sentence: str = "", status: int = 200
) -> HTMLResponse:
    template = environment("causewise.web").get_template("index.html")
    html = template.render(
        examples=EXAMPLES,
        methods=[each for each in list_methods() if each.family != "control"],
        default=DEFAULT,
        limits=jobs.limits,
        prior=round(100 * NEITHER_PRIOR),
        name=name,
        answer=answer,
        sentence=sentence,
        table=answer.table if answer and answer.table in jobs.tables else "",
    )
    return HTMLResponse(html, status)


@cache
def _load_static_files() -> dict[str, bytes]:
    """Everything a page loads, by name: there is no path that could lead elsewhere."""
    own = {each.name: each.read_bytes() for each in (files("causewise.web") / "static").iterdir()}
    # The report's look and drawing are the report's, not a copy.
    names = ("style.css", "draw.css", "draw.js")
    return own | {name: environment().get_template(name).render().encode() for name in names}
