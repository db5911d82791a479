"""How a column comes from its predecessors: one of a few mechanisms and laws of noise, by the shortest code.

Mechanisms: sums of smooth functions in mean and log-variance, straight lines and products of two among them
(`models.additive`); natural parameters that add up (`models.natural`); and a monotone sensor over a sum, for which the
normal scores of the column stand in its place. Laws of the noise: a mixture of normals, of which one normal is the
smallest, or a free density from the gaps between residuals. Every coefficient costs one nat (Akaike 1974), a mixture
what BIC asks for; the density from gaps costs √n/2 nats, about what it gains on the rows that it is taken from.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from causewise.models.additive import LONG, SIZES, AdditiveFit, Smooths
from causewise.models.natural import NaturalFit, fit_natural_sums
from causewise.models.smooth_basis import Basis
from causewise.numerics.density import fit_mixture, log_density_at_rows
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

COEFFICIENT = 2.0
"""Nats that a coefficient costs."""
FREE = 0.3
"""Nats that a density from gaps costs, over the root of the rows."""
SHOWS = 4.0
"""What a column's score statistic must exceed what it is by chance by, for the column to be asked for as a parent."""
MANY = 60
"""Columns beyond which a column must show the more clearly, so that chance does not let in more than among so many."""
NEAR_NORMAL = 0.99
"""Squared correlation of a column with its normal scores above which a sensor is not looked for."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A column given some of its predecessors."""

    kind: str
    """Of "lines", "sums", "natural parameters", "sensor"."""
    law: str
    """Of the noise: "normal", "mixture" or "free"."""
    fit: AdditiveFit
    residual: FloatArray
    log_likelihood: float
    """Nats a row, less what the code of the mechanism costs."""
    tried: frozenset[int] = frozenset()
    """All columns that any of the mechanisms it was chosen among uses."""
    is_scored: bool = False
    """Whether `fit` is one of the normal scores."""
    natural: NaturalFit | None = None
    natural_parents: tuple[int, ...] = ()
    functions: int = 0
    """Of each of them, at most."""
    by_value: bool = False
    """Whether those with long tails act by their values, not by their ranks."""

    @property
    def parents(self) -> frozenset[int]:
        """All columns that it uses."""
        return self.fit.parents

    def __str__(self) -> str:
        return f"{self.kind if self.parents else 'no parents'}, {self.law} noise"


class Mechanisms:
    """The mechanisms of standardised columns."""

    def __init__(self, columns: Sequence[FloatArray], alpha: float) -> None:
        self.alpha = alpha
        scores = [standardise(normal_scores(column)) for column in columns]
        coordinates = [
            score if np.abs(column).max() > LONG else column for column, score in zip(columns, scores, strict=True)
        ]
        self.smooths = Smooths(columns, coordinates)
        # Long columns act by their values, too, where natural parameters add up: a few rows have all the variance.
        self.by_value = {k: Basis(column) for k, column in enumerate(columns) if coordinates[k] is not column}
        self._value_blocks = {k: basis(columns[k]) for k, basis in self.by_value.items()}
        self.sensors = [
            None if np.corrcoef(score, column)[0, 1] ** 2 > NEAR_NORMAL else _Sensor.of(column, score)
            for column, score in zip(columns, scores, strict=True)
        ]

    def screen(self, most: int) -> list[int]:
        """Of each column: the others that may be its parents, a bit each.

        Those that show, alone or beside those that do, and no more than `most`: three quarters of them alone.
        """
        count = len(self.smooths.columns)
        # The tail of a chi-squared law falls by exp(−½) a unit, whatever its degrees of freedom.
        shows = SHOWS + 2.0 * math.log(max(count / MANY, 1.0))
        out = []
        for column, v in enumerate(self.smooths.columns):
            sensor = self.sensors[column]
            target = v if sensor is None else sensor.scores
            others = [k for k in range(count) if k != column]
            alone = _strongest(others, self.smooths.screen(target, others), shows, most * 3 // 4)
            model = self.smooths.fit(target, alone, self.alpha)
            rest = [k for k in others if k not in alone]
            beside = _strongest(rest, self.smooths.screen(target, rest, model.terms), shows, most - len(alone))
            out.append(sum(1 << k for k in alone + beside))
        return out

    def choose(self, column: int, candidates: Iterable[int], required: Iterable[int] = ()) -> Mechanism:
        """The mechanism with the shortest code, its parents chosen among the candidates."""
        candidates = list(candidates)
        return self._choose(column, lambda v: self.smooths.fit(v, candidates, self.alpha, required))

    def prune(self, column: int, mechanism: Mechanism, required: Iterable[int] = ()) -> Mechanism:
        """The mechanism given those parents that matter, each given all others."""
        sensor = self.sensors[column] if mechanism.is_scored else None
        v = self.smooths.columns[column] if sensor is None else sensor.scores
        fit = self.smooths.prune(v, mechanism.fit, self.alpha, required)
        if mechanism.natural is not None and fit.parents:
            return self._build_natural(column, replace(mechanism, fit=fit), sorted(fit.parents))
        return self._build(fit, sensor)

    def _choose(self, column: int, fit_to: Callable[[FloatArray], AdditiveFit]) -> Mechanism:
        sensor = self.sensors[column]
        choices = [self._build(fit_to(self.smooths.columns[column]))]
        if sensor is not None:
            choices.append(self._build(fit_to(sensor.scores), sensor))
        tried = frozenset[int]().union(*(choice.parents for choice in choices))
        if any(term.spread for choice in choices for term in choice.fit.terms):
            choices.append(self._build_natural(column, max(choices, key=_by_code), sorted(tried)))
        return replace(max(choices, key=_by_code), tried=tried)

    def _build(self, fit: AdditiveFit, sensor: "_Sensor | None" = None) -> Mechanism:
        law, value = score_law(fit.residual)
        value -= float(np.mean(fit.log_scale)) + COEFFICIENT * fit.coefficients / len(fit.residual)
        if sensor is not None:
            return Mechanism("sensor", law, fit, fit.residual, value + sensor.log_slope, is_scored=True)
        is_straight = all(term.functions == 1 and not term.spread for term in fit.terms)
        return Mechanism("lines" if is_straight else "sums", law, fit, fit.residual, value)

    def _build_natural(self, column: int, best: Mechanism, parents: Sequence[int]) -> Mechanism:
        """With 1, 3 or 7 functions a parent, as long as more shorten the code."""
        choices = [self._grow_natural(column, best, parents, by_value=False)]
        if not self.by_value.keys().isdisjoint(parents):
            choices.append(self._grow_natural(column, best, parents, by_value=True))
        return max((choice for choice in choices if choice is not None), key=_by_code, default=best)

    def block(self, parent: int, by_value: bool) -> FloatArray:
        """The functions of a parent at the rows, where natural parameters add up."""
        by_rank = self.smooths.blocks[parent]
        return self._value_blocks.get(parent, by_rank) if by_value else by_rank

    def _grow_natural(self, column: int, best: Mechanism, parents: Sequence[int], by_value: bool) -> Mechanism | None:
        v, choice, widths = self.smooths.columns[column], None, [0] * len(parents)
        natural: NaturalFit | None = None
        for functions in SIZES:
            blocks = [self.block(parent, by_value)[:, :functions] for parent in parents]
            features = np.hstack([np.ones((len(v), 1)), *blocks])
            if 2 * features.shape[1] * 8 > len(v):
                break
            had, widths = widths, [block.shape[1] for block in blocks]
            natural = fit_natural_sums(features, v, None if natural is None else _widen(natural, had, widths))
            law, value = score_law(natural.residual)
            value -= float(np.mean(natural.log_scale)) + COEFFICIENT * (2 * features.shape[1] - 2) / len(v)
            if choice is not None and value < choice.log_likelihood:
                break
            kind = "natural parameters"
            sums = (natural, tuple(parents), functions, by_value)
            choice = Mechanism(kind, law, best.fit, natural.residual, value, best.tried, best.is_scored, *sums)
        return choice


def _widen(fit: NaturalFit, had: Sequence[int], widths: Sequence[int]) -> NaturalFit:
    """The same fit with more functions a parent, whose coefficients are zero."""
    starts = np.cumsum([1, *had])

    def widen(coefficients: FloatArray) -> FloatArray:
        parts = [coefficients[:1]]
        for start, old, new in zip(starts[:-1], had, widths, strict=True):
            parts += [coefficients[start : start + old], np.zeros(new - old)]
        return np.concatenate(parts)

    return fit._replace(location=widen(fit.location), precision=widen(fit.precision))


def _strongest(columns: Sequence[int], strength: FloatArray, shows: float, most: int) -> list[int]:
    """Those that are stronger than `shows`, the strongest first where they are more than `most`."""
    ranked = [int(k) for k in np.argsort(-strength, kind="stable")[:most]]
    return sorted(columns[k] for k in ranked if strength[k] > shows)


def _by_code(mechanism: Mechanism) -> float:
    return mechanism.log_likelihood


@dataclass(frozen=True, eq=False)
class _Sensor:
    scores: FloatArray
    log_slope: float
    """Mean log-derivative of the scores by the column, less the cost of the column's own law."""

    @classmethod
    def of(cls, column: FloatArray, scores: FloatArray) -> "_Sensor":
        _, value = score_law(column)
        return cls(scores, value + float(np.mean(0.5 * scores**2)) + 0.5 * math.log(2 * math.pi))


def normal_scores(column: FloatArray) -> FloatArray:
    """The quantiles of the normal law at the ranks of a column; equal values share the middle of theirs."""
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    return ndtri((np.cumsum(counts) - counts / 2)[place] / len(column))


def score_law(residual: FloatArray) -> tuple[str, float]:
    """The law of noise with the shortest code, and its log-likelihood a row less that code."""
    n = len(residual)
    mixture = fit_mixture(residual)
    size = len(mixture.weight)
    normal = -0.5 * math.log(2 * math.pi * float(np.var(residual))) - 0.5 - 2.0 / n
    best = max(
        ("normal", normal),
        ("mixture" if size > 1 else "normal", -mixture.data_cost - (3 * size - 1) / n),
        key=lambda law: law[1],
    )
    density = log_density_at_rows(residual)
    if density is None:  # where ties leave no gaps
        return best
    return max(best, ("free", float(np.mean(density)) - FREE / math.sqrt(n)), key=lambda law: law[1])
