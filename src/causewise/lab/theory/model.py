"""A location-scale noise model y = f(x) + g(x)·N as a distribution of (x, y), and its reverse by quadrature.

Log densities of causes and noises accept arrays and jets alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.lab.theory.calculus import Jet, panels
from causewise.pair import FloatArray

PANELS = 48

# ---- distributions

Function = Callable[[Any], Any]
"""A formula of NumPy operations: arrays to arrays, jets to jets."""

# e^−45 ≈ 3e−20 of the peak: the mass beyond is lost in the rounding of any sum over the support.
DEPTH = 45.0
"""The support of a density ends where its logarithm is this far below its peak."""


@dataclass(frozen=True)
class Distribution:
    """A smooth density on an interval outside of which it is zero, or too small to matter."""

    log_density: Function
    low: float
    high: float

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Invert the distribution function, tabulated on 16 000 nodes."""
        nodes, weights = panels(self.low, self.high, 1000)
        mass = np.cumsum(np.exp(self.log_density(nodes)) * weights)
        return np.interp(rng.uniform(0, mass[-1], n), mass, nodes)


def gaussian(mean: float = 0.0, sd: float = 1.0) -> Distribution:
    """N(mean, sd²)."""
    reach = np.sqrt(2 * DEPTH) * sd
    return Distribution(
        lambda v: -0.5 * ((v - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi)),
        mean - reach,
        mean + reach,
    )


def scale_mixture() -> Distribution:
    """√v·ε with v ~ U(1, 2), the cause and noise of the sets AN to MNU."""
    # Gauss–Legendre over the variance: six nodes stand for the whole mixture to nine digits.
    points, weights = np.polynomial.legendre.leggauss(6)
    variances, shares = 1.5 + 0.5 * points, 0.5 * weights
    widest = variances[-1]

    def log_density(v: Any) -> Any:
        # The widest component is taken out of the sum, so that the rest never underflows together with it.
        total = 0.0
        for s2, w in zip(variances, shares, strict=True):
            total = total + (w / np.sqrt(2 * np.pi * s2)) * np.exp((-0.5 / s2 + 0.5 / widest) * v**2)
        return np.log(total) - 0.5 * v**2 / widest

    reach = float(np.sqrt(2 * DEPTH * widest))
    return Distribution(log_density, -reach, reach)


def soft_uniform(low: float, high: float, blur: float = 0.05) -> Distribution:
    """Uniform plus logistic noise of size `blur`·width."""
    # A plain uniform density has jumps, and the equation needs two derivatives.
    size = blur * (high - low)

    def log_density(v: Any) -> Any:
        # The difference of two logistic functions, as a product that cancels nowhere.
        rise, fall = np.logaddexp((low - v) / size, 0.0), np.logaddexp((v - high) / size, 0.0)
        return -rise - fall + np.log(-np.expm1((low - high) / size) / (high - low))

    return Distribution(log_density, low - DEPTH * size, high + DEPTH * size)


def logistic() -> Distribution:
    """The standard logistic distribution: tails heavier than Gaussian."""
    return Distribution(lambda v: -v - 2 * np.logaddexp(-v, 0.0), -DEPTH, DEPTH)


def bimodal() -> Distribution:
    """Equal mixture of N(−1, ¼) and N(1, ¼)."""
    halves = [gaussian(centre, 0.5).log_density for centre in (-1.0, 1.0)]
    return Distribution(lambda v: np.logaddexp(halves[0](v), halves[1](v)) - np.log(2), -6.0, 6.0)


def tabulate(log_density: Function) -> Distribution:
    """Normalise an unnormalised log density whose mass lies within ±10⁴ and varies over lengths above 10⁻³."""
    # A sinh grid is fine around zero and coarse far out, so that one pass finds a support of any size.
    wide = np.sinh(np.linspace(-10, 10, 40_001))
    heights = log_density(wide)
    inside = wide[heights > heights.max() - DEPTH]
    low, high = float(inside[0]), float(inside[-1])
    nodes, weights = panels(low, high, 400)
    peak = float(log_density(nodes).max())
    mass = float(np.sum(weights * np.exp(log_density(nodes) - peak)))
    return Distribution(lambda v: log_density(v) - (peak + np.log(mass)), low, high)


NAMED: dict[str, Callable[[], Distribution]] = {
    "gaussian": gaussian,
    "scale-mixture": scale_mixture,
    "uniform": lambda: soft_uniform(-1.0, 1.0),
    "logistic": logistic,
    "bimodal": bimodal,
}


def distribution(law: str | Function | Distribution) -> Distribution:
    """By name, as an unnormalised log density, or as it is."""
    if isinstance(law, Distribution):
        return law
    if isinstance(law, str):
        if law not in NAMED:
            raise InputError(f"Got the distribution {law!r}; expected one of {', '.join(NAMED)}, or a log density.")
        return NAMED[law]()
    return tabulate(law)


# ---- models


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
    """The model y = f(x) + g(x)·noise; distributions by name (see `NAMED`) or as log densities.

    All functions are formulas of NumPy operations, such as `lambda x: np.tanh(x) / 2`; derivatives come by themselves.

    Examples
    --------
    >>> from causewise.lab.theory.conditions import evaluate
    >>> evaluate(location_scale(lambda x: 2 * x, lambda x: 1.0)).backward_can_exist
    True
    >>> evaluate(location_scale(lambda x: x + x**3, lambda x: 1.0)).backward_can_exist
    False
    """
    return Model(f, lambda x: g(x) + 0.0 * x, distribution(noise), distribution(cause))


def _integral(weights: FloatArray, integrand: Any) -> Any:
    """Σ over the first axis; of a jet, every derivative is integrated."""
    return integrand.map(lambda part: weights @ part) if isinstance(integrand, Jet) else weights @ integrand
