"""How a column comes from its predecessors: one of a few mechanisms and laws of noise, by the shortest code.

Mechanisms: sums of smooth functions in mean and log-variance, straight lines among them (`models.additive`); a Gaussian
process of all parents together (`models.gaussian_process`); natural parameters that add up (`models.natural`); and a
monotone sensor over a sum or a process: the normal scores of the column stand in its place or, over a sum, a spline of
these that is learnt beside it (`models.transformation`). Laws of the noise: a mixture of normals, of which one normal
is the smallest, or a free density from the gaps between residuals. Every coefficient costs two nats, twice what Akaike
(1974) asks for, a mixture what BIC does; the density from gaps costs 0.3 √n nats. The evidence of a process has paid
for its function already.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtri

from causewise.models.additive import LONG, SIZES, AdditiveFit, AdditiveTerm, Smooths
from causewise.models.gaussian_process import (
    PACE,
    SEARCHED,
    ProcessFit,
    ProcessTask,
    describe_process,
    draw_frequencies,
    fit_mean,
    fit_process,
    search_process,
)
from causewise.models.natural import NaturalFit, find_p_values
from causewise.models.natural_search import NaturalSearch
from causewise.models.smooth_basis import Basis
from causewise.models.transformation import find_transformation
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
FAR = 0.3
"""Nats a row by which natural parameters with few functions may be worse than the best, for more to be tried."""
VERY_LONG = 2 * LONG
"""Standard deviations from the middle beyond which one column lets in natural parameters of all, unasked."""
NEAR_NORMAL = 0.99
"""Squared correlation of a column with its normal scores above which a sensor is not looked for."""
CHANGE = 0.01
"""Variance of the change of the log-scale of rows, from which a process is looked for anew."""
HOPELESS = 30.0
"""Nats by which a sensor over the sum that describes the column may be worse, for a sum of its own to be looked for."""
ROUNDS = 3
"""Times that a sensor is learnt beside a sum, whose terms are then chosen anew."""

ScoreLaw = Callable[[FloatArray], tuple[str, float]]
"""The law of some noise, and its log-likelihood a row less what its code costs."""


class NaturalSums(NamedTuple):
    """Natural parameters of a column that add up over its parents."""

    fit: NaturalFit
    parents: tuple[int, ...]
    functions: int
    """Of each of them, at most."""
    by_value: bool
    """Whether those with long tails act by their values, not by their ranks."""


class Process(NamedTuple):
    """A column whose mean is a Gaussian process, and whose variance a sum, of its parents."""

    fit: ProcessFit
    parents: tuple[int, ...]
    """Of the process."""
    variance: AdditiveFit
    """Of what the process leaves."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A column given some of its predecessors."""

    kind: str
    """Of "lines", "sums", "Gaussian process", "natural parameters", "sensor"."""
    law: str
    """Of the noise: "normal", "mixture" or "free"."""
    terms: tuple[AdditiveTerm, ...]
    """Which parents affect the mean, or the first natural parameter, and which the variance, or the second."""
    residual: FloatArray
    log_likelihood: float
    """Nats a row, less what the code of the mechanism costs."""
    fit: AdditiveFit | Process | NaturalSums
    """Of what a sensor saw, where there is one."""
    sensor: "Sensor | None" = None
    tried: frozenset[int] = frozenset()
    """All columns that any of the mechanisms it was chosen among uses."""

    @property
    def parents(self) -> frozenset[int]:
        """All columns that it uses."""
        return frozenset(term.parent for term in self.terms)

    @property
    def unscaled_noise(self) -> FloatArray:
        """What the mean leaves, as large as it is in every row."""
        fit = self.fit if isinstance(self.fit, AdditiveFit) else self.fit.fit
        return self.residual * np.exp(fit.log_scale)

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
        self._searches: dict[tuple[int, bool], NaturalSearch] = {}
        inputs = np.array([block[:, 0] for block in self.smooths.blocks])
        # Turning a column round turns its frequencies round, so that it changes nothing.
        turned = np.where(np.mean(inputs**3, axis=1) < 0.0, -1.0, 1.0)
        self._inputs, self._frequencies = inputs, draw_frequencies(len(inputs)) * turned[:, None]
        # Such tails come from natural parameters, and these bend an order as no sum shows.
        is_bent = any(np.abs(column).max() > VERY_LONG for column in columns)
        every = set(range(len(columns))) if is_bent else set[int]()
        self.wider: dict[str, set[int]] = {"Gaussian process": set(), "natural parameters": every, "sensor": set()}
        """Columns for which these are tried, too: they take their time."""
        self._last: dict[tuple[int, bool], _LastProcess] = {}
        self._most: dict[tuple[int, bool], list[tuple[frozenset[int], float]]] = {}
        """What processes of some columns, or fewer, have at most."""
        # Steps leave a few values beside steps, of which a mixture would make points of infinite density.
        self._score_laws = [score_normal if len(np.unique(column)) < len(column) else score_law for column in columns]
        self.sensors = [
            None if np.corrcoef(score, column)[0, 1] ** 2 > NEAR_NORMAL else Sensor.of(column, score, law)
            for column, score, law in zip(columns, scores, self._score_laws, strict=True)
        ]

    def screen(self, most: int) -> list[tuple[int, int]]:
        """Of each column: the others that may be its parents, and those that may be so together, a bit each.

        Those that show, alone or beside those that do, and no more than `most`: three quarters of them alone. Together:
        the strongest ones, whether they show or not.
        """
        count = len(self.smooths.columns)
        # The tail of a chi-squared law falls by exp(−½) a unit, whatever its degrees of freedom.
        shows = SHOWS + 2.0 * math.log(max(count / MANY, 1.0))
        out = []
        for column in range(count):
            target = self._target(column, self.sensors[column])
            others = [k for k in range(count) if k != column]
            alone = _strongest(others, self.smooths.screen(target, others), shows, most * 3 // 4)
            model = self.smooths.fit(target, alone, self.alpha)
            rest = [k for k in others if k not in alone]
            strength = self.smooths.screen(target, rest, model.terms)
            near = {*alone, *_strongest(rest, strength, shows, most - len(alone))}
            together = near.union(_strongest(rest, strength, -math.inf, most - len(alone)))
            out.append((sum(1 << k for k in near), sum(1 << k for k in together)))
        return out

    def choose(self, column: int, candidates: Iterable[int], required: Iterable[int] = ()) -> Mechanism:
        """The mechanism with the shortest code, its parents chosen among the candidates."""
        candidates = list(candidates)
        required = sorted(required)
        choices = self._fit_simple(column, candidates, required)
        for kind, columns in self.wider.items():
            if column in columns:
                near = {parent for choice in choices for parent in choice.parents}
                choices += self.fit_wider(kind, column, candidates, required, max(choices, key=_by_code), near)
        best = max(choices, key=_by_code)
        rivals = [choice for choice in choices if _most_of_fewer(choice) >= best.log_likelihood]
        return replace(best, tried=frozenset[int]().union(*(choice.parents for choice in rivals)))

    def _fit_simple(self, column: int, candidates: Sequence[int], required: Sequence[int]) -> list[Mechanism]:
        """Sums, and sums behind a sensor, unless these are far off."""
        sensor, n = self.sensors[column], len(self.smooths.columns[column])
        sums = self.smooths.fit(self.smooths.columns[column], candidates, self.alpha, required)
        out = [self._build(column, sums)]
        if sensor is not None:
            alike = self._build(column, self.smooths.refit(sensor.scores, sums.terms), sensor)
            if (out[0].log_likelihood - alike.log_likelihood) * n < HOPELESS:
                fit = self.smooths.fit(sensor.scores, candidates, self.alpha, required)
                out.append(self._build(column, fit, sensor))
        return out

    def _target(self, column: int, sensor: "Sensor | None") -> FloatArray:
        """What is fitted: the column, or what a sensor saw."""
        return self.smooths.columns[column] if sensor is None else sensor.scores

    def fit_wider(
        self,
        kind: str,
        column: int,
        candidates: Sequence[int],
        required: Collection[int],
        now: Mechanism,
        near: Collection[int],
    ) -> list[Mechanism]:
        """One of the mechanisms that take their time, where it may be better than what there is now."""
        if kind == "Gaussian process":
            if len(candidates) < 2:
                return []
            sensor = self.sensors[column] if now.sensor is not None else None
            known, offered = self._most.setdefault((column, sensor is not None), []), frozenset(candidates)
            if any(offered <= more and most < now.log_likelihood for more, most in known):
                return []
            out = self._build_process(column, candidates, near, sensor)
            known.append((offered, _most_of_fewer(out)))
            return [out] if out.parents.issuperset(required) else []
        if kind == "sensor":
            return self._learn_sensor(column, candidates, sorted(required), now)
        v = self.smooths.columns[column]
        # Tests of single terms see little of what moves a long column.
        if not candidates or not (any(term.spread for term in now.terms) or np.abs(v).max() > LONG):
            return []
        start = self.smooths.fit(v, candidates, self.alpha, required)
        natural = self._build_natural(column, sorted(near), candidates, sorted(required), start, now.log_likelihood)
        return [] if natural is None else [natural]

    def prune(self, column: int, mechanism: Mechanism, required: Iterable[int] = ()) -> Mechanism:
        """The mechanism given those parents that matter, each given all others."""
        if isinstance(mechanism.fit, NaturalSums):
            return self._prune_natural(column, mechanism, mechanism.fit, frozenset(required))
        if isinstance(mechanism.fit, Process):
            return self._prune_process(column, mechanism, mechanism.fit, frozenset(required))
        target = self._target(column, mechanism.sensor)
        return self._build(column, self.smooths.prune(target, mechanism.fit, self.alpha, required), mechanism.sensor)

    def _prune_natural(
        self, column: int, mechanism: Mechanism, sums: NaturalSums, required: frozenset[int]
    ) -> Mechanism:
        blocks = [self.block(parent, sums.by_value)[:, : sums.functions] for parent in sums.parents]
        p_values = find_p_values(sums.fit, blocks, self.smooths.columns[column])
        tests = dict(zip(sums.parents, p_values, strict=True))
        weakest = max(tests.keys() - required, key=lambda parent: (min(tests[parent]), parent), default=None)
        if weakest is None or min(tests[weakest]) <= self.alpha:
            terms = [term._replace(p=tests[term.parent][term.spread]) for term in mechanism.terms]
            return replace(mechanism, terms=tuple(terms))
        # What is no natural parameter may need the parent that these do not.
        choices = self._fit_simple(column, sums.parents, sorted(required))
        best = max(choices, key=_by_code)
        choices += self.fit_wider("Gaussian process", column, sorted(sums.parents), required, best, sums.parents)
        if left := sorted(tests.keys() - {weakest}):
            smaller = self._build_natural(column, left, left, left, sums.fit)
            choices += [] if smaller is None else [smaller]
        return self.prune(column, max(choices, key=_by_code), required)

    def _prune_process(
        self, column: int, mechanism: Mechanism, process: Process, required: frozenset[int]
    ) -> Mechanism:
        """Parents of the mean are tested by the evidence that is lost without them."""
        sensor = mechanism.sensor
        target = self._target(column, sensor)
        fit, parents = process.fit, list(process.parents)
        last = _LastProcess.near(process.variance.log_scale).follow(process)
        start, curvature = last.begin(parents, ())
        p_values: dict[tuple[int, bool], float] = {}
        for j, parent in enumerate(parents):
            rest = [k for k in parents if k != parent]
            task = ProcessTask(self._inputs[rest], self._frequencies[rest], target, fit.log_scale)
            bent = np.delete(np.delete(curvature, j, axis=0), j, axis=1)
            without = fit_process(task, np.delete(start, j), bent)
            lost = max(fit.log_evidence - without.log_evidence, 0.0)
            p_values[parent, False] = 0.5 * float(chdtrc(1, 2.0 * lost))  # a pace is at the end of its range
        noise, spreads = target - fit.mean, process.variance.terms
        for j, term in enumerate(spreads):
            p_values[term.parent, True] = self.smooths.test(noise, [*spreads[:j], *spreads[j + 1 :]], term).p
        tests = {k: min(p for (parent, _), p in p_values.items() if parent == k) for k in mechanism.parents}
        weakest = max(tests.keys() - required, key=lambda parent: (tests[parent], parent), default=None)
        if weakest is None or tests[weakest] <= self.alpha:
            terms = tuple(term._replace(p=p_values[term.parent, term.spread]) for term in mechanism.terms)
            return replace(mechanism, terms=terms)
        left = sorted(tests.keys() - {weakest})
        if left:
            smaller = self._fit_process(target, left, (), last)
            out = self._describe_process(column, smaller, sensor)
            if out.parents.issuperset(required):
                return self.prune(column, out, required)
        fewer = self.smooths.fit(target, left, self.alpha, required)
        return self.prune(column, self._build(column, fewer, sensor), required)

    def _build(self, column: int, fit: AdditiveFit, sensor: "Sensor | None" = None) -> Mechanism:
        law, value = _score(fit, self._score_laws[column])
        if sensor is not None:
            return Mechanism("sensor", law, fit.terms, fit.residual, value + sensor.log_slope, fit, sensor)
        is_straight = all(term.functions == 1 and not term.spread for term in fit.terms)
        return Mechanism("lines" if is_straight else "sums", law, fit.terms, fit.residual, value, fit)

    def _learn_sensor(
        self, column: int, candidates: Sequence[int], required: Sequence[int], now: Mechanism
    ) -> list[Mechanism]:
        """A sum behind a sensor that is learnt beside it, begun at the sums that describe the column or its scores."""
        first = self.sensors[column]
        if first is None:
            return []
        targets = (self.smooths.columns[column], *([] if now.sensor is None else [first.scores]))
        fits = [self.smooths.fit(target, candidates, self.alpha, required) for target in targets]
        reached, sensor = max((self._bend(first, fit) for fit in fits), key=lambda each: each[0])
        if (now.log_likelihood - reached) * len(first.scores) > HOPELESS:
            return []
        out = []
        for _ in range(ROUNDS):
            fit = self.smooths.choose(sensor.scores, candidates, self.alpha, required)
            out.append(self._build(column, fit, sensor))
            _, sensor = self._bend(first, fit)
        return [max(out, key=_by_code)]

    def _bend(self, first: "Sensor", fit: AdditiveFit) -> tuple[float, "Sensor"]:
        """The sensor that is likeliest behind what the mean of a fit is made of, and the code with even noise."""
        lines = [self.smooths.block(term).T for term in fit.terms if not term.spread]
        return first.bend(np.concatenate(lines)) if lines else (-math.inf, first)

    def _build_process(
        self, column: int, candidates: Sequence[int], parents: Collection[int], sensor: "Sensor | None"
    ) -> Mechanism:
        """A Gaussian process, its paces begun where they were before, or faster for those that are parents nearby."""
        key, target = (column, sensor is not None), self._target(column, sensor)
        last = self._last.get(key)
        if last is None:
            near = self.smooths.fit(target, candidates, self.alpha)
            last = _LastProcess.near(near.log_scale)
        process = self._fit_process(target, candidates, parents, last)
        self._last[key] = last.follow(process)
        return self._describe_process(column, process, sensor)

    def _fit_process(
        self, target: FloatArray, candidates: Sequence[int], near: Collection[int], last: "_LastProcess"
    ) -> Process:
        """The mean, the variance of what it leaves, and the mean once more where rows do not weigh as they did."""
        start, curvature = last.begin(candidates, near)
        task = ProcessTask(self._inputs[candidates], self._frequencies[candidates], target, last.log_scale)
        top = search_process(task, start, curvature)
        variance = self.smooths.fit_variance(target - fit_mean(task, top.at), candidates, self.alpha)
        change = float(np.var(variance.log_scale - last.log_scale))
        task = task._replace(log_scale=variance.log_scale)
        if change > CHANGE:
            top = search_process(task, top.at, top.curvature)
        fit = describe_process(task, top)
        return Process(fit, tuple(candidates[k] for k in fit.parents), variance)

    def _describe_process(self, column: int, process: Process, sensor: "Sensor | None") -> Mechanism:
        fit, n = process.fit, len(process.fit.residual)
        law, value = self._score_laws[column](fit.residual)
        # The evidence is that of normal noise: what another law gains on what is left comes on top.
        value += fit.log_evidence / n + 0.5 * math.log(2 * math.pi * float(np.var(fit.residual))) + 0.5
        value -= COEFFICIENT * (2 + len(fit.parents) + process.variance.coefficients) / n
        terms = (*(AdditiveTerm(k, False, 1, 0.0) for k in process.parents), *process.variance.terms)
        if sensor is not None:
            value += sensor.log_slope
        kind = "Gaussian process" if sensor is None else "sensor"
        return Mechanism(kind, law, terms, fit.residual, value, process, sensor)

    def _build_natural(
        self,
        column: int,
        parents: Sequence[int],
        offered: Sequence[int],
        required: Sequence[int],
        near: AdditiveFit | NaturalFit,
        beat: float = -math.inf,
    ) -> Mechanism | None:
        """Natural parameters that add up, parents chosen among those offered; given up where `beat` is far better."""
        by_what = (False, True) if self.by_value.keys() & set(offered) else (False,)
        start = _Start(parents, near.mean, near.log_scale)
        grown = [self._grow_natural(column, start, offered, required, beat, by_value) for by_value in by_what]
        return max((choice for choice in grown if choice is not None), key=_by_code, default=None)

    def block(self, parent: int, by_value: bool) -> FloatArray:
        """The functions of a parent at the rows, where natural parameters add up."""
        by_rank = self.smooths.blocks[parent]
        return self._value_blocks.get(parent, by_rank) if by_value else by_rank

    def _grow_natural(
        self, column: int, begin: "_Start", offered: Sequence[int], required: Sequence[int], beat: float, by_value: bool
    ) -> Mechanism | None:
        """With 1, 3 or 7 functions a parent, as long as more shorten the code; begun near another fit."""
        search, best, parents = self._search_natural(column, by_value), None, tuple(sorted(begin.parents))
        had = 0
        for functions in SIZES:
            if not search.has_room(parents, functions):
                break
            if had:
                search.widen(parents, had, functions)
            else:
                tries = [parents] if parents else [(k,) for k in offered]
                reached = [search.begin(each, functions, begin.mean, begin.log_scale) for each in tries]
                parents = tries[int(np.argmax(reached))]
            parents, had = search.select(parents, functions, offered, required), functions
            if not parents:
                continue
            law, value = search.score(parents, functions)
            if best is not None and value < best[-1]:
                break
            best = parents, functions, law, value
            if functions > 1 and value < beat - FAR:
                break
        if best is None:
            return None
        parents, functions, law, value = best
        fit = search.describe(parents, functions)
        terms = tuple(AdditiveTerm(parent, spread, functions, 1.0) for parent in parents for spread in (False, True))
        sums = NaturalSums(fit, parents, functions, by_value)
        return Mechanism("natural parameters", law, terms, fit.residual, value, sums)

    def _search_natural(self, column: int, by_value: bool) -> NaturalSearch:
        key = column, by_value
        if key not in self._searches:
            blocks = [self.block(parent, by_value) for parent in range(len(self.smooths.columns))]
            score = partial(_score, score_law=self._score_laws[column])
            self._searches[key] = NaturalSearch(blocks, self.smooths.columns[column], COEFFICIENT, score)
        return self._searches[key]


def _strongest(columns: Sequence[int], strength: FloatArray, shows: float, most: int) -> list[int]:
    """Those that are stronger than `shows`, the strongest first where they are more than `most`."""
    ranked = [int(k) for k in np.argsort(-strength, kind="stable")[:most]]
    return sorted(columns[k] for k in ranked if strength[k] > shows)


def _most_of_fewer(mechanism: Mechanism) -> float:
    """The log-likelihood that the same kind has at most, given some of the columns.

    The evidence of a process of fewer columns is no larger, and its code saves all parents at most.
    """
    if not isinstance(mechanism.fit, Process):
        return math.inf
    return mechanism.log_likelihood + COEFFICIENT * len(mechanism.parents) / len(mechanism.residual)


def _by_code(mechanism: Mechanism) -> float:
    return mechanism.log_likelihood


def _score(fit: AdditiveFit | NaturalFit, score_law: ScoreLaw) -> tuple[str, float]:
    """The law of the noise, and the log-likelihood a row less what the code costs."""
    law, value = score_law(fit.residual)
    return law, value - (float(np.mean(fit.log_scale)) + COEFFICIENT * fit.coefficients / len(fit.residual))


class _Start(NamedTuple):
    """Where natural parameters begin: another fit's parents, and what it says of the rows."""

    parents: Sequence[int]
    mean: FloatArray
    log_scale: FloatArray


class _LastProcess(NamedTuple):
    """Where the search for a process begins."""

    paces: dict[int, float]
    """Logarithms, of all columns that ever were parents."""
    sizes: FloatArray
    """Logarithms of the function's variance, and of the noise's."""
    log_scale: FloatArray
    parents: tuple[int, ...]
    curvature: FloatArray
    """By the paces of these parents, and the sizes: that of others is that of the way to leaving them out."""

    @classmethod
    def near(cls, log_scale: FloatArray) -> "_LastProcess":
        """Where there was none."""
        return cls({}, np.log([1.0, 0.5]), log_scale, (), np.zeros((2, 2)))

    def follow(self, process: Process) -> "_LastProcess":
        """Where there was this one, too."""
        top, here = process.fit.top, [*process.fit.parents, -2, -1]
        paces = np.log(np.maximum(process.fit.paces, SEARCHED)).tolist()
        return _LastProcess(
            self.paces | dict(zip(process.parents, paces, strict=True)),
            top.at[-2:],
            process.variance.log_scale,
            process.parents,
            top.curvature[np.ix_(here, here)],
        )

    def begin(self, candidates: Sequence[int], near: Collection[int]) -> tuple[FloatArray, FloatArray]:
        """Paces where they were before, or faster for those that are parents nearby; and the known curvature."""
        paces = [self.paces.get(k, math.log(PACE if k in near else SEARCHED)) for k in candidates]
        shared = [k for k in self.parents if k in candidates]
        here = [*(candidates.index(k) for k in shared), -2, -1]
        there = [*(self.parents.index(k) for k in shared), -2, -1]
        curvature = np.zeros((len(candidates) + 2,) * 2)
        curvature[np.ix_(here, here)] = self.curvature[np.ix_(there, there)]
        return np.concatenate([paces, self.sizes]), curvature


@dataclass(frozen=True, eq=False)
class Sensor:
    """What a monotone sensor saw when it showed a column."""

    scores: FloatArray
    """Standardised."""
    log_slope: float
    """Mean log-derivative of the scores by the column, less the cost of the column's own law and of the sensor's."""
    is_learnt: bool = False
    """Whether beside a sum; else these are the normal scores."""

    @classmethod
    def of(cls, column: FloatArray, scores: FloatArray, score_law: ScoreLaw) -> "Sensor":
        """Normal scores of the column, of whatever law it is."""
        _, value = score_law(column)
        return cls(scores, value + float(np.mean(0.5 * scores**2)) + 0.5 * math.log(2 * math.pi))

    def bend(self, features: FloatArray) -> "tuple[float, Sensor]":
        """One behind which features, one line each, add up with even normal noise; the code, a row, comes first."""
        n, seen = len(self.scores), find_transformation(self.scores, features, COEFFICIENT)
        cost = COEFFICIENT * seen.coefficients / n
        slope = float(np.mean(seen.log_slopes)) - math.log(float(np.std(seen.values)))
        reached = (seen.log_likelihood - COEFFICIENT * len(features)) / n - 0.5 * math.log(2 * math.pi)
        return self.log_slope + reached - cost, Sensor(standardise(seen.values), self.log_slope + slope - cost, True)


def normal_scores(column: FloatArray) -> FloatArray:
    """The quantiles of the normal law at the ranks of a column; equal values share the middle of theirs."""
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    return ndtri((np.cumsum(counts) - counts / 2)[place] / len(column))


def score_normal(residual: FloatArray) -> tuple[str, float]:
    """The normal law, and its log-likelihood a row less its code."""
    return "normal", -0.5 * math.log(2 * math.pi * float(np.var(residual))) - 0.5 - 2.0 / len(residual)


def score_law(residual: FloatArray) -> tuple[str, float]:
    """The law of noise with the shortest code, and its log-likelihood a row less that code."""
    n = len(residual)
    mixture = fit_mixture(residual)
    size = len(mixture.weight)
    best = max(
        score_normal(residual),
        ("mixture" if size > 1 else "normal", -mixture.data_cost - (3 * size - 1) / n),
        key=lambda law: law[1],
    )
    density = log_density_at_rows(residual)
    if density is None:  # where ties leave no gaps
        return best
    return max(best, ("free", float(np.mean(density)) - FREE / math.sqrt(n)), key=lambda law: law[1])
