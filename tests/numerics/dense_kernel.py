"""Laws of columns to test on, and the centred kernel in its dense form, which exists only here."""

import numpy as np

LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "t3": lambda rng, n: rng.standard_t(3, size=n),
    "log-normal": lambda rng, n: rng.lognormal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "tied": lambda rng, n: rng.poisson(3.0, size=n).astype(float),
}


def centred(matrix):
    matrix = matrix - matrix.mean(axis=0)
    return matrix - matrix.mean(axis=1, keepdims=True)


def kernel(column):
    squared = (column[:, None] - column[None, :]) ** 2
    return np.exp(-squared / np.median(squared[squared > 0]))


def centred_kernel(column):
    return centred(kernel(column))
