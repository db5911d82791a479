"""The CPU's engine: forward pass, backward pass and Adam of one network in compiled loops, one thread a fit.

The activations of a block of rows stay in cache, and loops run over the rows of a block: those are the vector lanes.
The gradient is written by hand and tested against automatic differentiation.
"""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.models.network.elementary import exp, tanh
from whence.models.network.heads import Head, additive_rows, location_scale_rows, student_rows
from whence.models.network.layout import Problem
from whence.models.network.training import Training, adam_bias, adam_direction, adam_moments
from whence.pair import FloatArray

# `reassoc` lets the compiler regroup sums over rows into vector lanes. The grouping is fixed when it compiles, so equal
# input gives equal bits; "fast" would also assume that no number is NaN, which the test for divergence relies on.
LOOSE = {"contract", "reassoc", "nsz"}
BLOCK = {"float64": 64, "float32": 128}
"""Rows worked on at a time: with 100 hidden units they stay in the second-level cache."""


class CompiledEngine:
    """Trains a list of fits of any lengths; no fit's result depends on the fits beside it."""

    def __init__(self, problems: Sequence[Problem], head: Head, training: Training) -> None:
        self._head, self._rates = head, training.rates()
        self._fits = [_Fit(problem, training.hidden, np.dtype(training.precision)) for problem in problems]

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do these steps for every active fit."""
        # One thread a fit, so that no sum depends on the number of cores; the longest first, so that none is left over.
        chosen = [fit for fit, on in zip(self._fits, active, strict=True) if on]
        chosen.sort(key=lambda fit: -fit.n)
        with ThreadPoolExecutor(min(_cores(), max(1, len(chosen)))) as pool:
            list(pool.map(lambda fit: fit.advance(self._head, self._rates, first, last), chosen))

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""
        theta = np.stack([fit.best for fit in self._fits]).astype(np.float64)
        return theta, np.stack([fit.record for fit in self._fits])


class _Fit:
    """One fit's rows, padded to whole blocks by rows of weight 0, and where its training stands."""

    def __init__(self, problem: Problem, hidden: int, dtype: np.dtype[Any]) -> None:
        self.n, self._shape = problem.n, (hidden, BLOCK[dtype.name])
        # "edge" repeats the last row: finite whenever the fit is, where 0 · ∞ would make NaN of a row without weight.
        extra = (0, -problem.n % BLOCK[dtype.name])
        self._u = np.pad(problem.inputs, ((0, 0), extra), mode="edge").astype(dtype)
        self._v = np.pad(problem.columns.effect, extra, mode="edge").astype(dtype)
        self._weight = np.pad(problem.weight, extra).astype(dtype)
        self._theta = problem.theta.astype(dtype)
        self._m, self._s = np.zeros_like(self._theta), np.zeros_like(self._theta)
        self.best, self.record = self._theta.copy(), np.array([np.inf, -1.0, -1.0])

    def advance(self, head: Head, rates: FloatArray, first: int, last: int) -> None:
        data = (self._u, self._v, self._weight, 1.0 / self.n)
        state = (self._theta, self._m, self._s, self.best, self.record)
        space = np.empty(self._shape, self._theta.dtype)
        fixed = 0 if head.free_scales else head.outputs
        _advance(head.code, head.outputs, fixed, rates, first, last, *data, *state, space)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
def _hidden(theta, u, h):  # type: ignore[no-untyped-def]  # compiled; arrays of either precision
    units = h.shape[0]
    for j in range(units):
        w, b, row = theta[j], theta[units + j], h[j]
        for r in range(u.size):
            row[r] = tanh(w * u[r] + b)


@njit(cache=True, nogil=True, fastmath=LOOSE, error_model="numpy")
def _hidden_of_several(theta, more, u, h):  # type: ignore[no-untyped-def]  # as above
    """The same for several inputs; `more` holds the weights of all inputs but the first."""
    units = h.shape[0]
    for j in range(units):
        w, b, row, first = theta[j], theta[units + j], h[j], u[0]
        for r in range(row.size):
            row[r] = w * first[r] + b
        for i in range(1, u.shape[0]):
            w, other = more[(i - 1) * units + j], u[i]
            for r in range(row.size):
                row[r] += w * other[r]
        for r in range(row.size):
            row[r] = tanh(row[r])


@njit(cache=True, nogil=True, fastmath=LOOSE, error_model="numpy")
def _output(weights, offset, h, o):  # type: ignore[no-untyped-def]  # as above
    """o = offset + weights · h."""
    units = h.shape[0]
    for r in range(o.size):
        o[r] = offset
    # Four hidden units at a time: o is loaded and stored a quarter as often.
    for j in range(0, units - 3, 4):
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        h0, h1, h2, h3 = h[j], h[j + 1], h[j + 2], h[j + 3]
        for r in range(o.size):
            o[r] += (w0 * h0[r] + w1 * h1[r]) + (w2 * h2[r] + w3 * h3[r])
    for j in range(units - units % 4, units):
        w, row = weights[j], h[j]
        for r in range(o.size):
            o[r] += w * row[r]


@njit(cache=True, nogil=True, fastmath=LOOSE, error_model="numpy")
def _backward(theta, outputs, u, h, d, g):  # type: ignore[no-untyped-def]  # as above
    """Add the gradient of every parameter of the hidden layer; rows of `d` past the last output are zero."""
    units = h.shape[0]
    zero, one = u.dtype.type(0), u.dtype.type(1)
    d0, d1, d2 = d[0], d[1], d[2]
    # All sums of one hidden unit in one pass over its row, written out for three outputs: an activation is loaded once.
    for j in range(units):
        row = h[j]
        w0 = theta[2 * units + j]
        w1 = theta[3 * units + j] if outputs > 1 else zero
        w2 = theta[4 * units + j] if outputs > 2 else zero
        to_w = to_b = to_0 = to_1 = to_2 = zero
        for r in range(u.size):
            t, x, y, z = row[r], d0[r], d1[r], d2[r]
            to_0 += t * x
            to_1 += t * y
            to_2 += t * z
            dz = (w0 * x + w1 * y + w2 * z) * (one - t * t)
            to_b += dz
            to_w += dz * u[r]
        g[j] += to_w
        g[units + j] += to_b
        g[2 * units + j] += to_0
        if outputs > 1:
            g[3 * units + j] += to_1
        if outputs > 2:
            g[4 * units + j] += to_2


@njit(cache=True, nogil=True, fastmath=LOOSE, error_model="numpy")
def _backward_of_several(theta, outputs, u, h, d, g):  # type: ignore[no-untyped-def]  # as above
    """Add the gradient of the weights of all inputs but the first to `g`; `h` is used up."""
    units = h.shape[0]
    one = u.dtype.type(1)
    for j in range(units):
        row = h[j]
        for r in range(row.size):
            row[r] = one - row[r] * row[r]
        for i in range(1, u.shape[0]):
            other, total = u[i], u.dtype.type(0)
            for k in range(outputs):
                w, slope = theta[(2 + k) * units + j], d[k]
                for r in range(row.size):
                    total += w * slope[r] * row[r] * other[r]
            g[(i - 1) * units + j] += total


@njit(cache=True, nogil=True, error_model="numpy")
def _row(head, a, b, c, v, penalty):  # type: ignore[no-untyped-def]  # as above
    """Negative log density of v and its derivative in each output; see `heads`."""
    if head == 0:
        value, to_a, to_b = location_scale_rows(a, b, exp(b), v)
        return value, to_a, to_b, 0.0
    if head == 1:
        value, to_a = additive_rows(a, v)
        return value, to_a, 0.0, 0.0
    return student_rows(a, exp(b), exp(c), c, v, penalty, math.log)


@njit(cache=True, nogil=True, error_model="numpy")
def _head(head, tail, o, v, weight, penalty, d, g):  # type: ignore[no-untyped-def]  # as above
    """Loss of a block; leaves ∂loss/∂(output before its scalar) in `d`; adds to `g`, the gradient of `tail`.

    `tail` holds the offsets and then the scalars.
    """
    # Double precision whatever the arrays have: it is a hundredth of the work, and the loss is compared between steps.
    outputs = o.shape[0]
    last = outputs - 1
    s0, s1, s2 = tail[outputs], tail[outputs + min(1, last)], tail[outputs + last]
    loss = 0.0
    for r in range(v.size):
        a, b, c = s0 * o[0, r], s1 * o[min(1, last), r], s2 * o[last, r]
        value, da, db, dc = _row(head, float(a), float(b), float(c), float(v[r]), penalty)
        loss += weight[r] * value
        d[0, r], d[1, r], d[2, r] = weight[r] * da, weight[r] * db, weight[r] * dc
    for k in range(outputs):
        for r in range(v.size):
            g[outputs + k] += d[k, r] * o[k, r]
            d[k, r] *= tail[outputs + k]
            g[k] += d[k, r]
    return loss


@njit(cache=True, nogil=True, error_model="numpy")
def loss_and_gradient(head, outputs, theta, u, v, weight, penalty, h, g):  # type: ignore[no-untyped-def]  # as above
    """Weighted mean loss of a network; its gradient in `g`. `h` (hidden units × rows of a block) is working space.

    `u` is inputs × rows; the weights of inputs beyond the first stand at the end of θ.
    """
    units, block = h.shape
    tail = (2 + outputs) * units
    end = tail + 2 * outputs
    o = np.empty((outputs, block), theta.dtype)
    d = np.zeros((3, block), theta.dtype)
    g[:] = 0
    loss = 0.0
    for start in range(0, v.size, block):
        rows = slice(start, start + block)
        if u.shape[0] == 1:
            _hidden(theta, u[0, rows], h)
        else:
            _hidden_of_several(theta, theta[end:], u[:, rows], h)
        for k in range(outputs):
            _output(theta[(2 + k) * units : (3 + k) * units], theta[tail + k], h, o[k])
        loss += _head(head, theta[tail:end], o, v[rows], weight[rows], penalty, d, g[tail:end])
        _backward(theta, outputs, u[0, rows], h, d, g)
        if u.shape[0] > 1:
            _backward_of_several(theta, outputs, u[:, rows], h, d, g[end:])
    return loss


@njit(cache=True, nogil=True, error_model="numpy")
def _adam(theta, m, s, g, rate, step):  # type: ignore[no-untyped-def]  # as above
    """One step in place; `step` counts from 1."""
    bias_m, bias_s = adam_bias(step)
    for i in range(theta.size):
        m[i], s[i] = adam_moments(m[i], s[i], g[i])
        theta[i] -= adam_direction(rate * (m[i] / bias_m), s[i] / bias_s, math.sqrt)


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(head, outputs, fixed, rates, first, last, u, v, weight, penalty, theta, m, s, best, record, h):  # type: ignore[no-untyped-def]  # as above
    """Steps first … last − 1 of one fit, in place; `record` is (best loss, its step, the step that diverged or −1).

    `fixed` parameters at the end of θ are not trained.
    """
    g = np.empty_like(theta)
    for step in range(first, last):
        if record[2] >= 0:
            return
        loss = loss_and_gradient(head, outputs, theta, u, v, weight, penalty, h, g)
        if not math.isfinite(loss):
            record[2] = step
            return
        # The loss of a step belongs to the parameters before its update, so both are kept here.
        if loss < record[0]:
            record[0], record[1] = loss, step
            best[:] = theta
        g[g.size - fixed :] = 0
        _adam(theta, m, s, g, rates[step], step + 1)
