"""The density of one column as a mixture of normals, its size chosen by BIC; deterministic.

The sorted column is first condensed into at most 80 runs of equal count (mean, variance within), on which the EM
steps run; so the cost of the search does not grow with the rows. The code length is that of all the rows.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, native

MAX_COMPONENTS = 5
"""`mixture.c` has it too."""


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
    size, out = len(mixture.weight), np.empty(len(values))
    parts = mixture.weight, mixture.mean, mixture.sd
    _log_density(np.ascontiguousarray(values), len(values), size, *parts, np.empty(2 * size), out)
    return out


def scores(mixture: Mixture, values: FloatArray) -> FloatArray:
    """−(log density)′ at each value."""
    size, out = len(mixture.weight), np.empty(len(values))
    parts = mixture.weight, mixture.mean, mixture.sd
    _scores(np.ascontiguousarray(values), len(values), size, *parts, np.empty(2 * size), out)
    return out


_search = native(
    "int64_t mixture_search(double *s, int64_t n, double *weight, double *mean, double *sd, double *costs)"
)
_log_density = native(
    "void mixture_log_density(double *x, int64_t n, int64_t size, double *weight, double *mean, double *sd, double "
    "*scratch, double *out)"
)
_scores = native(
    "void mixture_scores(double *x, int64_t n, int64_t size, double *weight, double *mean, double *sd, "
    "double *scratch, double *out)"
)
