"""Does the shape of effect given cause change along the cause? Nothing is fitted; two ways to look.

Histograms: within bins of the cause the effect is standardised and its distribution compared with the average one
(CDCI, Duong & Nguyen 2022, Kolmogorov distance). Quantile surfaces: the matrix of conditional quantiles, rows bins of
equal count, columns levels, has rank 1 after centring its rows if effect = f(cause) + g(cause)·noise, and nearly
rank 2 for mild changes of shape (LRQS 2026); what a low rank leaves over speaks against the direction.
"""

import numpy as np

from whence.pair import FloatArray

LEVELS = 10


def quantile_matrix(v: FloatArray, bins: int, levels: int = LEVELS) -> FloatArray:
    """Quantiles of the effect in `bins` groups of equal count; v in the order of the cause."""
    share = (np.arange(levels) + 0.5) / levels
    edges = np.arange(bins + 1) * len(v) // bins
    out = np.empty((bins, levels))
    for b in range(bins):
        part = np.sort(v[edges[b] : edges[b + 1]])
        out[b] = np.interp(share, (np.arange(len(part)) + 0.5) / len(part), part)
    return out


def surface_residuals(v: FloatArray) -> tuple[float, float]:
    """Root mean square left over by rank 1 and by rank 2 of the row-centred quantile matrix."""
    bins = int(min(10, max(3, len(v) // 12)))
    surface = quantile_matrix(v, bins)
    surface -= surface.mean(axis=1, keepdims=True)
    power = np.linalg.svd(surface, compute_uv=False) ** 2
    return float(np.sqrt(power[1:].sum() / surface.size)), float(np.sqrt(power[2:].sum() / surface.size))


def shape_divergence(u: FloatArray, v: FloatArray, bins: int = 12) -> float:
    """Mean Kolmogorov distance of the standardised conditional laws from their average.

    Bins are equal steps of the cause over its middle 98 %, each with more than 12 rows (fewer for short pairs).
    """
    low, high = np.quantile(u, (0.01, 0.99))
    group = np.clip(((u - low) / (high - low) * bins).astype(np.int64), 0, bins - 1)
    count = np.bincount(group, minlength=bins)
    mean = np.bincount(group, weights=v, minlength=bins) / np.maximum(count, 1)
    centred = v - mean[group]
    sd = np.sqrt(np.bincount(group, weights=centred**2, minlength=bins) / np.maximum(count, 1))
    z = centred / np.maximum(sd[group], 1e-9)
    cell = np.clip(np.round(2.0 * z), -6, 6).astype(np.int64) + 6
    table = np.bincount(group * 13 + cell, minlength=13 * bins).reshape(bins, 13)
    kept = count > min(12, len(u) // (2 * bins))
    p = table[kept] / count[kept, None]
    average = p.mean(axis=0)
    kolmogorov = np.abs(np.cumsum(p, axis=1) - np.cumsum(average)).max(axis=1)
    return float(kolmogorov.mean())
