"""`LocationScaleRegressor`: the concave location-scale fit as a scikit-learn estimator.

One input column or several: the features of several columns are put side by side, so that both natural parameters are
additive in the inputs and the problem stays concave.
"""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from causewise.errors import ITERATIONS, REALS, SPLINE_DEGREES, SPLINE_KNOTS
from causewise.models.location_scale import LocationScaleEstimator
from causewise.models.spline import DEGREE, DELTA, MAX_ITER, N_KNOTS, information_factor, not_converged, standard_errors
from causewise.numerics.newton import KKT_CERTIFIED, fit_natural
from causewise.numerics.splines import Design, additive_design, extend_knots, spline_rows
from causewise.pair import FloatArray


class LocationScaleRegressor(LocationScaleEstimator):
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
    n_features_in_ : int
        Number of input columns.
    knots_ : list of ndarray
        Knots of every input column, with those beyond its ends.
    coef_location_, coef_precision_ : ndarray of shape (n_spline_features,)
        Coefficients of e and p (see `causewise.numerics.gaussian`), for a standardised target.
    y_mean_, y_scale_ : float
        What standardises the target.
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
        "n_knots": [Interval(Integral, *SPLINE_KNOTS, closed="both")],
        "degree": [Interval(Integral, *SPLINE_DEGREES, closed="both")],
        "delta": [Interval(Real, *REALS, closed="both")],
        "knots": [StrOptions({"uniform", "quantile"})],
        "max_iter": [Interval(Integral, *ITERATIONS, closed="both")],
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
        rows, target, weights = self._prepared(X, y, sample_weight)
        self.knots_ = [self._column_knots(column) for column in rows.T]
        order = np.argsort(rows[:, 0], kind="stable")
        design = self._design(rows[order])
        solution = fit_natural(design, target[order], weights[order], float(self.delta), self.max_iter)
        self._coefficients = solution.coefficients
        self.coef_location_ = solution.coefficients[0::2]
        self.coef_precision_ = solution.coefficients[1::2]
        self.kkt_ = float(solution.kkt)
        self._information = information_factor(solution.hessian * weights.sum(), solution.coefficients)
        message = "" if self.kkt_ <= KKT_CERTIFIED else not_converged(int(solution.n_iter), self.kkt_)
        self._finished(int(solution.n_iter), message)
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
        design, back = self._sorted_design(self._checked(X))
        of_mean, of_std = standard_errors(design, self._coefficients, self._information)
        return self.y_scale_ * of_mean[back], self.y_scale_ * of_std[back]

    def _natural(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        design, back = self._sorted_design(rows)
        e, p = design.predict(self._coefficients)
        # Inputs in a gap where every precision coefficient is zero carry no information: the scale is huge there.
        p = np.maximum(p, np.finfo(float).tiny ** 0.25)[back]
        return e[back], p, np.log(2.0 * p)

    def _column_knots(self, column: FloatArray) -> FloatArray:
        low, high = float(column.min()), float(column.max())
        # A constant input still needs an interval of positive length for its knots.
        if low == high:
            low, high = low - 0.5, high + 0.5
        base = np.linspace(low, high, self.n_knots)
        if self.knots == "quantile":
            # Quantiles of a column with ties coincide, and a knot that stands twice makes a spline less smooth there.
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

    def _sorted_design(self, rows: FloatArray) -> tuple[Design, np.ndarray]:
        """The design of rows sorted by the first input, as designs must be, and what undoes the sorting."""
        order = np.argsort(rows[:, 0], kind="stable")
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return self._design(rows[order]), back
