"""What an assistant reads beside the numbers: the answer, why, how sure, what weakens it, what it assumes.

Functions are named after the text they give. Whatever comes from a table is made one line, so that no column can pass
for a sentence of ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from causewise.decision import Decision
from causewise.formatting import format_p, percent, single_line
from causewise.graphs.causal_graph import ASSUMES, FREE, CausalGraph
from causewise.graphs.effect import Effect, EffectRefusal
from causewise.report import decision_wording, provenance, scan_wording
from causewise.report.decision_wording import Stance
from causewise.report.graph_summary import edge_effect, edge_name, edge_probability, edge_support, explain_signs
from causewise.report.measures import list_factors, list_measures, list_terms
from causewise.report.scan_summary import outcome_percents, sort_surest_first
from causewise.report.score_bars import outcome_bar, round_score
from causewise.scanning.result import Scan
from causewise.scanning.scan_row import ScanRow

MOST_LISTED, MOST_NAMED = 30, 10
"""Arrows, edges and warnings a line each; names in a sentence. The JSON has more of them."""

_PASS_ON = {
    "oriented": "it is what these rows favour under these assumptions, no proof; what is known about the table, or an "
    "experiment, outweighs it.",
    "undecided": "no direction is given. That is the usual answer on recorded tables and no failure; do not make a "
    "direction of the score or of a lean.",
    "unrelated": "no relation was found, so there is no direction to find; that does not prove that there is none.",
    "failed": "there is no answer, for the reason above.",
}


def decision_words(decision: Decision) -> str:
    """The answer about two columns."""
    return _join(
        f"Answer: {single_line(str(decision))}.",
        _reason(decision),
        outcomes(decision),
        decision_wording.halves(decision.half_samples) if decision.half_samples else "",
        *_warnings(decision_wording.group_by_severity(decision.warnings), decision.reason),
        f"Assumptions: {_assumptions(decision)}",
        f"Pass on: {_PASS_ON[decision.status]}",
    )


def _reason(decision: Decision) -> str:
    tests = decision_wording.explanation(decision)
    # Where one direction alone fits, what the tests say is the whole verdict, and the sentence would repeat it.
    first = "" if Stance.of(decision) is Stance.CLEAR else decision_wording.sentence(decision)
    return f"Why: {' '.join(filter(None, (first, tests)))}"


def outcomes(decision: Decision) -> str:
    """The three outcomes with what neither means, or why there are none."""
    bar = outcome_bar(decision)
    if bar is None:
        why = f"{decision.method} has no probabilities: how sure it is, is not known"
        if decision.unrelated or decision.stopped:
            why = "no relation was found" if decision.unrelated else "these rows cannot tell"
        return f"Three outcomes: none given, since {why}."
    prior = provenance.prior(decision)
    before = f", {prior} before a look at the rows" if prior not in ("", "0 %") else ", ruled out beforehand"
    return (
        f"Three outcomes: {bar.description}. Neither is a hidden common cause, a mixture or a selection of "
        f"rows{before if prior else ''}."
    )


def _assumptions(decision: Decision) -> str:
    entry = provenance.find_entry(decision.method)
    own = f" The method assumes: {entry.assumes}. It fails on: {entry.fails}." if entry else ""
    return f"{provenance.assumptions(decision)}{own}"


def reading_words() -> str:
    """How any answer is read."""
    return (files("causewise.mcp_server") / "reading.md").read_text(encoding="utf-8")


def explanation_words(decision: Decision) -> str:
    """The same answer with all of its evidence."""
    x, y = single_line(decision.pair.x_name), single_line(decision.pair.y_name)
    rows = [*list_terms(decision), *list_measures(decision)]
    evidence = [
        f"- {row.name}: {row.forward} for {x} → {y}, {row.backward} for {y} → {x}"
        f"{f'; {row.term} in the sum' if row.term else ''}. {row.meaning}"
        for row in rows
    ]
    rounded = round_score(decision)
    factors = ", ".join(f"{each.name} {each.value} ({each.meaning})" for each in list_factors(decision))
    kinds = ", ".join(f"{name} {kind}" for name, kind in zip((x, y), decision.kinds.values(), strict=True))
    return _join(
        decision_words(decision),
        *(("Evidence for both directions:", *evidence) if evidence else ()),
        f"The score, above 0 for {x} → {y}: {rounded}." if rounded else "",
        f"Its weight is the product of: {factors}." if factors else "",
        f"Column types: {kinds}. Rows: {decision_wording.rows_text(decision)}.",
        f"To repeat it: {provenance.command(decision)}",
        f"For a methods section: {provenance.paragraph(decision)}",
    )


def scan_words(scan: Scan) -> str:
    """The pairs of a table, the surest arrows first."""
    rows = sort_surest_first(scan.rows)
    arrows = [row for row in rows if row.cause is not None]
    undecided = [scan_wording.pair(row) for row in rows if row.status == "undecided"]
    return _join(
        f"Answer: {scan}.",
        *_list("Arrows, the surest first", [_arrow(row) for row in arrows]),
        f"Undecided: {_names(undecided)}. The JSON says of each why (reason)." if undecided else "",
        scan.quality().words if len(arrows) > 1 else "",
        *_columns(scan.left_out, scan.notes),
        _scan_outcomes(scan),
        "Assumptions: rows are independent draws from one population. Every pair was scored by itself: a common cause "
        "can stand behind any arrow, and an arrow may stand for a path. This is no map of the whole table.",
        "Pass on: the arrows are what these rows favour under these assumptions, no proof; undecided pairs are no "
        "failure and have no direction to report."
        if arrows
        else "Pass on: no direction is given. That is no failure; do not make one of a score or of a lean.",
    )


def _scan_outcomes(scan: Scan) -> str:
    if all(row.neither is None for row in scan.rows):
        why = f"{scan.facts['method']} has no probabilities" if scan.counts["oriented"] else "no pair was scored"
        return f"Three outcomes: none given, since {why}."
    return (
        "Three outcomes: of every pair the two directions and neither (a hidden common cause, a mixture, a selection "
        f"of rows) add up to 100 %; an arrow needs {percent(scan.threshold)}."
    )


def _arrow(row: ScanRow) -> str:
    percents = None if row.is_given else outcome_percents(row)
    others = f" (the other direction {percents[1]} %, neither {percents[2]} %)" if percents else ""
    warnings = f" Warnings: {' '.join(map(single_line, row.warnings))}" if row.warnings else ""
    return f"{scan_wording.arrow(row)}{others}, n = {row.scored_of}.{warnings}"


def graph_words(graph: CausalGraph, title: str = "Answer") -> str:
    """All columns of a table together."""
    edges = [
        f"{edge_name(edge)} ({edge_effect(edge)}): p {format_p(edge.p, None)}, direction {edge_probability(edge)}, in "
        f"halves of the rows {edge_support(edge)}.{f' No arrow: {single_line(edge.reason)}.' if edge.reason else ''}"
        for edge in graph.edges
    ]
    dropped = graph.dropped_rows
    return _join(
        f"{title}: {graph}.",
        *_list("Edges", edges),
        *explain_signs(graph),
        f"{dropped:,} row{'s' * (dropped != 1)} with a missing value left out." if dropped else "",
        *_warnings({"": graph.warnings} if graph.warnings else {}),
        *_columns(graph.left_out),
        f"Assumptions: {ASSUMES} {FREE}",
        "Pass on: the direction of an arrow is a probability given that one of the two affects the other; edges may be "
        "missing or come from causes outside of the table. It is what these rows favour under these assumptions, no "
        "proof.",
    )


def effect_words(effect: Effect | EffectRefusal, graph: CausalGraph) -> str:
    """What becomes of one column where another is set, or why the graph does not tell; then the graph."""
    if isinstance(effect, EffectRefusal):
        return _join(f"Answer: {single_line(str(effect))}", graph_words(graph, "The graph that was found"))
    cells = [
        "; ".join(f"{name} {cell}".strip() for name, cell in zip(effect.headings, row, strict=True) if cell)
        for row in effect.cells()
    ]
    return _join(
        f"Answer: {single_line(str(effect))}",
        *_list("At each value", cells),
        *map(single_line, effect.notes),
        graph_words(graph, "It holds as far as the arrows of this graph do"),
    )


def methods_words(records: Sequence[Mapping[str, Any]]) -> str:
    """The catalogue a line each."""
    facts = "- {name}: {brief}. Assumes: {assumes}. Fails on: {fails}."
    return _join(
        f"{len(records)} method{'s' * (len(records) != 1)}; causewise is the default, and the one to answer with.",
        *(facts.format_map(each) for each in records),
        "Methods that share assumptions err together: how many agree is no measure of how sure an answer is.",
    )


def cut_words(kept: int, of: int, what: str) -> str:
    """Why the JSON is shorter than that of the command line."""
    return (
        f"The JSON has {kept:,} of the {of:,} {what}, as many as there is room for; the argument out writes them all."
    )


def _warnings(groups: Mapping[str, Sequence[str]], reason: str = "") -> Iterator[str]:
    """The warnings, the worst first; one that is the reason of the answer is not repeated."""
    if not groups:
        yield "Warnings: none about these rows."
    for level, texts in groups.items():
        lines = ["The reason above." if text in reason else single_line(text) for text in texts]
        yield from _list(f"Warnings ({level})" if level else "Warnings", lines)


def _columns(left_out: Mapping[str, str], notes: Iterable[str] = ()) -> Iterator[str]:
    yield from map(single_line, notes)
    if left_out:
        yield f"Left out: {_names([f'{single_line(name)} ({single_line(why)})' for name, why in left_out.items()])}."


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{'; '.join(names[:MOST_NAMED])}{more}"


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    """A title and a line each; nothing where there are none."""
    if lines:
        yield f"{title}:"
        yield from (f"- {line}" for line in lines[:MOST_LISTED])
    if len(lines) > MOST_LISTED:
        yield f"- … and {len(lines) - MOST_LISTED} more."


def _join(*lines: str) -> str:
    return "\n".join(filter(None, lines))
