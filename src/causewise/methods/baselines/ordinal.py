"""Ordinal thresholds over the location-scale model: the shorter description, where a column has few ordered levels.

Both directions are coded (`level_codes`) and compared as Vuong (1989) compares two models that need not be nested:
first whether the two laws differ at all, then the difference of their code lengths over its standard error, row by row.

A continuous cause of which only levels were recorded is in neither model, and reads as if its effect were the cause. So
an answer that makes levels the effect of a continuous column is withheld, unless the caller rules that out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri, ndtri

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, InputError, between
from causewise.methods.baselines.level_codes import CodedColumn, RowCode, direction_code
from causewise.methods.combined.rows import MAX_ROWS, judged_rows
from causewise.pair import FloatArray, Pair, standardise
from causewise.protocol import attempted

MAX_LEVELS = 12
NOTHING = 1e-4
"""Nats by which two codes of a row differ through the ridge on their coefficients."""


def columns_of(pair: Pair, max_levels: int, max_rows: int) -> tuple[CodedColumn, CodedColumn]:
    """Both columns as they are coded; refused where neither has few levels."""
    rows = judged_rows(pair.x, pair.y, max_rows)
    recorded = pair.x[rows.kept], pair.y[rows.kept]
    if min(rows.distinct) > max_levels:
        raise InputError(
            f"ordinal got columns of {rows.distinct[0]} and {rows.distinct[1]} values; expected at most {max_levels} "
            "in one of them, or in both: choose a method for continuous columns, or raise max_levels."
        )
    x, y = (
        CodedColumn(_standardised(given), np.unique(given, return_inverse=True)[1])
        if distinct <= max_levels
        else CodedColumn(_standardised(spread), None)
        for given, spread, distinct in zip(recorded, rows[:2], rows.distinct, strict=True)
    )
    return x, y


def _standardised(column: FloatArray) -> FloatArray:
    """Summed from the smallest value up, so that neither the order of the rows nor the other column shows in a bit."""
    order, out = np.argsort(column, kind="stable"), np.empty_like(column)
    out[order] = standardise(column[order])
    return out


@dataclass(frozen=True)
class Ordinal:
    """Code lengths both ways, and an answer where they differ by more than chance."""

    acting: bool = False
    level: float = LEVEL
    max_levels: int = MAX_LEVELS
    max_rows: int = MAX_ROWS
    name: str = "ordinal"

    @property
    def settings(self) -> dict[str, Any]:
        """As they were given."""
        given = {"acting": self.acting, "level": self.level}
        return given | {"max_levels": self.max_levels, "max_rows": self.max_rows}

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [attempted(pair, self.name, partial(self._judged, pair), settings=self.settings) for pair in pairs]

    def _judged(self, pair: Pair) -> Decision:
        x, y = columns_of(pair, self.max_levels, self.max_rows)
        forward, backward = direction_code(x, y), direction_code(y, x)
        found = compared(forward, backward)
        shorter = " → ".join((pair.x_name, pair.y_name) if found.score > 0 else (pair.y_name, pair.x_name))
        told = f"the code of {shorter} is {abs(found.saved):.1f} nats shorter, {abs(found.score):.2g} standard errors"
        why, asked = "", float(ndtri(1 - self.level / 2))
        if not found.distinct(self.level):
            why = "Undecided: both directions can give these rows the same law, so that they do not tell them apart."
        elif abs(found.score) < asked:
            why = f"Undecided: {told}, of which {asked:.2g} are asked for."
        elif not self.acting and (x if found.score > 0 else y).level is None:
            why = (
                f"Undecided: {told}, but so it is where levels are cut from a continuous cause: set acting=true if "
                "they are not."
            )
        return Decision(
            self.name,
            pair,
            found.score,
            _evidence(forward, 0.5 * found.score),
            _evidence(backward, -0.5 * found.score),
            settings=self.settings,
            rows_judged=len(x.values),
            carried_by="" if why else f"{told[0].upper()}{told[1:]}.",
            reason=why,
        )


class TwoCodes(NamedTuple):
    """Two codes of the same rows."""

    saved: float
    """Nats by which forward is shorter."""
    variance: float
    """Of these nats, from row to row."""
    parameters: int
    """Of both laws."""

    @property
    def score(self) -> float:
        """Standard errors that forward saves; fitting alone makes a variance of one for each parameter."""
        return self.saved / math.sqrt(max(self.variance, self.parameters))

    def distinct(self, level: float) -> bool:
        """Whether the two laws differ at all: where they are one, the variance is χ² with at most these degrees."""
        return self.variance > float(chdtri(self.parameters, level))


def compared(forward: RowCode, backward: RowCode) -> TwoCodes:
    """Row by row; exact sums, so that no order of rows shows in a bit."""
    gain = forward.log_density - backward.log_density
    gain[np.abs(gain) < NOTHING] = 0.0
    n, total = len(gain), math.fsum(gain)
    price = 0.5 * (backward.parameters - forward.parameters) * math.log(n)
    variance = math.fsum((gain - total / n) ** 2)
    return TwoCodes(price + total, variance, forward.parameters + backward.parameters)


def _evidence(code: RowCode, score: float) -> Evidence:
    n = len(code.log_density)
    return Evidence(score, log_likelihood=math.fsum(code.log_density) / n, costs={"description": code.nats() / n})


def ordinal(
    acting: bool = False, level: float = LEVEL, max_levels: int = MAX_LEVELS, max_rows: int = MAX_ROWS
) -> Ordinal:
    """The method; an answer is given where both of Vuong's tests refuse at the level.

    `acting` says that levels, if they are the cause, act themselves, as groups of a trial do, and are not what a
    continuous cause was cut into.
    """
    if not 0.0 < level <= 1.0:
        raise InputError(f"Got level={level!r} for ordinal; expected a p-value above 0 and at most 1.")
    between("ordinal", 2, 30, max_levels=max_levels)
    between("ordinal", 50, ROWS[1], max_rows=max_rows)
    return Ordinal(acting, level, max_levels, max_rows)
