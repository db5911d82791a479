"""Entropy and density of one column from the gaps between its sorted values (spacings)."""

import math

import numpy as np

from causewise.numerics.native import FloatArray


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
