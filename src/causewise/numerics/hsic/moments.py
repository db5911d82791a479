"""Moments of Σᵢⱼ Aᵢⱼ B_π(i)π(j) over all permutations π, for symmetric matrices whose rows sum to zero.

A moment of order k is a sum over the ways in which 2k indices can coincide; each way contributes the sum over distinct
indices in A, times that in B, over n(n − 1)⋯. Sums over distinct indices follow from free ones by Möbius inversion, and
free sums with an index that occurs once vanish. Taking the multiple of the centring matrix I − 1/n off A and B that
leaves them without a trace shifts the sum by tr A tr B/(n − 1), its mean, so that the central moments are plain
moments of the traceless matrices: two sums are left of each for the variance (Kazi-Aoual et al. 1995, eq. 3.5), five
for the third moment. No library has these moments; drawn permutations would add noise of their own to a decision.

For a centred Gaussian kernel these sums come from its row means. Let ρᵢ be the row means of K, m their mean and
eᵢ = m − ρᵢ, so that the centred kernel is Aᵢⱼ = Kᵢⱼ + eᵢ + eⱼ − m. The square and the cube of K's entries are Gaussian
kernels again, and every sum needed follows from those over i of eᵢ², eᵢ³ and eᵢ Σⱼ Kᵢⱼ², from Σ Kᵢⱼ² and Σ Kᵢⱼ³, and
from Q = Σ eᵢ Kᵢⱼ eⱼ.
"""

import math
from typing import NamedTuple

import numpy as np

from causewise.numerics.hsic.chebyshev import weighted_nodes
from causewise.numerics.native import FloatArray, native

_FAR = 37.0
"""exp(−_FAR) is lost in rounding."""


class Squares(NamedTuple):
    """Of a matrix whose rows sum to zero: (tr A, tr A², Σ Aᵢᵢ²)."""

    trace: float
    square: float
    diagonal: float


class Cubes(NamedTuple):
    """Of a matrix without trace whose rows sum to zero: the sums of third order over all their indices."""

    loops: float
    """Σ Aᵢᵢ³"""
    loop_and_edges: float
    """Σ Aᵢᵢ Aᵢⱼ²"""
    chain: float
    """Σ Aᵢᵢ Aᵢⱼ Aⱼⱼ"""
    edges: float
    """Σ Aᵢⱼ³"""
    triangle: float
    """Σ Aᵢⱼ Aⱼₖ Aₖᵢ = tr A³"""


def mean_and_variance(n: int, one: Squares, two: Squares) -> tuple[float, float]:
    """Mean and variance of Σ Aᵢⱼ B_π(i)π(j); four rows at least."""
    (t, t2, s2), (u, u2, r2) = one, two
    mean = t * u / (n - 1)
    spread = 2.0 * ((n - 1) * t2 - t * t) * ((n - 1) * u2 - u * u) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    left = n * (n + 1) * s2 - (n - 1) * (t * t + 2 * t2)
    right = n * (n + 1) * r2 - (n - 1) * (u * u + 2 * u2)
    return mean, spread + left * right / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))


def third_moment(n: int, one: Cubes, two: Cubes) -> float:
    """Third central moment of Σ Aᵢⱼ B_π(i)π(j), from the traceless parts of A and B; six rows at least."""
    # These polynomials were expanded by a computer algebra system; the tests enumerate all permutations.
    upper = _couplings(n)
    total = 0.0
    for i, row in enumerate(upper):
        total += row[0] * one[i] * two[i]
        for j, weight in enumerate(row[1:], i + 1):
            total += weight * (one[i] * two[j] + one[j] * two[i])
    return total / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))


def _couplings(n: int) -> tuple[tuple[int, ...], ...]:
    """The upper triangle of the symmetric form that couples the sums of A, in the order of `Cubes`, with those of B."""
    wide, narrow = n * n - n - 4, n * n - 5 * n + 8
    shared = n * (n - 1) * (n * n - n + 4)
    return (
        (n**2 * (n + 1) * (n**2 + 15 * n - 4), -12 * n * (n - 1) ** 2 * (n + 4), -6 * shared, -4 * shared,
         16 * n * (n - 1) * (n - 2)),
        (12 * (n - 2) * (n + 4) * (n**2 - 3 * n + 6), 24 * (n**3 - 2 * n**2 - 3 * n + 12), 24 * (n - 2) * wide,
         -24 * (n - 2) * narrow),
        (6 * (n - 2) * (n**3 - 6 * n**2 + 9 * n + 12), 24 * wide, -24 * narrow),
        (4 * (n**4 - 8 * n**3 + 19 * n**2 - 4 * n - 16), -8 * (3 * n**2 - 15 * n + 16)),
        (8 * (n**3 - 9 * n**2 + 26 * n - 22),),
    )  # fmt: skip


class NodeSums(NamedTuple):
    """Over the rows of K: m, Σ eᵢ², Σ eᵢ³, Σᵢⱼ Kᵢⱼ², Σᵢⱼ eᵢ Kᵢⱼ², Σᵢⱼ Kᵢⱼ³."""

    mean: float
    e2: float
    e3: float
    k2: float
    e_k2: float
    k3: float


def node_sums(column: FloatArray, bandwidth: float, is_sorted: bool = False) -> NodeSums:
    """The sums over rows that stand-in nodes give to 1e-6.

    Not among them is tr A³, which outweighs all the others together by a factor of the order of n.
    """
    points, weights = weighted_nodes(column, bandwidth, is_sorted)
    means, squares, k3 = _kernel_sums(points / math.sqrt(bandwidth), weights)
    means /= len(column)
    mean = float(weights @ means) / len(column)
    e = mean - means
    weighted = weights * e
    return NodeSums(
        mean, float(weighted @ e), float(weighted @ (e * e)), float(weights @ squares), float(weighted @ squares), k3
    )


def _kernel_sums(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """K w, K∘K w and wᵀ K∘K∘K w for points in ascending order."""
    first, second = np.zeros(len(points)), np.zeros(len(points))
    third = _add_kernel_sums(points, weights, len(points), _FAR, first, second)
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


_add_kernel_sums = native(
    "double kernel_sums(double *points, double *weights, int64_t n, double far, double *first, double *second)"
)
