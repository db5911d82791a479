"""Paths of models from one that fits both ways (t = 0) to one that does not (t = 1)."""

from collections.abc import Callable

import numpy as np

from whence.pair import FloatArray
from whence.theory.calculus import panels
from whence.theory.families import rational_gaussian
from whence.theory.laws import Law, gaussian, tabulated
from whence.theory.model import Model

EXPONENT: FloatArray = np.array([[0.0, 2.0, 1.0], [2.0, 4.0, -1.0], [1.0, -1.0, 1.0]])
"""Where the second path starts: a member of the second family that is the same with x and y exchanged."""


def bend(t: float) -> Model:
    """From a straight line with constant noise to a bent one whose noise changes; cause and noise stay Gaussian."""
    return Model(
        lambda x: x + t * (np.tanh(2 * x) - x),
        lambda x: 0.5 * np.exp(0.5 * t * np.sin(1.5 * x)),
        gaussian(),
        gaussian(),
    )


def temper(t: float) -> Model:
    """f = P/Q and g = 1/√Q stay as they are, and the cause's law goes over to the Gaussian with its mean and variance.

    Only the marginal changes: what makes the second family exceptional is that the cause's law fits f and g.
    """
    start = rational_gaussian(EXPONENT).forward()
    target = gaussian(*_moments(start.cause))
    cause = tabulated(lambda x: (1 - t) * start.cause.log_density(x) + t * target.log_density(x))
    return Model(start.location, start.scale, start.noise, cause)


PATHS: dict[str, Callable[[float], Model]] = {"bend": bend, "temper": temper}


def _moments(law: Law) -> tuple[float, float]:
    nodes, weights = panels(law.low, law.high, 400)
    mass = weights * np.exp(law.log_density(nodes))
    mean = float(np.sum(mass * nodes))
    return mean, float(np.sqrt(np.sum(mass * (nodes - mean) ** 2)))
