"""`LocationScaleModel`: effect = μ(parents) + σ(parents) · noise as a mechanism of dowhy.gcm.

dowhy's own invertible mechanisms add noise of one law whatever the parents are. Where its scale depends on them, the
test of dowhy rejects these mechanisms, and what they say of interventions and counterfactuals has the wrong scale.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from causewise.errors import InputError
from causewise.models.estimator import LocationScaleEstimator, LocationScaleRegressor
from causewise.pair import FloatArray

try:
    from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel, StochasticModel
    from dowhy.gcm.stochastic_models import EmpiricalDistribution
except ImportError as missing:
    raise ImportError(
        f"causewise.integrations.dowhy needs dowhy, which cannot be imported ({missing}); install it with: pip install "
        "dowhy.",
        name=missing.name,
    ) from None


class LocationScaleModel(InvertibleFunctionalCausalModel):
    """A mechanism for dowhy.gcm in which the parents set the mean and the standard deviation of the effect.

    The noise is (effect − mean) / standard deviation, so it can be recovered, and counterfactuals follow. Several
    parents act additively on both natural parameters. Beyond the parents' observed range the end values hold.

    Parameters
    ----------
    regressor : LocationScaleRegressor or LocationScaleNetwork, default=None
        What is fitted, on a copy; None for `LocationScaleRegressor()`.
    noise_model : dowhy.gcm.StochasticModel, default=None
        The law of the noise; None for dowhy's EmpiricalDistribution, which draws from the residuals.

    Examples
    --------
    >>> import networkx as nx, numpy as np, pandas as pd
    >>> from dowhy import gcm
    >>> from causewise.integrations.dowhy import LocationScaleModel
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 3, 1000)
    >>> table = pd.DataFrame({"x": x, "y": x + (0.1 + x) * rng.normal(size=1000)})
    >>> model = gcm.InvertibleStructuralCausalModel(nx.DiGraph([("x", "y")]))
    >>> model.set_causal_mechanism("x", gcm.EmpiricalDistribution())
    >>> model.set_causal_mechanism("y", LocationScaleModel())
    >>> _ = gcm.fit(model, table)
    >>> drawn = gcm.interventional_samples(model, {"x": lambda x: 3.0}, num_samples_to_draw=500)
    >>> bool(2 < drawn["y"].std() < 4)
    True
    """

    def __init__(
        self, regressor: LocationScaleEstimator | None = None, noise_model: StochasticModel | None = None
    ) -> None:
        self.regressor = LocationScaleRegressor() if regressor is None else clone(regressor)
        self.noise_model = EmpiricalDistribution() if noise_model is None else noise_model

    def fit(self, X: ArrayLike, Y: ArrayLike) -> None:
        """Fit mean and scale to the parents X and the effect Y, and the noise's law to what they leave."""
        self.regressor.fit(_to_matrix(X, "parents"), _to_matrix(Y, "effect")[:, 0])
        self.noise_model.fit(self.estimate_noise(Y, X))

    def estimate_noise(self, target_samples: ArrayLike, parent_samples: ArrayLike) -> FloatArray:
        """Recover the noise that gives each effect from its parents, one column."""
        mean, std = self._predict_moments(parent_samples)
        return np.asarray((_to_matrix(target_samples, "effect") - mean) / std)

    def draw_noise_samples(self, num_samples: int) -> FloatArray:
        """Draw noise, one column."""
        return np.asarray(self.noise_model.draw_samples(num_samples))

    def evaluate(self, parent_samples: ArrayLike, noise_samples: ArrayLike) -> FloatArray:
        """Compute the effect of parents and noise, one column."""
        mean, std = self._predict_moments(parent_samples)
        return np.asarray(mean + std * _to_matrix(noise_samples, "noise"))

    def clone(self) -> Self:
        """Copy the settings; the copy is not fitted."""
        return type(self)(self.regressor, self.noise_model.clone())

    def __str__(self) -> str:
        return f"LocationScaleModel using {type(self.regressor).__name__}"

    def _predict_moments(self, parents: ArrayLike) -> tuple[FloatArray, FloatArray]:
        mean, std = self.regressor.predict(_to_matrix(parents, "parents"), return_std=True)
        return mean[:, None], std[:, None]


def _to_matrix(values: Any, what: str) -> FloatArray:
    """Rows of finite numbers; a single sequence is one column, as in dowhy."""
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"Got {what} with values that are no numbers; expected columns of numbers: encode categories as numbers, "
            "or give this node one of dowhy's mechanisms."
        ) from None
    return table.reshape(len(table), -1) if table.ndim else table.reshape(1, 1)
