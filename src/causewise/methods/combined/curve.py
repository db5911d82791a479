"""The location-scale curve of an effect given a cause, its two sizes chosen by BIC, fitted under the law of its noise.

    v = μ(u) + σ(u)·noise,   μ and log σ² cubic splines on knots of their own

Gaussian start: least squares for μ, weighted by 1/σ², in turn with Newton steps for log σ², whose likelihood given μ is
concave. Scoring steps then climb the likelihood of the residual's own law, a mixture of normals, and the sizes are
chosen again there, where a size more is worth what the scores regressed on its splines explain (Rao's test).

Why the noise's law: the independence test of cause and residual takes the residual for the noise. What the fit adds is
of the order of the test's own fluctuation, whatever the number of rows. For an efficient estimator it can only take
fluctuation away (Pierce 1982); mean and variance of exponential noise are far from efficient, and their errors show.

Rejected: one spline basis for both natural parameters (`numerics.gaussian`), which is concave in all coefficients at
once. Its location is a ratio of splines, and where BIC grants few knots the precision bends to help the location: with
the true location and that scale the test rejects more often than with both fitted.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from causewise.numerics.columns import once
from causewise.numerics.density import Mixture, fit_mixture, log_density, scores
from causewise.numerics.gaussian import HALF_LOG_2PI
from causewise.numerics.splines import Design, additive_design, spline_design, spline_rows
from causewise.pair import FloatArray

KNOTS = (3, 5, 8, 13, 20)
DEGREE = 3
CONSTANT = 0
"""In place of a number of knots: a scale that does not depend on the cause."""
SCALE_KNOTS = (CONSTANT, 3, 5, 8, 13)
PATIENCE = 2
"""The search stops after this many sizes in a row that are no better."""
ROWS_PER_COEFFICIENT = 8
LOCATION_RIDGE = 1e-5
"""In rows of mean weight. It also leaves more of a nearly exact relation in the residual than rounding does."""
SCALE_RIDGE = 1.0
"""Of the log variance about its mean: a spline that hardly a row touches does not follow that row to zero."""
PASSES, NEWTON_STEPS, ROUNDS = 2, 2, 2
SWEEPS = (2, 30)
"""At least and at most."""
SMALLEST_SQUARE = 1e-6
"""Below a thousandth of the effect's standard deviation noise cannot be told from what the ridge leaves."""
SETTLED = 0.01
"""Nats a row: a fit whose last sweep gained less, or less than one nat in all, is called converged."""
# A step may lose this much (nats a row). Were none allowed, rounding would decide about the last steps, and a reflected
# column would get another curve.
_TOLERANCE = 1e-6
_SHORTEST = 0.05


class Spline(NamedTuple):
    """Knots and coefficients; the coefficients lie at the even places, see `splines`."""

    knots: FloatArray
    degree: int
    coefficients: FloatArray

    @property
    def size(self) -> int:
        """How many coefficients it took."""
        return len(self.coefficients) // 2

    def at(self, u: FloatArray) -> FloatArray:
        """Values; beyond the fitted range the end value holds."""
        return additive_design([spline_rows(u, self.knots, self.degree)]).predict(self.coefficients)[0]


class Curve(NamedTuple):
    """The fitted law of the effect at every row, in the order of the rows, both columns standardised."""

    location: FloatArray
    scale: FloatArray
    residual: FloatArray
    log_likelihood: float
    """Mean per row, of a normal law."""
    location_spline: Spline
    log_variance_spline: Spline
    n_iter: int
    gain: float
    """Nats a row that the last sweep added."""

    @property
    def size(self) -> int:
        """How many coefficients it took."""
        return self.location_spline.size + self.log_variance_spline.size

    @property
    def price(self) -> float:
        """Nats a row for the coefficients."""
        return _price(self.size, len(self.residual))

    @property
    def converged(self) -> bool:
        """Whether the last sweep changed little."""
        return self.gain <= max(SETTLED, 1.0 / len(self.residual))

    @property
    def message(self) -> str:
        """Why the fit stopped, when it stopped short."""
        if self.converged:
            return ""
        return f"The fit stopped after {self.n_iter} sweeps, the last of which still gained {self.gain:.2g} nats a row."


def curve_at(curve: Curve, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Location and scale at other places; beyond the fitted range the end value holds."""
    return curve.location_spline.at(u), np.exp(0.5 * curve.log_variance_spline.at(u))


def fit_curve(u: FloatArray, v: FloatArray) -> Curve:
    """Rows in the order of the cause."""
    fit = _Fit(u, v)
    fit.start()
    mixture = fit_mixture(fit.residual())
    gain, sweeps = 0.0, 0
    if len(mixture.weight) > 1:
        fit.value, gain = fit.penalised_likelihood(mixture, fit.location, fit.deviation), math.inf
        while sweeps < SWEEPS[0] or (gain > SETTLED and sweeps < SWEEPS[1]):
            before = fit.value
            fit.improve_location(mixture, search=sweeps == 0)
            fit.improve_scale(mixture, search=sweeps == 0)
            gain, sweeps = fit.value - before, sweeps + 1
    return fit.curve(sweeps, gain)


class _Basis(NamedTuple):
    knots: FloatArray
    degree: int
    design: Design


class _Part(NamedTuple):
    """A spline on its way: its basis, coefficients and values at the rows."""

    n_knots: int
    basis: _Basis
    coefficients: FloatArray
    values: FloatArray

    @property
    def size(self) -> int:
        return self.basis.design.size


class _Fit:
    """The state of one fit: location, and log variance as a mean level and the deviation from it."""

    def __init__(self, u: FloatArray, v: FloatArray) -> None:
        self.u, self.v, self.n = u, v, len(v)
        self._bases: dict[int, _Basis] = {}
        self.location = self._flat(KNOTS[0])
        self.deviation = self._flat(CONSTANT)
        self.level = 0.0
        self.value = -math.inf  # what `improve_…` last made of the log-likelihood

    def start(self) -> None:
        """Location and scale in turn by the likelihood of normal noise, sizes by BIC."""
        sizes: tuple[int, int] | None = None
        for _ in range(PASSES):
            self.location = self._cheapest(self._list_affordable(KNOTS), self._weighted_location)
            squares = self._squares()
            self.level = math.log(_mean(squares))
            self.deviation = self._cheapest(self._list_affordable(SCALE_KNOTS), partial(self._normal_scale, squares))
            before, sizes = sizes, (self.location.n_knots, self.deviation.n_knots)
            if self.deviation.n_knots == CONSTANT:
                return
            if sizes == before:
                break
        for _ in range(ROUNDS):
            self.location = self._weighted_location(self.location.n_knots)[1]
            squares = self._squares()
            value = self._normal_value(self.deviation, squares)
            self.deviation = self._newton_step(self.deviation, squares, value)[0]

    def improve_location(self, mixture: Mixture, search: bool) -> None:
        """One scoring step under the law of the noise; a larger basis where BIC grants it."""
        sd = self.scale()
        score = scores(mixture, self.residual())
        information = _mean(score * score)
        target, weights = self.location.values + sd * score / information, 1.0 / (sd * sd)
        fit = partial(self._score_step, information, target, weights, self._location_ridge() / information)
        larger = [k for k in self._list_affordable(KNOTS) if k >= self.location.n_knots] if search else []
        self._improve(mixture, self.location, larger, fit, lambda part: (part, self.deviation))

    def improve_scale(self, mixture: Mixture, search: bool) -> None:
        """The same for the log variance."""
        residual = self.residual()
        score = 0.5 * (scores(mixture, residual) * residual - 1.0)
        information = _mean(score * score)
        target, weights = self.deviation.values + score / information, np.ones(self.n)
        fit = partial(self._score_step, information, target, weights, 0.5 * SCALE_RIDGE / information)
        sizes = self._list_affordable(SCALE_KNOTS) if search else []
        self._improve(mixture, self.deviation, sizes, fit, lambda part: (self.location, part))

    def _score_step(
        self, information: float, target: FloatArray, weights: FloatArray, ridge: float, n_knots: int
    ) -> tuple[float, _Part]:
        part = self._least_squares(n_knots, target, weights, ridge)
        return 0.5 * information * _mean(weights * (target - part.values) ** 2), part

    def _improve(
        self,
        mixture: Mixture,
        part: _Part,
        sizes: list[int],
        fit: Callable[[int], tuple[float, _Part]],
        both: Callable[[_Part], tuple[_Part, _Part]],
    ) -> None:
        """Exchange a part's basis for the cheapest of the sizes if the likelihood pays for it, or take a step."""
        goal = self._cheapest(sizes, fit) if sizes else None
        if goal is not None and self._exchange(*both(goal), mixture):
            return
        if goal is None or goal.n_knots != part.n_knots:
            goal = fit(part.n_knots)[1]
        part, self.value = self._walk(part, goal, lambda at: self.penalised_likelihood(mixture, *both(at)), self.value)
        self.location, self.deviation = both(part)

    def scale(self) -> FloatArray:
        return np.exp(0.5 * (self.level + self.deviation.values))

    def residual(self) -> FloatArray:
        return (self.v - self.location.values) / self.scale()

    def curve(self, sweeps: int, gain: float) -> Curve:
        """The record. Splines sum to one, so that the level joins the coefficients."""
        coefficients = self.deviation.coefficients.copy()
        coefficients[0::2] += self.level
        mean, log_variance = self.location.basis, self.deviation.basis
        location = mean.design.predict(self.location.coefficients)[0]
        logs = log_variance.design.predict(coefficients)[0]
        scale = np.exp(0.5 * logs)
        residual = (self.v - location) / scale
        normal = -0.5 * _mean(logs + residual * residual) - HALF_LOG_2PI
        return Curve(
            location,
            scale,
            residual,
            normal,
            Spline(mean.knots, mean.degree, self.location.coefficients),
            Spline(log_variance.knots, log_variance.degree, coefficients),
            sweeps,
            gain,
        )

    def _basis(self, n_knots: int) -> _Basis:
        if n_knots not in self._bases:
            shape = (2, 0) if n_knots == CONSTANT else (n_knots, DEGREE)
            knots, design = once(spline_design, self.u, *shape)
            self._bases[n_knots] = _Basis(knots, shape[1], design)
        return self._bases[n_knots]

    def _flat(self, n_knots: int) -> _Part:
        basis = self._basis(n_knots)
        return _Part(n_knots, basis, np.zeros(2 * basis.design.size), np.zeros(self.n))

    def _list_affordable(self, sizes: tuple[int, ...]) -> list[int]:
        rows = (ROWS_PER_COEFFICIENT * (k + DEGREE - 1) for k in sizes)
        return [k for place, (k, needed) in enumerate(zip(sizes, rows, strict=True)) if place == 0 or needed <= self.n]

    def _cheapest(self, sizes: list[int], fit: Callable[[int], tuple[float, _Part]]) -> _Part:
        """The part with the least cost, minus a log-likelihood a row, and price together."""
        (least, best), worse = fit(sizes[0]), 0
        least += _price(best.size, self.n)
        for n_knots in sizes[1:]:
            cost, part = fit(n_knots)
            cost += _price(part.size, self.n)
            worse = 0 if cost < least else worse + 1
            if cost < least:
                least, best = cost, part
            if worse == PATIENCE:
                break
        return best

    def _least_squares(self, n_knots: int, target: FloatArray, weights: FloatArray, ridge: float) -> _Part:
        basis = self._basis(n_knots)
        coefficients = basis.design.least_squares(target, weights, ridge)
        return _Part(n_knots, basis, coefficients, basis.design.predict(coefficients)[0])

    def _weighted_location(self, n_knots: int) -> tuple[float, _Part]:
        logs = self.level + self.deviation.values
        part = self._least_squares(n_knots, self.v, np.exp(-logs), self._location_ridge())
        squares = np.maximum((self.v - part.values) ** 2, SMALLEST_SQUARE)
        if self.deviation.n_knots == CONSTANT:
            return 0.5 * math.log(_mean(squares)), part
        return _normal_cost(logs, squares), part

    def _location_ridge(self) -> float:
        return LOCATION_RIDGE * math.exp(-self.level)

    def _squares(self) -> FloatArray:
        return np.maximum((self.v - self.location.values) ** 2, SMALLEST_SQUARE)

    def _normal_scale(self, squares: FloatArray, n_knots: int) -> tuple[float, _Part]:
        part = self._flat(n_knots)
        value = -_normal_cost(self.level + part.values, squares)
        if n_knots != CONSTANT:
            for _ in range(NEWTON_STEPS):
                part, value = self._newton_step(part, squares, value)
        return -value - self._scale_penalty(part), part

    def _newton_step(self, part: _Part, squares: FloatArray, value: float) -> tuple[_Part, float]:
        """Minimise ½ Σ (η + q e^−η) + ¼ ridge ‖w‖²: η log variance, q squares; `value` is minus that a row."""
        # The mean of Newton's curvature and of the expected one: the first vanishes where a variance is far too large.
        z = squares * np.exp(-self.level - part.values)
        curvature = 0.5 * (1.0 + z)
        goal = self._least_squares(part.n_knots, part.values + (z - 1.0) / curvature, curvature, SCALE_RIDGE)
        return self._walk(part, goal, lambda at: self._normal_value(at, squares), value)

    def _normal_value(self, part: _Part, squares: FloatArray) -> float:
        return -_normal_cost(self.level + part.values, squares) - self._scale_penalty(part)

    def _walk(self, part: _Part, goal: _Part, value: Callable[[_Part], float], here: float) -> tuple[_Part, float]:
        """As far towards the goal as the value, which is `here` at the start, does not fall."""
        length = 1.0
        while length > _SHORTEST:
            to = goal
            if length < 1.0:
                to = part._replace(
                    coefficients=part.coefficients + length * (goal.coefficients - part.coefficients),
                    values=part.values + length * (goal.values - part.values),
                )
            there = value(to)
            if there >= here - _TOLERANCE:
                return to, there
            length *= 0.5
        return part, here

    def _exchange(self, location: _Part, deviation: _Part, mixture: Mixture) -> bool:
        """Take another basis for a part if the likelihood pays for it."""
        sizes = self.location.size + self.deviation.size, location.size + deviation.size
        if sizes[0] == sizes[1]:
            return False
        there = self.penalised_likelihood(mixture, location, deviation)
        if there - _price(sizes[1], self.n) <= self.value - _price(sizes[0], self.n):
            return False
        self.location, self.deviation, self.value = location, deviation, there
        return True

    def penalised_likelihood(self, mixture: Mixture, location: _Part, deviation: _Part) -> float:
        """Log-likelihood a row under the law of the noise, less the ridges."""
        half = 0.5 * (self.level + deviation.values)
        density = log_density(mixture, (self.v - location.values) * np.exp(-half))
        ridge = 0.5 * self._location_ridge() * float(location.coefficients @ location.coefficients) / self.n
        return _mean(density - half) - ridge - self._scale_penalty(deviation)

    def _scale_penalty(self, deviation: _Part) -> float:
        return 0.25 * SCALE_RIDGE * float(deviation.coefficients @ deviation.coefficients) / self.n


def _mean(values: FloatArray) -> float:
    """As np.mean to the bit, without its checks, which take longer than a thousand rows."""
    return float(np.add.reduce(values)) / len(values)


def _price(size: int, n: int) -> float:
    """Nats a row: ½ log n for each coefficient."""
    return 0.5 * size * math.log(n) / n


def _normal_cost(logs: FloatArray, squares: FloatArray) -> float:
    """Minus the log-likelihood a row of normal noise, up to a constant."""
    return 0.5 * _mean(logs + squares * np.exp(-logs))
