"""The GPU's engine: fits of any lengths in one array, trained by the fused kernel of `network_kernel`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.models import network_jax
from whence.models.network_compiled import BETA_1, BETA_2
from whence.models.network_heads import Head
from whence.models.network_kernel import Shape, program
from whence.models.network_layout import Group, Problem, batch_size, bucket, stacked
from whence.models.network_training import Training
from whence.pair import FloatArray


def shape_for(hidden: int) -> Shape:
    """All hidden units in one tile, four rows a block, one warp a fit: fastest in `benchmarks/network.py shapes`."""
    return Shape(1 << (hidden - 1).bit_length(), 4, 1)


def launch(lengths: Sequence[int]) -> Group:
    """All fits in one launch; the longest start first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return Group(tuple(order), batch_size(len(order)), bucket(lengths[order[0]]))


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
        shape = shape or shape_for(training.hidden)
        with network_jax.wide(self._precision):
            self._device = jax.devices()[0]
            self._state = self._placed(_state(head, training.hidden, shape.lanes, stacked(problems, group)[3]))
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
        best = vectors[:, 3].reshape(self._count, 2 + self._head.outputs, -1)[:, :, : self._hidden]
        theta = np.concatenate([best.reshape(self._count, -1), scalars[:, 3]], axis=1)
        return theta, np.concatenate([losses[:, None], steps], axis=1)

    def _placed(self, tree: Any) -> Any:
        jax = network_jax.jax()
        cast = jax.tree.map(lambda a: a.astype(self._precision) if a.dtype.kind == "f" else a, tree)
        return jax.device_put(cast, self._device)


def _state(head: Head, hidden: int, lanes: int, theta: FloatArray) -> tuple[Any, ...]:
    fits, k = len(theta), head.outputs
    chunks = -(-hidden // lanes)
    vectors, scalars = np.zeros((fits, 4, 2 + k, chunks * lanes)), np.zeros((fits, 4, 2 * k))
    for part in (0, 3):  # hidden units beyond the last have no weight, get no gradient and stay at zero
        vectors[:, part, :, :hidden] = theta[:, : -2 * k].reshape(fits, 2 + k, hidden)
        scalars[:, part] = theta[:, -2 * k :]
    vectors = vectors.reshape(fits, 4, 2 + k, chunks, lanes)
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
