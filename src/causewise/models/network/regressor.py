"""`LocationScaleNetwork`: the network as a scikit-learn estimator, over the same training as the methods."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from causewise.models.estimator import LocationScaleEstimator
from causewise.models.network.fitting import train
from causewise.models.network.heads import LOCATION_SCALE, natural_parameters, outputs
from causewise.models.network.training import Training, TrainingStatus, weighted_problem
from causewise.numerics.arrays import weighted_moments
from causewise.pair import FloatArray


class LocationScaleNetwork(LocationScaleEstimator):
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
    n_features_in_ : int
        Number of input columns.
    theta_ : ndarray
        Parameters of the best iterate, for standardised input and target.
    x_mean_, x_scale_ : ndarray of shape (n_features,)
        What standardises the inputs.
    y_mean_, y_scale_ : float
        What standardises the target.
    n_iter_ : int
        Steps before the best iterate, plus one.
    converged_ : bool
        Whether training ended without diverging; if not, a ConvergenceWarning was given.
    message_ : str
        What went wrong in training; empty if nothing did.

    See Also
    --------
    LocationScaleRegressor : additive in the inputs, with a certified global optimum.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise import LocationScaleNetwork
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, 300)
    >>> y = x + (0.1 + x) * rng.normal(size=300)
    >>> model = LocationScaleNetwork(hidden=20, steps=500).fit(x[:, None], y)
    >>> mean, std = model.predict([[0.1], [0.9]], return_std=True)
    >>> bool(std[1] > 2 * std[0])
    True
    >>> model.sample_y([[0.1], [0.9]], n_samples=3, random_state=0).shape
    (2, 3)
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
        self : LocationScaleNetwork
            The fitted estimator.
        """
        rows, target, weights = self._prepare(X, y, sample_weight)
        self.x_mean_, self.x_scale_ = weighted_moments(rows, weights)
        training = self._training()
        starts = [
            weighted_problem(
                self._standardise(rows), target, weights, LOCATION_SCALE, training.hidden, training.seed, restart
            )
            for restart in range(training.restarts)
        ]
        best = min(train(starts, LOCATION_SCALE, training), key=lambda network: network.loss)
        self.theta_ = best.theta
        self._finish(best.step + 1, best.status.value if best.status is TrainingStatus.DIVERGED else "")
        return self

    def _natural(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return natural_parameters(outputs(LOCATION_SCALE, self.theta_, self._standardise(rows)))

    def _standardise(self, rows: FloatArray) -> FloatArray:
        """Inputs × rows."""
        return np.ascontiguousarray(((rows - self.x_mean_) / self.x_scale_).T)

    def _training(self) -> Training:
        settings = {name: value for name, value in self.get_params().items() if name != "random_state"}
        if self.n_features_in_ > 1:
            settings |= {"device": "cpu", "engine": "compiled"}  # the engine that takes several inputs
        return Training(seed=int(self.random_state), **settings)
