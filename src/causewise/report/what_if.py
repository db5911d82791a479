"""What the page of a causal graph shows where a column is set: effects in words, and their numbers for `what_if.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causewise.formatting import format_count, format_signed, percent, single_line
from causewise.graphs.causal_graph import CausalGraph
from causewise.graphs.effect import Effect, EffectRefusal, short_number
from causewise.numerics.native import FloatArray
from causewise.numerics.row_sampling import scramble
from causewise.report.pair_numbers import round_to_pixels
from causewise.report.scan_summary import json_block
from causewise.report.scan_wording import column_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from causewise.graphs.interventions import Structure

MOST_LISTED, MOST_PRINTED = 12, 4
MOST_ROWS, MOST_DOTS = 300, 9000
"""Rows that are drawn, and values of all columns together in these."""
FINER = 100.0
"""Numbers that are read are rounded so many times finer than pixels."""

Answer = Effect | EffectRefusal
Pair = tuple[str, str]


class AskedEffect(NamedTuple):
    """An effect that was asked for, as the page words it."""

    cause: str
    effect: str
    sentence: str
    headings: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


class ListedEffect(NamedTuple):
    """One of the strongest effects, a line of a table."""

    number: int
    """Among the pairs of the page."""
    cause: str
    effect: str
    between: str
    change: str
    moved: str
    """How far the mean moves while the cause goes through its middle nine tenths, in standard deviations."""
    probability: str


@dataclass(frozen=True, eq=False)
class WhatIf:
    """All effects of a page, ready to be rendered."""

    asked: tuple[AskedEffect, ...]
    strongest: tuple[ListedEffect, ...]
    answered: int
    pairs: int
    missing: str
    """How many pairs of columns the page has of how many; empty where it has all of them."""
    numbers: "Markup"


def summarise_effects(graph: CausalGraph, asked: Sequence[Answer] = ()) -> WhatIf | None:
    """Work out what the page shows; None where a graph has no equations, or only one column."""
    from markupsafe import Markup

    if graph.structure is None or len(graph.order) < 2:
        return None
    answers = _answer_pairs(graph, graph.structure, asked)
    pairs = list(answers)
    strengths = {pair: _measure_strength(graph, each) for pair, each in answers.items() if isinstance(each, Effect)}
    strongest = sorted(strengths, key=lambda pair: -strengths[pair])
    wanted = [(each.cause, each.effect) for each in asked]
    printed = [pair for pair in wanted if pair in strengths] or strongest
    first = (*wanted, *strongest, *pairs)[0]
    record = {
        "columns": _describe_columns(graph, {name for pair in strengths for name in pair}),
        "pairs": [_pair_numbers(graph, answers[pair]) for pair in pairs],
        "first": pairs.index(first),
        "at": _begin_at(graph, asked, first),
        "printed": [pairs.index(pair) for pair in printed[:MOST_PRINTED]],
    }
    return WhatIf(
        asked=tuple(_word_asked(each) for each in asked),
        strongest=tuple(
            _list_effect(pairs.index(pair), answers[pair], strengths[pair]) for pair in strongest[:MOST_LISTED]
        ),
        answered=len(strengths),
        pairs=len(pairs),
        missing=_count_missing(len(pairs), len(graph.order) * (len(graph.order) - 1)),
        numbers=Markup(json_block(record)),
    )


def _answer_pairs(graph: CausalGraph, structure: "Structure", asked: Sequence[Answer]) -> Mapping[Pair, Answer]:
    """Those of the graph, and those that were asked for, as far as their values reach."""
    from causewise.graphs.pair_effects import choose_values  # with it comes SciPy

    out = dict(graph.effects)
    for each in asked:
        if isinstance(each, Effect):
            wide = choose_values(structure, each.cause, [*each.at])
            out[each.cause, each.effect] = graph.effect(each.cause, each.effect, wide, level=each.level)
        else:
            out[each.cause, each.effect] = replace(each, beyond=())
    return out


def _read_column(graph: CausalGraph, name: str) -> FloatArray:
    """A column's values, or quantiles of them where these were not kept."""
    assert graph.structure is not None
    return graph.values.get(name, graph.structure.quantiles[graph.structure.find(name)])


def _measure_strength(graph: CausalGraph, effect: Effect) -> float:
    low, high = np.quantile(_read_column(graph, effect.cause), (0.05, 0.95))
    means = np.interp([low, high], effect.at, effect.mean)
    inside = effect.mean[(effect.at >= low) & (effect.at <= high)]
    deviation = float(np.std(_read_column(graph, effect.effect)))
    return float(np.ptp([*means, *inside])) / deviation if deviation > 0 else 0.0


def _begin_at(graph: CausalGraph, asked: Sequence[Answer], first: Pair) -> float:
    """The middle of the values that were asked for; of the cause's where none were."""
    effect = next((each for each in asked if isinstance(each, Effect) and (each.cause, each.effect) == first), None)
    return float(np.median(_read_column(graph, first[0])) if effect is None else effect.at[len(effect.at) // 2])


def _describe_columns(graph: CausalGraph, drawn: set[str]) -> list[dict[str, Any]]:
    """Each column as it was observed: mean, standard deviation, ends, and its values in some rows."""
    n = min(len(column) for column in graph.values.values()) if graph.values else 0
    most = min(MOST_ROWS, MOST_DOTS // max(len(drawn), 1))
    rows = np.sort(np.argsort(scramble(np.arange(n, dtype=np.uint64)), kind="stable")[:most])
    out = []
    for name in graph.order:
        values = _read_column(graph, name)
        span = (float(values.min()), float(values.max()))
        mean, deviation = _round(np.array([values.mean(), values.std()]), span)
        some = round_to_pixels(values[rows], span) if name in drawn and name in graph.values else []
        out.append({"name": column_name(name), "mean": mean, "sd": deviation, "span": span, "values": some})
    return out


def _pair_numbers(graph: CausalGraph, answer: Answer) -> dict[str, Any]:
    """What `what_if.js` draws and says of one pair."""
    ends = {"cause": graph.order.index(answer.cause), "effect": graph.order.index(answer.effect)}
    if isinstance(answer, EffectRefusal):
        return ends | {"reason": single_line(answer.reason)}
    across, up = (np.array(_read_column(graph, name)) for name in (answer.cause, answer.effect))
    spans = [(float(each.min()), float(each.max())) for each in (across, up)]
    has_bounds = bool(np.isfinite(answer.low).all())
    curves = {"mean": answer.mean, "scale": answer.scale} | (
        {"margin": answer.high - answer.mean, "scale_margin": answer.scale_high - answer.scale} if has_bounds else {}
    )
    return ends | {
        "at": _round(answer.at, spans[0]),
        **{name: _round(curve, spans[1]) for name, curve in curves.items()},
        "levels": len(answer.at) <= len(np.unique(across)) and bool(np.isin(answer.at, across).all()),
        "level": f"{answer.level:.0%}",
        "sentence": single_line(str(answer)),
        "notes": [single_line(note) for note in answer.remarks],
    }


def _round(values: FloatArray, span: tuple[float, float]) -> list[float]:
    return round_to_pixels(values, (0.0, (span[1] - span[0]) / FINER))


def _word_asked(answer: Answer) -> AskedEffect:
    ends = column_name(answer.cause), column_name(answer.effect)
    if isinstance(answer, EffectRefusal):
        return AskedEffect(*ends, single_line(str(answer)), (), (), ())
    notes = tuple(map(single_line, answer.notes))
    return AskedEffect(*ends, single_line(str(answer)), answer.headings, tuple(answer.cells()), notes)


def _list_effect(number: int, effect: Answer, strength: float) -> ListedEffect:
    assert isinstance(effect, Effect)
    change = effect.from_to
    bounds = f" ({format_signed(change.low, 3)} to {format_signed(change.high, 3)})" if np.isfinite(change.low) else ""
    return ListedEffect(
        number,
        column_name(effect.cause),
        column_name(effect.effect),
        f"{short_number(change.start)} to {short_number(change.end)}",
        f"{format_signed(change.mean, 3)}{bounds}",
        f"{short_number(strength)} sd",
        percent(effect.probability) if np.isfinite(effect.probability) else "–",
    )


def _count_missing(pairs: int, of: int) -> str:
    if pairs >= of:
        return ""
    return (
        f"The page has {format_count(pairs)} of {format_count(of)} pairs of columns, those that the fewest edges join; "
        "ask for others with --effect A:B."
    )
