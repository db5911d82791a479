"""The GPU's engine: one kernel does forward, backward and Adam for many steps, with a fit's activations on chip.

One program of the grid is one fit. It keeps the parameters in registers and walks over its rows in blocks, so that a
step moves no activations through device memory: the plain engine is bound by exactly that traffic. Rows of fits of any
lengths stand in one array; each fit walks over its own blocks only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.models import network_jax
from whence.models.network_compiled import BETA_1, BETA_2, EPSILON
from whence.models.network_heads import ADDITIVE, LOCATION_SCALE, Head
from whence.models.network_layout import Group, Problem, batch_size, bucket, stacked
from whence.models.network_rows import additive_rows, location_scale_rows, student_rows
from whence.models.network_training import Training
from whence.pair import FloatArray

TWO_LOG2_E = 2.8853900817779268


@dataclass(frozen=True)
class Shape:
    """How a kernel is cut: rows a block, warps a fit."""

    rows: int
    warps: int


def row_gradient(head: Head, out: Sequence[Any], v: Any, penalty: Any, jnp: Any) -> tuple[Any, ...]:
    """Loss of every row and its derivative in every output."""
    if head == ADDITIVE:
        return additive_rows(out[0], v)
    if head == LOCATION_SCALE:
        return location_scale_rows(out[0], out[1], jnp.exp(out[1]), v)
    return student_rows(out[0], jnp.exp(out[1]), jnp.exp(out[2]), out[2], v, penalty, jnp.log)


def _block(head: Head, theta: Sequence[Any], tail: Sequence[Any], rows: Any, sums: Any) -> Any:
    """Add one block of rows to the running sums; sums over rows stay unreduced until the step's end."""
    jnp = network_jax.jax().numpy
    k = head.outputs
    u, v, weight, penalty = rows
    w, b, *weights = theta
    to_w, to_b, to_weights, to_offset, to_scale, loss = sums
    h = 1.0 - 2.0 / (1.0 + jnp.exp2((u[:, None] * w[None, :] + b[None, :]) * TWO_LOG2_E))
    raw = [jnp.sum(h * weights[i][None, :], axis=1) + tail[i] for i in range(k)]
    value, *slopes = row_gradient(head, [tail[k + i] * raw[i] for i in range(k)], v, penalty, jnp)
    slopes = [weight * slope for slope in slopes]
    down = [tail[k + i] * slopes[i] for i in range(k)]
    dz = sum((down[i][:, None] * weights[i][None, :] for i in range(1, k)), down[0][:, None] * weights[0][None, :])
    dz = dz * (1.0 - h * h)
    return (
        to_w + dz * u[:, None],
        to_b + dz,
        [to_weights[i] + h * down[i][:, None] for i in range(k)],
        [to_offset[i] + down[i] for i in range(k)],
        [to_scale[i] + slopes[i] * raw[i] for i in range(k)],
        loss + weight * value,
    )


def _gradient(head: Head, theta: Sequence[Any], tail: Sequence[Any], read: Any, blocks: Any, shape: Any) -> Any:
    """Loss and gradient of one fit: (loss, of the vectors w, b, W₁ …, of the scalars c₁ …, s₁ …)."""
    jax = network_jax.jax()
    jnp = jax.numpy
    k, dtype = head.outputs, theta[0].dtype
    tile, row = jnp.zeros(shape, dtype), jnp.zeros(shape[:1], dtype)
    start = (tile, tile, [tile] * k, [row] * k, [row] * k, row)
    sums = jax.lax.fori_loop(0, blocks, lambda i, sums: _block(head, theta, tail, read(i), sums), start)
    to_w, to_b, to_weights, to_offset, to_scale, loss = sums
    to_theta = [jnp.sum(each, axis=0) for each in (to_w, to_b, *to_weights)]
    if not head.free_scales:
        to_scale = [jnp.zeros_like(each) for each in to_scale]
    return jnp.sum(loss), to_theta, [jnp.sum(each) for each in (*to_offset, *to_scale)]


def _step(head: Head, state: Any, found: Any, schedule: Any, step: Any) -> Any:
    """Adam on lists of vectors and scalars; what is kept when a loss is the best so far, or no number at all."""
    jnp = network_jax.jax().numpy
    parameters, m, s, best, best_loss, best_step, failed = state
    loss, gradient = found
    rate, correct_m, correct_s = schedule
    finite = jnp.abs(loss) < jnp.inf
    failed = jnp.where((failed < 0) & ~finite, step, failed)
    alive = failed < 0
    better = alive & (loss < best_loss)
    new_m = [BETA_1 * a + (1 - BETA_1) * g for a, g in zip(m, gradient, strict=True)]
    new_s = [BETA_2 * a + (1 - BETA_2) * g * g for a, g in zip(s, gradient, strict=True)]
    moved = [
        p - rate * (a * correct_m) / (jnp.sqrt(b * correct_s) + EPSILON)
        for p, a, b in zip(parameters, new_m, new_s, strict=True)
    ]
    keep = lambda test, new, old: [jnp.where(test, a, b) for a, b in zip(new, old, strict=True)]  # noqa: E731
    return (
        keep(alive, moved, parameters),
        keep(alive, new_m, m),
        keep(alive, new_s, s),
        keep(better, parameters, best),
        jnp.where(better, loss, best_loss),
        jnp.where(better, step, best_step),
        failed,
    )


def kernel(head: Head, rows: int) -> Callable[..., None]:
    """The kernel: reads and writes one fit's vectors (4 × (2 + K) × H), scalars (4 × 2K), best loss and two steps.

    The four are: parameters, Adam's two moments, best parameters.
    """
    jax = network_jax.jax()
    from jax.experimental import pallas as pl

    n_vectors, n_scalars = 2 + head.outputs, 2 * head.outputs

    def run(bounds, blocks, schedule, u, v, weight, penalty, vectors, scalars, losses, steps, *out):  # type: ignore[no-untyped-def]  # references
        fit = pl.program_id(0)
        state = (
            *(
                [vectors[fit, part, i] for i in range(n_vectors)] + [scalars[fit, part, i] for i in range(n_scalars)]
                for part in range(4)
            ),
            losses[fit],
            steps[fit, 0],
            steps[fit, 1],
        )
        count, factor = blocks[fit], penalty[fit]

        def read(i: Any) -> Any:
            at = pl.ds(i * rows, rows)
            return u[fit, at], v[fit, at], weight[fit, at], factor

        def one(step: Any, state: Any) -> Any:
            theta, tail = state[0][:n_vectors], state[0][n_vectors:]
            loss, to_theta, to_tail = _gradient(head, theta, tail, read, count, (rows, theta[0].shape[0]))
            rates = tuple(schedule[i, step] for i in range(3))
            return _step(head, state, (loss, to_theta + to_tail), rates, step)

        state = jax.lax.fori_loop(bounds[0], bounds[1], one, state)
        for part in range(4):
            for i in range(n_vectors):
                out[0][fit, part, i] = state[part][i]
            for i in range(n_scalars):
                out[1][fit, part, i] = state[part][n_vectors + i]
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
            kernel(head, shape.rows),
            grid=(state[0].shape[0],),
            out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in state],
            input_output_aliases={7 + i: i for i in range(4)},
            compiler_params=triton.CompilerParams(num_warps=shape.warps, num_stages=1),
            interpret=interpret,
        )
        blocks, *columns = data
        return tuple(call(bounds, blocks, schedule, *columns, *state))

    return run


class FusedEngine:
    """Trains one group of fits, of any lengths."""

    def __init__(
        self,
        problems: Sequence[Problem],
        group: Group,
        head: Head,
        training: Training,
        shape: Shape | None = None,
        interpret: bool = False,
    ) -> None:
        jax = network_jax.jax()
        self._precision, self._head, self._hidden = training.precision, head, training.hidden
        self._count = len(group.members)
        shape = shape or shape_for(group.rows, training.precision)
        with network_jax.wide(self._precision):
            self._device = jax.devices()[0]
            self._state = self._placed(_state(head, training.hidden, stacked(problems, group)[3]))
            self._data = self._placed(_data(problems, group, shape))
            self._schedule = self._placed(_schedule(training.rates()))
            arguments = (self._state, self._data, self._schedule, self._placed(np.zeros(2, np.int32)))
            name = f"fused-{head.name}"
            self._program = network_jax.compiled(program(head, shape, interpret), name, arguments)

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do these steps for every fit; the caller ignores those no longer active."""
        with network_jax.wide(self._precision):
            bounds = self._placed(np.array([first, last], np.int32))
            self._state = self._program(self._state, self._data, self._schedule, bounds)

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""
        vectors, scalars, losses, steps = (np.array(a, dtype=np.float64)[: self._count] for a in self._state)
        theta = np.concatenate([vectors[:, 3, :, : self._hidden].reshape(self._count, -1), scalars[:, 3]], axis=1)
        return theta, np.concatenate([losses[:, None], steps], axis=1)

    def _placed(self, tree: Any) -> Any:
        jax = network_jax.jax()
        cast = jax.tree.map(lambda a: a.astype(self._precision) if a.dtype.kind == "f" else a, tree)
        return jax.device_put(cast, self._device)


LONG = 4096
"""Fits of more rows than this get more threads each, so that they do not run on alone when the short ones are done."""


def shape_for(rows: int, precision: str) -> Shape:
    """How the kernel is cut for fits of that many rows, as measured by `benchmarks/network.py`."""
    return Shape(4, 1) if rows <= LONG else Shape(32, 8)


def launches(lengths: Sequence[int]) -> list[Group]:
    """Short fits in one launch, long fits in another; the longest start first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    parts = [[i for i in order if lengths[i] > LONG], [i for i in order if lengths[i] <= LONG]]
    return [Group(tuple(part), batch_size(len(part)), bucket(lengths[part[0]])) for part in parts if part]


def _state(head: Head, hidden: int, theta: FloatArray) -> tuple[Any, ...]:
    fits, k = len(theta), head.outputs
    lanes = 1 << (hidden - 1).bit_length()
    vectors, scalars = np.zeros((fits, 4, 2 + k, lanes)), np.zeros((fits, 4, 2 * k))
    for part in (0, 3):  # hidden units beyond the last have no weight, get no gradient and stay at zero
        vectors[:, part, :, :hidden] = theta[:, : -2 * k].reshape(fits, 2 + k, hidden)
        scalars[:, part] = theta[:, -2 * k :]
    return vectors, scalars, np.full(fits, np.inf), np.full((fits, 2), -1, np.int32)


def _data(problems: Sequence[Problem], group: Group, shape: Shape) -> list[Any]:
    cause, effect, weight, _ = stacked(problems, group)
    counts = np.count_nonzero(weight, axis=1)
    counts[len(group.members) :] = 0  # fits that only fill the batch
    blocks = (-(-counts // shape.rows)).astype(np.int32)
    return [blocks, cause, effect, weight, 1.0 / np.maximum(counts, 1)]


def _schedule(rates: FloatArray) -> FloatArray:
    steps = np.arange(1, len(rates) + 1)
    return np.stack([rates, 1.0 / (1.0 - BETA_1**steps), 1.0 / (1.0 - BETA_2**steps)])
