"""Results as HTML that needs nothing else, no network, no other file, no framework: pages, and cards for notebooks."""

import functools
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from causewise.decision import Decision
from causewise.files import replace_with
from causewise.formatting import format_count, format_p
from causewise.graphs.causal_graph import CausalGraph
from causewise.graphs.effect import Effect, EffectRefusal
from causewise.inference import Answer, ask, half_samples
from causewise.protocol import Method
from causewise.report import scan_wording
from causewise.report.causal_layout import shape_causal_graph
from causewise.report.decision_picture import MOST_DOTS, draw_column, draw_fit, draw_quantiles, draw_residual
from causewise.report.decision_summary import summarise
from causewise.report.geometry import coarsen_curve
from causewise.report.graph_pictures import causal_legend
from causewise.report.graph_summary import edge_effect, edge_name, edge_probability, edge_support, summarise_graph
from causewise.report.graph_summary import sentence as graph_sentence
from causewise.report.graph_summary import title as graph_title
from causewise.report.scan_summary import sort_surest_first, summarise_scan
from causewise.scanning.result import Scan

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_CARD_DOTS, _CARD_CURVE, _CARD_ROWS, _CARD_EDGES = 400, 100, 10, 60


@functools.cache
def environment(package: str = "causewise.report") -> "Environment":
    """The templates in a package's folder `templates`; everything is escaped unless it was marked safe in Python."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.globals["nonce"] = ""  # of a page that is sent by a server; see base.html
    return templates


def render_decision(decision: Decision, nonce: str = "", answers: Sequence[Answer] = ()) -> str:
    """The page as a string; the same decision gives the same string.

    nonce: that of the Content-Security-Policy under which a server sends the page; a file of its own needs none.
    answers: what other methods say of the pair, where they were asked.
    """
    summary = summarise(decision, MOST_DOTS, answers)
    pictures = {
        side.key: draw_column(side, (draw_fit,), 4.2, 3.1)
        if side.drawing.residual is None
        else draw_column(side, (draw_fit, draw_residual, draw_quantiles), 4.2, 7.5)
        for side in summary.sides
    }
    template = environment().get_template("decision.html")
    return template.render(s=summary, d=decision, pictures=pictures, nonce=nonce)


def write_decision(
    decision: Decision,
    path: str | os.PathLike[str],
    stability: bool = False,
    methods: Sequence[str | Method | Answer] = (),
) -> None:
    """Write the page, whole or not at all; halves and methods that were not asked yet are asked now."""
    if stability and decision.half_samples is None and not decision.stopped:
        decision = replace(decision, half_samples=half_samples(decision, seed=decision.seed or 0))
    answers = [each if isinstance(each, Answer) else ask(decision.pair, each) for each in methods]
    replace_with(path, render_decision(decision, answers=answers).encode("utf-8", errors="replace"))


def render_card(decision: Decision) -> str:
    """The head of the page and a small picture of both fits, in one scoped element that follows a notebook's theme."""
    summary = summarise(decision, _CARD_DOTS)
    pictures = {
        side.key: draw_column(
            replace(side, drawing=coarsen_curve(side.drawing, _CARD_CURVE)), (draw_fit,), width=3.6, height=2.3
        )
        for side in summary.sides
    }
    return environment().get_template("card.html").render(s=summary, d=decision, pictures=pictures)


class TableCard(NamedTuple):
    """What the card of a whole table shows."""

    title: str
    sentence: str
    tone: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str
    """How many rows are left out; empty where none are."""
    picture: "Markup | str" = ""

    def render(self) -> str:
        """One scoped element that follows a notebook's theme."""
        return environment().get_template("table_card.html").render(card=self)


def render_scan_card(scan: Scan) -> str:
    """What was found in a scan, and its surest pairs."""
    rows = sort_surest_first(scan.rows)
    return TableCard(
        scan_wording.title(scan),
        scan_wording.sentence(scan),
        "weighed" if scan.counts["oriented"] else "tie",
        ("Pair", "Status", "Confidence", "Rows"),
        tuple(
            (scan_wording.pair(row), row.outcome, scan_wording.sureness(row), row.scored_of)
            for row in rows[:_CARD_ROWS]
        ),
        _count_more(len(rows)),
    ).render()


def render_graph_card(graph: CausalGraph) -> str:
    """A small picture of a causal graph, its order, and its first edges."""
    cells = tuple(
        (edge_name(edge), edge_effect(edge), format_p(edge.p, None), edge_probability(edge), edge_support(edge))
        for edge in graph.edges[:_CARD_ROWS]
    )
    columns = ("Edge", "What changes", "p", "Direction", "In halves")
    order = ", ".join(scan_wording.column_name(name, 40) for name in graph.order)
    words = f"{graph_sentence(graph)}{f' Causes first: {order}.' if graph.edges else ''}"
    return TableCard(
        f"{graph_title(graph)} of {format_count(graph.n)} rows",
        words,
        "weighed" if graph.counts["directed"] else "tie",
        columns,
        cells,
        _count_more(len(graph.edges)),
        _draw_small(graph),
    ).render()


def _draw_small(graph: CausalGraph) -> "Markup | str":
    """The picture of a card with its legend; none where there is nothing to draw, or too much."""
    if not 0 < len(graph.edges) <= _CARD_EDGES:
        return ""
    shapes = shape_causal_graph(graph, font=9.0)
    drawn: Any = environment().get_template("causal_graph.html").module
    legend = causal_legend([link.look for link in shapes.links], has_support=False)
    picture: Markup = drawn.picture(shapes, graph_title(graph)) + drawn.legend(legend)
    return picture


def _count_more(count: int) -> str:
    return format_count(count - _CARD_ROWS) if count > _CARD_ROWS else ""


def render_scan(scan: Scan, nonce: str = "") -> str:
    """The page of a scan as a string: what was found, the matrix, the graph, and every pair to look into."""
    return environment().get_template("scan.html").render(s=summarise_scan(scan), nonce=nonce)


def write_scan(scan: Scan, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all."""
    replace_with(path, render_scan(scan).encode("utf-8", errors="replace"))


def render_graph(graph: CausalGraph, nonce: str = "", effects: Sequence[Effect | EffectRefusal] = ()) -> str:
    """The page of a causal graph as a string: the picture, every edge with its evidence, what if, the columns."""
    return environment().get_template("graph.html").render(s=summarise_graph(graph, effects), nonce=nonce)


def write_graph(
    graph: CausalGraph, path: str | os.PathLike[str], effects: Sequence[Effect | EffectRefusal] = ()
) -> None:
    """Write the page, whole or not at all; these effects are shown first."""
    replace_with(path, render_graph(graph, effects=effects).encode("utf-8", errors="replace"))
