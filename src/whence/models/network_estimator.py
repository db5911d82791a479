"""`LocationScaleNetwork`: the network as a scikit-learn estimator, over the same training as the methods."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from whence.models.network import train
from whence.models.network_heads import LOCATION_SCALE, location_and_scale, log_density, outputs
from whence.models.network_layout import weighted_problem
from whence.models.network_training import Status, Training
from whence.numerics.arrays import weighted_moments
from whence.pair import FloatArray


class LocationScaleNetwork(RegressorMixin, BaseEstimator):
    """Regression of both the mean and the standard deviation by a neural network in natural parameters.

    y given x is Normal(μ(x), σ²(x)). Unlike `LocationScaleRegressor` it lets inputs interact, and the optimum it finds
    is local: it depends on the seed.

    Parameters
    ----------
    hidden : int, default=100
        Hidden tanh units.
    steps : int, default=5000
        Steps of Adam on all rows.
    first_rate, last_rate : float, default=1e-2, 1e-6
        Learning rate at both ends of its cosine schedule.
    restarts : int, default=1
        Fits from different starts; the best likelihood wins.
    patience : int, default=0
        Stop when so many steps bring less than `tolerance` nats per row; 0 never stops early.
    tolerance : float, default=1e-4
        See `patience`.
    precision : {"float64", "float32"}, default="float64"
        Arithmetic of the training.
    device : {"auto", "cpu", "gpu"}, default="cpu"
        "cpu" needs no JAX; "auto" takes a GPU where JAX sees one. Several input columns train on the CPU.
    random_state : int, default=0
        Seed of the starts.

    Attributes
    ----------
    theta_ : ndarray
        Parameters of the best iterate, for standardised input and target.
    n_iter_ : int
        Steps before that iterate.
    converged_ : bool
        Whether training ended without diverging; if not, a ConvergenceWarning was given.

    Examples
    --------
    >>> import numpy as np
    >>> from whence import LocationScaleNetwork
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, 300)
    >>> y = x + (0.1 + x) * rng.normal(size=300)
    >>> model = LocationScaleNetwork(hidden=20, steps=500).fit(x[:, None], y)
    >>> mean, std = model.predict([[0.1], [0.9]], return_std=True)
    >>> bool(std[1] > 2 * std[0])
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden": [Interval(Integral, 1, None, closed="left")],
        "steps": [Interval(Integral, 1, None, closed="left")],
        "first_rate": [Interval(Real, 0, None, closed="neither")],
        "last_rate": [Interval(Real, 0, None, closed="left")],
        "restarts": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 0, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "precision": [StrOptions({"float64", "float32"})],
        "device": [StrOptions({"auto", "cpu", "gpu"})],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        hidden: int = 100,
        steps: int = 5000,
        *,
        first_rate: float = 1e-2,
        last_rate: float = 1e-6,
        restarts: int = 1,
        patience: int = 0,
        tolerance: float = 1e-4,
        precision: Literal["float64", "float32"] = "float64",
        device: Literal["auto", "cpu", "gpu"] = "cpu",
        random_state: int = 0,
    ) -> None:
        self.hidden = hidden
        self.steps = steps
        self.first_rate = first_rate
        self.last_rate = last_rate
        self.restarts = restarts
        self.patience = patience
        self.tolerance = tolerance
        self.precision = precision
        self.device = device
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows X and targets y; a row of weight k counts like k equal rows, a row of weight 0 like none."""
        rows, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        weight = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        counted = weight > 0
        rows, target, weight = rows[counted], np.asarray(target, dtype=np.float64)[counted], weight[counted]
        self.x_mean_, self.x_scale_ = weighted_moments(rows, weight)
        self.y_mean_, self.y_scale_ = weighted_moments(target, weight)
        u, v = ((rows - self.x_mean_) / self.x_scale_).T, (target - self.y_mean_) / self.y_scale_
        training = self._training()
        starts = [
            weighted_problem(u, v, weight, LOCATION_SCALE, training.hidden, training.seed, restart)
            for restart in range(training.restarts)
        ]
        best = min(train(starts, LOCATION_SCALE, training), key=lambda trained: trained.loss)
        self.theta_, self.n_iter_ = best.theta, best.step + 1
        self.converged_ = best.status is not Status.DIVERGED
        if not self.converged_:
            warnings.warn(best.status.value, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean of y at X, and its standard deviation if asked for."""
        u = self._standardised(X)
        location, scale = location_and_scale(LOCATION_SCALE, outputs(LOCATION_SCALE, self.theta_, u))
        mean = self.y_mean_ + self.y_scale_ * location
        return (mean, self.y_scale_ * scale) if return_std else mean

    def log_likelihood(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Log density of every y at its X, in nats, in y's own units."""
        u = self._standardised(X)
        v = (np.asarray(y, dtype=np.float64) - self.y_mean_) / self.y_scale_
        return log_density(LOCATION_SCALE, outputs(LOCATION_SCALE, self.theta_, u), v) - np.log(self.y_scale_)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean log-likelihood in nats (not R²): higher is better, comparable between models of the same y."""
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.log_likelihood(X, y), weights=weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # `score` is a log-likelihood, not R²
        return tags

    def _training(self) -> Training:
        given = {name: value for name, value in self.get_params().items() if name != "random_state"}
        if self.n_features_in_ > 1:
            given |= {"device": "cpu", "engine": "compiled"}  # the engine that takes several inputs
        return Training(seed=int(self.random_state), **given)

    def _standardised(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return np.ascontiguousarray(((rows - self.x_mean_) / self.x_scale_).T)
