"""KCDC (Mitrovic, Sejdinovic & Teh 2018): effect given cause has an embedding of nearly the same length everywhere.

Model: effect = f(cause, noise), the law of effect given cause changing in place more than in kind. The law given
each value is a point μ(x) of a reproducing kernel Hilbert space; its length tells how concentrated it is. The score
is minus the logarithm of the variance of these lengths over the rows.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from causewise.errors import REALS
from causewise.numerics.kernel import BLOCK, KernelPivots, choose_pivots, features, median_sq_distance
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional, make_builder

EXACT = 1e-20
"""A variance of lengths below this is rounding."""
WIDEST = 1000.0


def embedding_lengths(cause: FloatArray, effect: FloatArray, width: float = 1.0, ridge: float = 1e-3) -> FloatArray:
    """The length of the conditional embedding at every row, by Gaussian kernels on both columns."""
    # With K = FᵀF and L = GᵀG, F and G of some tens of rows, the n × n formula k(xᵢ)ᵀ (K + nλ)⁻¹ L (K + nλ)⁻¹ k(xᵢ) is
    # |G Fᵀ (F Fᵀ + nλ)⁻¹ fᵢ|², fᵢ the column of F: linear in n, and equal to the tolerance of the pivots.
    causes, effects = (_pivots(column, width) for column in (cause, effect))
    gram, cross = len(cause) * ridge * np.eye(len(causes.points)), np.zeros((len(causes.points), len(effects.points)))
    # F is made twice, a block at a time: whole, it would leave the caches and take hundreds of bytes a row.
    for block in _blocks(len(cause)):
        f, g = _features(cause, causes, block), _features(effect, effects, block)
        gram += f @ f.T
        cross += f @ g.T
    operator = cho_solve(cho_factor(gram), cross)
    lengths = np.empty(len(cause))
    for block in _blocks(len(cause)):
        lengths[block] = np.sqrt(np.sum((operator.T @ _features(cause, causes, block)) ** 2, axis=0))
    return lengths


def _pivots(column: FloatArray, width: float) -> KernelPivots:
    """Of the kernel exp(−d²/2σ²), σ the median distance of two rows times `width`."""
    return choose_pivots(column, 2.0 * width * width * median_sq_distance(column))


def _features(column: FloatArray, pivots: KernelPivots, block: slice) -> FloatArray:
    """Of a short column they are at hand from the choice of its pivots."""
    return features(column[block], pivots) if pivots.factor is None else pivots.factor[:, block]


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


def score(cause: FloatArray, effect: FloatArray, *, width: float = 1.0, ridge: float = 1e-3) -> float:
    """Minus the logarithm of the variance of the lengths.

    `width` is that of the kernels in median distances, `ridge` smooths the embedding over the cause.
    """
    order = row_order(cause, effect)
    lengths = embedding_lengths(standardise(cause[order]), standardise(effect[order]), width, ridge)
    return -float(np.log(max(float(np.var(lengths)), EXACT)))


kcdc = make_builder(Directional, "kcdc", score, width=WIDEST, ridge=REALS[1])
