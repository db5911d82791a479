"""A column given several others: Normal(Σ fₚ(uₚ), exp(Σ hₚ(uₚ))), its terms chosen one after the other.

For a given variance the likelihood of the mean is a quadratic, and for a given mean that of the log-variance is
concave: the two are solved in turn. Additive natural parameters, as in `spline`, would be concave at once, but there a
parent of the variance alone bends the mean as well, and which of the two a parent affects could not be told.

With all columns as parents of both, a fit of 20 columns to 500 rows follows single rows, and every test of a term is
wrong. So terms are added one at a time, the one with the largest score statistic first, while it is significant.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import chdtrc

from causewise.numerics.native import FloatArray, IntArray
from causewise.numerics.splines import extend_knots, spline_rows

FUNCTIONS = 8
"""Of a column's cubic spline, one of which is the constant; knots lie at quantiles."""
RIDGE = 1.0
"""Prior precision of every coefficient, beside the n rows that speak of it."""
_FLOOR = -9.0
"""Of the log-variance where it weighs rows: a row that is hit exactly must not outweigh all others."""
_SMALL = 1e-6
_GAIN = 1e-3
"""Nats a row by which a round must improve the fit to be followed by another."""
_ROUNDS = 15
_ROWS_A_COEFFICIENT = 8
"""No further term is asked for once there are fewer rows."""


class AdditiveTerm(NamedTuple):
    """What one parent does to the mean or, where `spread`, to the variance of a column."""

    parent: int
    spread: bool
    p: float
    """Of the score test of the term, what else is in the model accounted for: robust to noise of any law."""


class AdditiveFit(NamedTuple):
    """A column given some others."""

    terms: tuple[AdditiveTerm, ...]
    """In the order in which they came in."""
    log_scale: FloatArray
    residual: FloatArray
    """Standardised: what is left of every row."""
    coefficients: int
    """Of all terms, without the two constants."""


class Smooths:
    """A table's columns with a basis of smooth functions each, orthonormal over the rows."""

    def __init__(self, columns: Sequence[FloatArray]) -> None:
        blocks = [_basis(column) for column in columns]
        ends = np.cumsum([1, *(block.shape[1] for block in blocks)])
        self.columns = tuple(columns)
        self.places: tuple[IntArray, ...] = tuple(np.arange(a, b) for a, b in pairwise(ends))
        self.features: FloatArray = np.hstack([np.ones((len(columns[0]), 1)), *blocks])
        self.gram: FloatArray = self.features.T @ self.features

    def fit(self, target: int, parents: Iterable[int], alpha: float, required: Iterable[int] = ()) -> AdditiveFit:
        """The column `target` given those of `parents` that matter at the significance level `alpha`.

        The mean is affected by all that are `required`, whatever their tests say.
        """
        candidates, state = sorted(parents), _State(self, self.columns[target])
        for parent in sorted(required):
            state.add(state.test([parent], spread=False)[0].term)
        while state.size * _ROWS_A_COEFFICIENT < len(state.v):
            tests = [*state.test(candidates, spread=False), *state.test(candidates, spread=True)]
            best = max(tests, key=lambda test: test.excess, default=None)
            if best is None or best.term.p > alpha:
                break
            state.add(best.term)
        return state.fit

    def prune(self, target: int, fit: AdditiveFit, alpha: float, required: Iterable[int] = ()) -> AdditiveFit:
        """The fit once every term is tested given all others, and those that matter no longer have gone.

        What came in early may have stood for a parent that came in later.
        """
        kept, terms = frozenset(required), list(fit.terms)
        while True:
            retested = [
                _State(self, self.columns[target], [*terms[:k], *terms[k + 1 :]]).test([parent], spread)[0].term
                for k, (parent, spread, _) in enumerate(terms)
            ]
            loose = [term for term in retested if term.p > alpha and (term.spread or term.parent not in kept)]
            if not loose:
                return _State(self, self.columns[target], retested).fit
            terms.remove(next(term for term in terms if term[:2] == max(loose, key=lambda each: each.p)[:2]))


class _Test(NamedTuple):
    term: AdditiveTerm
    excess: float
    """Of the statistic over what it is without any effect: p-values of strong terms are all zero."""


class _State:
    """The fit of one column while its terms are chosen."""

    def __init__(self, smooths: Smooths, v: FloatArray, terms: Iterable[AdditiveTerm] = ()) -> None:
        self.smooths, self.v, self.terms = smooths, v, list[AdditiveTerm]()
        self.of_mean, self.of_variance = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.variance_coefficients = np.zeros(1)
        for term in terms:
            self._place(term)
        self._solve()

    @property
    def size(self) -> int:
        return len(self.of_mean) + len(self.of_variance)

    @property
    def fit(self) -> AdditiveFit:
        return AdditiveFit(tuple(self.terms), 0.5 * self.log_variance, self.residual, self.size - 2)

    def add(self, term: AdditiveTerm) -> None:
        self._place(term)
        self._solve()

    def _place(self, term: AdditiveTerm) -> None:
        places = self.smooths.places[term.parent]
        self.terms.append(term)
        if term.spread:
            self.of_variance = np.concatenate([self.of_variance, places])
            self.variance_coefficients = np.concatenate([self.variance_coefficients, np.zeros(len(places))])
        else:
            self.of_mean = np.concatenate([self.of_mean, places])

    def test(self, candidates: Sequence[int], spread: bool) -> list[_Test]:
        """Test every term of these parents that is not in the model yet."""
        taken = {term.parent for term in self.terms if term.spread == spread}
        left = [k for k in candidates if k not in taken]
        if spread:
            sizes = _noise_sizes(self.residual)
            scores = self._scores(left, self.of_variance, np.ones(len(self.v)), sizes - np.mean(sizes))
        else:
            weights = np.exp(-np.maximum(self.log_variance, _FLOOR))
            scores = self._scores(left, self.of_mean, weights, weights * (self.v - self.mean))
        degrees = [len(self.smooths.places[k]) for k in left]
        return [
            _Test(AdditiveTerm(k, spread, float(chdtrc(free, score))), score - free)
            for k, free, score in zip(left, degrees, scores, strict=True)
        ]

    def _scores(self, left: Sequence[int], inside: IntArray, weight: FloatArray, slope: FloatArray) -> list[float]:
        """The score statistic of each column's functions, what is in the model already accounted for.

        The variance of a score is estimated from its rows (White 1980): noise of any law, and weights that are off,
        leave its significance level right, where the model's own information would let in dozens of false terms.
        """
        if not left:
            return []
        features, places = self.smooths.features, [self.smooths.places[k] for k in left]
        old, new = features[:, inside], features[:, np.concatenate(places)]
        weighted = old * weight[:, None]
        information = weighted.T @ old
        information[np.diag_indices_from(information)] *= 1.0 + 1e-8
        new = (new - old @ cho_solve(cho_factor(information), weighted.T @ new)) * slope[:, None]
        out, start = [], 0
        for place in places:
            rows = new[:, start : start + len(place)]
            start += len(place)
            total, variance = rows.sum(axis=0), rows.T @ rows
            variance[np.diag_indices_from(variance)] += _SMALL * np.trace(variance) + 1e-300
            out.append(float(total @ np.linalg.solve(variance, total)))
        return out

    def _solve(self) -> None:
        """The optimum over the coefficients of all terms, mean and variance in turn."""
        features, gram = self.smooths.features, self.smooths.gram
        old, of_variance = features[:, self.of_mean], features[:, self.of_variance]
        prior, prior_variance = _prior(len(self.of_mean)), _prior(len(self.of_variance))
        curvature = cho_factor(0.5 * gram[np.ix_(self.of_variance, self.of_variance)] + np.diag(prior_variance))
        c, reached = self.variance_coefficients, -np.inf
        for _ in range(_ROUNDS):
            weight = np.exp(-np.maximum(of_variance @ c, _FLOOR))
            weighted = old * weight[:, None]
            information = weighted.T @ old + np.diag(prior)
            information[np.diag_indices_from(information)] *= 1.0 + 1e-10
            b = cho_solve(cho_factor(information), weighted.T @ self.v)
            squares = (self.v - old @ b) ** 2 + _SMALL
            for _ in range(2):
                c = _ascend(c, squares, of_variance, curvature, prior_variance)
            now = (_variance_likelihood(c, squares, of_variance, prior_variance) - 0.5 * prior @ b**2) / len(self.v)
            if now - reached < _GAIN:
                break
            reached = now
        self.variance_coefficients = c
        self.mean, self.log_variance = old @ b, of_variance @ c
        self.residual = (self.v - self.mean) * np.exp(-0.5 * self.log_variance)


def _noise_sizes(residual: FloatArray) -> FloatArray:
    """The size of the noise in every row: what the test of a variance compares between rows (Glejser 1969).

    Squares, the score of the normal law, have so large a variance where the noise has long tails that clear terms were
    left out. Absolute values see a mean that is slightly off as variance where the noise is skewed; what is subtracted
    makes their expectation flat in the mean (Machado and Santos Silva 2000).
    """
    return np.abs(residual) - np.mean(np.sign(residual)) * residual


def _ascend(
    c: FloatArray, squares: FloatArray, features: FloatArray, curvature: tuple[FloatArray, bool], prior: FloatArray
) -> FloatArray:
    """One step of Fisher's scoring for the log-variance, halved until it climbs: the likelihood is concave."""
    surplus = squares * np.exp(-(features @ c)) - 1.0
    step = cho_solve(curvature, 0.5 * features.T @ surplus - prior * c)
    here, length = _variance_likelihood(c, squares, features, prior), 1.0
    while length > 1e-3:
        if _variance_likelihood(c + length * step, squares, features, prior) >= here:
            return c + length * step
        length /= 2
    return c


def _variance_likelihood(c: FloatArray, squares: FloatArray, features: FloatArray, prior: FloatArray) -> float:
    s = features @ c
    with np.errstate(over="ignore"):
        return float(-0.5 * np.sum(s + squares * np.exp(-s)) - 0.5 * prior @ c**2)


def _prior(size: int) -> FloatArray:
    out = np.full(size, RIDGE)
    out[0] = 0.0  # the constant
    return out


def _basis(column: FloatArray) -> FloatArray:
    """The cubic splines of a column, without the constant: orthogonal over the rows, each of variance one."""
    degree = 3
    base = np.unique(np.quantile(column, np.linspace(0.0, 1.0, FUNCTIONS - degree + 1)))
    rows = spline_rows(column, extend_knots(base, degree), degree)
    values = np.zeros((len(column), rows.size))
    values[np.arange(len(column))[:, None], rows.first[:, None] + np.arange(degree + 1)] = rows.values
    values -= values.mean(axis=0)
    left, sizes, _ = np.linalg.svd(values, full_matrices=False)
    return left[:, sizes > _SMALL * sizes[0]] * np.sqrt(len(column))
