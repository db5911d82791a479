"""The tasks of a worker process: describe a table, score two columns, scan them all. Bytes and settings in, plain
values out.
"""

import inspect
import io
import secrets
from collections.abc import Callable
from typing import Any

from causewise.catalogue import DEFAULT, blame_settings
from causewise.errors import InputError
from causewise.examples import EXAMPLES, make_line
from causewise.formatting import json_text, plain_value
from causewise.inference import infer
from causewise.pair import Pair
from causewise.parallel import Engine, OnProgress
from causewise.report.html_pages import render_decision, render_scan
from causewise.scanning.forecast import ScanForecast
from causewise.scanning.result import FORMATS
from causewise.scanning.scanner import scan
from causewise.tables import pair_from, read_pair
from causewise.web.overview import describe_table
from causewise.web.request_error import RequestError
from causewise.web.schema import ArrayPair, parse
from causewise.web.teaching import Lesson, teach


def prepare() -> None:
    """Load and warm everything, so that the first answer takes as long as any other."""
    _render(render_decision, infer(read_pair(io.BytesIO(make_line(40)))))


def overview(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """A table as it was understood; an example brings its bytes along."""
    example = EXAMPLES.get(settings["example"])
    content = example.make() if example else content
    described = describe_table(_open(settings, content), settings["columns"], **settings["reading"])
    return {"overview": described, "content": content if example else b""}


def infer_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """What `causewise infer --json` prints for two columns of a table, and its page where one is wanted."""
    question = settings["question"]
    pair = read_pair(
        _open(settings, content), question["x"], question["y"], question["nan_policy"], **settings["reading"]
    )
    return _infer(pair, question, settings["page"])


def infer_arrays(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """The same for two columns that came as JSON."""
    question = parse(ArrayPair, content)
    pair = pair_from(question.x, question.y, nan_policy=question.nan_policy)
    return _infer(pair, question.model_dump(exclude={"x", "y"}), wants_page=False)


def scan_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """What `causewise scan --out x.json` writes, and its page."""
    question = settings["question"]
    method = question["method"] or DEFAULT
    with blame_settings(method):
        result = scan(
            _open(settings, content),
            method=method,
            columns=question["columns"],
            pairs=question["target"],
            fdr=question["fdr"],
            # One process, whose time and memory are those of the job.
            engine=Engine(1, on_progress=tell, on_forecast=lambda forecast: _check_time(forecast, settings["seconds"])),
            **_method_settings(question),
            **settings["reading"],
        )
    record = FORMATS[".json"](result, False).decode()
    return {"title": str(result), "record": record, **_render(render_scan, result)}


def draw_lesson(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Any:
    """A simulated pair and what is said of it, for the teaching view."""
    try:
        inspect.signature(Lesson).bind(**settings)
    except TypeError as problem:
        raise RequestError(
            422, f"Got settings that a lesson does not have ({str(problem)[:120]}); expected others."
        ) from None
    return teach(Lesson(**settings))


WORK = {"overview": overview, "pair": infer_file, "arrays": infer_arrays, "table": scan_file, "lesson": draw_lesson}


def _open(settings: dict[str, Any], content: bytes) -> io.BytesIO:
    """The bytes as an open file, which sentences call by its name."""
    file = io.BytesIO(content)
    file.name = settings["name"]
    return file


def _infer(pair: Pair, question: dict[str, Any], wants_page: bool) -> dict[str, Any]:
    method = question["method"] or DEFAULT
    with blame_settings(method):
        decision = infer(pair, method=method, **_method_settings(question))
    rendered = _render(render_decision, decision) if wants_page else {"page": "", "mark": ""}
    return {"title": decision.verdict, "record": json_text(decision.to_dict(), default=plain_value), **rendered}


def _render(render: Callable[..., str], result: Any) -> dict[str, str]:
    """The report's page, with a mark where each response puts the nonce of its policy."""
    # Drawn anew for every page, so that no column's name can hold it.
    mark = f"mark{secrets.token_hex(16)}"
    return {"page": render(result, nonce=mark), "mark": mark}


def _method_settings(question: dict[str, Any]) -> dict[str, Any]:
    """The given settings; the others are the method's own."""
    names = ("threshold", "neither", "direct", "recording", "seed")
    return {name: question[name] for name in names if question[name] is not None}


def _check_time(forecast: ScanForecast, seconds: float) -> None:
    if forecast.seconds > seconds:
        raise InputError(
            f"Got {forecast.pairs:,} pairs, which may take {forecast.seconds / 60:.0f} minutes here; expected at most "
            f"{seconds / 60:.0f}: choose fewer columns or a quicker method, or use causewise scan on the command line."
        )
