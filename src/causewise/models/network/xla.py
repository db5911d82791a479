"""The plain engine: a batch of networks trained by JAX with automatic differentiation, on CPU or GPU.

Oracle of the two faster engines, and their fallback.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.models.network import jax_runtime
from causewise.models.network.heads import Head, row_gradient
from causewise.models.network.layout import Group, Problem, stacked
from causewise.models.network.training import Training, adam_bias, adam_direction, adam_moments
from causewise.pair import FloatArray


def loss(head: Head, hidden: int, theta: Any, u: Any, v: Any, weight: Any, penalty: Any) -> Any:
    """Weighted mean loss of one network."""
    jnp = jax_runtime.jax().numpy
    k = head.outputs
    weights = theta[2 * hidden : (2 + k) * hidden].reshape(k, hidden)
    offset, scale = theta[-2 * k : -k, None], theta[-k:, None]
    h = jnp.tanh(theta[:hidden, None] * u[None, :] + theta[hidden : 2 * hidden, None])
    # Tensor cores would multiply in reduced precision; "highest" is the precision of the arrays.
    out = scale * (jnp.matmul(weights, h, precision="highest") + offset)
    return jnp.sum(weight * row_gradient(head, out, v, penalty, jnp)[0])


def advance(head: Head, hidden: int, state: Any, data: Any, rates: Any, first: Any, last: Any) -> Any:
    """Steps first … last − 1 of one fit; `state` is (θ, m, s, best θ, best loss, its step, diverging step or −1)."""
    jax = jax_runtime.jax()
    jnp = jax.numpy
    value_and_gradient = jax.value_and_grad(loss, argnums=2)

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


class XlaEngine:
    """Trains one group of fits."""

    def __init__(self, problems: Sequence[Problem], group: Group, head: Head, training: Training, device: str) -> None:
        jax = jax_runtime.jax()
        self._precision, self._count = training.precision, len(group.members)
        with jax_runtime.precision_scope(self._precision):
            self._device = jax.devices(device)[0]
            self._state, self._data = self._placed(_arrays(problems, group))
            self._rates = self._placed(training.rates())
            arguments = (self._state, self._data, self._rates, *self._placed((np.int32(0), np.int32(1))))
            self._program = jax_runtime.compiled(_program(head, training.hidden), f"xla-{head.name}", arguments)

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do these steps for every fit; the caller ignores those no longer active."""
        with jax_runtime.precision_scope(self._precision):
            bounds = self._placed((np.int32(first), np.int32(last)))
            self._state = self._program(self._state, self._data, self._rates, *bounds)

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters (fits × parameters), and (best loss, its step, step that diverged or −1) of every fit."""
        theta = np.array(self._state[3], dtype=np.float64)[: self._count]
        record = np.stack([np.asarray(a, dtype=np.float64)[: self._count] for a in self._state[4:]], axis=1)
        return theta, record

    def _placed(self, tree: Any) -> Any:
        return jax_runtime.placed(tree, self._precision, self._device)


def _program(head: Head, hidden: int) -> Callable[..., Any]:
    def run(state: Any, data: Any, rates: Any, first: Any, last: Any) -> Any:
        def one(state: Any, data: Any) -> Any:
            return advance(head, hidden, state, data, rates, first, last)

        return jax_runtime.jax().vmap(one)(state, data)

    return run


def _arrays(problems: Sequence[Problem], group: Group) -> tuple[Any, Any]:
    """State and data of a group before the first step."""
    cause, effect, weight, theta = stacked(problems, group)
    penalty = 1.0 / np.count_nonzero(weight, axis=1)
    zeros, none = np.zeros_like(theta), np.full(group.fits, -1, np.int32)
    return (theta, zeros, zeros, theta, np.full(group.fits, np.inf), none, none), (cause, effect, weight, penalty)
