"""What a training run is: its settings, its learning rates, one step of Adam, and what comes out."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np

from causewise.errors import REALS, ROUNDS, SEEDS, SIZES, InputError, between, one_of
from causewise.models.network.jax_runtime import Device
from causewise.pair import FloatArray

MOST_MEMORY = 1 << 50
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


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


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network: everything here belongs to the iterate with the lowest loss."""

    theta: FloatArray
    loss: float
    """Mean loss per row, as the engine saw it; infinite if even the first iterate had none."""
    step: int
    status: TrainingStatus

    @property
    def usable(self) -> bool:
        """Whether there is an iterate with a finite loss."""
        return math.isfinite(self.loss)


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
