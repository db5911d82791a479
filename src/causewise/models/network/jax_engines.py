"""The engines in JAX: plain code with automatic differentiation on CPU or GPU, and a fused kernel for the GPU.

The plain engine is the oracle of the two faster ones, and their fallback.

In the fused kernel, which does forward, backward and Adam of one fit for many steps, one program of the grid is one
fit, of any length. It keeps the parameters in registers and walks over its rows in blocks, so that a step moves no
activations through device memory: the plain engine is bound by exactly that traffic. Hidden units are cut into chunks
of `lanes`, a power of two; a block is one tile of rows × lanes for each chunk.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.models.network import jax_runtime
from causewise.models.network.heads import Head, row_gradient
from causewise.models.network.training import (
    Group,
    Problem,
    Training,
    adam_bias,
    adam_direction,
    adam_moments,
    batch_size,
    bucket,
    stack_group,
)
from causewise.pair import FloatArray

TWO_LOG2_E = 2.8853900817779268
Best = tuple[FloatArray, FloatArray]
"""Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""


class JaxEngine:
    """Trains one group of fits by a program (state, data, schedule, bounds) → state of JAX."""

    def __init__(
        self,
        name: str,
        program: Callable[..., Any],
        arrays: tuple[Any, Any, Any],
        unpack: Callable[[list[FloatArray]], Best],
        count: int,
        precision: str,
        device: str | None = None,
    ) -> None:
        self._precision, self._count, self._unpack = precision, count, unpack
        with jax_runtime.precision_scope(precision):
            self._device = jax_runtime.jax().devices(device)[0]
            self._state, self._data, self._schedule = self._place(arrays)
            arguments = (self._state, self._data, self._schedule, self._place(np.zeros(2, np.int32)))
            self._program = jax_runtime.compile_program(program, name, arguments)

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do these steps for every fit; the caller ignores those no longer active."""
        with jax_runtime.precision_scope(self._precision):
            bounds = self._place(np.array([first, last], np.int32))
            self._state = self._program(self._state, self._data, self._schedule, bounds)

    def best(self) -> Best:
        """Best parameters and their record."""
        return self._unpack([np.array(part, dtype=np.float64)[: self._count] for part in self._state])

    def _place(self, tree: Any) -> Any:
        return jax_runtime.place(tree, self._precision, self._device)


def plain_engine(problems: Sequence[Problem], group: Group, head: Head, training: Training, device: str) -> JaxEngine:
    """The plain engine for one group of fits."""
    cause, effect, weight, theta = stack_group(problems, group)
    penalty = 1.0 / np.count_nonzero(weight, axis=1)
    zeros, none = np.zeros_like(theta), np.full(group.fits, -1, np.int32)
    state = (theta, zeros, zeros, theta, np.full(group.fits, np.inf), none, none)

    def run(state: Any, data: Any, rates: Any, bounds: Any) -> Any:
        def one(state: Any, data: Any) -> Any:
            return _advance(head, training.hidden, state, data, rates, bounds[0], bounds[1])

        return jax_runtime.jax().vmap(one)(state, data)

    def unpack(state: list[FloatArray]) -> Best:
        return state[3], np.stack(state[4:], axis=1)

    arrays = state, (cause, effect, weight, penalty), training.rates()
    return JaxEngine(f"xla-{head.name}", run, arrays, unpack, len(group.members), training.precision, device)


def plain_loss(head: Head, hidden: int, theta: Any, u: Any, v: Any, weight: Any, penalty: Any) -> Any:
    """Weighted mean loss of one network."""
    jnp = jax_runtime.jax().numpy
    k = head.outputs
    weights = theta[2 * hidden : (2 + k) * hidden].reshape(k, hidden)
    offset, scale = theta[-2 * k : -k, None], theta[-k:, None]
    h = jnp.tanh(theta[:hidden, None] * u[None, :] + theta[hidden : 2 * hidden, None])
    # Tensor cores would multiply in reduced precision; "highest" is the precision of the arrays.
    out = scale * (jnp.matmul(weights, h, precision="highest") + offset)
    return jnp.sum(weight * row_gradient(head, out, v, penalty, jnp)[0])


def _advance(head: Head, hidden: int, state: Any, data: Any, rates: Any, first: Any, last: Any) -> Any:
    """Steps first … last − 1 of one fit; `state` is (θ, m, s, best θ, best loss, its step, diverging step or −1)."""
    jax = jax_runtime.jax()
    jnp = jax.numpy
    value_and_gradient = jax.value_and_grad(plain_loss, argnums=2)

    def one(step: Any, state: Any) -> Any:
        theta, m, s, best, best_loss, best_step, failed = state
        value, g = value_and_gradient(head, hidden, theta, *data)
        if not head.free_scales:
            g = g.at[-head.outputs :].set(0.0)
        failed = jnp.where((failed < 0) & ~jnp.isfinite(value), step, failed)
        alive = failed < 0
        better = alive & (value < best_loss)
        new_m, new_s = adam_moments(m, s, g)
        bias_m, bias_s = adam_bias((step + 1).astype(theta.dtype))
        direction = adam_direction(new_m / bias_m, new_s / bias_s, jnp.sqrt)
        # A fit that diverged stays where it was: the fits beside it in the batch go on, and the loop has no branches.
        return (
            jnp.where(alive, theta - rates[step] * direction, theta),
            jnp.where(alive, new_m, m),
            jnp.where(alive, new_s, s),
            jnp.where(better, theta, best),
            jnp.where(better, value, best_loss),
            jnp.where(better, step, best_step),
            failed,
        )

    return jax.lax.fori_loop(first, last, one, state)


@dataclass(frozen=True)
class KernelShape:
    """How a kernel is cut: hidden units a chunk, rows a block, warps a fit."""

    lanes: int
    rows: int
    warps: int

    @classmethod
    def of(cls, hidden: int) -> "KernelShape":
        """All hidden units in one tile, four rows a block, one warp a fit."""
        # The fastest of the shapes that `benchmarks/network.py shapes` tries.
        return cls(1 << (hidden - 1).bit_length(), 4, 1)


def launch(lengths: Sequence[int]) -> Group:
    """All fits in one launch; the longest start first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return Group(tuple(order), batch_size(len(order)), bucket(lengths[order[0]]))


def fused_engine(
    problems: Sequence[Problem],
    group: Group,
    head: Head,
    training: Training,
    shape: KernelShape | None = None,
    interpret: bool = False,
) -> JaxEngine:
    """The fused kernel for one group of fits, of any lengths."""
    hidden, count, shape = training.hidden, len(group.members), shape or KernelShape.of(training.hidden)
    cause, effect, weight, theta = stack_group(problems, group)
    rows = np.count_nonzero(weight, axis=1)
    rows[count:] = 0  # fits that only fill the batch
    blocks = (-(-rows // shape.rows)).astype(np.int32)
    data = [blocks, cause, effect, weight, 1.0 / np.maximum(rows, 1)]
    # For every step its learning rate and what Adam's moments are multiplied by to lose their bias. Reciprocals and
    # powers are made here once: in the kernel every thread of every fit would compute them again.
    bias_m, bias_s = adam_bias(np.arange(1, training.steps + 1))
    schedule = np.stack([training.rates(), 1.0 / bias_m, 1.0 / bias_s])

    def unpack(state: list[FloatArray]) -> Best:
        vectors, scalars, losses, steps = state
        best = vectors[:, 3].reshape(count, 2 + head.outputs, -1)[:, :, :hidden]
        theta = np.concatenate([best.reshape(count, -1), scalars[:, 3]], axis=1)
        return theta, np.concatenate([losses[:, None], steps], axis=1)

    arrays = _fused_state(head, hidden, shape.lanes, theta), data, schedule
    program = _fused_program(head, shape, interpret)
    return JaxEngine(f"fused-{head.name}", program, arrays, unpack, count, training.precision)


def _fused_state(head: Head, hidden: int, lanes: int, theta: FloatArray) -> tuple[Any, ...]:
    fits, k = len(theta), head.outputs
    chunks = -(-hidden // lanes)
    vectors, scalars = np.zeros((fits, 4, 2 + k, chunks * lanes)), np.zeros((fits, 4, 2 * k))
    for part in (0, 3):  # hidden units beyond the last have no weight, get no gradient and stay at zero
        vectors[:, part, :, :hidden] = theta[:, : -2 * k].reshape(fits, 2 + k, hidden)
        scalars[:, part] = theta[:, -2 * k :]
    vectors = vectors.reshape(fits, 4, 2 + k, chunks, lanes)
    return vectors, scalars, np.full(fits, np.inf), np.full((fits, 2), -1, np.int32)


def _total(terms: Iterable[Any]) -> Any:
    return reduce(operator.add, terms)  # `sum` would add a zero to every element first


def _block(head: Head, theta: Sequence[Sequence[Any]], tail: Sequence[Any], rows: Any, sums: Any) -> Any:
    """Add one block of rows to the running sums; `theta` is w, b, W₁ …, each a list of chunks."""
    jnp = jax_runtime.jax().numpy
    k = head.outputs
    u, v, weight, penalty = rows
    w, b, *weights = theta
    to_theta, to_offset, to_scale, loss = sums
    chunks = range(len(w))
    # tanh z = 1 − 2 / (1 + e²ᶻ), by the hardware's exponential in single precision; infinity on the way is harmless.
    h = [1.0 - 2.0 / (1.0 + jnp.exp2((u[:, None] * w[c][None, :] + b[c][None, :]) * TWO_LOG2_E)) for c in chunks]
    raw = [jnp.sum(_total(h[c] * weights[i][c][None, :] for c in chunks), axis=1) + tail[i] for i in range(k)]
    value, *slopes = row_gradient(head, [tail[k + i] * raw[i] for i in range(k)], v, penalty, jnp)
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
    jax = jax_runtime.jax()
    jnp = jax.numpy
    k, chunk = head.outputs, theta[0][0]
    tile, row = jnp.zeros((rows, chunk.shape[0]), chunk.dtype), jnp.zeros((rows,), chunk.dtype)
    start = ([[tile] * len(theta[0])] * len(theta), [row] * k, [row] * k, row)
    # Sums over rows stay unreduced, one per thread, until the step's end: a block needs no reduction across threads.
    sums = jax.lax.fori_loop(0, blocks, lambda i, sums: _block(head, theta, tail, read(i), sums), start)
    to_theta, to_offset, to_scale, loss = sums
    if not head.free_scales:
        to_scale = [jnp.zeros_like(each) for each in to_scale]
    flat = [jnp.sum(each, axis=0) for chunks in to_theta for each in chunks]
    return jnp.sum(loss), flat + [jnp.sum(each) for each in (*to_offset, *to_scale)]


def _step(state: Any, loss: Any, gradient: Sequence[Any], schedule: Any, step: Any) -> Any:
    """Adam on a list of vectors and scalars; what is kept when a loss is the best so far, or NaN or infinite."""
    jnp = jax_runtime.jax().numpy
    parameters, m, s, best, best_loss, best_step, failed = state
    rate, over_m, over_s = schedule
    # |loss| < ∞ is false for NaN too.
    failed = jnp.where((failed < 0) & ~(jnp.abs(loss) < jnp.inf), step, failed)
    alive = failed < 0
    better = alive & (loss < best_loss)
    moments = [adam_moments(*each) for each in zip(m, s, gradient, strict=True)]
    new_m, new_s = [a for a, _ in moments], [b for _, b in moments]
    moved = [
        p - adam_direction(rate * (a * over_m), b * over_s, jnp.sqrt)
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


def _kernel(head: Head, chunks: int, rows: int) -> Callable[..., None]:
    """Reads and writes one fit's vectors (4 × (2 + K) × chunks × lanes), scalars (4 × 2K), best loss and two steps.

    The four are: parameters, Adam's two moments, best parameters.
    """
    jax = jax_runtime.jax()
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


def _fused_program(head: Head, shape: KernelShape, interpret: bool = False) -> Callable[..., Any]:
    """All fits of a batch through the kernel: what (vectors, scalars, losses, steps) are after bounds[0] … [1] − 1."""
    jax = jax_runtime.jax()
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    def run(state: Any, data: Any, schedule: Any, bounds: Any) -> Any:
        call = pl.pallas_call(
            _kernel(head, state[0].shape[3], shape.rows),
            grid=(state[0].shape[0],),
            out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in state],
            input_output_aliases={7 + i: i for i in range(4)},
            compiler_params=triton.CompilerParams(num_warps=shape.warps, num_stages=1),
            interpret=interpret,
        )
        blocks, *columns = data
        return tuple(call(bounds, blocks, schedule, *columns, *state))

    return run
