"""Further evidence that was tried beside the three terms; see `judge` for what became of it."""

import math

import numpy as np

from whence.combined.readings import GROUPS, ROWS_PER_GROUP, SMALLEST_REST, ReadDirection, quantile_surface
from whence.combined.rows import Rows
from whence.numerics.hsic import hsic_test, kernel_column, median_sq_distance
from whence.pair import FloatArray, standardise

CANDIDATES = (
    "nats a row",
    "rank-two rest",
    "fine HSIC",
    "HSIC of the residual's size",
    "Kolmogorov distance",
    "Gaussian likelihood",
)


def candidate_contrasts(rows: Rows, forward: ReadDirection, backward: ReadDirection) -> list[float]:
    """Backward against forward, in the order of CANDIDATES."""
    there, back = _costs(rows.x, rows.y, forward), _costs(rows.y, rows.x, backward)
    return [b - a for a, b in zip(there, back, strict=True)]


def _costs(cause: FloatArray, effect: FloatArray, reading: ReadDirection) -> list[float]:
    u, v = standardise(cause[reading.order]), standardise(effect[reading.order])
    r = reading.curve.residual
    fine = hsic_test(*(kernel_column(c, median_sq_distance(c) / 8) for c in (u, r)))
    size = hsic_test(kernel_column(u), kernel_column(np.abs(r)))
    return [
        reading.costs["description"],
        math.log(_rank_two_rest(v) + SMALLEST_REST),
        math.log(max(fine.statistic / fine.null_mean, 1e-6)),
        math.log(max(size.statistic / size.null_mean, 1e-6)),
        math.log(_kolmogorov(u, v) + 1e-4),
        reading.curve.log_likelihood * -1.0,
    ]


def _rank_two_rest(v: FloatArray) -> float:
    surface = quantile_surface(v, int(np.clip(len(v) // ROWS_PER_GROUP, *GROUPS)))
    surface -= surface.mean(axis=1, keepdims=True)
    power = np.linalg.svd(surface, compute_uv=False) ** 2
    return float(np.sqrt(power[2:].sum() / surface.size))


def _kolmogorov(u: FloatArray, v: FloatArray, bins: int = 12) -> float:
    """Mean distance of the standardised conditional laws from their average (CDCI, Duong & Nguyen 2022)."""
    low, high = np.quantile(u, (0.01, 0.99))
    group = np.clip(((u - low) / (high - low) * bins).astype(int), 0, bins - 1)
    parts = [v[group == g] for g in range(bins) if np.count_nonzero(group == g) > 12]
    if len(parts) < 2:
        return 1.0
    steps = np.arange(-6, 7) / 2
    laws = np.array([np.searchsorted(np.sort(standardise(part)), steps) / len(part) for part in parts])
    return float(np.abs(laws - laws.mean(axis=0)).max(axis=1).mean())
