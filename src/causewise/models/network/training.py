"""What is trained: the settings, one step of Adam, the rows of a fit, and many fits as one rectangular batch.

The canonical form of two columns (`canonicalise`) is what makes a fit a function of the pair alone: not of the order of
its rows, not of its units, not of the fits beside it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from causewise.errors import REALS, ROUNDS, SEEDS, SIZES, InputError, between, one_of
from causewise.models.network.heads import Head, initial_parameters
from causewise.models.network.jax_runtime import Device
from causewise.pair import FloatArray, row_order, standardise

MOST_MEMORY = 1 << 50
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8
GRID = 2.0**24
"""Standardised values are rounded to multiples of 2⁻²⁴ ≈ 6e-8. A change of units moves them by some 1e-16, which
thousands of optimiser steps would amplify; after rounding it (almost) never moves them at all."""
SHORTEST = 64
LONG = 2048
"""On a GPU, fits of more rows than this are left to the plain engine: in the fused kernel a fit is one warp and would
run on alone (5.5 s for 1000 rows, whether 1 or 200 of them), while plain code spreads a long fit over the card."""
STEADY_SHORT, STEADY_LONG = 1 << 20, 1 << 16
"""Rows of a steady group, padding included: short fits come in hundreds, long ones do not. On an H200 a group of 2²⁰
rows is a quarter faster a fit than one of 2¹⁸."""
LIVE_COPIES = 8
"""Buffers of fits × rows × hidden units that one step holds at most: activations, gradients, XLA's temporaries."""


class TrainingStatus(Enum):
    """How training ended; the value is the sentence for the user."""

    ANNEALED = "The learning rate ran through its whole schedule."
    PLATEAU = "Training stopped early: the likelihood had stopped improving."
    DIVERGED = "Training diverged: the likelihood became infinite or undefined; the best iterate before that is kept."


@dataclass(frozen=True)
class Training:
    """Settings of a training run; the defaults are the paper's."""

    hidden: int = 100
    steps: int = 5000
    first_rate: float = 1e-2
    last_rate: float = 1e-6
    restarts: int = 1
    """Fits from different starts; the best likelihood wins."""
    patience: int = 0
    """Stop when so many steps bring less than `tolerance` nats per row; 0 never stops early."""
    tolerance: float = 1e-4
    precision: Literal["float64", "float32"] = "float64"
    device: Device = "auto"
    engine: Literal["auto", "compiled", "xla", "fused"] = "auto"
    seed: int = 0
    memory: int = 4 << 30
    """Bytes that the activations of one group of fits may take with the plain engine; more fits are split."""

    def __post_init__(self) -> None:
        between("", *SIZES, hidden=self.hidden, restarts=self.restarts)
        between("", *ROUNDS, steps=self.steps)
        between("", 0, ROUNDS[1], patience=self.patience)
        between("", *SEEDS, seed=self.seed)
        between("", 1, MOST_MEMORY, memory=self.memory)
        for name in ("first_rate", "last_rate", "tolerance"):
            if not 0 <= getattr(self, name) <= REALS[1]:
                raise InputError(f"Got {name}={getattr(self, name)!r}; expected a number from 0 to {REALS[1]:g}.")
        one_of("", ("float64", "float32"), precision=self.precision)
        one_of("", ("auto", "cpu", "gpu"), device=self.device)
        one_of("", ("auto", "compiled", "xla", "fused"), engine=self.engine)

    def rates(self) -> FloatArray:
        """The cosine schedule of learning rates."""
        phase = np.cos(np.pi * np.arange(self.steps) / self.steps)
        return self.last_rate + 0.5 * (self.first_rate - self.last_rate) * (1.0 + phase)


# One step of Adam (Kingma & Ba 2015, algorithm 1) is, with t counted from 1 and c = adam_bias(t),
#
#     m, s = adam_moments(m, s, g);   θ ← θ − rate · adam_direction(m / c₁, s / c₂, sqrt).
#
# Arithmetic only, with the square root handed in, so that the same lines serve NumPy arrays, JAX and the GPU kernel;
# `native/network.h` has them for compiled loops. Three functions and not one: that loop takes c from here and stores
# the moments in the precision of its arrays before it divides, and the GPU kernel multiplies by 1 / c, which the
# schedule holds for every step. The direction is linear in m, so an engine may apply the rate to m instead;
# that moves the last bit, which 5000 steps amplify, so each engine keeps the order its published numbers were computed
# in.


def adam_moments(m, s, g):  # type: ignore[no-untyped-def]  # scalars, NumPy and JAX arrays alike
    """Running means of the gradient and of its square."""
    return BETA_1 * m + (1 - BETA_1) * g, BETA_2 * s + (1 - BETA_2) * g * g


def adam_bias(step):  # type: ignore[no-untyped-def]  # as above
    """How much weight the two running means have given to gradients after so many steps: both started at zero."""
    return 1 - BETA_1**step, 1 - BETA_2**step


def adam_direction(m, s, sqrt):  # type: ignore[no-untyped-def]  # as above
    """What a step of rate 1 subtracts from the parameters, given moments without bias."""
    return m / (sqrt(s) + EPSILON)


@dataclass(frozen=True, eq=False)
class CanonicalColumns:
    """Presumed cause and effect, standardised, rounded and sorted by (cause, effect); `order` leads there."""

    cause: FloatArray
    effect: FloatArray
    order: NDArray[np.intp]
    digest: bytes
    """Hash of the rows and of which column is the cause."""
    pair_digest: bytes
    """Hash of the two columns, whichever is the cause; what is drawn for a pair is the same for both directions."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.cause)


@dataclass(frozen=True, eq=False)
class Problem:
    """One fit to be done."""

    columns: CanonicalColumns
    weight: FloatArray
    """Non-negative, summing to 1."""
    theta: FloatArray
    """Where training starts."""
    more: FloatArray | None = None
    """Further input columns, inputs × rows; the CPU's engine alone takes them."""

    @property
    def inputs(self) -> FloatArray:
        """All input columns, inputs × rows."""
        first = self.columns.cause[None, :]
        return first if self.more is None else np.concatenate([first, self.more])

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.columns.n


def canonicalise(cause: FloatArray, effect: FloatArray) -> CanonicalColumns:
    """Canonical form of two columns; exchanging the columns gives the same numbers with the roles exchanged."""
    u, v = _round_column(cause), _round_column(effect)
    return _sort_rows(u, v, row_order(u, v))


def problem(columns: CanonicalColumns, head: Head, hidden: int, seed: int, restart: int = 0) -> Problem:
    """A fit in which all rows have the same weight."""
    weight = np.full(columns.n, 1.0 / columns.n)
    return Problem(columns, weight, initial_parameters(head, hidden, seed, restart))


def weighted_problem(
    inputs: FloatArray, v: FloatArray, weight: FloatArray, head: Head, hidden: int, seed: int, restart: int = 0
) -> Problem:
    """A fit of rows with weights and one input column or several (inputs × rows), standardised by the caller."""
    inputs, v = _on_grid(inputs), _on_grid(v)
    columns = _sort_rows(inputs[0], v, np.lexsort((weight, *inputs[1:], v, inputs[0])))
    weight = weight[columns.order] / np.sum(weight[columns.order])
    start = initial_parameters(head, hidden, seed, restart)
    if len(inputs) == 1:
        return Problem(columns, weight, start)
    # The published start is for one input. Its first-layer weights shrink to the bound of the larger fan-in, and those
    # of the other inputs stand at the end of θ, so that the layout of everything before them is the same.
    rng = np.random.default_rng([seed, restart])
    bound = 1.0 / np.sqrt(len(inputs))
    start[: 2 * hidden] *= bound
    start = np.concatenate([start, rng.uniform(-bound, bound, (len(inputs) - 1) * hidden)])
    return Problem(columns, weight, start, np.ascontiguousarray(inputs[1:, columns.order]))


def bucket(n: int) -> int:
    """The padded length of n rows: steps of √2, so that few lengths occur and at most three rows in ten are padding."""
    length = SHORTEST
    while length < n:
        length = length * 3 // 2 if length & (length - 1) == 0 else length // 3 * 4
    return length


def batch_size(fits: int) -> int:
    """The padded number of fits: four sizes an octave, so that few occur and at most one fit in five is padding."""
    step = max(1, 1 << (fits.bit_length() - 3)) if fits > 4 else 1
    return -(-fits // step) * step


@dataclass(frozen=True)
class Group:
    """Fits (by index) that train as one array of `fits` × `rows`."""

    members: tuple[int, ...]
    fits: int
    rows: int


def plan(lengths: Sequence[int], hidden: int, itemsize: int, memory: int, steady: bool = False) -> list[Group]:
    """Group fits by bucket and split each bucket so that no group needs more than `memory` bytes (or is one fit).

    `steady` groups of one bucket all have the same number of fits, however few there are.
    """
    by_bucket: dict[int, list[int]] = {}
    for index, n in enumerate(lengths):
        by_bucket.setdefault(bucket(n), []).append(index)
    groups = []
    for rows, members in sorted(by_bucket.items()):
        most = max(1, memory // needed_bytes(1, rows, hidden, itemsize))
        # A compiler may add up in another order for another shape, and 5000 steps make 5e-5 nats of that: with one
        # shape a bucket a fit's result does not depend on how many fits train beside it.
        if steady:
            most = min(most, max(1, (STEADY_SHORT if rows <= LONG else STEADY_LONG) // rows))
        most = 1 << (most.bit_length() - 1)
        for start in range(0, len(members), most):
            part = tuple(members[start : start + most])
            groups.append(Group(part, most if steady else batch_size(len(part)), rows))
    return groups


def needed_bytes(fits: int, rows: int, hidden: int, itemsize: int) -> int:
    """An upper bound on the bytes one step of such a group holds."""
    return LIVE_COPIES * fits * rows * hidden * itemsize


def stack_group(problems: Sequence[Problem], group: Group) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Cause, effect and weight (fits × rows) and start (fits × parameters) of a group."""
    # Padding rows repeat the fit's last row with weight 0, so that they are finite whenever the fit is: 0 · ∞ is NaN.
    # Padding fits repeat the group's last fit.
    chosen = [problems[i] for i in group.members]
    chosen += [chosen[-1]] * (group.fits - len(chosen))
    cause = np.stack([_pad(p.columns.cause, group.rows) for p in chosen])
    effect = np.stack([_pad(p.columns.effect, group.rows) for p in chosen])
    weight = np.stack([np.pad(p.weight, (0, group.rows - p.n)) for p in chosen])
    return cause, effect, weight, np.stack([p.theta for p in chosen])


def _sort_rows(u: FloatArray, v: FloatArray, order: NDArray[np.intp]) -> CanonicalColumns:
    either_way = sorted(_digest(np.sort(column)) for column in (u, v))
    u, v = np.ascontiguousarray(u[order]), np.ascontiguousarray(v[order])
    return CanonicalColumns(u, v, order, _digest(u, v), _digest(*either_way))


def _digest(*parts: FloatArray | bytes) -> bytes:
    return hashlib.sha256(b"".join(bytes(part) for part in parts)).digest()


def _pad(column: FloatArray, rows: int) -> FloatArray:
    return np.pad(column, (0, rows - len(column)), mode="edge")


def _round_column(column: FloatArray) -> FloatArray:
    # Sums depend on the order of their terms; sorting first makes a standardised column a function of its values.
    order = np.argsort(column, kind="stable")
    out = np.empty_like(column)
    out[order] = _on_grid(standardise(column[order]))
    return out


def _on_grid(values: FloatArray) -> FloatArray:
    return np.round(values * GRID) / GRID + 0.0  # no negative zero: it would change the digest
