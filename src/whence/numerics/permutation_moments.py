"""Moments of Σᵢⱼ Aᵢⱼ B_π(i)π(j) over all permutations π, for symmetric matrices whose rows sum to zero.

A moment of order k is a sum over the ways in which 2k indices can coincide; each way contributes the sum over distinct
indices in A, times that in B, over n(n − 1)⋯. Sums over distinct indices follow from free ones by Möbius inversion, and
free sums with an index that occurs once vanish. Taking the multiple of the centring matrix I − 1/n off A and B that
leaves them without a trace shifts the sum by tr A tr B/(n − 1), its mean, so that the central moments are plain
moments of the traceless matrices: two sums are left of each for the variance (Kazi-Aoual et al. 1995, eq. 3.5), five
for the third moment. The polynomials below were expanded by a computer algebra system; the tests enumerate.
"""

from typing import NamedTuple


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
