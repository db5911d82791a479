"""A location-scale noise model y = f(x) + g(x)·N as a distribution of (x, y), and its reverse by quadrature."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from causewise.lab.theory.calculus import Jet, panels
from causewise.lab.theory.distributions import Distribution, Function, distribution
from causewise.pair import FloatArray

PANELS = 48


@dataclass(frozen=True, eq=False)
class Model:
    """effect = location(cause) + scale(cause)·noise, noise independent of the cause."""

    location: Function
    scale: Function
    noise: Distribution
    cause: Distribution

    def log_joint(self, x: Any, y: Any) -> Any:
        """Log density of (cause, effect) = (x, y); arrays or jets."""
        scale = self.scale(x)
        return self.cause.log_density(x) + self.noise.log_density((y - self.location(x)) / scale) - np.log(scale)

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw causes, then effects."""
        x = self.cause.sample(rng, n)
        return x, np.asarray(self.location(x) + self.scale(x) * self.noise.sample(rng, n))

    @cached_property
    def cause_nodes(self) -> tuple[FloatArray, FloatArray]:
        """Quadrature over the cause."""
        return panels(self.cause.low, self.cause.high, PANELS)

    @cached_property
    def effect_nodes(self) -> tuple[FloatArray, FloatArray]:
        """Quadrature over the effect, wherever it has a density that matters."""
        x, _ = self.cause_nodes
        seen = x[self.cause.log_density(x) > self.cause.log_density(x).max() - 40.0]
        f, g = self.location(seen) + 0.0 * seen, self.scale(seen) + 0.0 * seen
        low, high = float(np.min(f + g * self.noise.low)), float(np.max(f + g * self.noise.high))
        # Where scale(x) is large for rare x, the first interval is far too wide: cut off what carries no mass, or a
        # few improbable rows would take nearly all the nodes.
        for _ in range(3):
            y, weights = panels(low, high, PANELS)
            mass = weights * self.effect_density(y)
            carried = np.flatnonzero(mass > 1e-19 * mass.sum())
            low, high = y[max(carried[0] - 1, 0)], y[min(carried[-1] + 1, len(y) - 1)]
        return panels(low, high, PANELS)

    def effect_density(self, y: FloatArray) -> FloatArray:
        """p(y)."""
        x, weights = self.cause_nodes
        return np.asarray(self._density(x[:, None], y[None, :]).T @ weights)

    def reverse_moments(self, y: Any) -> tuple[Any, Any, Any]:
        """p(y), E[x | y] and sd[x | y] at the values of an array, or with derivatives if y is a jet."""
        x, weights = self.cause_nodes
        joint = self._density(x[:, None], y)
        mass = _integral(weights, joint)
        mean = _integral(weights * x, joint) / mass
        # Centred before it is squared: a narrow x | y far from zero would cancel.
        return mass, mean, np.sqrt(_integral(weights, joint * (x[:, None] - mean) ** 2) / mass)

    def reverse_noise(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Density of the pooled (x − E[x | y]) / sd[x | y] at s, with two derivatives."""
        y, weights = self.effect_nodes
        _, mean, k = self.reverse_moments(y)
        total = np.zeros((3, len(s)))
        for part in np.array_split(np.arange(len(s)), max(1, len(s) // 64)):
            x = mean[:, None] + k[:, None] * s[None, part]
            joint = self._density(Jet(x, x=1.0), y[:, None])
            # q(s) = ∫ p(h(y) + k(y)·s, y) k(y) dy, so each derivative in s brings another factor k.
            for order, values in enumerate((joint.value, joint.x, joint.xx)):
                total[order, part] = (weights * k ** (order + 1)) @ np.broadcast_to(values, x.shape)
        return total[0], total[1], total[2]

    def _density(self, x: Any, y: Any) -> Any:
        return np.exp(self.log_joint(x, y))


def location_scale(
    f: Function,
    g: Function,
    noise: str | Function | Distribution = "gaussian",
    cause: str | Function | Distribution = "gaussian",
) -> Model:
    """The model y = f(x) + g(x)·noise; distributions by name (see `distributions.NAMED`) or as log densities.

    All functions are formulas of NumPy operations, such as `lambda x: np.tanh(x) / 2`; derivatives come by themselves.

    Examples
    --------
    >>> from causewise.lab.theory.equation import evaluate
    >>> evaluate(location_scale(lambda x: 2 * x, lambda x: 1.0)).backward_can_exist
    True
    >>> evaluate(location_scale(lambda x: x + x**3, lambda x: 1.0)).backward_can_exist
    False
    """
    return Model(f, lambda x: g(x) + 0.0 * x, distribution(noise), distribution(cause))


def _integral(weights: FloatArray, integrand: Any) -> Any:
    """Σ over the first axis; of a jet, every derivative is integrated."""
    return integrand.map(lambda part: weights @ part) if isinstance(integrand, Jet) else weights @ integrand
