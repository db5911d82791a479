"""Further evidence that is tried beside the three terms, each as one contrast; `fourth` judges what becomes of it.

A candidate reads the columns that the three terms read, without ties (`combined.rows`). From the fits that are made
anyway come six; the others are methods of the catalogue with their own settings, forward against backward. Their forms
were fixed before any label was looked at: the difference of the two scores; the logarithm of the ratio where a score is
minus an error or a statistic that spans decades, as for the method's own terms; and sign · log(1 + |difference|) for a
code in bits, which grows with the rows, and for the far tails of `cure`. A method that refuses a pair says nothing: 0.

`entropic` and `discrete` are not tried: they speak of columns of few levels, and here no two values are alike.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from whence.catalogue import method
from whence.combined.readings import (
    GROUPS,
    ROWS_PER_GROUP,
    SMALLEST_REST,
    ReadDirection,
    contrasts,
    quantile_surface,
    read_direction,
)
from whence.combined.rows import Rows, judged_rows
from whence.decision import Decision
from whence.numerics.hsic import hsic_test, kernel_column, median_sq_distance
from whence.pair import FloatArray, Pair, standardise

FROM_FITS = (
    "nats a row",
    "rank-two rest",
    "fine HSIC",
    "HSIC of the residual's size",
    "Kolmogorov distance",
    "Gaussian likelihood",
)
SMALLEST_COST = 1e-12


def difference(found: Decision) -> float:
    """Forward minus backward."""
    return found.score


def log_ratio(found: Decision) -> float:
    """Of two costs, the scores being minus them."""
    forward, backward = (max(-side.score, SMALLEST_COST) for side in (found.forward, found.backward))
    return math.log(backward) - math.log(forward)


def compressed(found: Decision) -> float:
    """Sign and logarithm of a difference."""
    return math.copysign(math.log1p(abs(found.score)), found.score)


METHODS: dict[str, Callable[[Decision], float]] = {
    "slope": difference,
    "sloppy": difference,
    "cds": difference,
    "kcdc": difference,
    "velocity": difference,
    "gpi": difference,
    "anm-mm": difference,
    "cure": compressed,
    "heci": compressed,
    "grci": difference,
    "qccd": difference,
    "fom": log_ratio,
    "reci": log_ratio,
    "pnl": log_ratio,
    "igci": difference,
    "igci-g": difference,
}
"""By name, with the form of the contrast. The last two see the columns one by one: what the shapes alone are worth."""
CANDIDATES = (*FROM_FITS, *METHODS)


def contrasts_of(pair: Pair, names: Sequence[str]) -> list[float]:
    """What each candidate, or term of the method, says for x → y; exchanging the columns negates it."""
    rows = judged_rows(pair.x, pair.y)
    with np.errstate(all="ignore"):
        fitted = _from_fits(rows) if set(names) - set(METHODS) else {}
        return [_of_method(name, rows) if name in METHODS else fitted[name] for name in names]


def _of_method(name: str, rows: Rows) -> float:
    (found,) = method(name).decide_many([Pair.of(rows.x, rows.y)])
    return 0.0 if found.failure else METHODS[name](found)


def _from_fits(rows: Rows) -> dict[str, float]:
    """Backward against forward; with the method's own terms."""
    forward, backward = read_direction(rows.x, rows.y), read_direction(rows.y, rows.x)
    there, back = _costs(rows.x, rows.y, forward), _costs(rows.y, rows.x, backward)
    tried = {name: b - a for name, a, b in zip(FROM_FITS, there, back, strict=True)}
    return contrasts(forward, backward) | tried


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
