"""What a worker does: look at a table, judge two columns, judge them all. Bytes and settings in, plain values out."""

import inspect
import io
from typing import Any

from causewise.catalogue import DEFAULT, blamed_on_settings
from causewise.decision import Decision
from causewise.errors import InputError
from causewise.examples import EXAMPLES, invisible
from causewise.formatting import json_text, plain_value
from causewise.inference import infer
from causewise.pair import Pair
from causewise.parallel import OnProgress as Tell
from causewise.scanning.forecast import ScanForecast
from causewise.scanning.result import FORMATS
from causewise.scanning.scanner import scan
from causewise.tables import pair_from, read_pair
from causewise.web.overview import overview
from causewise.web.refusal import Refusal
from causewise.web.reports import marked_pair, marked_scan
from causewise.web.teaching import lesson as draw_lesson


def prepare() -> None:
    """Load and warm everything, so that the first answer takes as long as any other."""
    marked_pair(infer(read_pair(io.BytesIO(invisible(40)))))


def look(settings: dict[str, Any], content: bytes, tell: Tell) -> dict[str, Any]:
    """A table as it was understood; an example brings its bytes along."""
    example = EXAMPLES.get(settings.get("example", ""))
    content = example.make() if example else content
    seen = overview(_file(settings, content), settings["columns"], **settings["asked"])
    return {"seen": seen, "content": content if example else b""}


def pair(settings: dict[str, Any], content: bytes, tell: Tell) -> dict[str, Any]:
    """What `causewise infer --json` prints for two columns of a table, and its page where one is wanted."""
    question = settings["question"]
    x, y = question["x"], question["y"]
    two = read_pair(_file(settings, content), x, y, question["nan_policy"], **settings["asked"])
    return _decided(two, question, settings["page"])


def arrays(settings: dict[str, Any], content: bytes, tell: Tell) -> dict[str, Any]:
    """The same for two columns that came as JSON."""
    from causewise.web.questions import Arrays, parsed

    question = parsed(Arrays, content)
    two = pair_from(question.x, question.y, nan_policy=question.nan_policy)
    return _decided(two, question.model_dump(exclude={"x", "y"}), page=False)


def table(settings: dict[str, Any], content: bytes, tell: Tell) -> dict[str, Any]:
    """What `causewise scan --out x.json` writes, and its page."""
    question = settings["question"]
    method = question["method"] or DEFAULT
    with blamed_on_settings(method):
        found = scan(
            _file(settings, content),
            method=method,
            columns=question["columns"],
            target=question["target"],
            fdr=question["fdr"],
            jobs=1,  # the time and memory of a job are those of one process
            on_progress=tell,
            on_forecast=lambda foreseen: _check_time(foreseen, settings["seconds"]),
            **_weighing(question),
            **settings["asked"],
        )
    html, mark = marked_scan(found)
    record = FORMATS[".json"](found, False).decode()
    return {"title": str(found), "record": record, "page": html, "mark": mark}


def lesson(settings: dict[str, Any], content: bytes, tell: Tell) -> Any:
    """A drawn pair and what is said of it, for the teaching view."""
    try:
        inspect.signature(draw_lesson).bind(**settings)
    except TypeError as problem:
        raise Refusal(
            422, f"Got settings that a lesson does not have ({str(problem)[:120]}); expected others."
        ) from None
    return draw_lesson(**settings)


WORK = {"look": look, "pair": pair, "arrays": arrays, "table": table, "lesson": lesson}


def _file(settings: dict[str, Any], content: bytes) -> io.BytesIO:
    """The bytes as an open file, which sentences call by its name."""
    file = io.BytesIO(content)
    file.name = settings["name"]
    return file


def _decided(two: Pair, question: dict[str, Any], page: bool) -> dict[str, Any]:
    method = question["method"] or DEFAULT
    with blamed_on_settings(method):
        decision = infer(two, method=method, **_weighing(question))
    html, mark = marked_pair(decision) if page else ("", "")
    return {"title": decision.verdict, "record": _record(decision), "page": html, "mark": mark}


def _weighing(question: dict[str, Any]) -> dict[str, Any]:
    """What was said about how a direction is found; what nobody said is the method's own."""
    names = ("threshold", "neither", "direct", "recording", "seed")
    return {name: question[name] for name in names if question[name] is not None}


def _record(decision: Decision) -> str:
    return json_text(decision.to_dict(), default=plain_value)


def _check_time(foreseen: ScanForecast, seconds: float) -> None:
    if foreseen.seconds > seconds:
        raise InputError(
            f"Got {foreseen.pairs:,} pairs, which may take {foreseen.seconds / 60:.0f} minutes here; expected at most "
            f"{seconds / 60:.0f}: choose fewer columns or a quicker method, or use causewise scan on the command line."
        )
