"""Multi: the law of the CE-Multi pairs (Goudet et al. 2018): noise added or multiplied, before or after f."""

import numpy as np

from whence.datasets.classic import Columns
from whence.pair import FloatArray


def draw(rng: np.random.Generator, n: int) -> Columns:
    """Draw the recipe until it is an identifiable one, then the numbers; both columns come out normalised."""
    while True:
        cause_law, noise_law, mechanism = rng.integers(2, size=3)
        multiplied, inside = rng.integers(2, size=2)
        linear_gaussian = cause_law == noise_law == mechanism == 0 and not multiplied
        if not linear_gaussian:
            break
    cause, noise = _variable(rng, n, cause_law == 0), _variable(rng, n, noise_law == 0)
    power = 1 + int(mechanism)
    slope, offset = rng.standard_normal(2)

    def function(argument: FloatArray) -> FloatArray:
        return np.asarray(slope * argument**power + offset)

    combine = np.multiply if multiplied else np.add
    effect = function(combine(cause, noise)) if inside else combine(function(cause), noise)
    return _normalised(cause), _normalised(effect)


def _variable(rng: np.random.Generator, n: int, is_gaussian: bool) -> FloatArray:
    scale, shift = rng.standard_normal(2)
    raw = rng.standard_normal(n) if is_gaussian else _normalised(rng.uniform(size=n))
    return np.asarray(scale * raw + shift)


def _normalised(column: FloatArray) -> FloatArray:
    """With the original's 1e-3 in the denominator, which keeps near-constant columns small."""
    return np.asarray((column - column.mean()) / (column.std(ddof=1) + 1e-3))
