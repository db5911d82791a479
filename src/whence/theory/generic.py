"""Random models like those behind the sets AN, ANs, LS, LSs and MNU, smooth enough for the equation.

Two things are changed: a Gaussian process becomes a sum of 40 random waves with the same covariance, and scales that
touch zero are kept above a small floor, since the equation speaks about densities with two derivatives.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from whence.theory.laws import Function, Law, scale_mixture, soft_uniform
from whence.theory.model import Model

_FLOOR = 0.1


def draw_generic(name: str, rng: np.random.Generator) -> Model:
    """A random model of the class AN, ANs, LS, LSs or MNU."""
    return GENERIC[name](rng)


def _additive(rng: np.random.Generator, mechanism: "Mechanism") -> Model:
    return Model(mechanism(rng), lambda x: 0.2 + 0.0 * x, scale_mixture(), scale_mixture())


def _location_scale(rng: np.random.Generator, mechanism: "Mechanism") -> Model:
    f = mechanism(rng)
    least = float(np.min(f(np.linspace(-4.2, 4.2, 2001))))  # of a thousand causes hardly one lies outside
    # √(a² + floor²) in place of a = f − min f, which would be zero at one point.
    return Model(f, lambda x: 0.2 * np.sqrt((f(x) - least + _FLOOR) ** 2 + _FLOOR**2), scale_mixture(), scale_mixture())


def _multiplicative(rng: np.random.Generator) -> Model:
    f = sigmoid(rng)
    # y = f·U with U uniform on (0, 1): location f/2, scale |f|, noise uniform on (−½, ½).
    return Model(
        lambda x: 0.5 * f(x), lambda x: np.sqrt(f(x) ** 2 + _FLOOR**2), soft_uniform(-0.5, 0.5), scale_mixture()
    )


def waves(rng: np.random.Generator, count: int = 40) -> Function:
    """√(2/m) Σ cos(ωᵢx + φᵢ), ω ~ N(0, 1): covariance exp(−d²/2) (Rahimi & Recht 2007)."""
    omega, phase = rng.standard_normal(count), rng.uniform(0, 2 * np.pi, count)

    def f(x: Any) -> Any:
        total = 0.0 * x
        for w, p in zip(omega, phase, strict=True):
            total = total + np.cos(w * x + p)
        return np.sqrt(2 / count) * total

    return f


def sigmoid(rng: np.random.Generator) -> Function:
    """c·b(x+a)/(1 + |b(x+a)|) with |·| made smooth at zero."""
    a, b = rng.uniform(-2, 2), rng.uniform(0.5, 2) * rng.choice([-1.0, 1.0])
    c = 1 + rng.exponential(0.25)

    def f(x: Any) -> Any:
        z = b * (x + a)
        return c * z / (1 + np.sqrt(z**2 + _FLOOR**2))

    return f


Mechanism = Callable[[np.random.Generator], Function]

GENERIC: dict[str, Callable[[np.random.Generator], Model]] = {
    "AN": lambda rng: _additive(rng, waves),
    "ANs": lambda rng: _additive(rng, sigmoid),
    "LS": lambda rng: _location_scale(rng, waves),
    "LSs": lambda rng: _location_scale(rng, sigmoid),
    "MNU": _multiplicative,
}

__all__ = ["GENERIC", "Law", "draw_generic", "sigmoid", "waves"]
