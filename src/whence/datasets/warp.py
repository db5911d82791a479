"""Random smooth increasing maps: the integral of exp(F), F a Gaussian process of the argument."""

import numpy as np

from whence.datasets.gaussian_process import draw_process
from whence.pair import FloatArray


def increasing_map(rng: np.random.Generator, column: FloatArray, length: float, jitter: float = 0.0) -> FloatArray:
    """The column under such a map, by the trapezoidal rule between neighbours; its smallest value becomes 0.

    Equal values stay equal. `jitter` is the standard deviation of white noise added to F.
    """
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    slope = np.exp(draw_process(rng, [ordered], [length]) + jitter * rng.standard_normal(len(column)))
    steps = (slope[1:] + slope[:-1]) / 2 * np.diff(ordered)
    mapped = np.empty_like(column)
    mapped[order] = np.concatenate(([0.0], np.cumsum(steps)))
    return mapped
