"""The tasks of a worker process: from a question to words, the JSON of the command line, a picture, and files."""

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.decision import Decision
from causewise.errors import InputError
from causewise.examples import make_line
from causewise.formatting import json_text, plain_value
from causewise.graphs.causal_graph import CausalGraph
from causewise.graphs.effect import Effect, EffectRefusal
from causewise.inference import half_samples, infer
from causewise.mcp_server import wording
from causewise.mcp_server.folders import AllowedFolders
from causewise.parallel import OnProgress
from causewise.report.canvas import encode
from causewise.report.canvas import settings as canvas_settings
from causewise.report.html_pages import render_decision, render_graph, render_scan
from causewise.report.provenance import record_method, record_methods
from causewise.report.scan_summary import sort_surest_first
from causewise.scanning.graph_files import GRAPH_FORMATS
from causewise.scanning.result import FORMATS
from causewise.serving.answering import answer_graph, answer_pair, answer_scan
from causewise.tables import read_pair
from causewise.tables.choose import list_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LETTERS = 40_000
"""Of the JSON in an answer: assistants cut what is longer, or give up on it."""
Answer = dict[str, Any]
"""`words`, `record` (JSON), `picture` (a PNG in base64), and `files`: content by the field that asked for it."""


def prepare() -> None:
    """Load and warm what every answer needs."""
    _draw(infer(read_pair(io.BytesIO(make_line(40)))).plot)


def infer_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise infer --json` prints."""
    question = settings["question"]
    decision = _decide(settings, question["stability"])
    files = {"report": lambda: render_decision(decision).encode("utf-8", "replace")}
    return _answer(question, wording.decision_words(decision), _json(decision.to_dict()), decision.plot, files)


def explain_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise infer --json --stability` prints, with every reason in words; without a file, how to read it."""
    question = settings["question"]
    if question["file"] is None:
        return {"words": wording.reading_words(), "record": "", "picture": "", "files": {}}
    decision = _decide(settings, stability=True)
    return _answer(question, wording.explanation_words(decision), _json(decision.to_dict()), decision.plot)


def scan_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise scan --out x.json` writes."""
    question = settings["question"]
    with _open(settings) as table:
        scan = answer_scan(table, question, settings["reading"], settings["seconds"], tell)
    surest = replace(scan, rows=tuple(sort_surest_first(scan.rows)))
    words, record = _cut_json(wording.scan_words(scan), scan.to_dict(), "rows", surest.to_dict()["rows"], "pairs")
    files = {
        "report": lambda: render_scan(scan).encode("utf-8", "replace"),
        "out": lambda: FORMATS[_ending(question)](scan, False),
    }
    return _answer(question, words, record, scan.plot, files)


def graph_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise graph --json` prints."""
    question = settings["question"]
    graph = _find_graph(settings, tell)
    files = {"report": lambda: render_graph(graph).encode("utf-8", "replace"), "out": lambda: _write(graph, question)}
    record = graph.to_dict()
    words, text = _cut_json(wording.graph_words(graph), record, "edges", record["edges"], "edges")
    return _answer(question, words, text, graph.plot, files)


def effect_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise graph --effect A:B --json` prints; the picture is the effect's, or the graph's without one."""
    question = settings["question"]
    graph = _find_graph(settings, tell)
    effect = _ask_effect(graph, question)
    plot = graph.plot if isinstance(effect, EffectRefusal) else effect.plot
    record = _json(graph.to_dict() | {"effects": [effect.to_dict()]})
    return _answer(question, wording.effect_words(effect, graph), record, plot)


def list_methods(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Answer:
    """What `causewise methods --json` prints."""
    name = settings["question"]["name"]
    record: Any = record_method(name) if name else record_methods()
    words = wording.methods_words([record] if name else record)
    return {"words": words, "record": _json(record), "picture": "", "files": {}}


WORK = {
    "infer": infer_file,
    "scan": scan_file,
    "graph": graph_file,
    "effect": effect_file,
    "methods": list_methods,
    "explain": explain_file,
}


def _open(settings: dict[str, Any]) -> Any:
    """The table that is asked about, as a context."""
    folders = AllowedFolders(settings["folders"])
    return folders.open_table(settings["question"]["file"], settings["reading"]["max_bytes"])


def _decide(settings: dict[str, Any], stability: bool) -> Decision:
    question = settings["question"]
    with _open(settings) as table:
        pair = read_pair(table, question["x"], question["y"], question["nan_policy"], **settings["reading"])
    decision = answer_pair(pair, question)
    if not stability or decision.stopped:
        return decision
    try:
        return replace(decision, half_samples=half_samples(decision, seed=question["seed"]))
    except InputError:  # too few rows for halves: the answer itself stands
        return decision


def _find_graph(settings: dict[str, Any], tell: OnProgress) -> CausalGraph:
    with _open(settings) as table:
        return answer_graph(table, settings["question"], settings["reading"], tell)


def _ask_effect(graph: CausalGraph, question: dict[str, Any]) -> Effect | EffectRefusal:
    """The effect, or the reason why there is none."""
    cause, effect = question["cause"], question["effect"]
    unknown = [name for name in (cause, effect) if name not in graph.order]
    if unknown:
        names = list_names([repr(name) for name in graph.order], "", "")
        why = f", since it was left out: {graph.left_out[unknown[0]]}" if unknown[0] in graph.left_out else ""
        raise InputError(f"Got the column {unknown[0]!r}, which is not in the graph{why}; expected one of {names}.")
    return graph.ask_effect(cause, effect, question["at"])


def _json(record: Any) -> str:
    """As the command line has it, without the blanks that make it pleasant for people."""
    return json_text(record, indent=None, default=plain_value)


def _write(graph: CausalGraph, question: dict[str, Any]) -> bytes:
    ending = _ending(question)
    text = json_text(graph.to_dict()) + "\n" if ending == ".json" else GRAPH_FORMATS[ending](graph.to_networkx())
    return text.encode()


def _ending(question: dict[str, Any]) -> str:
    return Path(question["out"]).suffix.lower()


def _cut_json(words: str, record: dict[str, Any], key: str, entries: Sequence[Any], what: str) -> tuple[str, str]:
    """The words and the JSON; where that is too long, with the first of these entries, and a word on it."""
    text, kept = _json(record), len(entries)
    if len(text) <= MOST_LETTERS:
        return words, text
    while kept and len(text) > MOST_LETTERS:
        kept = min(kept - 1, kept * MOST_LETTERS // len(text))
        text = _json(record | {key: entries[:kept]})
    return f"{words}\n{wording.cut_words(kept, len(entries), what)}", text


def _answer(
    question: dict[str, Any],
    words: str,
    record: str,
    plot: "Callable[[], Figure]",
    files: Mapping[str, Callable[[], bytes]] = {},  # never changed
) -> Answer:
    return {
        "words": words,
        "record": record,
        "picture": _draw(plot) if question["picture"] else "",
        "files": {name: make() for name, make in files.items() if question[name] is not None},
    }


def _draw(plot: "Callable[[], Figure]") -> str:
    with canvas_settings():
        return base64.b64encode(encode(plot(), "png")).decode()
