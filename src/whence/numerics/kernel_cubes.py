"""Sums of third order over a centred one-dimensional Gaussian kernel, for the skewness of its permutation law.

Let ρᵢ be the row means of K, m their mean and eᵢ = m − ρᵢ, so that the centred kernel is Aᵢⱼ = Kᵢⱼ + eᵢ + eⱼ − m. The
square and the cube of K's entries are Gaussian kernels again, and every sum needed follows from those over i of eᵢ²,
eᵢ³ and eᵢ Σⱼ Kᵢⱼ², from Σ Kᵢⱼ² and Σ Kᵢⱼ³, and from Q = Σ eᵢ Kᵢⱼ eⱼ. Rows enter through a few weighted nodes, which is
good to 1e-6; only tr A³, which outweighs all the others together by a factor of the order of n, does not go that way.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.permutation_moments import Cubes, Squares
from whence.numerics.weighted_nodes import weighted_nodes

FloatArray = NDArray[np.float64]

_FAR = 37.0
"""exp(−_FAR) is lost in rounding."""


class NodeSums(NamedTuple):
    """Over the rows of K: m, Σ eᵢ², Σ eᵢ³, Σᵢⱼ Kᵢⱼ², Σᵢⱼ eᵢ Kᵢⱼ², Σᵢⱼ Kᵢⱼ³."""

    mean: float
    e2: float
    e3: float
    k2: float
    e_k2: float
    k3: float


def node_sums(column: FloatArray, bandwidth: float) -> NodeSums:
    """The sums that pass through weighted nodes."""
    points, weights = weighted_nodes(column, bandwidth)
    means, squares, k3 = _kernel_sums(points / np.sqrt(bandwidth), weights)
    means /= len(column)
    mean = float(weights @ means) / len(column)
    e = mean - means
    weighted = weights * e
    return NodeSums(
        mean, float(weighted @ e), float(weighted @ (e * e)), float(weights @ squares), float(weighted @ squares), k3
    )


@njit(cache=True, nogil=True)
def _kernel_sums(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """K w, K∘K w and wᵀ K∘K∘K w for points in ascending order."""
    first, second, third = weights.copy(), weights.copy(), float(np.sum(weights * weights))
    for a in range(len(points)):
        for b in range(a + 1, len(points)):
            exponent = (points[b] - points[a]) ** 2
            if exponent > _FAR:
                break
            k = np.exp(-exponent)
            k2 = k * k
            first[a] += k * weights[b]
            first[b] += k * weights[a]
            second[a] += k2 * weights[b]
            second[b] += k2 * weights[a]
            third += 2.0 * k * k2 * weights[a] * weights[b]
    return first, second, third


def traceless_cubes(n: int, rows: NodeSums, squares: Squares, q: float, triangle: float) -> Cubes:
    """The sums for A less c(I − 1/n), c = tr A/(n − 1), whose diagonal is 2eᵢ; from Q and tr A³ of A itself."""
    m, e2, e3, k2, e_k2, k3 = rows
    c = squares.trace / (n - 1)
    edges = k3 + 6 * e_k2 - 3 * m * k2 + 12 * n * m * e2 - 4 * n * e3 + 6 * q + 2 * n * n * m**3
    loop_and_edges = 2 * (e_k2 + 2 * q - n * e3 + 2 * n * m * e2)
    return Cubes(
        loops=8 * e3,
        loop_and_edges=loop_and_edges - 8 * c * e2,
        chain=4 * q - 4 * c * e2,
        edges=edges + 3 * c * squares.square / n + c**3 / n - 12 * c * e2 - n * c**3,
        triangle=triangle - 3 * c * squares.square + 2 * c**3 * (n - 1),
    )
