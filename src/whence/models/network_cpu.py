"""The CPU's engine over many fits: one thread a fit, so that no fit's result depends on the fits beside it."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.models import network_compiled
from whence.models.network_heads import Head
from whence.models.network_layout import Problem
from whence.models.network_training import Training
from whence.pair import FloatArray

BLOCK = {"float64": 64, "float32": 128}
"""Rows worked on at a time: with 100 hidden units they stay in the second-level cache."""


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CompiledEngine:
    """Trains a list of fits of any lengths."""

    def __init__(self, problems: Sequence[Problem], head: Head, training: Training) -> None:
        self._head, self._rates = head, training.rates()
        self._fits = [_Fit(problem, training.hidden, np.dtype(training.precision)) for problem in problems]

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do these steps for every active fit, the longest first."""
        chosen = [fit for fit, on in zip(self._fits, active, strict=True) if on]
        chosen.sort(key=lambda fit: -fit.n)
        with ThreadPoolExecutor(min(cores(), max(1, len(chosen)))) as pool:
            list(pool.map(lambda fit: fit.advance(self._head, self._rates, first, last), chosen))

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""
        theta = np.stack([fit.best for fit in self._fits]).astype(np.float64)
        return theta, np.stack([fit.record for fit in self._fits])


class _Fit:
    """One fit's rows, padded to whole blocks by rows of weight 0, and where its training stands."""

    def __init__(self, problem: Problem, hidden: int, dtype: np.dtype[Any]) -> None:
        self.n, self._shape = problem.n, (hidden, BLOCK[dtype.name])
        extra = (0, -problem.n % BLOCK[dtype.name])
        self._u = np.pad(problem.inputs, ((0, 0), extra), mode="edge").astype(dtype)
        self._v = np.pad(problem.direction.effect, extra, mode="edge").astype(dtype)
        self._weight = np.pad(problem.weight, extra).astype(dtype)
        self._theta = problem.theta.astype(dtype)
        self._m, self._s = np.zeros_like(self._theta), np.zeros_like(self._theta)
        self.best, self.record = self._theta.copy(), np.array([np.inf, -1.0, -1.0])

    def advance(self, head: Head, rates: FloatArray, first: int, last: int) -> None:
        data = (self._u, self._v, self._weight, 1.0 / self.n)
        state = (self._theta, self._m, self._s, self.best, self.record)
        space = np.empty(self._shape, self._theta.dtype)
        fixed = 0 if head.free_scales else head.outputs
        network_compiled.advance(head.code, head.outputs, fixed, rates, first, last, *data, *state, space)
