"""A column given several others: Normal(Σ fₚ(uₚ), exp(Σ hₚ(uₚ))), its terms chosen one after the other.

For a given variance the likelihood of the mean is a quadratic, and for a given mean that of the log-variance is
concave: the two are solved in turn. Here a parent of the variance alone leaves the mean as it is, so that which of the
two it affects can be told; additive natural parameters (`natural`) mix them.

With all columns as parents of both, a fit of 20 columns to 500 rows follows single rows, and every test of a term is
wrong. So terms are added one at a time, the one with the largest score statistic first, while it is significant. A
term has 1, 3 or 7 functions, smooth ones first: a straight line pays for one.

Rejected: products of two parents as further terms. Of a smooth function of four parents they show little, where a
Gaussian process of all of them (`gaussian_process`) finds these, and every pair was tested in worlds that have none.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import chdtrc

from causewise.models.smooth_basis import FUNCTIONS, Basis, multiply
from causewise.numerics.native import FloatArray, native

SIZES = (1, 3, FUNCTIONS - 1)
"""How many functions a term may have."""
EXTEND = 0.02
"""Significance level of further functions of a parent that is in the model."""
PRODUCT = 2
"""How many functions of each of two parents are multiplied with each other, for what a term must not stand for."""
LONG = 8.0
"""Standard deviations from the middle beyond which a column's variance is fitted before its mean."""
RIDGE = 1.0
"""Prior precision of every coefficient, beside the n rows that speak of it."""
_FLOOR = -9.0
"""Of the log-variance where it weighs rows: a row that is hit exactly must not outweigh all others. `additive.c` has it
too, and what is added to squares."""
_SMALL = 1e-6
ROWS_A_COEFFICIENT = 8
"""No further term is asked for once there are fewer rows."""


class AdditiveTerm(NamedTuple):
    """What one parent does to the mean or, where `spread`, to the variance of a column."""

    parent: int
    spread: bool
    functions: int
    p: float
    """Of the score test of the term, what else is in the model accounted for: robust to noise of any law."""


class AdditiveFit(NamedTuple):
    """A column given some others."""

    terms: tuple[AdditiveTerm, ...]
    """In the order in which they came in."""
    mean: FloatArray
    log_scale: FloatArray
    residual: FloatArray
    """Standardised: what is left of every row."""
    mean_coefficients: FloatArray
    variance_coefficients: FloatArray

    @property
    def coefficients(self) -> int:
        """Of all terms, without the two constants."""
        return len(self.mean_coefficients) + len(self.variance_coefficients) - 2

    @property
    def parents(self) -> frozenset[int]:
        """All columns that stand in a term."""
        return frozenset(term.parent for term in self.terms)


class _KnownFit(NamedTuple):
    """A fit, with the columns it could choose from and those it chose."""

    question: tuple[float, frozenset[int]]
    """The level of significance, and the columns that are required."""
    offered: frozenset[int]
    chosen: frozenset[int]
    fit: AdditiveFit


class _Optimum(NamedTuple):
    """Where a fit with some terms ends, and what was tested there."""

    mean_coefficients: FloatArray
    variance_coefficients: FloatArray
    scores: dict[tuple[int, bool], FloatArray]
    """Of the functions that a parent does not have yet in the mean or in the variance."""


class _Target(NamedTuple):
    """What is known of a column. Terms come in one by one, so most fits begin like one that there was before."""

    values: FloatArray
    fits: list[_KnownFit]
    optima: dict[tuple[tuple[int, bool, int], ...], _Optimum]
    """By the parent of every term, whether it is one of the variance, and its functions."""

    @classmethod
    def of(cls, values: FloatArray) -> "_Target":
        """Nothing is known yet."""
        return cls(values, [], {})


class Smooths:
    """A table's columns with a basis of smooth functions each, orthonormal over the rows."""

    def __init__(self, columns: Sequence[FloatArray], coordinates: Sequence[FloatArray] | None = None) -> None:
        self.columns = tuple(columns)
        self.coordinates = self.columns if coordinates is None else tuple(coordinates)
        self.bases = tuple(Basis(column) for column in self.coordinates)
        # A function's values lie side by side: tests take functions out by the line.
        self.blocks = tuple(
            np.asfortranarray(basis(column)) for basis, column in zip(self.bases, self.coordinates, strict=True)
        )
        self._targets: dict[int, _Target] = {}

    def fit(
        self,
        target: FloatArray,
        parents: Iterable[int],
        alpha: float,
        required: Iterable[int] = (),
    ) -> AdditiveFit:
        """The column `target` given those of `parents` that matter at the significance level `alpha`.

        The mean is affected by all that are `required`, whatever their tests say. Terms come in one by one, the
        strongest first, so a column that was offered and not taken changes nothing: a fit answers for every set between
        the columns it chose and those it could choose from.
        """
        candidates, question = frozenset(parents), (alpha, frozenset(required))
        known = self._targets.setdefault(id(target), _Target.of(target)).fits
        for each in known:
            if each.question == question and each.chosen <= candidates <= each.offered:
                return each.fit
        fit = self.choose(target, sorted(candidates), *question)
        known.append(_KnownFit(question, candidates, fit.parents | question[1], fit))
        return fit

    def choose(
        self, target: FloatArray, candidates: Sequence[int], alpha: float, required: Collection[int] = ()
    ) -> AdditiveFit:
        """The same of a target that is asked for once, of which nothing is kept."""
        is_long = bool(np.abs(target).max() > LONG)
        state = _State(self, target, () if is_long else self._choose_lines(target, candidates, alpha))
        for line in list(state.terms):
            state.extend(line)
        for parent in sorted(required):
            if not any(term.parent == parent and not term.spread for term in state.terms):
                state.add(AdditiveTerm(parent, False, self.blocks[parent].shape[1], 1.0))
        while state.size * ROWS_A_COEFFICIENT < len(target):
            # Variance last: what a mean lacks looks like variance, while the tests of a mean hold under any variance.
            # A long column is the other way round: a few rows would outweigh all others in its mean.
            for spread in (True, False) if is_long else (False, True):
                tests = state.test(candidates, spread, alpha)
                best = max(
                    (each for each in tests if each.term.p <= alpha),
                    key=lambda each: each.excess,
                    default=None,
                )
                if best is not None:
                    state.add(best.term)
                    state.extend(best.term)
                    break
            else:
                break
        return state.fit

    def refit(self, target: FloatArray, terms: Iterable[AdditiveTerm]) -> AdditiveFit:
        """Another target given the terms of a fit."""
        return _State(self, target, terms).fit

    def fit_variance(self, target: FloatArray, parents: Iterable[int], alpha: float) -> AdditiveFit:
        """Noise whose variance is affected by those of `parents` that matter."""
        state, candidates = _State(self, target), sorted(parents)
        while state.size * ROWS_A_COEFFICIENT < len(target):
            tests = [each for each in state.test(candidates, True, alpha) if each.term.p <= alpha]
            if not tests:
                break
            best = max(tests, key=lambda each: each.excess).term
            state.add(best)
            state.extend(best)
        return state.fit

    def _choose_lines(self, target: FloatArray, candidates: Sequence[int], alpha: float) -> list[AdditiveTerm]:
        """Straight lines of all candidates less those that do not matter: some show only beside each other."""
        left = list(candidates)
        if not left or (len(left) + 1) * ROWS_A_COEFFICIENT > len(target):
            return []
        lines = np.column_stack([np.ones(len(target)), *(self.blocks[k][:, 0] for k in left)])
        while left:
            inverse = np.linalg.inv(lines.T @ lines + _SMALL * np.eye(lines.shape[1]))
            slopes = inverse @ (lines.T @ target)
            influence = (lines @ inverse) * (target - lines @ slopes)[:, None]
            ratios = slopes[1:] ** 2 / np.sum(influence[:, 1:] ** 2, axis=0)
            weakest = int(np.argmin(ratios))
            if chdtrc(1, ratios[weakest]) <= alpha:
                break
            del left[weakest]
            lines = np.delete(lines, weakest + 1, axis=1)
        return [AdditiveTerm(k, False, 1, 0.0) for k in left]

    def prune(self, target: FloatArray, fit: AdditiveFit, alpha: float, required: Iterable[int] = ()) -> AdditiveFit:
        """The fit once every parent is tested given all others, and those that matter no longer have gone.

        What came in early may have stood for a parent that came in later.
        """
        kept, terms = frozenset(required), list(fit.terms)
        while True:
            retested = [self.test(target, [*terms[:k], *terms[k + 1 :]], term) for k, term in enumerate(terms)]
            p_values = {
                parent: min(term.p for term in retested if term.parent == parent)
                for parent in {term.parent for term in terms} - kept
            }
            weakest = max(p_values, key=lambda parent: (p_values[parent], parent), default=None)
            if weakest is None or p_values[weakest] <= alpha:
                return _State(self, target, retested).fit
            terms = [term for term in terms if term.parent != weakest]

    def screen(self, target: FloatArray, candidates: Sequence[int], terms: Iterable[AdditiveTerm] = ()) -> FloatArray:
        """How clearly each candidate moves the mean or the variance of the target, beside the terms of a model."""
        if not candidates:
            return np.zeros(0)
        state = _State(self, target, terms)
        tests = zip(state.test(candidates, False, 1.0), state.test(candidates, True, 1.0), strict=True)
        return np.array([max(mean.excess, variance.excess) for mean, variance in tests])

    def test(self, target: FloatArray, others: Iterable[AdditiveTerm], term: AdditiveTerm) -> AdditiveTerm:
        """A term with the p-value that it has given all others.

        What the functions of a term share with any smooth function and product of the other parents is taken off first:
        so a model that lacks some of these does not let in a term that stands for them (Shah and Peters 2020).
        """
        others = list(others)
        state = _State(self, target, others)
        [score] = state.score([self.block(term)], term.spread, self._nuisance(others, term))
        return term._replace(p=float(chdtrc(term.functions, score[-1])))

    def _nuisance(self, others: Sequence[AdditiveTerm], term: AdditiveTerm) -> FloatArray:
        """All functions of the parents in other terms, and products of two of them, as far as the rows carry them."""
        parents = sorted({other.parent for other in others} - {term.parent})
        most = len(self.columns[0]) // ROWS_A_COEFFICIENT
        blocks = [self.blocks[parent] for parent in parents]
        blocks += [multiply(self.blocks[one], self.blocks[other], PRODUCT) for one, other in combinations(parents, 2)]
        ends = np.cumsum([block.shape[1] for block in blocks])
        return np.hstack([np.zeros((len(self.columns[0]), 0)), *blocks[: int(np.searchsorted(ends, most))]])

    def recall(self, target: FloatArray) -> _Target:
        """What is known of a column that was asked for before."""
        return self._targets.get(id(target)) or _Target.of(target)

    def block(self, term: AdditiveTerm) -> FloatArray:
        """The functions of a term at the rows."""
        return self.blocks[term.parent][:, : term.functions]


class _Test(NamedTuple):
    term: AdditiveTerm
    excess: float
    """Of the statistic over what it is without any effect: p-values of strong terms are all zero."""


class _Rows(NamedTuple):
    """What a fit says of the rows, and the features that it is made of, a line each."""

    of_mean: FloatArray
    of_variance: FloatArray
    mean: FloatArray
    log_variance: FloatArray
    residual: FloatArray


class _State:
    """The fit of one column while its terms are chosen."""

    def __init__(self, smooths: Smooths, v: FloatArray, terms: Iterable[AdditiveTerm] = ()) -> None:
        self.smooths, self.v, self.terms = smooths, v, list(terms)
        self._known = smooths.recall(v).optima
        self._begin = dict[int, FloatArray]()
        self._solve()

    @property
    def size(self) -> int:
        return 2 + sum(term.functions for term in self.terms)

    @property
    def fit(self) -> AdditiveFit:
        rows, optimum = self.rows, self._optimum
        coefficients = optimum.mean_coefficients, optimum.variance_coefficients
        return AdditiveFit(tuple(self.terms), rows.mean, 0.5 * rows.log_variance, rows.residual, *coefficients)

    @cached_property
    def rows(self) -> _Rows:
        """Computed where they are asked for: much of a fit may be known from another."""
        of_mean, of_variance = self._stack(False), self._stack(True)
        mean = self._optimum.mean_coefficients @ of_mean
        log_variance = self._optimum.variance_coefficients @ of_variance
        return _Rows(of_mean, of_variance, mean, log_variance, (self.v - mean) * np.exp(-0.5 * log_variance))

    def _stack(self, spread: bool) -> FloatArray:
        blocks = (self.smooths.block(term).T for term in self.terms if term.spread == spread)
        return np.concatenate([np.ones((1, len(self.v))), *blocks])

    def _solve(self) -> None:
        """The optimum over the coefficients of all terms."""
        self.__dict__.pop("rows", None)
        key = tuple((term.parent, term.spread, term.functions) for term in self.terms)
        # Of the variance, from the optimum before the last term came in; what is new is zero.
        parts = [(-1, 1), *((term.parent, term.functions) for term in self.terms if term.spread)]
        places = np.cumsum([0, *(size for _, size in parts)])
        if key not in self._known:
            c = np.zeros(places[-1])
            for place, (parent, _) in zip(places[:-1], parts, strict=True):
                begin = self._begin.get(parent, c[:0])
                c[place : place + len(begin)] = begin
            self._known[key] = _Optimum(*fit_coefficients(self._stack(False), self._stack(True), self.v, c), {})
        self._optimum = self._known[key]
        c = self._optimum.variance_coefficients
        self._begin = {parent: c[places[k] : places[k + 1]] for k, (parent, _) in enumerate(parts)}

    def add(self, term: AdditiveTerm) -> None:
        """With all functions that it had before."""
        self.terms = [each for each in self.terms if (each.parent, each.spread) != (term.parent, term.spread)]
        self.terms.append(term)
        self._solve()

    def extend(self, term: AdditiveTerm) -> None:
        """Give a term as many functions as matter."""
        while tests := self.test([term.parent], term.spread, EXTEND):
            best = max(tests, key=lambda test: test.excess)
            if best.term.p > EXTEND:
                return
            term = best.term
            self.add(term)

    def test(self, candidates: Sequence[int], spread: bool, alpha: float) -> list[_Test]:
        """Test every parent with more functions than it has in the model."""
        has = {term.parent: term.functions for term in self.terms if term.spread == spread}
        left = [k for k in candidates if has.get(k, 0) < self.smooths.blocks[k].shape[1]]
        known = self._optimum.scores
        new = [k for k in left if (k, spread) not in known]
        scores = self.score([self.smooths.blocks[k][:, has.get(k, 0) :] for k in new], spread)
        known.update(zip(((k, spread) for k in new), scores, strict=True))
        tests = []
        for k in left:
            score = known[k, spread]
            taken, width = has.get(k, 0), self.smooths.blocks[k].shape[1]
            sizes = [size for size in sorted({min(size, width) for size in SIZES}) if size > taken]
            p_values = [min(1.0, float(chdtrc(size - taken, score[size - taken - 1])) * len(sizes)) for size in sizes]
            excess = max(float(score[size - taken - 1]) - 2 * (size - taken) for size in sizes)
            # The smallest size that is significant; more functions are tested once these are in the model, since the
            # score of a strong term is far from the chi-squared law of none.
            size, p = next((each for each in zip(sizes, p_values, strict=True) if each[1] <= alpha), (width, 1.0))
            tests.append(_Test(AdditiveTerm(k, spread, size, p), excess))
        return tests

    def score(self, blocks: Sequence[FloatArray], spread: bool, nuisance: FloatArray | None = None) -> list[FloatArray]:
        """The score statistics of the leading 1, 2, … functions of each block, the model and nuisance accounted for.

        The variance of a score is estimated from its rows (White 1980): noise of any law, and weights that are off,
        leave its significance level right, where the model's own information would let in dozens of false terms.
        """
        if not blocks:
            return []
        rows = self.rows
        if spread:
            sizes = _noise_sizes(rows.residual)
            old, slope = rows.of_variance, sizes - np.mean(sizes)
        else:
            weight = np.exp(-np.maximum(rows.log_variance, _FLOOR))
            old, slope = rows.of_mean, weight * (self.v - rows.mean)
        new = np.concatenate([block.T for block in blocks])
        if nuisance is not None and nuisance.shape[1]:
            old = np.concatenate([old, nuisance.T])
            slope = slope * math.sqrt(1.0 + len(old) / len(slope))
        weighted = old if spread else old * weight
        inner = weighted @ old.T
        if nuisance is not None:
            inner += _SMALL * np.trace(inner) / len(inner) * np.eye(len(inner))
        new -= _solve_positive(inner, weighted @ new.T, 1e-8).T @ old
        new *= slope
        widths = [block.shape[1] for block in blocks]
        starts = np.cumsum([0, *widths[:-1]])
        out: list[FloatArray] = [np.empty(0)] * len(blocks)
        for width in set(widths):
            which = [k for k, each in enumerate(widths) if each == width]
            lines = new if len(which) == len(blocks) else new[(starts[which][:, None] + np.arange(width)).ravel()]
            lines = lines.reshape(len(which), width, -1)
            total, variance = lines.sum(axis=2), lines @ lines.transpose(0, 2, 1)
            traces = np.trace(variance, axis1=1, axis2=2)[:, None, None]
            variance += (_SMALL * traces + 1e-300) * np.eye(width)
            # Cholesky's factor of leading functions is the leading part of that of all.
            parts = np.linalg.solve(np.linalg.cholesky(variance), total[:, :, None])[:, :, 0]
            for k, each in zip(which, np.cumsum(parts**2, axis=1), strict=True):
                out[k] = each
        return out


def fit_coefficients(
    of_mean: FloatArray, of_variance: FloatArray, v: FloatArray, begin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The coefficients of mean and log-variance at their optimum, those of the log-variance from where they begin."""
    p, q, n = len(of_mean), len(of_variance), len(v)
    prior = np.full(max(p, q), RIDGE)
    prior[0] = 0.0  # the constants
    b, c = np.zeros(p), begin.copy()
    _fit(of_mean, of_variance, v, n, p, q, prior, b, c, np.empty(6 * n + 2 * (p + 1) ** 2 + 2 * (q + 1) ** 2))
    return b, c


def _solve_positive(matrix: FloatArray, right: FloatArray, ridge: float) -> FloatArray:
    """The solution of a symmetric positive definite system, its diagonal raised by a share that rounding hides."""
    matrix.flat[:: len(matrix) + 1] *= 1.0 + ridge
    _, solution, info = dposv(matrix, right, lower=1)
    return np.asarray(solution if info == 0 else np.linalg.lstsq(matrix, right)[0])


def _noise_sizes(residual: FloatArray) -> FloatArray:
    """The size of the noise in every row: what the test of a variance compares between rows (Glejser 1969).

    Squares, the score of the normal law, have so large a variance where the noise has long tails that clear terms were
    left out. Absolute values see a mean that is slightly off as variance where the noise is skewed; what is subtracted
    makes their expectation flat in the mean (Machado and Santos Silva 2000).
    """
    size = np.abs(residual) - np.mean(np.sign(residual)) * residual
    if np.abs(residual).max() < LONG:
        return size
    # Of a long column a few rows would be all that the test sees, and logarithms see every one.
    return np.log(np.abs(residual) + 1e-3 * float(np.median(np.abs(residual))) + 1e-300)


_fit = native(
    "bool additive_fit(double *of_mean, double *of_variance, double *v, int64_t n, int64_t p, int64_t q, "
    "double *prior, double *b, double *c, double *scratch)"
)
