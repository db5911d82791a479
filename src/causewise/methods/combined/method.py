"""The default method: score = λ · (a₁ + a₂ + a₃ + a₄), the log-odds of the two directions.

aᵢ = share · height · tanh(contrast / width) is an odd, rising curve of one contrast of the two directions (`terms`), λ
the reliability weight. Three outcomes, x → y, y → x and neither, follow from the score and the prior of *neither*
(`outcomes`); the confidence is the larger probability of a direction. Nothing else enters: what is shown is what
decides. One location-scale fit, one residual and one independence test a direction serve all of it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, InputError, between
from causewise.methods.combined.curve import curve_at
from causewise.methods.combined.outcomes import ReliabilityWeight, count_effective_rows, probabilities, weigh_rows
from causewise.methods.combined.terms import (
    FOLDS,
    TERMS,
    DirectionFit,
    Recording,
    Term,
    compute_terms,
    contrast_directions,
    fit_direction,
    measure_recording,
)
from causewise.methods.combined.words import Account, explain_abstention, explain_score, say_unrelated
from causewise.numerics.columns import cache_columns, once
from causewise.numerics.hsic import HsicTest, hsic_test, kernel_column
from causewise.numerics.ranked import rank_column
from causewise.numerics.row_sampling import MAX_ROWS, Rows, prepare_rows
from causewise.pair import FloatArray, Pair, row_order, standard_deviation, standardise
from causewise.protocol import PairMethod, fit_messages

THRESHOLD = 0.8
"""From this confidence on an answer is given."""
NEITHER_PRIOR = 0.22
"""How often two related columns are taken to have no direction, unless the reader says otherwise."""
LARGEST_PRIOR = 0.99
_ROWS_AT_ONCE = 1 << 16
"""Or values of a long table, at which a curve is evaluated: its basis takes several numbers each."""


class PairEvidence(NamedTuple):
    """Everything that is weighed about one pair, before any constant enters."""

    rows: Rows
    recording: Recording
    forward: DirectionFit
    backward: DirectionFit
    sides: tuple[Evidence, Evidence]
    """What is shown of each direction, at every row of the table."""
    contrasts: dict[str, float]
    effective_rows: float
    left: float
    """Share of the relation, by HSIC, that is left in the residual of the direction that fits better."""
    relation_log_p: float
    """Of the independence test of the two columns."""

    @property
    def weight(self) -> ReliabilityWeight:
        """λ."""
        # A sample of a longer table lies so far apart that its rows are nearly independent.
        return weigh_rows(min(self.effective_rows, float(len(self.rows.kept))), min(self.rows.distinct))


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
        return PairMethod(self.name, self._decide, self.settings).decide_many(pairs)

    def _decide(self, pair: Pair) -> Decision:
        with cache_columns((pair.x, pair.y)):
            return self._weigh(pair, gather_evidence(pair, self.max_rows))

    def _weigh(self, pair: Pair, evidence: PairEvidence) -> Decision:
        share, weight = evidence.recording.share, evidence.weight
        terms = compute_terms(evidence.contrasts, share, self.recording, self.curves)
        score = weight.product * sum(terms.values())
        chances = probabilities(score, evidence.left, share, self.neither)
        rows, sides = evidence.rows, evidence.sides
        account = Account(
            pair, sides, terms, weight, score, chances, self.threshold, rows.distinct, evidence.effective_rows
        )
        relation_p = math.exp(evidence.relation_log_p)
        unrelated = relation_p >= LEVEL
        return Decision(
            self.name,
            pair,
            score,
            forward=replace(sides[0], score=0.5 * score),
            backward=replace(sides[1], score=-0.5 * score),
            warnings=fit_messages(pair, *sides),
            confidence=None if unrelated else account.confidence,
            probabilities={} if unrelated else chances,
            contributions=terms,
            weight=weight.product,
            weight_parts=weight._asdict(),
            rows_judged=len(rows.kept),
            dependence_p=relation_p,
            unrelated=unrelated,
            carried_by=explain_score(account),
            reason=say_unrelated(pair, evidence.relation_log_p) if unrelated else explain_abstention(account),
        )


def causewise(
    max_rows: int = MAX_ROWS,
    threshold: float = THRESHOLD,
    neither: float = NEITHER_PRIOR,
    direct: bool = False,
    recording: bool = True,
    fold: int | None = None,
) -> Causewise:
    """The default method; of longer tables a fixed sample of `max_rows` is scored, and every output says so.

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


def gather_evidence(pair: Pair, max_rows: int = MAX_ROWS) -> PairEvidence:
    """Fit both directions of a pair and measure how its columns were recorded."""
    rows = prepare_rows(pair.x, pair.y, max_rows)
    recorded = (pair.x, pair.y) if len(rows.kept) == pair.n else (pair.x[rows.kept], pair.y[rows.kept])
    recording = measure_recording(*recorded, rows.distinct)
    forward, backward = fit_direction(rows.x, rows.y), fit_direction(rows.y, rows.x)
    of_forward, of_backward = (a.costs | b for a, b in zip((forward, backward), recording.costs, strict=True))
    sides = (
        _show_direction(pair.x, pair.y, (rows.x, rows.y), rows, forward, of_forward),
        _show_direction(pair.y, pair.x, (rows.y, rows.x), rows, backward, of_backward),
    )
    residuals = [side.residual for side in sides if side.residual is not None]
    # The columns' relation is tested once, in the order of the simpler direction's rows: exchanging the columns
    # exchanges the directions with them, so that not a bit depends on which column came first.
    both = (forward, backward)
    simpler, other = both if forward.costs["description"] <= backward.costs["description"] else both[::-1]
    relation = simpler.relation(other)
    better = max(forward.test, backward.test, key=lambda test: (test.log_p_value, -test.statistic))
    return PairEvidence(
        rows,
        recording,
        forward,
        backward,
        sides,
        contrast_directions(forward, backward) | recording.contrasts,
        count_effective_rows(pair.x, pair.y, *residuals),
        better.statistic / relation.statistic,
        _test_recorded(*recorded[:: 1 if simpler is forward else -1]).log_p_value
        if rows.tied
        else relation.log_p_value,
    )


def _test_recorded(cause: FloatArray, effect: FloatArray) -> HsicTest:
    """The independence test of the two columns as they were recorded.

    Ties are not broken here: where both columns have the same margins, copies of a row lie along a diagonal of their
    cell, which no rule that treats the columns alike can avoid, and which the test would take for a relation.
    """
    order = row_order(cause, effect)
    return hsic_test(kernel_column(standardise(cause[order])), kernel_column(standardise(effect[order])))


def _show_direction(
    cause: FloatArray,
    effect: FloatArray,
    fitted: tuple[FloatArray, FloatArray],
    rows: Rows,
    fit: DirectionFit,
    costs: Mapping[str, float],
) -> Evidence:
    """One direction as it is shown: the fitted curve at every recorded value; the residual that was tested.

    `fitted` are cause and effect at the rows that were fitted; the others get the residual of their recorded values.
    """
    centre, unit = float(np.mean(fitted[1])), standard_deviation(fitted[1])
    if rows.tied or len(rows.kept) < len(cause):
        ranked = once(rank_column, cause)
        at = cause[ranked.first_rows] - np.mean(fitted[0])
        at /= standard_deviation(fitted[0])
        location, scale = np.empty(len(at)), np.empty(len(at))
        for start in range(0, len(at), _ROWS_AT_ONCE):
            here = slice(start, start + _ROWS_AT_ONCE)
            location[here], scale[here] = curve_at(fit.curve, at[here])
        location, scale = location[ranked.place], scale[ranked.place]
        del at
    else:  # every row was fitted at its recorded value
        location, scale = np.empty(len(cause)), np.empty(len(cause))
        location[fit.order], scale[fit.order] = fit.curve.location, fit.curve.scale
    residual = effect - centre
    residual /= unit
    residual -= location
    residual /= scale
    location *= unit
    location += centre
    scale *= unit
    residual[rows.kept[fit.order]] = fit.curve.residual
    return Evidence(
        score=math.nan,
        log_likelihood=fit.curve.log_likelihood,
        hsic=fit.test.statistic,
        p_value=fit.test.p_value,
        log_p_value=fit.test.log_p_value,
        converged=fit.curve.converged,
        n_iter=fit.curve.n_iter,
        message=fit.curve.message,
        costs=costs,
        location=location,
        scale=scale,
        residual=residual,
    )
