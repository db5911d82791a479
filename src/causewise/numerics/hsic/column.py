"""What the test needs of one column alone: computed when it is first asked for, and once.

A column that is tested against many others, as the columns of a table are, costs its share of a test a single time.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from causewise.numerics.hsic.bandwidth import ROUNDING, median_sq_distance
from causewise.numerics.hsic.chebyshev import Boxes, cross_moments, in_boxes, own_moments
from causewise.numerics.hsic.moments import Cubes, Squares, node_sums, traceless_cubes
from causewise.numerics.kernel import KernelPivots, choose_pivots
from causewise.numerics.native import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A column with its kernel; f are the kernel's features at a row, m their mean over the rows."""

    values: FloatArray
    ordered: FloatArray
    """The values in ascending order."""
    pivots: KernelPivots

    @cached_property
    def boxes(self) -> Boxes:
        """The rows of a long column, sorted into boxes."""
        return in_boxes(self.values, self.pivots)

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        factor = self.pivots.factor
        return own_moments(self.boxes) if factor is None else (factor @ factor.T, factor.sum(axis=1))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean m of the features."""
        return self._moments[1] / len(self.values)

    @cached_property
    def centred(self) -> FloatArray:
        """Σ (f − m)(f − m)ᵀ over the rows."""
        return self._moments[0] - len(self.values) * np.multiply.outer(self.mean, self.mean)

    @cached_property
    def squares(self) -> Squares:
        """The sums of second order of the centred kernel."""
        # The kernel's own diagonal is 1, so the centred one is 1 − 2 fᵢ·m + m·m, whose squares sum through F Fᵀ.
        n, gram, mean = len(self.values), self._moments[0], self.mean
        length, flat = float(mean @ mean), self.centred.ravel()
        alpha = 1.0 + length
        diagonal = n * alpha * alpha - 4.0 * alpha * n * length + 4.0 * float(mean @ gram @ mean)
        return Squares(n * (1.0 - length), float(flat @ flat), diagonal)

    @cached_property
    def spectrum(self) -> FloatArray:
        """Eigenvalues of the centred kernel in ascending order."""
        return np.asarray(np.linalg.eigvalsh(self.centred), np.float64)

    @cached_property
    def cubes(self) -> Cubes:
        """The sums of third order of the centred kernel without its trace."""
        # Q = Σ eᵢ Kᵢⱼ eⱼ = ‖F e‖² with eᵢ = ‖m‖² − fᵢ·m.
        n, gram, mean = len(self.values), self._moments[0], self.mean
        along = gram @ mean - (n * float(mean @ mean)) * mean
        rows = node_sums(self.ordered, self.pivots.bandwidth, is_sorted=True)
        return traceless_cubes(n, rows, self.squares, float(along @ along), float(np.sum(self.spectrum**3)))

    def reordered(self, order: IntArray) -> "KernelColumn":
        """The same column with its rows in another order; what does not depend on it is taken along."""
        factor = self.pivots.factor
        pivots = self.pivots if factor is None else self.pivots._replace(factor=factor[:, order])
        moved = replace(self, values=self.values[order], pivots=pivots)
        moved.__dict__.update({name: getattr(self, name) for name in _OF_NO_ORDER})
        return moved


_OF_NO_ORDER = ("_moments", "mean", "centred", "squares", "spectrum", "cubes")


def kernel_column(column: FloatArray, bandwidth: float | None = None) -> KernelColumn:
    """Prepare a column; the bandwidth is the median of its non-zero squared distances unless given."""
    # Once for all uses: sorting is a good part of the test of a long column, and a cause mostly comes sorted.
    ordered = column if np.all(column[1:] >= column[:-1]) else np.sort(column)
    m = median_sq_distance(ordered, rounding=ROUNDING, is_sorted=True) if bandwidth is None else bandwidth
    if not (m > 0 and math.isfinite(m)):
        raise FloatingPointError("a column without spread has no kernel bandwidth")
    return KernelColumn(column, ordered, choose_pivots(column, m, ordered=ordered))


def overlap(a: KernelColumn, b: KernelColumn) -> float:
    """‖A Bᵀ‖² of the centred features of two columns: n² times the statistic."""
    one, two = a.pivots.factor, b.pivots.factor
    cross = cross_moments(a.boxes, b.boxes) if one is None or two is None else one @ two.T
    flat = (cross - len(a.values) * np.multiply.outer(a.mean, b.mean)).ravel()
    return float(flat @ flat)
