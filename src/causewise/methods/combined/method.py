"""The default method: score = λ · (a₁ + a₂ + a₃ + a₄), the log-odds of the two directions.

aᵢ = share · height · tanh(contrast / width) is an odd, rising curve of one contrast of the two directions (`readings`,
`recording`), λ the reliability weight (`weight`). Three outcomes, x → y, y → x and neither, follow from the score and
the prior of *neither* (`outcomes`); the confidence is the larger probability of a direction. Nothing else enters: what
is shown is what decides. One location-scale fit, one residual and one independence test a direction serve all of it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, InputError, between
from causewise.methods.combined.constants import FOLDS, TERMS, Term
from causewise.methods.combined.curve import curve_at
from causewise.methods.combined.outcomes import probabilities
from causewise.methods.combined.readings import ReadDirection, contrasts, read_direction
from causewise.methods.combined.recording import Recording, read_recording
from causewise.methods.combined.rows import MAX_ROWS, Rows, judged_rows
from causewise.methods.combined.weight import Weight, effective_rows, weight_of
from causewise.methods.combined.words import Account, reason, told_unrelated, withheld
from causewise.numerics.columns import cache_columns, once
from causewise.numerics.hsic import HsicTest, hsic_test, kernel_column
from causewise.numerics.ranked import rank_column
from causewise.pair import FloatArray, Pair, row_order, spread, standardise
from causewise.protocol import attempted, fit_messages

THRESHOLD = 0.8
"""From this confidence on an answer is given."""
NEITHER_PRIOR = 0.22
"""How often two related columns are taken to have no direction, unless the reader says otherwise."""
LARGEST_PRIOR = 0.99
_ROWS_AT_ONCE = 1 << 16
"""Or values of a long table, at which a curve is evaluated: its basis takes several numbers each."""


class Weighing(NamedTuple):
    """Everything that is weighed about one pair, before any constant enters."""

    rows: Rows
    recording: Recording
    forward: ReadDirection
    backward: ReadDirection
    sides: tuple[Evidence, Evidence]
    """What is shown of each direction, at every row of the table."""
    contrasts: dict[str, float]
    effective_rows: float
    left: float
    """Share of the relation, by HSIC, that is left in the residual of the direction that fits better."""
    relation_log_p: float
    """Of the independence test of the two columns."""


@dataclass(frozen=True)
class Causewise:
    """Terms of evidence, added up and weighed, and three outcomes."""

    name: str = "causewise"
    max_rows: int = MAX_ROWS
    threshold: float = THRESHOLD
    neither: float = NEITHER_PRIOR
    recording: bool = True
    curves: Mapping[str, Term] = field(default_factory=lambda: TERMS)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [self._decide(pair) for pair in pairs]

    def _decide(self, pair: Pair) -> Decision:
        judge = partial(self._judged, pair)
        with cache_columns((pair.x, pair.y)):
            return attempted(pair, self.name, lambda: judge(weighing(pair, self.max_rows)), settings=self.settings)

    def _judged(self, pair: Pair, found: Weighing) -> Decision:
        terms = terms_of(found.contrasts, found.recording.share, self.recording, self.curves)
        weight = weight_in(found)
        score = weight.product * sum(terms.values())
        chances = probabilities(score, found.left, found.recording.share, self.neither)
        forward, backward = found.sides
        account = Account(
            pair, found.sides, terms, weight, score, chances, self.threshold, found.rows.distinct, found.effective_rows
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
            confidence=None if unrelated else account.confidence,
            probabilities={} if unrelated else chances,
            contributions=terms,
            weight=weight.product,
            weight_parts=weight._asdict(),
            rows_judged=len(found.rows.kept),
            relation_p_value=math.exp(found.relation_log_p),
            unrelated=unrelated,
            reason=reason(account),
            abstention=told_unrelated(pair, found.relation_log_p) if unrelated else withheld(account),
        )


def causewise(
    max_rows: int = MAX_ROWS,
    threshold: float = THRESHOLD,
    neither: float = NEITHER_PRIOR,
    direct: bool = False,
    recording: bool = True,
    fold: int | None = None,
) -> Causewise:
    """The default method; of longer tables a fixed sample of `max_rows` is judged, and every output says so.

    `neither` is the prior probability that two related columns have no direction; `direct` says that one of them
    causes the other, which makes it 0. `recording=False` leaves out how coarsely the columns are recorded. `fold` takes
    the constants that were fitted without this part of the Tübingen pairs, with which the benchmark scores them.
    """
    between("causewise", 50, ROWS[1], max_rows=max_rows)
    if not 0.5 <= threshold < 1.0:
        raise InputError(
            f"Got threshold={threshold!r} for causewise; expected a confidence of at least 0.5 and below 1."
        )
    if isinstance(neither, bool) or not 0.0 <= neither <= LARGEST_PRIOR:
        raise InputError(
            f"Got neither={neither!r} for causewise; expected how often two related columns have no direction, from 0 "
            f"to {LARGEST_PRIOR:g}."
        )
    for name, value in {"direct": direct, "recording": recording}.items():
        if not isinstance(value, bool):
            raise InputError(f"Got {name}={value!r} for causewise; expected true or false.")
    if direct and neither not in (0.0, NEITHER_PRIOR):
        raise InputError(
            f"Got direct=True and neither={neither!r} for causewise; expected one of them: direct says that one column "
            "causes the other, which is neither=0."
        )
    if fold is not None and fold not in range(len(FOLDS)):
        raise InputError(
            f"Got fold={fold!r} for causewise; expected a whole number from 0 to {len(FOLDS) - 1}, or none."
        )
    prior = 0.0 if direct else float(neither)
    settings: dict[str, Any] = {
        "max_rows": max_rows,
        "threshold": float(threshold),
        "neither": prior,
        "recording": recording,
    }
    shown = settings if fold is None else settings | {"fold": fold}
    return Causewise(curves=TERMS if fold is None else FOLDS[fold], settings=shown, **settings)


def weighing(pair: Pair, max_rows: int = MAX_ROWS) -> Weighing:
    """Read both directions of a pair."""
    rows = judged_rows(pair.x, pair.y, max_rows)
    recording = read_recording(*_recorded(pair, rows), rows.distinct)
    forward, backward = read_direction(rows.x, rows.y), read_direction(rows.y, rows.x)
    of_forward, of_backward = (a.costs | b for a, b in zip((forward, backward), recording.costs, strict=True))
    sides = (
        _side(pair.x, pair.y, rows, forward, of_forward),
        _side(pair.y, pair.x, rows, backward, of_backward, turned=True),
    )
    residuals = [side.residual for side in sides if side.residual is not None]
    # The columns' relation is tested once, in the order of the simpler direction's rows: exchanging the columns
    # exchanges the directions with them, so that not a bit depends on which column came first.
    both = (forward, backward)
    simpler, other = both if forward.costs["description"] <= backward.costs["description"] else both[::-1]
    relation = simpler.relation(other)
    better = max(forward.test, backward.test, key=lambda test: (test.log_p_value, -test.statistic))
    return Weighing(
        rows,
        recording,
        forward,
        backward,
        sides,
        contrasts(forward, backward) | recording.contrasts,
        effective_rows(pair.x, pair.y, *residuals),
        better.statistic / relation.statistic,
        relation.log_p_value if not rows.tied else _recorded_relation(pair, rows, simpler is forward).log_p_value,
    )


def _recorded_relation(pair: Pair, rows: Rows, forward: bool) -> HsicTest:
    """The test of the two columns as they were recorded.

    Ties are not spread here: where both columns have the same margins, copies of a row lie along a diagonal of their
    cell, which no rule that treats the columns alike can avoid, and which the test would take for a relation.
    """
    x, y = _recorded(pair, rows)
    cause, effect = (x, y) if forward else (y, x)
    order = row_order(cause, effect)
    return hsic_test(kernel_column(standardise(cause[order])), kernel_column(standardise(effect[order])))


def _recorded(pair: Pair, rows: Rows) -> tuple[FloatArray, FloatArray]:
    """The rows that are judged, as they were recorded."""
    return (pair.x, pair.y) if len(rows.kept) == pair.n else (pair.x[rows.kept], pair.y[rows.kept])


def terms_of(
    found: Mapping[str, float], share: float, recording: bool = True, curves: Mapping[str, Term] = TERMS
) -> dict[str, float]:
    """The terms of the score: > 0 speaks for x → y.

    `share` is that of the regression error: it counts where values repeat in both columns.
    """
    shares = {"regression": share, "recording": float(recording)}
    terms = {name: term.height * math.tanh(found[name] / term.width) for name, term in curves.items()}
    return {name: shares.get(name, 1.0) * term + 0.0 for name, term in terms.items()}  # never -0.0


def weight_in(found: Weighing) -> Weight:
    """λ of a pair."""
    # A sample of a longer table lies so far apart that its rows are nearly independent.
    return weight_of(min(found.effective_rows, float(len(found.rows.kept))), min(found.rows.distinct))


def _side(
    cause: FloatArray,
    effect: FloatArray,
    rows: Rows,
    reading: ReadDirection,
    costs: Mapping[str, float],
    turned: bool = False,
) -> Evidence:
    """One direction as it is shown: the fitted curve at every recorded value; the residual that was tested.

    Rows that are not judged get the residual of their recorded values.
    """
    judged_cause, judged_effect = (rows.y, rows.x) if turned else (rows.x, rows.y)
    centre, unit = float(np.mean(judged_effect)), spread(judged_effect)
    if rows.tied or len(rows.kept) < len(cause):
        ranked = once(rank_column, cause)
        at = cause[ranked.first_rows] - np.mean(judged_cause)
        at /= spread(judged_cause)
        location, scale = np.empty(len(at)), np.empty(len(at))
        for start in range(0, len(at), _ROWS_AT_ONCE):
            here = slice(start, start + _ROWS_AT_ONCE)
            location[here], scale[here] = curve_at(reading.curve, at[here])
        location, scale = location[ranked.place], scale[ranked.place]
        del at
    else:  # every row was judged at its recorded value
        location, scale = np.empty(len(cause)), np.empty(len(cause))
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
        costs=costs,
        location=location,
        scale=scale,
        residual=residual,
    )
