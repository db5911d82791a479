"""What happens to one column where another is set: mean and standard deviation, with bounds, or why there is no answer.

Bounds come from the parts of the rows on each of which the whole graph was found anew. Where a part holds b of n rows,
drawn without replacement, its estimate differs from that of all rows by a variance of σ²(1/b − 1/n), that of the
estimate itself being σ²/n (Politis & Romano 1994): half of the rows vary as the table itself does. A part that turns an
arrow round or lacks it answers with what its own graph says.
"""

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from causewise.errors import SEEDS, InputError, between
from causewise.formatting import format_signed
from causewise.graphs.effect import LEVEL, Change, Effect, EffectRefusal, Strength, locate_beyond
from causewise.graphs.graph_columns import GraphColumns
from causewise.graphs.structural_model import StructuralModel, draw_places
from causewise.numerics.native import FloatArray
from causewise.tables.choose import list_names

if TYPE_CHECKING:
    from causewise.graphs.causal_graph import Edge

AT = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Quantiles of the cause at which the effect is told unless values are given."""
ROWS = 512
"""Drawn for the columns between, and beside, cause and effect; the same for every value and every part."""
FEW_ROWS = 300
"""Below, parts of the rows are smaller than what the bounds were tried on."""
WIDE = 2.0
"""Times the line through the outermost tenth of the range: as far as bounds reach beyond it."""
MOST_VALUES, MOST_ROWS = 1000, 10_000_000
_QUANTILES = 201
_SEED = 29


@dataclass(frozen=True, eq=False)
class Structure:
    """The structural model of a table, those of parts of its rows, and what each column's values are."""

    names: tuple[str, ...]
    model: StructuralModel
    found: tuple[StructuralModel | None, ...]
    """Of parts of the rows; None for those whose arrows came from a journal."""
    fit_part: Callable[[int], StructuralModel]
    """The model of a part by its number."""
    quantiles: FloatArray
    """Of each column, a line each, from its least to its largest value."""

    @cached_property
    def parts(self) -> tuple[StructuralModel, ...]:
        """The models of all parts; those that are missing are fitted now."""
        return tuple(self.fit_part(k) if model is None else model for k, model in enumerate(self.found))

    @classmethod
    def of(
        cls,
        read: GraphColumns,
        table: GraphColumns,
        model: StructuralModel,
        parts: Sequence[StructuralModel | None],
        fit_part: Callable[[int], StructuralModel],
    ) -> "Structure":
        """In the units of the columns that were read, from models of the canonical table."""
        units = read.units(table.names)
        columns = np.array([read.values[read.names.index(name)] for name in table.names])
        quantiles = np.quantile(columns, np.linspace(0.0, 1.0, _QUANTILES), axis=1).T
        found = tuple(None if part is None else part.in_units(*units) for part in parts)
        return cls(table.names, model.in_units(*units), found, partial(_fit_in_units, fit_part, units), quantiles)

    def find(self, name: str) -> int:
        """The number of a column."""
        if name not in self.names:
            known = list_names([repr(each) for each in self.names], "", "")
            raise InputError(f"Got the column {name!r}, which is not in the graph; expected one of {known}.")
        return self.names.index(name)

    def quantile(self, name: str, shares: Sequence[float]) -> FloatArray:
        """Of the column's values."""
        return np.interp(shares, np.linspace(0.0, 1.0, _QUANTILES), self.quantiles[self.find(name)])


def _fit_in_units(
    fit_part: Callable[[int], StructuralModel], units: tuple[FloatArray, FloatArray], number: int
) -> StructuralModel:
    return fit_part(number).in_units(*units)


def estimate_effect(
    structure: Structure,
    edges: "Sequence[Edge]",
    cause: str,
    effect: str,
    at: Any = None,
    direct: bool = False,
    level: float = LEVEL,
) -> Effect:
    """The effect of one column of a graph on another, or an `InputError` that says why there is none."""
    answer = ask_effect(structure, edges, cause, effect, at, direct, level)
    if isinstance(answer, EffectRefusal):
        raise InputError(answer.sentence)
    return answer


def ask_effect(
    structure: Structure,
    edges: "Sequence[Edge]",
    cause: str,
    effect: str,
    at: Any = None,
    direct: bool = False,
    level: float = LEVEL,
) -> Effect | EffectRefusal:
    """The effect of one column on another, or why there is none; an `InputError` where the question is at fault."""
    return ask_effects(structure, edges, cause, [effect], at, direct, level)[0]


def ask_effects(
    structure: Structure,
    edges: "Sequence[Edge]",
    cause: str,
    effects: Sequence[str],
    at: Any = None,
    direct: bool = False,
    level: float = LEVEL,
) -> list[Effect | EffectRefusal]:
    """The same of one column on some others, for which what lies between is computed once."""
    a, numbers = structure.find(cause), [structure.find(effect) for effect in effects]
    if cause in effects:
        raise InputError(f"Got {cause!r} as cause and effect; expected two columns.")
    _check_level(level)
    question = _Question.of(structure, cause, at, direct, level)
    reasons = [_explain_refusal(structure, edges, cause, effect, direct) for effect in effects]
    answered = [number for number, reason in zip(numbers, reasons, strict=True) if not reason]
    places = draw_places(len(structure.names), ROWS, _SEED)
    models = (structure.model, *structure.parts) if answered else ()
    responses = [model.respond(a, answered, question.grid, places, direct) for model in models]
    return [
        EffectRefusal(cause, effect, reason, question.observed, question.beyond)
        if reason
        else _build_effect(structure, edges, question, effect, [each[answered.index(number)] for each in responses])
        for effect, number, reason in zip(effects, numbers, reasons, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked of a cause: values to set it to, and where its rows end."""

    cause: str
    values: FloatArray
    quartiles: FloatArray
    observed: tuple[float, float]
    direct: bool
    level: float

    @classmethod
    def of(cls, structure: Structure, cause: str, at: Any, direct: bool, level: float) -> "_Question":
        values = np.unique(structure.quantile(cause, AT)) if at is None else _read_values(at)
        quartiles = structure.quantile(cause, (0.25, 0.75))
        ends = structure.quantiles[structure.find(cause)][[0, -1]]
        if quartiles[0] == quartiles[1]:
            quartiles = ends
        return cls(cause, values, quartiles, (float(ends[0]), float(ends[1])), direct, level)

    @property
    def beyond(self) -> tuple[float, ...]:
        low, high = self.observed
        return tuple(float(value) for value in self.values[(self.values < low) | (self.values > high)])

    @property
    def outer(self) -> FloatArray:
        """A tenth of the range from its ends."""
        low, high = self.observed
        return np.array([0.9 * low + 0.1 * high, 0.1 * low + 0.9 * high])

    @property
    def grid(self) -> FloatArray:
        """The values as far as there are rows, the quartiles, and two points at either end."""
        return np.concatenate([np.clip(self.values, *self.observed), self.quartiles, self.observed, self.outer])

    def reach(self, curve: FloatArray) -> FloatArray:
        """How much wider the bounds are at values beyond the rows, by the line through the outermost tenth."""
        (low, high), values = self.observed, self.values
        slopes = (curve[-4:-2] - curve[-2:]) / (np.array([low, high]) - self.outer)
        distance = np.where(values > high, values - high, np.minimum(values - low, 0.0))
        return WIDE * np.abs(distance * np.where(values > high, slopes[1], slopes[0]))


def _build_effect(
    structure: Structure,
    edges: "Sequence[Edge]",
    question: _Question,
    effect: str,
    responses: Sequence[tuple[FloatArray, FloatArray]],
) -> Effect:
    """The record of what all rows and each part of them respond."""
    cause, direct, count = question.cause, question.direct, len(question.values)
    error = _Error.of(structure, question.level)
    means, scales = (np.array(each) for each in zip(*responses, strict=True))
    mean, scale = means[0, :count], scales[0, :count]
    margin, scale_margin = (error.margin(each[:, :count]) + question.reach(each[0]) for each in (means, scales))
    changes = means[:, count + 1] - means[:, count]
    start, end = map(float, question.quartiles)
    change, change_margin = float(changes[0]), float(error.margin(changes[:, None])[0])
    return Effect(
        cause,
        effect,
        question.values,
        mean,
        mean - margin,
        mean + margin,
        scale,
        np.maximum(scale - scale_margin, 0.0),
        scale + scale_margin,
        change / (end - start),
        Change(start, end, change, change - change_margin, change + change_margin),
        error.sign_probability(changes) * _direction_probability(edges, cause, effect, direct),
        question.beyond,
        question.observed,
        direct,
        question.level,
        (
            *_note_turned(structure, edges, changes, cause, effect, direct),
            *_note_open(edges, cause, effect, direct),
            *_note_few(structure),
        ),
    )


class _Error(NamedTuple):
    """How far an estimate may be off, by those of parts of the rows."""

    factors: FloatArray
    """For each part: the standard deviation of an estimate over that of its part's difference from it."""
    level: float

    @classmethod
    def of(cls, structure: Structure, level: float) -> "_Error":
        n = structure.model.rows
        return cls(np.array([math.sqrt(part.rows / (n - part.rows)) for part in structure.parts]), level)

    def deviation(self, estimates: FloatArray) -> FloatArray:
        """The standard error of the first line of estimates, by the others."""
        if len(self.factors) < 2:
            return np.full(estimates.shape[1], np.nan)
        return np.sqrt(np.mean(((estimates[1:] - estimates[0]) * self.factors[:, None]) ** 2, axis=0))

    def margin(self, estimates: FloatArray) -> FloatArray:
        """Half the width of the bounds."""
        if len(self.factors) < 2:
            return np.full(estimates.shape[1], np.nan)
        quantile = stdtrit(len(self.factors) - 1, 0.5 + self.level / 2)
        return np.asarray(quantile * self.deviation(estimates))

    def sign_probability(self, changes: FloatArray) -> float:
        error = float(self.deviation(changes[:, None])[0])
        if math.isnan(error):
            return math.nan
        return float(stdtr(len(self.factors) - 1, abs(changes[0]) / error)) if error > 0 else 0.5


def draw_rows(
    structure: Structure, edges: "Sequence[Edge]", setting: Any, rows: int, seed: int
) -> dict[str, FloatArray]:
    """Rows of the whole table where some columns are set."""
    between("do", 1, MOST_ROWS, rows=rows)
    between("do", *SEEDS, seed=seed)
    if not isinstance(setting, Mapping):
        raise InputError(f"Got {setting!r} to set columns to; expected a dict of columns and values: {{'a': 2.0}}.")
    numbers = {structure.find(name): float(_read_values([value])[0]) for name, value in setting.items()}
    for name in setting:
        if on_way := next((edge for edge in edges if not edge.is_directed and _leads(edges, name, edge)), None):
            raise InputError(
                f"Got {name!r} to be set, and what that does depends on the direction of {_dash(on_way)}, which is "
                f"not told ({on_way.reason}); expected arrows only behind it: give the direction as knowledge."
            )
    for name in setting:
        question = _Question.of(structure, name, [setting[name]], False, LEVEL)
        if question.beyond:
            where = locate_beyond(name, question.beyond, question.observed)
            warnings.warn(f"{where}: there the last value is kept.", stacklevel=3)  # the line that called `do`
    # Columns are numbered as in the canonical table, so that the same seed gives the same rows however it was written.
    places = np.random.default_rng(seed).random((len(structure.names), rows))
    drawn = structure.model.draw(places, numbers)
    return {structure.names[k]: drawn[k] for k in structure.model.order}


def measure_strengths(structure: Structure, edges: "Sequence[Edge]") -> tuple[Strength, ...]:
    """Of every arrow."""
    places = draw_places(len(structure.names), 4 * ROWS, _SEED)
    shares = {
        child: structure.model.explain_variance(structure.find(child), places)
        for child in {edge.child for edge in edges if edge.is_directed}
    }
    return tuple(
        Strength(edge.parent, edge.child, *shares[edge.child].get(structure.find(edge.parent), (0.0, 0.0)))
        for edge in edges
        if edge.is_directed
    )


def _explain_refusal(structure: Structure, edges: "Sequence[Edge]", cause: str, effect: str, direct: bool) -> str:
    """Why there is no answer: no path of arrows from the cause to the effect, or one without direction; else empty."""
    relevant = [edge for edge in edges if not direct or {edge.parent, edge.child} == {cause, effect}]
    arrows = [(edge.parent, edge.child) for edge in relevant if edge.is_directed]
    behind = _reach(arrows, cause)
    for edge in _list_open(relevant, cause, effect):
        if not _lies_behind(edge, cause, effect, behind):
            return _explain_open(structure, relevant, edge, cause, effect, direct)
    if effect in behind:
        return ""
    setting = f"as far as the rows tell, setting {cause!r} leaves {effect!r} as it is"
    if direct and effect in _reach([(e.parent, e.child) for e in edges if e.is_directed], cause):
        return (
            f"Got {cause!r} and {effect!r}, which no edge joins; expected one for a direct effect: {cause!r} acts by "
            "other columns, ask without direct."
        )
    if cause in _reach(arrows, effect):
        return f"Got {effect!r} as an effect of {cause!r}, and the graph has it as a cause: {setting}."
    return (
        f"Got {cause!r} and {effect!r}, and no path of arrows leads from the first to the second: {setting}; expected "
        "a path: require an edge as knowledge if you know of one."
    )


def _list_open(edges: "Sequence[Edge]", cause: str, effect: str) -> list["Edge"]:
    """Edges without direction that a path from cause to effect may use."""
    return [edge for edge in edges if not edge.is_directed and _may_lie_between(edges, cause, effect, edge)]


def _lies_behind(edge: "Edge", cause: str, effect: str, behind: Collection[str]) -> bool:
    """Whether arrows alone lead from the cause to both ends of an edge, and to the effect.

    Then what sets the cause is known, its parents, and so is the total effect, whichever way the edge runs (Maathuis,
    Kalisch & Bühlmann 2009): the law of all columns behind the cause, given it, is the same however it is factorised.
    """
    return cause not in (edge.parent, edge.child) and {edge.parent, edge.child, effect} <= set(behind)


def _explain_open(
    structure: Structure, edges: "Sequence[Edge]", edge: "Edge", cause: str, effect: str, direct: bool
) -> str:
    if edge.direction == "<->":
        return (
            f"Got {cause!r} and {effect!r}, and {_dash(edge)} on the way may have a common cause that is no column, "
            "whose work no number of these rows can tell from an effect; expected arrows only: add the common cause as "
            "a column, or set the cause by experiment."
        )
    a, b = structure.find(cause), structure.find(effect)
    quartiles = structure.quantile(cause, (0.25, 0.75))
    places = draw_places(len(structure.names), ROWS, _SEED)
    first, second = structure.find(edge.parent), structure.find(edge.child)
    groups: dict[tuple[int, int], list[float]] = {(first, second): [], (second, first): []}
    for model in (structure.model, *structure.parts):
        # Of graphs in which another open edge cuts the way: they say nothing of this one.
        for arrow in model.arrows & groups.keys() if b in model.descendants(a) else ():
            [(mean, _)] = model.respond(a, [b], quartiles, places, direct)
            groups[arrow].append(float(mean[1] - mean[0]))
    others = _possible_arrows([each for each in edges if each is not edge])
    told = []
    for (u, v), changes in groups.items():
        way = f"where {structure.names[u]!r} → {structure.names[v]!r}"
        if changes:
            told.append(f"{format_signed(float(np.mean(changes)), 3)} {way}")
        elif effect not in _reach([*others, (structure.names[u], structure.names[v])], cause):
            told.append(f"0 {way}")
        elif (u, v) == (a, b):
            line = _fit_line(structure, a, b) * float(quartiles[1] - quartiles[0])
            told.append(f"about {format_signed(line, 3)}, by a straight line, {way}")
        else:
            told.append(f"of unknown size {way}, as no part of the rows has it")
    numbers = f"; between the quartiles of {cause!r} it would be {' and '.join(told)}"
    return (
        f"The effect of {cause!r} on {effect!r} depends on the direction of {_dash(edge)}, which is not told "
        f"({edge.reason}){numbers}; expected arrows only on the way: give the direction as knowledge, or more rows."
    )


def _fit_line(structure: Structure, cause: int, effect: int) -> float:
    """The slope of a column on one that no model has as its parent, given those that it has, in rows of the model."""
    rows = structure.model.draw(draw_places(len(structure.names), 4 * ROWS, _SEED), {})
    given = sorted(structure.model.equations[effect].parents - {cause})
    design = np.column_stack([rows[cause], *rows[given], np.ones(rows.shape[1])])
    return float(np.linalg.lstsq(design, rows[effect], rcond=None)[0][0])


def _direction_probability(edges: "Sequence[Edge]", cause: str, effect: str, direct: bool) -> float:
    """That the arrows run as drawn on the surest path: that of its least sure arrow."""
    sure = {cause: 1.0}
    for edge in edges:  # by the child's place in the order
        if edge.is_directed and edge.parent in sure and not (direct and edge.parent != cause):
            own = 1.0 if edge.direction_probability is None else edge.direction_probability
            sure[edge.child] = max(sure.get(edge.child, 0.0), min(sure[edge.parent], own))
    return sure.get(effect, 0.0)


def _note_turned(
    structure: Structure, edges: "Sequence[Edge]", changes: FloatArray, cause: str, effect: str, direct: bool
) -> Iterable[str]:
    """What parts of the rows say that turn an arrow on the way round."""
    arrows = [part.arrows for part in structure.parts]
    for edge in edges:
        if not edge.is_directed or (direct and {edge.parent, edge.child} != {cause, effect}):
            continue
        back = (structure.find(edge.child), structure.find(edge.parent))
        is_turned = np.array([back in each for each in arrows], dtype=bool)
        if is_turned.any() and _may_lie_between(edges, cause, effect, edge):
            yield (
                f"It depends on the direction of {_dash(edge)}, which {is_turned.sum()} of {len(is_turned)} parts of "
                f"the rows turn round: there the change is {format_signed(float(np.mean(changes[1:][is_turned])), 3)}, "
                f"not {format_signed(float(changes[0]), 3)}."
            )


def _note_open(edges: "Sequence[Edge]", cause: str, effect: str, direct: bool) -> Iterable[str]:
    """Edges on the way whose direction is open and makes no difference."""
    if (not direct) and (open_ones := _list_open(edges, cause, effect)):
        names = list_names([_dash(edge) for edge in open_ones], "", "")
        are = (
            "has no direction; both its columns lie" if len(open_ones) == 1 else "have no direction; their columns lie"
        )
        yield f"{names} {are} behind {cause!r}, whose total effect is the same either way."


def _note_few(structure: Structure) -> Iterable[str]:
    if len(structure.parts) < 2:
        yield "No bounds: they need parts of the rows, at least 2 and better 50 (bootstrap)."
    if structure.model.rows < FEW_ROWS:
        yield f"It rests on {structure.model.rows} rows: bounds of so few may be too narrow."


def _check_level(level: Any) -> None:
    if not (isinstance(level, Real) and 0.5 <= float(level) < 1.0):
        raise InputError(f"Got level={level!r} for an effect; expected a probability from 0.5 to below 1.")


def _read_values(at: Any) -> FloatArray:
    try:
        values = np.atleast_1d(np.asarray(at, dtype=float))
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or not 1 <= len(values) <= MOST_VALUES or not np.all(np.isfinite(values)):
        raise InputError(f"Got {at!r} to set a column to; expected one to {MOST_VALUES} finite numbers.")
    return values


def _reach(arrows: Collection[tuple[str, str]], start: str, avoid: Collection[str] = ()) -> set[str]:
    """All columns behind one, itself too, by paths that avoid some."""
    children: dict[str, list[str]] = {}
    for parent, child in arrows:
        children.setdefault(parent, []).append(child)
    out, left = {start}, [start]
    while left:
        new = {child for child in children.get(left.pop(), ()) if child not in out and child not in avoid}
        out |= new
        left += new
    return out


def list_neighbours(edges: "Sequence[Edge]") -> dict[str, list[str]]:
    """Of each column those that it may affect by one edge, those without direction running either way."""
    out: dict[str, list[str]] = {}
    for parent, child in _possible_arrows(edges):
        out.setdefault(parent, []).append(child)
    return out


def _possible_arrows(edges: "Sequence[Edge]") -> list[tuple[str, str]]:
    arrows = [(edge.parent, edge.child) for edge in edges]
    return arrows + [(edge.child, edge.parent) for edge in edges if not edge.is_directed]


def _may_lie_between(edges: "Sequence[Edge]", cause: str, effect: str, edge: "Edge") -> bool:
    """Whether a path from cause to effect may use an edge, those without direction run either way."""
    arrows = _possible_arrows(edges)
    return any(
        u in _reach(arrows, cause, (v, effect)) and effect in _reach(arrows, v, (u, cause))
        for u, v in _possible_arrows([edge])
        if u != effect and v != cause
    )


def _leads(edges: "Sequence[Edge]", start: str, edge: "Edge") -> bool:
    """Whether an edge without direction may carry on what is done to a column."""
    return not {edge.parent, edge.child}.isdisjoint(_reach(_possible_arrows(edges), start))


def _dash(edge: "Edge") -> str:
    return f"{edge.parent!r} — {edge.child!r}"
