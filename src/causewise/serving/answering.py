"""In a worker process: from a question and an open table to a decision, a scan or a graph."""

from typing import Any, BinaryIO

from causewise.catalogue import DEFAULT, blame_settings
from causewise.decision import Decision
from causewise.errors import InputError
from causewise.graphs.causal_graph import CausalGraph
from causewise.graphs.finder import graph
from causewise.inference import infer
from causewise.knowledge.knowledge_file import add_statements, parse_knowledge
from causewise.pair import Pair
from causewise.parallel import Engine, OnProgress
from causewise.scanning.forecast import ScanForecast
from causewise.scanning.result import Scan
from causewise.scanning.scanner import scan


def answer_pair(pair: Pair, question: dict[str, Any]) -> Decision:
    """Which of two columns causes the other; the question is one of `PairOptions`."""
    method = question["method"] or DEFAULT
    with blame_settings(method):
        return infer(pair, method=method, **_method_settings(question))


def answer_scan(
    table: BinaryIO, question: dict[str, Any], reading: dict[str, Any], seconds: float, tell: OnProgress
) -> Scan:
    """Every pair of a table, unless that may take longer than so many seconds; the question is one of `ScanOptions`."""
    method = question["method"] or DEFAULT
    with blame_settings(method):
        return scan(
            table,
            method=method,
            columns=question["columns"],
            pairs=question["target"],
            fdr=question["fdr"],
            knowledge=_gather_knowledge(question),
            # One process, whose time and memory are those of the job.
            engine=Engine(1, on_progress=tell, on_forecast=lambda forecast: _check_time(forecast, seconds)),
            **_method_settings(question),
            **reading,
        )


def answer_graph(table: BinaryIO, question: dict[str, Any], reading: dict[str, Any], tell: OnProgress) -> CausalGraph:
    """All columns of a table together; the question is one of `GraphOptions`."""
    names = ("alpha", "threshold", "bootstrap", "seed")
    return graph(
        table,
        columns=question["columns"],
        exclude=question["exclude"] or (),
        knowledge=_gather_knowledge(question),
        engine=Engine(1, on_progress=tell),
        **{name: question[name] for name in names if question[name] is not None},
        **reading,
    )


def _gather_knowledge(question: dict[str, Any]) -> Any:
    """The text or mapping of a file, and what is stated beside it; None where nothing is."""
    stated = {
        kind: question[kind] for kind in ("first", "last", "tiers", "required", "forbidden") if question.get(kind)
    }
    known = question.get("knowledge")
    content = parse_knowledge(known) if isinstance(known, str) else known or {}
    return add_statements(content, stated) or None


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
