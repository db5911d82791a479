"""The default method: score = λ · (a₁ + a₂ + a₃), a log-odds; confidence is its logistic.

aᵢ = height · tanh(contrast / width) is an odd, rising curve of one contrast of the two directions (`readings`), λ how
much these rows can say (`weight`). Nothing else enters: what is shown is what decides. One location-scale fit, one
residual and one independence test a direction serve all terms, the picture and the report.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from whence.combined.constants import TERMS
from whence.combined.curve import curve_at
from whence.combined.readings import ReadDirection, contrasts, read_direction
from whence.combined.rows import MAX_ROWS, Rows, judged_rows
from whence.combined.weight import Weight, effective_rows, weight_of
from whence.combined.words import Account, reason, withheld
from whence.criteria import LEVEL
from whence.decision import Decision, Evidence
from whence.numerics.hsic import HsicTest, hsic_test, kernel_column
from whence.pair import FloatArray, InputError, Pair, row_order, spread, standardise
from whence.protocol import attempted, fit_messages
from whence.ranges import ROWS, between

THRESHOLD = 0.8
"""From this confidence on an answer is given."""
_ROWS_AT_ONCE = 1 << 16
"""Of a long table, at which a curve is evaluated: its basis takes several numbers a row."""


class Weighing(NamedTuple):
    """Everything that is weighed about one pair, before any constant enters."""

    rows: Rows
    forward: ReadDirection
    backward: ReadDirection
    sides: tuple[Evidence, Evidence]
    """What is shown of each direction, at every row of the table."""
    contrasts: dict[str, float]
    effective_rows: float
    better_log_p: float
    """Of the independence test of the direction that fits better."""
    left: float
    """Share of the relation, by HSIC, that is left in that direction's residual."""
    relation_log_p: float
    """Of the independence test of the two columns."""


@dataclass(frozen=True)
class Whence:
    """Three kinds of evidence, added up and weighed."""

    name: str = "whence"
    max_rows: int = MAX_ROWS
    threshold: float = THRESHOLD
    settings: Mapping[str, Any] = field(default_factory=dict)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [self._decide(pair) for pair in pairs]

    def _decide(self, pair: Pair) -> Decision:
        judge = partial(self._judged, pair)
        return attempted(pair, self.name, lambda: judge(weighing(pair, self.max_rows)), settings=self.settings)

    def _judged(self, pair: Pair, found: Weighing) -> Decision:
        terms, weight = terms_of(found.contrasts), weight_in(found)
        score = weight.product * sum(terms.values())
        confidence = 1.0 / (1.0 + math.exp(-abs(score)))
        forward, backward = found.sides
        account = Account(
            pair, found.sides, terms, weight, score, confidence, found.rows.distinct, found.effective_rows
        )
        unrelated = math.exp(found.relation_log_p) >= LEVEL
        return Decision(
            self.name,
            pair,
            score,
            forward=replace(forward, score=0.5 * score),
            backward=replace(backward, score=-0.5 * score),
            settings=self.settings,
            warnings=fit_messages(pair, forward, backward),
            confidence=confidence,
            contributions=terms,
            weight=weight.product,
            weight_parts=weight._asdict(),
            rows_judged=len(found.rows.kept),
            relation_p_value=math.exp(found.relation_log_p),
            unrelated=unrelated,
            reason=reason(account),
            abstention=withheld(account, self.threshold, found.relation_log_p, unrelated),
        )


def whence(max_rows: int = MAX_ROWS, threshold: float = THRESHOLD) -> Whence:
    """The default method; of longer tables a fixed sample of `max_rows` is judged, and every output says so."""
    between("whence", 50, ROWS[1], max_rows=max_rows)
    if not 0.5 <= threshold < 1.0:
        raise InputError(f"Got threshold={threshold!r} for whence; expected a confidence of at least 0.5 and below 1.")
    return Whence(
        max_rows=max_rows, threshold=threshold, settings={"max_rows": max_rows, "threshold": float(threshold)}
    )


def weighing(pair: Pair, max_rows: int = MAX_ROWS) -> Weighing:
    """Read both directions of a pair."""
    rows = judged_rows(pair.x, pair.y, max_rows)
    forward, backward = read_direction(rows.x, rows.y), read_direction(rows.y, rows.x)
    sides = (_side(pair.x, pair.y, rows, forward), _side(pair.y, pair.x, rows, backward, turned=True))
    residuals = [side.residual for side in sides if side.residual is not None]
    # The columns' relation is tested once, in the order of the simpler direction's rows: exchanging the columns
    # exchanges the directions with them, so that not a bit depends on which column came first.
    both = (forward, backward)
    simpler, other = both if forward.costs["description"] <= backward.costs["description"] else both[::-1]
    relation = simpler.relation(other)
    better = max(forward.test, backward.test, key=lambda test: (test.log_p_value, -test.statistic))
    return Weighing(
        rows,
        forward,
        backward,
        sides,
        contrasts(forward, backward),
        effective_rows(pair.x, pair.y, *residuals),
        better.log_p_value,
        better.statistic / relation.statistic,
        relation.log_p_value if not rows.tied else _recorded_relation(pair, rows, simpler is forward).log_p_value,
    )


def _recorded_relation(pair: Pair, rows: Rows, forward: bool) -> HsicTest:
    """The test of the two columns as they were recorded.

    Ties are not spread here: where both columns have the same margins, copies of a row lie along a diagonal of their
    cell, which no rule that treats the columns alike can avoid, and which the test would take for a relation.
    """
    x, y = pair.x[rows.kept], pair.y[rows.kept]
    cause, effect = (x, y) if forward else (y, x)
    order = row_order(cause, effect)
    return hsic_test(kernel_column(standardise(cause[order])), kernel_column(standardise(effect[order])))


def terms_of(found: Mapping[str, float]) -> dict[str, float]:
    """The terms of the score: > 0 speaks for x → y."""
    return {name: term.height * math.tanh(found[name] / term.width) for name, term in TERMS.items()}


def weight_in(found: Weighing) -> Weight:
    """λ of a pair."""
    # A sample of a longer table lies so far apart that its rows are nearly independent.
    effective = min(found.effective_rows, float(len(found.rows.kept)))
    return weight_of(effective, min(found.rows.distinct), found.better_log_p, found.left)


def _side(cause: FloatArray, effect: FloatArray, rows: Rows, reading: ReadDirection, turned: bool = False) -> Evidence:
    """One direction as it is shown: the fitted curve at every recorded value; the residual that was tested.

    Rows that are not judged get the residual of their recorded values.
    """
    judged_cause, judged_effect = (rows.y, rows.x) if turned else (rows.x, rows.y)
    centre, unit = float(np.mean(judged_effect)), spread(judged_effect)
    location, scale = np.empty(len(cause)), np.empty(len(cause))
    if rows.tied or len(rows.kept) < len(cause):
        at = cause - np.mean(judged_cause)
        at /= spread(judged_cause)
        order = np.argsort(at, kind="stable")
        for start in range(0, len(order), _ROWS_AT_ONCE):
            rows_here = order[start : start + _ROWS_AT_ONCE]
            location[rows_here], scale[rows_here] = curve_at(reading.curve, at[rows_here])
        del at, order
    else:  # every row was judged at its recorded value
        location[reading.order], scale[reading.order] = reading.curve.location, reading.curve.scale
    residual = effect - centre
    residual /= unit
    residual -= location
    residual /= scale
    location *= unit
    location += centre
    scale *= unit
    residual[rows.kept[reading.order]] = reading.curve.residual
    return Evidence(
        score=math.nan,
        log_likelihood=reading.curve.log_likelihood,
        hsic=reading.test.statistic,
        p_value=reading.test.p_value,
        log_p_value=reading.test.log_p_value,
        converged=reading.curve.converged,
        n_iter=reading.curve.n_iter,
        message=reading.curve.message,
        costs=reading.costs,
        location=location,
        scale=scale,
        residual=residual,
    )
