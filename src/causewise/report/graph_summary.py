"""Everything the page of a causal graph shows: words, shapes, and numbers in JSON for its pictures."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causewise.formatting import format_count, format_number, format_p, percent, single_line
from causewise.graphs.causal_graph import (
    ARROW,
    ASSUMES,
    FREE,
    LINE,
    SIGNS,
    TWO_HEADED,
    CausalGraph,
    DirectionCurve,
    Edge,
    EdgeCurve,
)
from causewise.graphs.effect import Effect, EffectRefusal
from causewise.report.causal_layout import EdgeLook, LinkShapes, shape_causal_graph
from causewise.report.graph_pictures import causal_legend
from causewise.report.pair_numbers import round_to_pixels
from causewise.report.provenance import bibliography, list_bibtex
from causewise.report.scan_summary import ColumnList, json_block
from causewise.report.scan_wording import column_name
from causewise.report.what_if import WhatIf, summarise_effects

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_DRAWN = 150
"""Edges with curves, a tenth of a second and some kilobytes each."""
_CITED = ("immer2023identifiability", "buhlmann2014cam")
_BECAME = {
    "directed": ("has a direction", "have a direction"),
    "undirected": ("has no direction that could be told", "have no direction that could be told"),
    "common cause": ("comes from a common cause outside the table", "come from a common cause outside the table"),
    "given": ("is given by background knowledge", "are given by background knowledge"),
}


class EdgeWords(NamedTuple):
    """What the page says of one edge."""

    parent: str
    sign: str
    child: str
    look: EdgeLook
    what: str
    """What the parent affects, or why there is no arrow, in a few words."""
    p: str
    probability: str
    support: str
    sentence: str
    facts: tuple[tuple[str, str], ...]


class ColumnWords(NamedTuple):
    """What the page says of one column, in the order of the graph."""

    name: str
    kind: str
    parents: str
    mechanism: str
    independence: str


@dataclass(frozen=True, eq=False)
class GraphSummary:
    """A causal graph, ready to be rendered."""

    title: str
    sentence: str
    tone: str
    order: str
    key: tuple[tuple[str, str], ...]
    shapes: LinkShapes
    legend: tuple[tuple[EdgeLook | None, str], ...]
    edges: tuple[EdgeWords, ...]
    numbers: "Markup"
    """JSON of the curves of the first edges; null for one that has none."""
    drawn: int
    """How many edges have curves."""
    what_if: WhatIf | None
    """None where the graph has no equations."""
    warnings: tuple[str, ...]
    columns: tuple[ColumnWords, ...]
    left_out: ColumnList
    assumes: str
    threshold: str
    command: str
    python: str
    settings: tuple[tuple[str, str], ...]
    paragraph: str
    bibtex: str
    version: str


def summarise_graph(graph: CausalGraph, effects: Sequence[Effect | EffectRefusal] = ()) -> GraphSummary:
    """Work out what the page shows, these effects first; the same graph gives the same summary."""
    from markupsafe import Markup

    from causewise.graphs.edge_curves import measure_edge_curves  # with it comes scikit-learn

    shapes = shape_causal_graph(graph)
    drawn = graph.edges[:MOST_DRAWN]
    curves = graph.curves if len(drawn) == len(graph.edges) else measure_edge_curves(graph.values, drawn)
    version = str(graph.facts.get("version", ""))
    return GraphSummary(
        title=title(graph),
        sentence=sentence(graph),
        tone="weighed" if graph.counts["directed"] else "tie",
        order=", ".join(column_name(name, 40) for name in graph.order) if graph.edges else "",
        key=_key_facts(graph),
        shapes=shapes,
        legend=tuple(causal_legend([link.look for link in shapes.links], _has_support(graph))),
        edges=tuple(_describe_edge(edge, graph.facts) for edge in graph.edges),
        # `json_block` left nothing in it that a page could mistake for markup.
        numbers=Markup(json_block([_edge_numbers(edge, curves, graph.facts) for edge in drawn])),
        drawn=len(curves),
        what_if=summarise_effects(graph, effects),
        warnings=tuple(map(single_line, graph.warnings)),
        columns=tuple(_describe_column(graph, name) for name in graph.order),
        left_out=ColumnList.of(graph.left_out),
        assumes=ASSUMES,
        threshold=_state_threshold(graph.facts),
        command=command(graph),
        python=python(graph),
        settings=tuple((name, str(value)) for name, value in graph.facts.items()),
        paragraph=paragraph(graph),
        bibtex=list_bibtex(version, _CITED),
        version=version,
    )


def title(graph: CausalGraph) -> str:
    """How many edges there are."""
    edges = f"{format_count(len(graph.edges))} edge{'s' * (len(graph.edges) != 1)}" if graph.edges else "No edge"
    return f"{edges} between {format_count(len(graph.order))} columns"


def sentence(graph: CausalGraph) -> str:
    """How many edges there are of each kind."""
    if not graph.edges:
        return "No column is seen to affect another."
    parts = [f"{format_count(n)} {_BECAME[kind][n != 1]}" for kind, n in graph.counts.items() if n]
    listed = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    return f"Of {format_count(len(graph.edges))} edge{'s' * (len(graph.edges) != 1)}, {listed}."


def explain_signs(graph: CausalGraph) -> Iterator[str]:
    """One sentence for each kind of edge that is no arrow of the data alone."""
    counts = graph.counts
    if counts["undirected"]:
        yield f"—: one affects the other; which way is open below {percent(graph.facts['threshold'])}."
    if counts["common cause"]:
        yield "↔: neither affects the other, as far as the rows tell; a cause outside the table affects both."
    if counts["given"]:
        yield "given: what background knowledge says, not what the rows show."


def edge_name(edge: Edge, letters: int = 40) -> str:
    """`rain → river`, `rain — river`, `rain ↔ river`."""
    return f" {SIGNS[edge.direction]} ".join(column_name(name, letters) for name in (edge.parent, edge.child))


def edge_effect(edge: Edge) -> str:
    """What the parent affects, or why there is no arrow."""
    what = {ARROW: edge.moves, LINE: "direction open", TWO_HEADED: "common cause"}[edge.direction]
    return f"{what}{', given' * edge.is_given}"


def edge_probability(edge: Edge) -> str:
    """Of the direction from parent to child."""
    if edge.direction_probability is None or edge.direction == TWO_HEADED:
        return "given" if edge.is_given else "–"
    return percent(edge.direction_probability)


def edge_support(edge: Edge) -> str:
    """The share of the parts of the rows in which the two are joined."""
    return "–" if edge.support is None else percent(edge.support)


def _has_support(graph: CausalGraph) -> bool:
    return any(edge.support is not None for edge in graph.edges)


def _state_threshold(facts: Mapping[str, Any]) -> str:
    return percent(facts["threshold"]) if "threshold" in facts else ""


def _key_facts(graph: CausalGraph) -> tuple[tuple[str, str], ...]:
    facts = {"Complete rows": format_count(graph.n)}
    if graph.dropped_rows:
        facts["Rows left out for a missing value"] = format_count(graph.dropped_rows)
    if "alpha" in graph.facts:
        facts["Level of the tests"] = format_number(graph.facts["alpha"])
    if _state_threshold(graph.facts):
        facts["Probability an arrow needs"] = _state_threshold(graph.facts)
    if "bootstrap" in graph.facts:
        facts["Random halves of the rows"] = format_count(graph.facts["bootstrap"])
    return tuple(facts.items())


def _describe_edge(edge: Edge, facts: Mapping[str, Any]) -> EdgeWords:
    parent, child = column_name(edge.parent), column_name(edge.child)
    tests = (("mean", edge.p_mean), ("variance", edge.p_spread))
    lines = [
        (f"Does it affect the {what}? p", "not in the model" if p is None else format_p(p, None)) for what, p in tests
    ]
    if edge.direction_probability is not None:
        name = f"Probability of {parent} → {child}, if one affects the other"
        lines.append((name, percent(edge.direction_probability)))
    if edge.support is not None:
        parts = facts.get("bootstrap")
        of = f" of {parts}" if parts else ""
        lines.append(("Random halves of the rows in which the two are joined", f"{percent(edge.support)}{of}"))
    return EdgeWords(
        parent,
        SIGNS[edge.direction],
        child,
        EdgeLook.of(asdict(edge)),
        edge_effect(edge),
        format_p(edge.p, None),
        edge_probability(edge),
        edge_support(edge),
        _explain(edge, parent, child),
        tuple(lines),
    )


def _explain(edge: Edge, parent: str, child: str) -> str:
    """One or two sentences."""
    if edge.direction == TWO_HEADED:
        known = f"{parent} and {child} have a common cause that is not in the table, as far as the rows tell."
    elif edge.direction == LINE:
        known = f"One of {parent} and {child} affects the other; which of them is not told."
    elif edge.required:
        shown = edge.mean or edge.spread
        shows = f", and the rows show it in the {edge.moves}" if shown else "; the rows do not show it"
        known = f"That {parent} affects {child} is given by background knowledge{shows}."
    elif edge.direction_given:
        known = f"The rows join the two; that {parent} comes first is given by background knowledge."
    else:
        known = f"{parent} affects the {edge.moves.replace('spread', 'variance')} of {child}, given all other edges."
    return f"{known} Why it has no direction: {single_line(edge.reason)}." if edge.reason else known


def _edge_numbers(
    edge: Edge, curves: Mapping[tuple[str, str], EdgeCurve], facts: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What `draw.js` draws of an edge; None where its columns were not kept."""
    curve = curves.get((edge.parent, edge.child))
    if curve is None:
        return None
    ends = column_name(edge.parent), column_name(edge.child)
    spans = [(min(values), max(values)) for values in (curve.parent, curve.child)]
    return {
        "x": ends[0],
        "y": ends[1],
        "dots": [
            round_to_pixels(np.array(each), span) for each, span in zip((curve.parent, curve.child), spans, strict=True)
        ],
        "sides": [
            _side(edge, curve.forward, ends, spans, chosen=edge.direction == ARROW),
            _side(edge, curve.backward, ends[::-1], spans[::-1], chosen=False),
        ],
        "outcomes": _outcomes(edge, ends, facts),
        "sum": None,
    }


def _side(
    edge: Edge, curve: DirectionCurve, ends: tuple[str, ...], spans: list[tuple[float, float]], chosen: bool
) -> dict[str, Any]:
    mean, scale = np.array(curve.mean), np.array(curve.scale)
    lines = {"mean": mean, "low": mean - 2 * scale, "high": mean + 2 * scale}
    across, up = spans
    given = edge.is_given and chosen
    return {
        "cause": ends[0],
        "effect": ends[1],
        "outcome": f"{ends[1]} given {ends[0]}",
        "chosen": chosen,
        "mark": "given" if given else "arrow" if chosen else None,
        "contested": edge.direction == ARROW and not chosen,
        "across": [min(across[0], curve.grid[0]), max(across[1], curve.grid[-1])],
        "up": list(up),
        "curve": [
            {"cause": round_to_pixels(np.array(curve.grid), across)}
            | {name: round_to_pixels(line, up) for name, line in lines.items()}
        ],
        "residual": None,
        "beyond": 0,
        "drift": [],
    }


def _outcomes(edge: Edge, ends: tuple[str, str], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Both directions as parts of one bar; none where the direction is given, or neither affects the other."""
    if edge.direction_probability is None or edge.direction == TWO_HEADED:
        return None
    share = edge.direction_probability
    shown = percent(share)
    other = f"{100 - int(shown.split()[0])} %"
    threshold = facts.get("threshold")
    return {
        "parts": [
            {"kind": "leading", "name": f"{ends[0]} → {ends[1]}", "value": round(share, 4), "text": shown},
            {"kind": "other", "name": f"{ends[1]} → {ends[0]}", "value": round(1 - share, 4), "text": other},
        ],
        "threshold": threshold,
        "needed": "" if threshold is None else f"an arrow from {_state_threshold(facts)}",
    }


def _describe_column(graph: CausalGraph, name: str) -> ColumnWords:
    p = graph.independence.get(name)
    return ColumnWords(
        column_name(name),
        graph.kinds.get(name, ""),
        ", ".join(column_name(parent, 40) for parent in graph.parents(name)) or "–",
        single_line(graph.mechanisms.get(name, "")),
        "–" if p is None else format_p(p, None),
    )


def command(graph: CausalGraph) -> str:
    """The line to type in a terminal; the files are the reader's."""
    names = shlex.quote(",".join(single_line(name) for name in graph.order))
    known = " --known KNOWLEDGE.yaml" if _is_informed(graph) else ""
    options = "".join(
        f" --{name} {graph.facts[name]}" for name in ("alpha", "threshold", "bootstrap", "seed") if name in graph.facts
    )
    return f"causewise graph FILE.csv --columns {names}{known}{options} --report graph.html"


def python(graph: CausalGraph) -> str:
    """The same in Python."""
    known = '\n    knowledge="KNOWLEDGE.yaml",' if _is_informed(graph) else ""
    options = ", ".join(
        f"{name}={graph.facts[name]}" for name in ("alpha", "threshold", "bootstrap", "seed") if name in graph.facts
    )
    return (
        f'import causewise\n\ngraph = causewise.graph(\n    "FILE.csv",\n    columns={list(graph.order)!r},{known}\n'
        f'    {options},\n)\nprint(graph)\ngraph.report("graph.html")\n'
    )


def _is_informed(graph: CausalGraph) -> bool:
    known = graph.knowledge
    stated = known is not None and bool(known.soft or known.forbidden or known.links)
    return stated or any(edge.is_given for edge in graph.edges)


def paragraph(graph: CausalGraph) -> str:
    """A paragraph for the methods section, true of this graph alone."""
    facts, count = graph.facts, format_count
    labels = "; ".join(bibliography()[key].label for key in _CITED)
    dropped = f", {count(graph.dropped_rows)} left out for a missing value" if graph.dropped_rows else ""
    parts = [
        f"A causal graph of {count(len(graph.order))} columns ({count(graph.n)} complete rows{dropped}) was found "
        f"with the program causewise {facts.get('version', '')}: each column is modelled given its parents by a "
        f"location-scale model, and the order of the columns has the largest likelihood ({labels})."
    ]
    if "alpha" in facts:
        parts.append(f"Edges were tested given all others (significance level {format_number(facts['alpha'])}).")
    if facts.get("bootstrap"):
        halves = f"{count(facts['bootstrap'])} random halves of the rows (seed {facts['seed']})"
        parts.append(
            f"An edge was directed from a probability of {_state_threshold(facts)}, estimated from the likelihood and "
            f"from {halves}."
        )
    if _is_informed(graph):
        parts.append("Background knowledge was applied.")
    parts.append(sentence(graph))
    if graph.left_out:
        names = ", ".join(column_name(name, 40) for name in list(graph.left_out)[:20])
        columns = f"{count(len(graph.left_out))} column{'s' * (len(graph.left_out) != 1)}"
        parts.append(f"{columns} could not be used ({names}).")
    if graph.warnings:
        parts.append(f"Warnings: {' '.join(map(single_line, graph.warnings))}")
    return " ".join([*parts, ASSUMES, FREE])
