"""The CPU's engine: forward pass, backward pass and Adam of one network in compiled loops, one thread a fit.

The loops are in `native/network.h`. The gradient is written by hand and tested against automatic differentiation.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.models.network.heads import Head
from causewise.models.network.training import Problem, Training, adam_bias
from causewise.numerics.native import FloatArray, native
from causewise.parallel import processors

_BLOCK, _LANES = 512, 32
"""Bytes of a block's rows and of the partial sums of one parameter, as in `native/network.h`."""
_WORK_AT_ONCE = 30_000_000
"""Rows × hidden units × inputs (and one more) that one call passes over at most; between calls Python may stop it."""


class CompiledEngine:
    """Trains a list of fits of any lengths; no fit's result depends on the fits beside it."""

    def __init__(self, problems: Sequence[Problem], head: Head, training: Training) -> None:
        steps = np.arange(1, training.steps + 1)
        schedule = np.column_stack([training.rates(), *adam_bias(steps)])
        self._fits = [
            _Fit(head, p.theta.astype(training.precision), p.inputs, p.columns.effect, p.weight, 1.0 / p.n, schedule)
            for p in problems
        ]

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do the steps before `last` that are still to be done for every active fit."""
        # One thread a fit, so that no sum depends on the number of cores; the longest first, so that none is left over.
        chosen = [fit for fit, on in zip(self._fits, active, strict=True) if on]
        chosen.sort(key=lambda fit: -fit.n)
        stop = Event()
        with ThreadPoolExecutor(min(processors(), max(1, len(chosen)))) as pool:
            try:
                list(pool.map(lambda fit: fit.advance(last, stop), chosen))
            finally:
                stop.set()

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""
        return np.stack([fit.best for fit in self._fits]), np.stack([fit.record for fit in self._fits])


class _Fit:
    """One fit's rows, padded to whole blocks by rows of weight 0, and where its training stands."""

    def __init__(
        self,
        head: Head,
        theta: NDArray[Any],
        u: FloatArray,
        v: FloatArray,
        weight: FloatArray,
        penalty: float,
        schedule: FloatArray,
    ) -> None:
        dtype, inputs, self.n = theta.dtype, len(u), len(v)
        block, lanes = _BLOCK // dtype.itemsize, _LANES // dtype.itemsize
        in_hidden = len(theta) - 2 * head.outputs
        hidden = in_hidden // (1 + head.outputs + inputs)
        # "edge" repeats the last row: finite whenever the fit is, where 0 · ∞ would make NaN of a row without weight.
        extra = (0, -self.n % block)
        columns = np.pad(np.concatenate([u, v[None]]), ((0, 0), extra), mode="edge")
        self._data = np.concatenate([columns, np.pad(weight, extra)[None]]).astype(dtype)
        shape = (head.code, head.outputs, hidden, inputs, self._data.shape[1], head.free_scales)
        self._shape = np.array(shape, np.int64)
        self._penalty, self._schedule = penalty, schedule
        self._reach = float(np.max(np.abs(self._data[0])))
        self._most = max(1, _WORK_AT_ONCE // (hidden * (1 + inputs)))
        self._state = np.zeros((5, len(theta)), dtype)  # θ, its gradient, Adam's two moments, the best θ
        self._state[[0, 4]] = theta
        # Best loss, its step, the step that diverged or −1; sums over the rows passed so far, the loss last.
        self._record = np.array([np.inf, -1.0, -1.0] + [0.0] * (2 * head.outputs + 1))
        self._place = np.zeros(2, np.int64)  # the step and the row to go on with
        self._space = np.empty(hidden * block + in_hidden * lanes, dtype)

    @property
    def best(self) -> FloatArray:
        return self._state[4].astype(np.float64)

    @property
    def record(self) -> FloatArray:
        return self._record[:3].copy()

    def advance(self, last: int, stop: Event) -> None:
        """Do all steps before `last`, unless told to stop."""
        data = (self._shape, self._reach, self._penalty, self._data, self._schedule)
        state = (self._place, self._record, self._state, self._space)
        loop: Any = _advance_double if self._state.dtype == np.float64 else _advance_single
        while not stop.is_set() and not loop(*data, last, self._most, *state):
            pass


_advance_double = native(
    "bool network_advance_double(int64_t *shape, double reach, double penalty, double *data, double *schedule, "
    "int64_t last, int64_t most, int64_t *place, double *record, double *state, double *space)"
)
_advance_single = native(
    "bool network_advance_single(int64_t *shape, double reach, double penalty, float *data, double *schedule, "
    "int64_t last, int64_t most, int64_t *place, double *record, float *state, float *space)"
)
