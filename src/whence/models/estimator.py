"""`LocationScaleRegressor`: the concave location-scale fit as a scikit-learn estimator.

One input column or several: the features of several columns are put side by side, so that both natural parameters are
additive in the inputs and the problem stays concave.
"""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from whence.models.fisher import information_factor, standard_errors
from whence.models.spline import DEGREE, DELTA, MAX_ITER, N_KNOTS, not_converged
from whence.numerics import gaussian
from whence.numerics.arrays import weighted_moments
from whence.numerics.design import Design, additive_design, predict_rows
from whence.numerics.newton import KKT_CERTIFIED, fit_natural
from whence.numerics.splines import extend_knots, spline_rows
from whence.pair import FloatArray
from whence.ranges import SPLINE_DEGREES, SPLINE_KNOTS


class LocationScaleRegressor(RegressorMixin, BaseEstimator):
    """Regression of both the mean and the standard deviation, at the global optimum.

    y given x is Normal(μ(x), σ²(x)); its natural parameters are B-splines of the inputs, the precision's with
    non-negative coefficients. The penalised likelihood is concave, and `fit` certifies its optimum.

    Parameters
    ----------
    n_knots : int, default=25
        Knots per input column, 2 to 10 000; n_knots + degree − 1 features each.
    degree : int, default=5
        Degree of the splines, 0 to 20.
    delta : float, default=1e-5
        Precision of the Gaussian prior on the coefficients, for a standardised target.
    knots : {"uniform", "quantile"}, default="uniform"
        Equally spaced between the smallest and the largest input, or at its quantiles.
    max_iter : int, default=500
        Newton steps allowed.

    Attributes
    ----------
    converged_ : bool
        Whether `kkt_` is below 1e-6; if not, `message_` says so and a ConvergenceWarning was given.
    kkt_ : float
        Largest entry of the projected gradient of the mean objective, precisions on a relative scale.
    n_iter_ : int
        Newton steps taken.
    coef_location_, coef_precision_ : ndarray of shape (n_features,)
        Coefficients of e and p (see `whence.numerics.gaussian`), for a standardised target.

    Examples
    --------
    >>> import numpy as np
    >>> from whence import LocationScaleRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, 500)
    >>> y = x + (0.1 + x) * rng.normal(size=500)
    >>> mean, std = LocationScaleRegressor(n_knots=4).fit(x[:, None], y).predict([[0.1], [0.9]], return_std=True)
    >>> bool(std[1] > 2 * std[0])
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_knots": [Interval(Integral, *SPLINE_KNOTS, closed="both")],
        "degree": [Interval(Integral, *SPLINE_DEGREES, closed="both")],
        "delta": [Interval(Real, 0, None, closed="neither")],
        "knots": [StrOptions({"uniform", "quantile"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_knots: int = N_KNOTS,
        degree: int = DEGREE,
        *,
        delta: float = DELTA,
        knots: Literal["uniform", "quantile"] = "uniform",
        max_iter: int = MAX_ITER,
    ) -> None:
        self.n_knots = n_knots
        self.degree = degree
        self.delta = delta
        self.knots = knots
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows X and targets y; a row of weight k counts like k equal rows, a row of weight 0 like none."""
        rows, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        counted = weights > 0
        rows, targets, weights = rows[counted], targets[counted].astype(np.float64), weights[counted]
        self.y_mean_, self.y_scale_ = map(float, weighted_moments(targets, weights))
        self.knots_ = [self._column_knots(column) for column in rows.T]
        order = np.argsort(rows[:, 0], kind="stable")
        target = ((targets - self.y_mean_) / self.y_scale_)[order]
        solution = fit_natural(self._design(rows[order]), target, weights[order], float(self.delta), self.max_iter)
        self._coefficients = solution.coefficients
        self.coef_location_ = solution.coefficients[0::2]
        self.coef_precision_ = solution.coefficients[1::2]
        self.kkt_, self.n_iter_ = float(solution.kkt), int(solution.n_iter)
        self.converged_ = self.kkt_ <= KKT_CERTIFIED
        self.message_ = "" if self.converged_ else not_converged(self.n_iter_, self.kkt_)
        self._information = information_factor(solution.hessian * weights.sum(), solution.coefficients)
        if self.message_:
            warnings.warn(self.message_, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean of y at X, and its standard deviation if asked for; beyond the data the end values hold."""
        e, p, back = self._natural(X)
        mean = (self.y_mean_ + self.y_scale_ * gaussian.location(e, p))[back]
        if not return_std:
            return mean
        return mean, (self.y_scale_ * np.sqrt(gaussian.variance(p)))[back]

    def predict_dist(self, X: ArrayLike) -> Any:
        """The predicted law at X as a frozen `scipy.stats.norm`."""
        from scipy.stats import norm

        mean, std = self.predict(X, return_std=True)
        return norm(mean, std)

    def predict_quantile(self, X: ArrayLike, q: ArrayLike = 0.5) -> FloatArray:
        """Quantiles of y at X: shape (n,) for one level, (n, len(q)) for several."""
        from scipy.special import ndtri

        levels = np.asarray(q, dtype=np.float64)
        if not np.all((levels > 0) & (levels < 1)):
            raise ValueError(f"Got quantile levels {q!r}; expected numbers strictly between 0 and 1.")
        mean, std = self.predict(X, return_std=True)
        return np.asarray(
            mean + std * ndtri(levels) if levels.ndim == 0 else mean[:, None] + std[:, None] * ndtri(levels)
        )

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> FloatArray:
        """Draw from the predicted law: shape (n, n_samples)."""
        mean, std = self.predict(X, return_std=True)
        noise = check_random_state(random_state).standard_normal((len(mean), n_samples))
        return np.asarray(mean[:, None] + std[:, None] * noise)

    def log_likelihood(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Log density of every y at its X, in nats, in y's own units."""
        e, p, back = self._natural(X)
        target = (np.asarray(y, dtype=np.float64) - self.y_mean_) / self.y_scale_
        return gaussian.log_density(e[back], p[back], np.log(2.0 * p[back]), target) - np.log(self.y_scale_)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean log-likelihood in nats (not R²): higher is better, comparable between models of the same y."""
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.log_likelihood(X, y), weights=weights))

    def standard_errors(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Asymptotic standard errors of the predicted mean and of the predicted standard deviation at X.

        From the inverse Fisher information, which here equals the Hessian; coefficients at their bound are known.
        """
        design, back = self._sorted_design(X)
        of_mean, of_std = standard_errors(design, self._coefficients, self._information)
        return self.y_scale_ * of_mean[back], self.y_scale_ * of_std[back]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # `score` is a log-likelihood, not R²
        return tags

    def _column_knots(self, column: FloatArray) -> FloatArray:
        low, high = float(column.min()), float(column.max())
        if low == high:
            low, high = low - 0.5, high + 0.5
        base = np.linspace(low, high, self.n_knots)
        if self.knots == "quantile":
            levels = np.unique(np.quantile(column, np.linspace(0, 1, self.n_knots)))
            base = levels if len(levels) > 1 else base
        return extend_knots(base, self.degree)

    def _design(self, X: FloatArray) -> Design:
        return additive_design(
            [
                spline_rows(np.ascontiguousarray(u), knots, self.degree)
                for u, knots in zip(X.T, self.knots_, strict=True)
            ]
        )

    def _sorted_design(self, X: ArrayLike) -> tuple[Design, np.ndarray]:
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        order = np.argsort(rows[:, 0], kind="stable")
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return self._design(rows[order]), back

    def _natural(self, X: ArrayLike) -> tuple[FloatArray, FloatArray, np.ndarray]:
        design, back = self._sorted_design(X)
        e, p = predict_rows(design.values, design.bounds, design.index, self._coefficients)
        # Inputs in a gap where every precision coefficient is zero carry no information: the scale is huge there.
        return e, np.maximum(p, np.finfo(float).tiny ** 0.25), back
