"""The fused GPU kernel: forward, backward and Adam of one fit for many steps, activations on chip.

One program of the grid is one fit. It keeps the parameters in registers and walks over its rows in blocks, so that a
step moves no activations through device memory: the plain engine is bound by exactly that traffic.

Hidden units are cut into chunks of `lanes`, a power of two; a block is one tile of rows × lanes for each chunk. Sums
over rows stay unreduced, one per thread, until the step's end.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from whence.models import network_jax
from whence.models.network_compiled import BETA_1, BETA_2, EPSILON
from whence.models.network_heads import ADDITIVE, LOCATION_SCALE, Head
from whence.models.network_rows import additive_rows, location_scale_rows, student_rows

TWO_LOG2_E = 2.8853900817779268


@dataclass(frozen=True)
class Shape:
    """How a kernel is cut: hidden units a chunk, rows a block, warps a fit."""

    lanes: int
    rows: int
    warps: int


def tanh(z: Any) -> Any:
    """1 − 2 / (1 + e²ᶻ), by the hardware's exponential in single precision; infinity on the way is harmless."""
    return 1.0 - 2.0 / (1.0 + network_jax.jax().numpy.exp2(z * TWO_LOG2_E))


def row_gradient(head: Head, out: Sequence[Any], v: Any, penalty: Any) -> tuple[Any, ...]:
    """Loss of every row and its derivative in every output."""
    jnp = network_jax.jax().numpy
    if head == ADDITIVE:
        return additive_rows(out[0], v)
    if head == LOCATION_SCALE:
        return location_scale_rows(out[0], out[1], jnp.exp(out[1]), v)
    return student_rows(out[0], jnp.exp(out[1]), jnp.exp(out[2]), out[2], v, penalty, jnp.log)


def _total(terms: Iterable[Any]) -> Any:
    return reduce(operator.add, terms)  # `sum` would add a zero to every element first


def _block(head: Head, theta: Sequence[Sequence[Any]], tail: Sequence[Any], rows: Any, sums: Any) -> Any:
    """Add one block of rows to the running sums; `theta` is w, b, W₁ …, each a list of chunks."""
    jnp = network_jax.jax().numpy
    k = head.outputs
    u, v, weight, penalty = rows
    w, b, *weights = theta
    to_theta, to_offset, to_scale, loss = sums
    chunks = range(len(w))
    h = [tanh(u[:, None] * w[c][None, :] + b[c][None, :]) for c in chunks]
    raw = [jnp.sum(_total(h[c] * weights[i][c][None, :] for c in chunks), axis=1) + tail[i] for i in range(k)]
    value, *slopes = row_gradient(head, [tail[k + i] * raw[i] for i in range(k)], v, penalty)
    slopes = [weight * slope for slope in slopes]
    scaled = [tail[k + i] * slopes[i] for i in range(k)]
    down = [each[:, None] for each in scaled]
    dz = [_total(down[i] * weights[i][c][None, :] for i in range(k)) * (1.0 - h[c] * h[c]) for c in chunks]
    column = u[:, None]
    added = [[dz[c] * column for c in chunks], dz, *([h[c] * down[i] for c in chunks] for i in range(k))]
    return (
        [[old + new for old, new in zip(olds, news, strict=True)] for olds, news in zip(to_theta, added, strict=True)],
        [to_offset[i] + scaled[i] for i in range(k)],
        [to_scale[i] + slopes[i] * raw[i] for i in range(k)],
        loss + weight * value,
    )


def _gradient(
    head: Head, theta: Sequence[Sequence[Any]], tail: Sequence[Any], read: Any, blocks: Any, rows: int
) -> Any:
    """Loss and gradient of one fit; the gradient as a flat list in the order of `theta`, then `tail`."""
    jax = network_jax.jax()
    jnp = jax.numpy
    k, chunk = head.outputs, theta[0][0]
    tile, row = jnp.zeros((rows, chunk.shape[0]), chunk.dtype), jnp.zeros((rows,), chunk.dtype)
    start = ([[tile] * len(theta[0])] * len(theta), [row] * k, [row] * k, row)
    sums = jax.lax.fori_loop(0, blocks, lambda i, sums: _block(head, theta, tail, read(i), sums), start)
    to_theta, to_offset, to_scale, loss = sums
    if not head.free_scales:
        to_scale = [jnp.zeros_like(each) for each in to_scale]
    flat = [jnp.sum(each, axis=0) for chunks in to_theta for each in chunks]
    return jnp.sum(loss), flat + [jnp.sum(each) for each in (*to_offset, *to_scale)]


def _step(state: Any, loss: Any, gradient: Sequence[Any], schedule: Any, step: Any) -> Any:
    """Adam on a list of vectors and scalars; what is kept when a loss is the best so far, or no number at all."""
    jnp = network_jax.jax().numpy
    parameters, m, s, best, best_loss, best_step, failed = state
    rate, correct_m, correct_s = schedule
    failed = jnp.where((failed < 0) & ~(jnp.abs(loss) < jnp.inf), step, failed)
    alive = failed < 0
    better = alive & (loss < best_loss)
    new_m = [BETA_1 * a + (1 - BETA_1) * g for a, g in zip(m, gradient, strict=True)]
    new_s = [BETA_2 * a + (1 - BETA_2) * g * g for a, g in zip(s, gradient, strict=True)]
    moved = [
        p - rate * (a * correct_m) / (jnp.sqrt(b * correct_s) + EPSILON)
        for p, a, b in zip(parameters, new_m, new_s, strict=True)
    ]

    def keep(test: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
        return [jnp.where(test, a, b) for a, b in zip(new, old, strict=True)]

    return (
        keep(alive, moved, parameters),
        keep(alive, new_m, m),
        keep(alive, new_s, s),
        keep(better, parameters, best),
        jnp.where(better, loss, best_loss),
        jnp.where(better, step, best_step),
        failed,
    )


def kernel(head: Head, chunks: int, rows: int) -> Callable[..., None]:
    """Reads and writes one fit's vectors (4 × (2 + K) × chunks × lanes), scalars (4 × 2K), best loss and two steps.

    The four are: parameters, Adam's two moments, best parameters.
    """
    jax = network_jax.jax()
    from jax.experimental import pallas as pl

    kinds, n_scalars = 2 + head.outputs, 2 * head.outputs
    places = [(i, c) for i in range(kinds) for c in range(chunks)]

    def run(bounds, blocks, schedule, u, v, weight, penalty, vectors, scalars, losses, steps, *out):  # type: ignore[no-untyped-def]  # references
        fit = pl.program_id(0)
        parts = [
            [vectors[fit, part, i, c] for i, c in places] + [scalars[fit, part, i] for i in range(n_scalars)]
            for part in range(4)
        ]
        state = (*parts, losses[fit], steps[fit, 0], steps[fit, 1])
        count, factor = blocks[fit], penalty[fit]

        def read(i: Any) -> Any:
            at = pl.ds(i * rows, rows)
            return u[fit, at], v[fit, at], weight[fit, at], factor

        def one(step: Any, state: Any) -> Any:
            flat, tail = state[0][: len(places)], state[0][len(places) :]
            theta = [flat[i * chunks : (i + 1) * chunks] for i in range(kinds)]
            loss, gradient = _gradient(head, theta, tail, read, count, rows)
            return _step(state, loss, gradient, [schedule[i, step] for i in range(3)], step)

        state = jax.lax.fori_loop(bounds[0], bounds[1], one, state)
        for part in range(4):
            for number, (i, c) in enumerate(places):
                out[0][fit, part, i, c] = state[part][number]
            for i in range(n_scalars):
                out[1][fit, part, i] = state[part][len(places) + i]
        out[2][fit] = state[4]
        out[3][fit, 0], out[3][fit, 1] = state[5], state[6]

    return run


def program(head: Head, shape: Shape, interpret: bool = False) -> Callable[..., Any]:
    """All fits of a batch through the kernel: what (vectors, scalars, losses, steps) are after bounds[0] … [1] − 1."""
    jax = network_jax.jax()
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    def run(state: Any, data: Any, schedule: Any, bounds: Any) -> Any:
        call = pl.pallas_call(
            kernel(head, state[0].shape[3], shape.rows),
            grid=(state[0].shape[0],),
            out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in state],
            input_output_aliases={7 + i: i for i in range(4)},
            compiler_params=triton.CompilerParams(num_warps=shape.warps, num_stages=1),
            interpret=interpret,
        )
        blocks, *columns = data
        return tuple(call(bounds, blocks, schedule, *columns, *state))

    return run
