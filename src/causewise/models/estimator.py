"""Location-scale models as scikit-learn estimators: what both share, and `LocationScaleRegressor`, the concave fit.

One input column or several: the features of several columns are put side by side, so that both natural parameters are
additive in the inputs and the problem stays concave.
"""

import math
import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from causewise.errors import ITERATIONS, REALS, SPLINE_DEGREES, SPLINE_KNOTS
from causewise.models.smoothness import (
    Smoothness,
    bound_means,
    bound_natural,
    build_design,
    choose_smoothness,
    place_knots,
)
from causewise.models.spline import (
    DEGREE,
    DELTA,
    MAX_ITER,
    N_KNOTS,
    convergence_message,
    information_factor,
    standard_errors,
)
from causewise.numerics import gaussian
from causewise.numerics.arrays import weighted_moments
from causewise.numerics.gaussian import fit_natural
from causewise.pair import FloatArray


class LocationScaleEstimator(RegressorMixin, BaseEstimator, ABC):
    """A scikit-learn regressor of y given x as Normal(μ(x), σ²(x)), fitted in natural parameters.

    A concrete class has `fit`, which begins with `_prepare` and ends with `_finish`, and `_natural`.
    """

    y_mean_: float
    y_scale_: float

    @abstractmethod
    def _natural(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """e, p and log 2p (see `causewise.numerics.gaussian`) at checked rows, for a standardised target."""

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict the mean of y, and its standard deviation if asked for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        return_std : bool, default=False
            Whether to return the standard deviation too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Predicted means, in the units of y.
        std : ndarray of shape (n_samples,)
            Predicted standard deviations of y; only if `return_std`.
        """
        e, p, _ = self._natural(self._check(X))
        mean = self.y_mean_ + self.y_scale_ * gaussian.location(e, p)
        return (mean, self.y_scale_ * np.sqrt(gaussian.variance(p))) if return_std else mean

    def predict_dist(self, X: ArrayLike) -> Any:
        """Predict the law of y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.

        Returns
        -------
        law : frozen scipy.stats.norm
            With one mean and one standard deviation for each row.
        """
        from scipy.stats import norm

        return norm(*self.predict(X, return_std=True))

    def predict_quantile(self, X: ArrayLike, q: ArrayLike = 0.5) -> FloatArray:
        """Predict quantiles of y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        q : float or array-like of shape (n_levels,), default=0.5
            Levels strictly between 0 and 1.

        Returns
        -------
        quantiles : ndarray of shape (n_samples,) or (n_samples, n_levels)
            One column for each level; no column axis for a single number.
        """
        from scipy.special import ndtri

        levels = np.asarray(q, dtype=np.float64)
        if not np.all((levels > 0) & (levels < 1)):
            raise ValueError(f"Got quantile levels {q!r}; expected numbers strictly between 0 and 1.")
        mean, std = self.predict(X, return_std=True)
        if levels.ndim == 0:
            return np.asarray(mean + std * ndtri(levels))
        return np.asarray(mean[:, None] + std[:, None] * ndtri(levels))

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> FloatArray:
        """Draw from the predicted law.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features_in)
            Inputs.
        n_samples : int, default=1
            Draws for each row.
        random_state : int, RandomState instance or None, default=None
            The same integer gives the same draws.

        Returns
        -------
        draws : ndarray of shape (n_samples_X, n_samples)
            One row for each row of X.
        """
        mean, std = self.predict(X, return_std=True)
        noise = check_random_state(random_state).standard_normal((len(mean), n_samples))
        return np.asarray(mean[:, None] + std[:, None] * noise)

    def log_likelihood(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Evaluate the log density of every y at its X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            In nats, with y in its own units.
        """
        e, p, log_2p = self._natural(self._check(X))
        target = (np.asarray(y, dtype=np.float64) - self.y_mean_) / self.y_scale_
        return np.asarray(gaussian.log_density(e, p, log_2p, target) - np.log(self.y_scale_))

    def log_likelihood_score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Evaluate the mean log-likelihood; `score` is R², as of every regressor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; None weighs all alike.

        Returns
        -------
        score : float
            In nats per row: higher is better, comparable between models of the same y.
        """
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.log_likelihood(X, y), weights=weights))

    def _prepare(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows of positive weight, their standardised targets and their weights."""
        rows, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        # A row of weight 0 must not even widen the range of the knots or the standardising: it is left out.
        counted = weights > 0
        rows, targets, weights = rows[counted], targets[counted].astype(np.float64), weights[counted]
        self.y_mean_, self.y_scale_ = map(float, weighted_moments(targets, weights))
        return rows, (targets - self.y_mean_) / self.y_scale_, weights

    def _finish(self, n_iter: int, message: str) -> None:
        self.n_iter_, self.message_, self.converged_ = n_iter, message, not message
        if message:
            warnings.warn(message, ConvergenceWarning, stacklevel=4)  # the line that called `fit`

    def _check(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))


class LocationScaleRegressor(LocationScaleEstimator):
    """Regression of both the mean and the standard deviation, at the global optimum.

    y given x is Normal(μ(x), σ²(x)); its natural parameters are B-splines of the inputs, the precision's with
    non-negative coefficients. The penalised likelihood is concave, and `fit` certifies its optimum.

    Beyond the smallest and the largest value of an input the fit is constant in it. With several inputs no predicted
    mean lies outside the range of the targets by more than a tenth of its length.

    Parameters
    ----------
    n_knots : int or "auto", default="auto"
        Knots per input column, 2 to 10 000; n_knots + degree − 1 features each. "auto" takes 25 for one input, as the
        methods of causewise do; for several, the number of 2 to 25 under which rows that a fit has not seen are
        likeliest, in five parts that depend on the rows alone.
    degree : int, default=5
        Degree of the splines, 0 to 20.
    delta : float or "auto", default="auto"
        Precision of the Gaussian prior on the coefficients, for a standardised target. "auto" takes 1e-5, as the
        methods of causewise do; where the knots are chosen, up to 1, chosen with them.
    knots : {"uniform", "quantile"}, default="uniform"
        Equally spaced between the smallest and the largest input, or at its quantiles.
    max_iter : int, default=500
        Newton steps allowed.

    Attributes
    ----------
    n_features_in_ : int
        Number of input columns.
    n_knots_, delta_ : int, float
        Knots per input column and precision of the prior, as given or chosen.
    knots_ : list of ndarray
        Knots of every input column, with those beyond its ends.
    coef_location_, coef_precision_ : ndarray of shape (n_spline_features,)
        Coefficients of e and p (see `causewise.numerics.gaussian`), for a standardised target.
    y_mean_, y_scale_ : float
        What standardises the target.
    bounds_ : tuple of float
        Between these, for a standardised target, lie all predicted means; infinite for one input.
    n_iter_ : int
        Newton steps taken.
    kkt_ : float
        Largest entry of the projected gradient of the mean objective, precisions on a relative scale.
    converged_ : bool
        Whether `kkt_` is below 1e-6; if not, a ConvergenceWarning was given.
    message_ : str
        Why the fit is approximate; empty if it is not.

    See Also
    --------
    LocationScaleNetwork : lets the inputs interact; its optimum is local.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise import LocationScaleRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, 500)
    >>> y = x + (0.1 + x) * rng.normal(size=500)
    >>> model = LocationScaleRegressor(n_knots=4).fit(x[:, None], y)
    >>> mean, std = model.predict([[0.1], [0.9]], return_std=True)
    >>> bool(std[1] > 2 * std[0])
    True
    >>> model.predict_quantile([[0.1], [0.9]], [0.05, 0.95]).shape
    (2, 2)
    >>> model.converged_
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_knots": [Interval(Integral, *SPLINE_KNOTS, closed="both"), StrOptions({"auto"})],
        "degree": [Interval(Integral, *SPLINE_DEGREES, closed="both")],
        "delta": [Interval(Real, *REALS, closed="both"), StrOptions({"auto"})],
        "knots": [StrOptions({"uniform", "quantile"})],
        "max_iter": [Interval(Integral, *ITERATIONS, closed="both")],
    }

    def __init__(
        self,
        n_knots: int | Literal["auto"] = "auto",
        degree: int = DEGREE,
        *,
        delta: float | Literal["auto"] = "auto",
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
        """Fit to rows X and targets y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight k counts like k equal rows, a row of weight 0 like none; None weighs all by 1.

        Returns
        -------
        self : LocationScaleRegressor
            The fitted estimator.
        """
        rows, target, weights = self._prepare(X, y, sample_weight)
        several, delta = rows.shape[1] > 1, None if self.delta == "auto" else float(self.delta)
        if several and self.n_knots == "auto":
            chosen = choose_smoothness(rows, target, weights, self.degree, self.knots, delta)
        else:
            chosen = Smoothness(N_KNOTS if self.n_knots == "auto" else self.n_knots, DELTA if delta is None else delta)
        self.n_knots_, self.delta_ = chosen
        self.knots_ = place_knots(rows, self.n_knots_, self.degree, self.knots)
        self.bounds_ = bound_means(target) if several else (-math.inf, math.inf)
        design, order = build_design(rows, self.knots_, self.degree)
        solution = fit_natural(design, target[order], weights[order], self.delta_, self.max_iter)
        self._coefficients = solution.coefficients
        self.coef_location_ = solution.coefficients[0::2]
        self.coef_precision_ = solution.coefficients[1::2]
        self.kkt_ = float(solution.kkt)
        self._information = information_factor(solution.hessian * weights.sum(), solution.coefficients)
        self._finish(solution.n_iter, convergence_message(solution))
        return self

    def standard_errors(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Estimate the asymptotic standard errors of the predictions.

        From the inverse Fisher information, which here equals the Hessian; coefficients at their bound are known.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.

        Returns
        -------
        of_mean, of_std : ndarray of shape (n_samples,)
            Standard errors of the predicted mean and of the predicted standard deviation.
        """
        design, order = build_design(self._check(X), self.knots_, self.degree)
        of_mean, of_std = standard_errors(design, self._coefficients, self._information)
        back = np.argsort(order)
        return self.y_scale_ * of_mean[back], self.y_scale_ * of_std[back]

    def _natural(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        design, order = build_design(rows, self.knots_, self.degree)
        back = np.argsort(order)
        e, p = bound_natural(*design.predict(self._coefficients), self.bounds_)
        return e[back], p[back], np.log(2.0 * p[back])
