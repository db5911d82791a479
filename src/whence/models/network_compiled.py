"""One network's forward pass, backward pass and Adam steps in compiled loops: the CPU's engine.

The activations of a block of rows stay in cache, and loops run over the rows of a block: those are the vector lanes.
Sums over rows are regrouped by the compiler (`reassoc`), in a way fixed when it compiles: equal input, equal bits.
The gradient is written by hand and tested against automatic differentiation.
"""

import math

import numpy as np
from numba import njit

from whence.models.network_elementary import exp, tanh
from whence.models.network_rows import additive_rows, location_scale_rows, student_rows

LOOSE = {"contract", "reassoc", "nsz"}
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


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
    """o = offset + weights · h, four hidden units at a time, so that o is loaded and stored a quarter as often."""
    units = h.shape[0]
    for r in range(o.size):
        o[r] = offset
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
    """Negative log density of v and its derivative in each output; see `network_heads` for the heads."""
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

    `tail` holds the offsets and then the scalars. This is a hundredth of the work, so it is done in double precision.
    """
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
    """Adam (Kingma & Ba 2015), bias-corrected; `step` counts from 1."""
    correct_m, correct_s = 1.0 - BETA_1**step, 1.0 - BETA_2**step
    for i in range(theta.size):
        m[i] = BETA_1 * m[i] + (1.0 - BETA_1) * g[i]
        s[i] = BETA_2 * s[i] + (1.0 - BETA_2) * g[i] * g[i]
        theta[i] -= rate * (m[i] / correct_m) / (math.sqrt(s[i] / correct_s) + EPSILON)


@njit(cache=True, nogil=True, error_model="numpy")
def advance(head, outputs, fixed, rates, first, last, u, v, weight, penalty, theta, m, s, best, record, h):  # type: ignore[no-untyped-def]  # as above
    """Steps first … last − 1 of one fit, in place; `record` is (best loss, its step, the step that diverged or −1).

    `fixed` parameters at the end of θ are not trained. The loss of a step belongs to the parameters before its update.
    """
    g = np.empty_like(theta)
    for step in range(first, last):
        if record[2] >= 0:
            return
        loss = loss_and_gradient(head, outputs, theta, u, v, weight, penalty, h, g)
        if not math.isfinite(loss):
            record[2] = step
            return
        if loss < record[0]:
            record[0], record[1] = loss, step
            best[:] = theta
        g[g.size - fixed :] = 0
        _adam(theta, m, s, g, rates[step], step + 1)
