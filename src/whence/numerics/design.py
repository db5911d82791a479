"""Sparse design matrices whose rows touch few features, arranged in *runs* of rows that touch the same ones.

Rows sorted by their input share a knot interval with their neighbours, so everything that a fit needs (predictions,
gradients, Hessians) becomes a handful of dense loops over each run, without a single index per row. Two coefficients
belong to each feature and are stored side by side; see `newton`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from whence.numerics.arrays import FloatArray, IntArray
from whence.numerics.linear import damped_cholesky, solve
from whence.numerics.splines import SplineRows

LONGEST_RUN = 512
"""Longer runs are cut, so that the loops over a run find its rows in the nearest cache again."""


class Design(NamedTuple):
    """Run r holds the rows bounds[r] ≤ i < bounds[r + 1], which touch the features index[r].

    `values` is flat: the runs one after the other, each as a block of features × rows (see `block`), so that a pass
    over all rows reads memory from one end to the other.
    """

    values: FloatArray
    bounds: IntArray
    index: IntArray  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a design
    size: int
    """Number of features."""
    half_width: int
    """Half-width of the Hessian's band when the two coefficients of a feature are interleaved."""


def additive_design(columns: list[SplineRows]) -> Design:
    """Features of several inputs side by side, in the order of the rows; sort by the first input for long runs."""
    offsets = np.cumsum([0, *(column.size for column in columns)])
    first = np.stack([column.first + offset for column, offset in zip(columns, offsets, strict=False)], axis=1)
    changes = np.flatnonzero(np.any(first[1:] != first[:-1], axis=1)) + 1
    bounds = np.union1d(changes, np.append(np.arange(0, len(first), LONGEST_RUN), len(first)))
    index = [first[bounds[:-1], c, None] + np.arange(column.values.shape[1]) for c, column in enumerate(columns)]
    size = int(offsets[-1])
    half_width = 2 * columns[0].values.shape[1] - 1 if len(columns) == 1 else 2 * size - 1
    by_row = np.concatenate([column.values for column in columns], axis=1) if len(columns) > 1 else columns[0].values
    return Design(_in_blocks(by_row, bounds), bounds, np.concatenate(index, axis=1), size, half_width)


@njit(cache=True, nogil=True)
def _in_blocks(by_row: FloatArray, bounds: IntArray) -> FloatArray:
    values = np.empty(by_row.size)
    for r in range(len(bounds) - 1):
        here = block(values, bounds, r, by_row.shape[1])
        for k in range(len(here)):
            for i in range(here.shape[1]):
                here[k, i] = by_row[bounds[r] + i, k]
    return values


@njit(cache=True, nogil=True)
def block(values: FloatArray, bounds: IntArray, r: int, features: int) -> FloatArray:
    """The values of run r, one line per feature."""
    start, stop = bounds[r], bounds[r + 1]
    return values[start * features : stop * features].reshape((features, stop - start))


@njit(cache=True, nogil=True)
def predict_rows(values: FloatArray, bounds: IntArray, index: IntArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both linear predictors of every row: with the even and with the odd coefficients."""
    even, odd = np.empty(bounds[-1]), np.empty(bounds[-1])
    for r in range(len(index)):
        rows = slice(bounds[r], bounds[r + 1])
        predict_run(block(values, bounds, r, index.shape[1]), index[r], w, even[rows], odd[rows])
    return even, odd


@njit(cache=True, nogil=True)
def scatter(
    values: FloatArray, bounds: IntArray, index: IntArray, even: FloatArray, odd: FloatArray, out: FloatArray
) -> None:
    """The transpose of `predict_rows`, added to `out`."""
    for r in range(len(index)):
        rows = slice(bounds[r], bounds[r + 1])
        scatter_run(block(values, bounds, r, index.shape[1]), index[r], even[rows], odd[rows], out)


@njit(cache=True, nogil=True)
def band_of(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    size: int,
    half_width: int,
    even: FloatArray,
    mixed: FloatArray,
    odd: FloatArray,
) -> FloatArray:
    """Σ over rows of the 2 × 2 matrix [[even, mixed], [mixed, odd]] times the features' outer product, band storage."""
    band = np.zeros((2 * size, half_width + 1))
    for r in range(len(index)):
        rows = slice(bounds[r], bounds[r + 1])
        here = block(values, bounds, r, index.shape[1])
        band_run(here, index[r], even[rows], mixed[rows], odd[rows], band)
    return band


@njit(cache=True, nogil=True)
def predict_run(values: FloatArray, features: IntArray, w: FloatArray, even: FloatArray, odd: FloatArray) -> None:
    """`predict_rows` for the block of one run; `even` and `odd` belong to its rows alone."""
    even[:] = 0.0
    odd[:] = 0.0
    for k in range(len(values)):
        x = values[k]
        a, b = w[2 * features[k]], w[2 * features[k] + 1]
        for i in range(len(x)):
            even[i] += x[i] * a
            odd[i] += x[i] * b


# Sums over rows may be taken in any order: the compiler is allowed to use vector registers for them, and nothing else.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def scatter_run(values: FloatArray, features: IntArray, even: FloatArray, odd: FloatArray, out: FloatArray) -> None:
    """`scatter` for one run."""
    for k in range(len(values)):
        x = values[k]
        to_even, to_odd = 0.0, 0.0
        for i in range(len(x)):
            to_even += x[i] * even[i]
            to_odd += x[i] * odd[i]
        out[2 * features[k]] += to_even
        out[2 * features[k] + 1] += to_odd


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def band_run(
    values: FloatArray,
    features: IntArray,
    even: FloatArray,
    mixed: FloatArray,
    odd: FloatArray,
    band: FloatArray,
) -> None:
    """`band_of` for one run, added to `band`.

    A block of features (a, b), a ≥ b, occupies rows 2a, 2a + 1 and columns 2b, 2b + 1 of the symmetric matrix.
    """
    width = band.shape[1] - 1
    for k in range(len(values)):
        x = values[k]
        for m in range(k + 1):
            y = values[m]
            ee, eo, oo = 0.0, 0.0, 0.0
            for i in range(len(x)):
                product = x[i] * y[i]
                ee += product * even[i]
                eo += product * mixed[i]
                oo += product * odd[i]
            a = 2 * features[k]
            column = width + 2 * features[m] - a
            band[a, column] += ee
            band[a + 1, column] += oo
            band[a + 1, column - 1] += eo
            if k > m:
                band[a, column + 1] += eo


_RELATIVE_RIDGE = 1e-12
"""Relative to each feature's own sum of squares: suppresses only directions that rounding could not resolve anyway."""


@njit(cache=True, nogil=True)
def least_squares(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    size: int,
    half_width: int,
    v: FloatArray,
    s: FloatArray,
    ridge: float = 0.0,
) -> FloatArray:
    """Coefficients at the even places of an interleaved vector (odd places zero), for targets v and row weights s.

    Features that no row touches get the coefficient 0.
    """
    zeros = np.zeros(len(v))
    band = band_of(values, bounds, index, size, half_width, s, zeros, zeros)
    right = np.zeros(2 * size)
    scatter(values, bounds, index, s * v, zeros, right)
    # Columns are scaled to unit length before the ridge is added, so that a feature touched by a single remote row
    # counts as much as any other.
    length = np.ones(2 * size)
    for i in range(2 * size):
        band[i, half_width] += ridge
        if band[i, half_width] > 0.0:
            length[i] = np.sqrt(band[i, half_width])
        else:
            band[i, half_width] = 1.0
    for i in range(2 * size):
        for c in range(max(0, i - half_width), i + 1):
            band[i, half_width + c - i] /= length[i] * length[c]
        band[i, half_width] += _RELATIVE_RIDGE
    factor = np.zeros_like(band)
    if not damped_cholesky(band, factor):
        return np.full(2 * size, np.nan)
    return solve(factor, right / length) / length
