"""Density and entropy of one column: spacings between its sorted values, and mixtures of normals.

The size of a mixture is chosen by BIC, without random numbers. The sorted column is first condensed into at most 80
runs of equal count (mean, variance within), on which the EM steps run; so the cost of the search does not grow with the
rows. The code length is that of all the rows.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, native

MAX_COMPONENTS = 5
"""`mixture.c` has it too."""


def spacing_entropy(ordered: FloatArray) -> float:
    """Mean log₂ gap of a sorted column plus log₂ m; a zero gap adds nothing and is still counted in the mean.

    With ties the value is meaningful only on a fixed scale, since a zero gap stands for a gap of length one.
    """
    gaps = np.diff(ordered)
    m = len(ordered)
    return float(np.sum(np.log2(gaps[gaps > 0])) / (m - 1) + np.log2(m))


def spacing_entropy_of_masses(ordered: FloatArray) -> float:
    """Entropy of the density that is constant between neighbouring distinct values of a sorted column.

    Gap j of width Δⱼ between distinct values that occur cⱼ and cⱼ₊₁ times gets the mass pⱼ ∝ (cⱼ + cⱼ₊₁)/2, and the
    entropy is Σ pⱼ log₂(Δⱼ/pⱼ). Without ties this is `spacing_entropy` up to a constant of m alone; with ties it still
    moves by log₂ c when the column is multiplied by c, as an entropy must.
    """
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(np.append(starts, len(ordered)))
    mass = 0.5 * (counts[1:] + counts[:-1])
    mass /= mass.sum()
    return float(np.sum(mass * np.log2(np.diff(ordered[starts]) / mass)))


def log_density_at_rows(column: FloatArray) -> FloatArray | None:
    """m-spacing estimate (Vasicek 1976) with m = √n, in the order of the rows; None where ties leave no distance."""
    n = len(column)
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    m = max(2, math.isqrt(n))
    left, right = np.maximum(np.arange(n) - m, 0), np.minimum(np.arange(n) + m, n - 1)
    width = ordered[right] - ordered[left]
    if not np.all(width > 0):
        return None
    out = np.empty(n)
    out[order] = np.log((right - left) / (n * width))
    return out


class Mixture(NamedTuple):
    """Weights, means and standard deviations, and the two parts of the code length in nats a row."""

    weight: FloatArray
    mean: FloatArray
    sd: FloatArray
    data_cost: float
    parameter_cost: float

    @property
    def cost(self) -> float:
        """Nats a row for data and parameters together."""
        return self.data_cost + self.parameter_cost


def fit_mixture(column: FloatArray) -> Mixture:
    """The mixture of 1 … `MAX_COMPONENTS` normals with the shortest code (BIC) for the column."""
    # scikit-learn's `GaussianMixture` starts from k-means, which needs random numbers, and each of its steps passes
    # over all rows.
    ordered = np.sort(column)
    weight, mean, sd = np.empty((3, MAX_COMPONENTS))
    costs = np.empty(2)
    size = _search(ordered, len(ordered), weight, mean, sd, costs)
    return Mixture(weight[:size], mean[:size], sd[:size], *costs.tolist())


def log_density(mixture: Mixture, values: FloatArray) -> FloatArray:
    """Log density at each value."""
    return _evaluate(_log_density, mixture, values)


def scores(mixture: Mixture, values: FloatArray) -> FloatArray:
    """−(log density)′ at each value."""
    return _evaluate(_scores, mixture, values)


def _evaluate(loop: Callable[..., None], mixture: Mixture, values: FloatArray) -> FloatArray:
    size, out = len(mixture.weight), np.empty(len(values))
    parts = mixture.weight, mixture.mean, mixture.sd
    loop(np.ascontiguousarray(values), len(values), size, *parts, np.empty(2 * size), out)
    return out


_search = native(
    "int64_t mixture_search(double *s, int64_t n, double *weight, double *mean, double *sd, double *costs)"
)
_log_density = native(
    "void mixture_log_density(double *x, int64_t n, int64_t size, double *weight, double *mean, double *sd, "
    "double *scratch, double *out)"
)
_scores = native(
    "void mixture_scores(double *x, int64_t n, int64_t size, double *weight, double *mean, double *sd, "
    "double *scratch, double *out)"
)
