"""Effects from random neural networks fed with cause and noise; Net-like is a look-alike of CE-Net, whose code is lost.

Known of CE-Net (Goudet et al. 2018): the cause's law is chosen at random, the effect is the output of a randomly
initialised network of cause and noise. Widths, weights and the list of laws here are ours.
"""

import numpy as np

from whence.datasets.classic import Columns
from whence.datasets.laws import Law, any_of, exponential, gamma2, gaussian, laplace, log_normal, uniform
from whence.pair import FloatArray, standardise

HIDDEN = 20

LAWS: dict[str, Law] = {
    "gaussian": gaussian,
    "exponential": exponential,
    "gamma": gamma2,
    "lognormal": log_normal,
    "laplace": laplace,
    "uniform": uniform,
}


def draw(rng: np.random.Generator, n: int) -> Columns:
    """Net-like: standardised cause, normal noise, one hidden layer."""
    cause = standardise(any_of(LAWS, rng, n))
    return cause, standardise(network(rng, cause, rng.standard_normal(n)))


def network(rng: np.random.Generator, cause: FloatArray, noise: FloatArray) -> FloatArray:
    """20 tanh units with N(0, 1) weights and biases."""
    weights = rng.standard_normal((2, HIDDEN))
    hidden = np.tanh(np.outer(cause, weights[0]) + np.outer(noise, weights[1]) + rng.standard_normal(HIDDEN))
    return np.asarray(hidden @ rng.standard_normal(HIDDEN))
