"""The identifiability equation (Immer et al. 2023, Theorem 1), evaluated.

Let y = f(x) + g(x)·N. If x = h(y) + k(y)·M fits as well, then with ν₁ = log p(y), ν(x | y) the log density of that
backward model, and G = g f′ + g′ (y − f), wherever G ≠ 0,

    0 = ν₁″ + (g′/G) ν₁′ + ∂²ν/∂y² + (g/G) ∂²ν/∂y∂x + (g′/G) ∂ν/∂y.                                        (*)

What ν is put in matters. With the *exact* conditional p(x | y) the left-hand side vanishes for every forward model:
ν₁ + ν is then log p(x, y), and (*) only says that the noise is independent of x. The equation has content when ν is of
location-scale form. The one candidate is fixed by the data: h and k the conditional mean and standard deviation of x
given y, and one law for the noise M, pooled over y. If a backward model exists, the candidate is it, and (*) holds;
if not, the candidate's ν differs from the exact one and (*) fails where it does.
"""

from dataclasses import dataclass

import numpy as np

from causewise.lab.theory.calculus import Jet, as_jet, variables
from causewise.lab.theory.model import Model
from causewise.pair import FloatArray

TOLERANCE = 1e-6
"""Relative; quadrature and rounding leave about 1e-9 on the models that fit both ways."""


@dataclass(frozen=True, eq=False)
class Balance:
    """The left-hand side on a grid, relative to the sizes of its five terms: |Σ terms| / Σ |terms|, between 0 and 1."""

    x: FloatArray
    y: FloatArray
    relative: FloatArray
    """relative[i, j] belongs to (x[i], y[j])."""
    weight: FloatArray
    """The joint density there, summing to one."""

    @property
    def worst(self) -> float:
        """Largest entry."""
        return float(np.max(self.relative))

    @property
    def typical(self) -> float:
        """Mean, weighted by the density."""
        return float(np.sum(self.weight * self.relative))

    @property
    def backward_can_exist(self) -> bool:
        """Whether the equation holds to numerical accuracy."""
        return self.worst <= TOLERANCE

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.backward_can_exist:
            return (
                f"The equation holds on the whole grid (worst relative residual {self.worst:.1e}): a backward "
                "location-scale model exists, and no data can tell the directions apart."
            )
        i, j = np.unravel_index(np.argmax(self.relative), self.relative.shape)
        return (
            f"The equation fails (relative residual {self.typical:.2g} on average, {self.worst:.2g} at x = "
            f"{self.x[i]:.3g}, y = {self.y[j]:.3g}): no backward location-scale model exists, the direction is "
            "identifiable."
        )


def evaluate(model: Model, points: int = 13, coverage: float = 0.96) -> Balance:
    """Evaluate (*) with the only possible backward model, on a grid that covers both marginals' central part."""
    x, y = grid(model, points, coverage)
    at_x, at_y = variables(x[:, None], y[None, :])
    p_y, mean, spread = model.reverse_moments(at_y)
    s = (at_x - mean) / spread
    q, q1, q2 = (v.reshape(points, points) for v in model.reverse_noise(s.value.ravel()))
    nu = s.through((np.log(q), q1 / q, q2 / q - (q1 / q) ** 2)) - np.log(spread)
    return balance(model, x, y, np.log(p_y), nu)


def evaluate_exact(model: Model, points: int = 13, coverage: float = 0.96) -> Balance:
    """The same with the exact conditional: zero for every model, and so a check of every derivative."""
    x, y = grid(model, points, coverage)
    at_x, at_y = variables(x[:, None], y[None, :])
    log_p_y = np.log(model.reverse_moments(at_y)[0])
    nu = model.log_joint(at_x, at_y) - log_p_y
    return balance(model, x, y, log_p_y, nu)


def balance(model: Model, x: FloatArray, y: FloatArray, nu_1: Jet, nu: Jet) -> Balance:
    """The five terms, multiplied by G so that nothing is divided by zero."""
    at_x, at_y = variables(x[:, None], y[None, :])
    f, g = as_jet(model.location(at_x)), as_jet(model.scale(at_x))
    big_g = g.value * f.x + g.x * (at_y.value - f.value)
    terms = np.stack(np.broadcast_arrays(big_g * nu_1.yy, g.x * nu_1.y, big_g * nu.yy, g.value * nu.xy, g.x * nu.y))
    density = np.exp(np.asarray(model.log_joint(x[:, None], y[None, :])))
    relative = np.abs(terms.sum(axis=0)) / np.maximum(np.abs(terms).sum(axis=0), np.finfo(float).tiny)
    return Balance(x, y, relative, density / density.sum())


def grid(model: Model, points: int, coverage: float) -> tuple[FloatArray, FloatArray]:
    """Equally spaced between the outer quantiles of either marginal."""
    levels = (0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage)
    x, x_weights = model.cause_nodes
    y, y_weights = model.effect_nodes
    x_ends = _quantiles(x, x_weights * np.exp(model.cause.log_density(x)), levels)
    y_ends = _quantiles(y, y_weights * model.effect_density(y), levels)
    return np.linspace(*x_ends, num=points), np.linspace(*y_ends, num=points)


def _quantiles(nodes: FloatArray, mass: FloatArray, levels: tuple[float, float]) -> tuple[float, float]:
    cumulative = np.cumsum(mass)
    low, high = np.interp(levels, cumulative / cumulative[-1], nodes)
    return float(low), float(high)
