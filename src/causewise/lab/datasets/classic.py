"""Published laws, drawn anew: AN, ANs, LS, LSs, MNU (Tagasovska et al. 2020) and Multi (Goudet et al. 2018).

Every law draws (cause, effect).
"""

import numpy as np

from causewise.lab.datasets.laws import Columns
from causewise.lab.datasets.mechanisms import draw_process
from causewise.pair import FloatArray

# ---- Tagasovska et al.


def additive_process(rng: np.random.Generator, n: int) -> Columns:
    """AN: y = f(x) + e, f a Gaussian process with unit variance and length scale."""
    cause = scale_mixture(rng, n)
    return cause, draw_process(rng, [cause], [1.0]) + 0.2 * scale_mixture(rng, n)


def additive_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """ANs: y = f(x) + e, f a sigmoid."""
    # In the published ANs files both variances are drawn once per pair, so cause and noise are Gaussian (the variances
    # of the causes spread over 1.0 to 2.0, their mean excess kurtosis is −0.01); in the other four sets once per row.
    cause = gaussian_of_random_size(rng, n)
    return cause, sigmoid(rng, cause) + 0.2 * gaussian_of_random_size(rng, n)


def location_scale_process(rng: np.random.Generator, n: int) -> Columns:
    """LS: y = f(x) + (f(x) − min f)·e, f a Gaussian process."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, draw_process(rng, [cause], [1.0]))


def location_scale_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """LSs: y = f(x) + (f(x) − min f)·e, f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, sigmoid(rng, cause))


def multiplicative_uniform(rng: np.random.Generator, n: int) -> Columns:
    """MNU: y = f(x)·u, u uniform on (0, 1), f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, sigmoid(rng, cause) * rng.uniform(size=n)


def scale_mixture(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with v ~ U(1, 2) drawn anew for every row."""
    return np.sqrt(rng.uniform(1, 2, n)) * rng.standard_normal(n)


def gaussian_of_random_size(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with one v ~ U(1, 2) for all rows."""
    return np.asarray(np.sqrt(rng.uniform(1, 2)) * rng.standard_normal(n))


def sigmoid(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """c·b(x+a)/(1 + |b(x+a)|); a ~ U(−2, 2), |b| ~ U(½, 2) with either sign, c ~ 1 + Exp(rate 4)."""
    shift = rng.uniform(-2, 2)
    slope = rng.uniform(0.5, 2) * rng.choice([-1.0, 1.0])
    height = 1 + rng.exponential(1 / 4)
    inner = slope * (cause + shift)
    return np.asarray(height * inner / (1 + np.abs(inner)))


def _location_scale(rng: np.random.Generator, location: FloatArray) -> FloatArray:
    # f − min f is the scale: never negative, and 0 at the lowest point of the sample.
    return location + (location - location.min()) * 0.2 * scale_mixture(rng, len(location))


# ---- Goudet et al.


def combined_noise(rng: np.random.Generator, n: int) -> Columns:
    """Multi: noise added or multiplied, before or after f; both columns come out normalised."""
    # A linear function with Gaussian cause and added Gaussian noise is not identifiable: draw again.
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
    # The 1e-3 is the original's; it keeps near-constant columns small.
    return np.asarray((column - column.mean()) / (column.std(ddof=1) + 1e-3))
