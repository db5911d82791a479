"""CGNN (Goudet et al. 2018), pairwise: the direction whose generative network imitates the data better.

Score = (A_back − A_there) / (A_back + A_there), A the kernel distance between generated and observed rows, averaged
over several runs. The networks of all pairs, directions and runs train together, in JAX.

A direction's model is effect = net(cause, noise) with net one hidden layer of ReLU units. It is trained until generated
and observed pairs look alike: with P = (u, v̂), Q = (u, v) and kernels k_γ, γ = 0.01, 0.1, 1, 10, 100, the loss is

    MMD = Σ_γ [mean k_γ(P, P) + mean k_γ(Q, Q) − 2 mean k_γ(P, Q)]            (biased, diagonals included).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from inspect import signature
from typing import Any, get_args

import numpy as np

from causewise.decision import Decision, Evidence
from causewise.errors import ROUNDS, SEEDS, SIZES, between, one_of, positive
from causewise.models.network import jax_runtime
from causewise.models.network.jax_runtime import Device, has_gpu
from causewise.models.network.training import (
    CanonicalColumns,
    adam_bias,
    adam_direction,
    adam_moments,
    batch_size,
    canonicalise,
)
from causewise.pair import FloatArray, Pair
from causewise.protocol import attempt, record_failure

Progress = Callable[[int, int], None]
CHUNK = 50
"""Epochs between two looks at progress."""
GAMMAS = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class CgnnTraining:
    """The settings; the defaults are those behind the LOCI paper's results, derived from `cdt`."""

    hidden: int = 20
    runs: int = 6
    """Networks a direction, over which the distances are averaged."""
    epochs: int = 1000
    test_epochs: int = 1000
    """In which the distances are measured once training is over."""
    batch: int = 200
    """Rows a step."""
    rate: float = 0.01
    rows: int = 2000
    """Rows used at most; of more, a random choice."""
    published: bool = False
    """Whether the score is the plain difference of the distances."""
    device: Device = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        between("cgnn", *SIZES, hidden=self.hidden, runs=self.runs, batch=self.batch)
        between("cgnn", *ROUNDS, epochs=self.epochs, test_epochs=self.test_epochs, rows=self.rows)
        between("cgnn", *SEEDS, seed=self.seed)
        positive("cgnn", rate=self.rate)
        one_of("cgnn", get_args(Device), device=self.device)


@dataclass(frozen=True)
class Cgnn:
    """A batched method; see `CgnnTraining` for the settings."""

    training: CgnnTraining
    progress: Progress | None = field(default=None, repr=False, compare=False)
    name: str = "cgnn"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that can change the answer."""
        return {key: value for key, value in asdict(self.training).items() if key != "device"}

    @property
    def seed(self) -> int:
        """The seed of starts, noise and batches."""
        return self.training.seed

    @property
    def wants_gpu(self) -> bool:
        """Whether it trains on a GPU where there is one."""
        return self.training.device != "cpu"

    @property
    def batch_size(self) -> int:
        """How many pairs are best handed over at once."""
        return 128 if self.wants_gpu and has_gpu() else 4

    def with_progress(self, progress: Progress) -> "Cgnn":
        """The same method, telling how far training is."""
        return replace(self, progress=progress)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Train for all pairs together, then compare the directions of each."""
        runs = range(self.training.runs)
        directions = [canonicalise(*side) for pair in pairs for side in ((pair.x, pair.y), (pair.y, pair.x))]
        fits = [(direction, run) for direction in directions for run in runs]
        by_run = measure_distances(fits, self.training, self.progress).reshape(len(pairs), 2, len(runs))
        sides = zip(pairs, np.mean(by_run, axis=2), strict=True)
        decisions = (self._decide(pair, float(there), float(back)) for pair, (there, back) in sides)
        return [replace(decision, settings=self.settings, seed=self.seed) for decision in decisions]

    def _decide(self, pair: Pair, there: float, back: float) -> Decision:
        steps = max(1, pair.n // self.training.batch)
        score = (back - there) * (steps if self.training.published else 1 / (back + there))
        if not math.isfinite(score):
            return record_failure(pair, self.name, "CGNN's training diverged; try a lower rate.")
        return attempt(pair, self.name, lambda: Decision(self.name, pair, score, Evidence(-there), Evidence(-back)))


def cgnn(**settings: Any) -> Cgnn:
    """CGNN with the settings of `CgnnTraining`."""
    return Cgnn(CgnnTraining(**settings))


cgnn.__signature__ = signature(CgnnTraining)  # type: ignore[attr-defined]  # read by inspect, and so by the catalogue


def mmd(dx: Any, fake: Any, real: Any, weight: Any) -> Any:
    """The loss of one batch; `dx` holds the squared distances of the causes, `weight` sums to 1."""
    # The causes are the same in both samples, so every kernel is exp(−γ Δu²) times a kernel of the effects.
    jnp = jax_runtime.jax().numpy
    pairs = weight[:, None] * weight[None, :]
    ff, rr, fr = ((a[:, None] - b[None, :]) ** 2 for a, b in ((fake, fake), (real, real), (fake, real)))
    terms = sum(jnp.exp(-g * (dx + ff)) + jnp.exp(-g * (dx + rr)) - 2.0 * jnp.exp(-g * (dx + fr)) for g in GAMMAS)
    return jnp.sum(pairs * terms)


def mmd_gradient(dx: Any, fake: Any, real: Any, weight: Any) -> Any:
    """∂MMD/∂fake, written out: one pass over the pairs of a batch, and no term of the observed data alone."""
    jnp = jax_runtime.jax().numpy
    ff, fr = fake[:, None] - fake[None, :], fake[:, None] - real[None, :]
    terms = sum(g * (fr * jnp.exp(-g * (dx + fr * fr)) - ff * jnp.exp(-g * (dx + ff * ff))) for g in GAMMAS)
    return 4.0 * weight * jnp.sum(weight[None, :] * terms, axis=1)


def generate(theta: Any, u: Any, noise: Any, hidden: int) -> Any:
    """Generated effects; θ = [weights of u (h), of the noise (h), biases (h), output weights (h), output bias]."""
    jnp = jax_runtime.jax().numpy
    a, b, c, d = (theta[i * hidden : (i + 1) * hidden] for i in range(4))
    h = jnp.maximum(u[:, None] * a[None, :] + noise[:, None] * b[None, :] + c[None, :], 0.0)
    return jnp.sum(h * d[None, :], axis=1) + theta[-1]


def initial(hidden: int, rng: np.random.Generator) -> FloatArray:
    """Uniform on ±1 / √fan-in."""
    first = rng.uniform(-1.0, 1.0, 3 * hidden) / np.sqrt(2.0)
    return np.concatenate([first, rng.uniform(-1.0, 1.0, hidden + 1) / np.sqrt(hidden)])


def measure_distances(
    fits: Sequence[tuple[CanonicalColumns, int]], training: CgnnTraining, progress: Progress | None = None
) -> FloatArray:
    """The mean MMD on test batches of each (direction, run)."""
    measured = np.empty(len(fits))
    batches = np.array([max(1, min(direction.n, training.rows) // training.batch) for direction, _ in fits])
    done, total = 0, int(np.sum(batches)) * (training.epochs + training.test_epochs)
    for group in np.unique(batches):
        members = np.flatnonzero(batches == group)
        for epochs, so_far in _run([fits[int(i)] for i in members], int(group), training):
            measured[members] = so_far
            done += epochs * int(group) * len(members)
            if progress:
                progress(done, total)
    return measured


def _run(
    fits: Sequence[tuple[CanonicalColumns, int]], batches: int, training: CgnnTraining
) -> Iterator[tuple[int, FloatArray]]:
    """Train, then test, in chunks of epochs; after each: how many epochs it was, and the distances so far."""
    jax = jax_runtime.jax()
    device = jax.devices(jax_runtime.choose_device(training.device))[0]
    chosen = [_arrays(*fit, batches, training) for fit in fits]
    chosen += chosen[-1:] * (batch_size(len(fits)) - len(fits))
    tested = 0
    with jax_runtime.precision_scope("float32"):
        stacked = [np.stack(part) for part in zip(*chosen, strict=True)]
        *data, theta = jax.device_put(stacked, device)
        state = (theta, 0 * theta, 0 * theta, 0 * theta[:, 0])
        for learn, epochs in ((True, training.epochs), (False, training.test_epochs)):
            for first in range(0, epochs, CHUNK):
                last = min(first + CHUNK, epochs)
                bounds = jax.device_put([np.int32(first), np.int32(last)], device)
                program = jax_runtime.compile_program(
                    _program(training, batches, learn), "cgnn", (state, data, *bounds)
                )
                state = program(state, data, *bounds)
                tested += 0 if learn else last - first
                yield last - first, np.asarray(state[3], dtype=np.float64)[: len(fits)] / max(1, tested * batches)


def _arrays(direction: CanonicalColumns, run: int, batches: int, training: CgnnTraining) -> tuple[Any, ...]:
    """What one fit needs: padded columns, number of rows, a key of its own, and where training starts."""
    words = np.frombuffer(direction.pair_digest[:16], dtype=np.uint32)
    rng = np.random.default_rng([training.seed, run, *(int(word) for word in words)])
    n = min(direction.n, training.rows)
    kept = np.sort(rng.choice(direction.n, n, replace=False))
    extra = (0, (batches + 1) * training.batch - n)
    u, v = (np.pad(column[kept], extra).astype(np.float32) for column in (direction.cause, direction.effect))
    key = rng.integers(0, 2**32, 2, dtype=np.uint32)
    return u, v, np.int32(n), key, initial(training.hidden, rng).astype(np.float32)


def _program(training: CgnnTraining, batches: int, learn: bool) -> Callable[..., Any]:
    jax = jax_runtime.jax()

    def run(state: Any, data: Any, first: Any, last: Any) -> Any:
        def one(state: Any, data: Any) -> Any:
            def epoch(number: Any, state: Any) -> Any:
                return _epoch(training, batches, learn, number, state, data)

            return jax.lax.fori_loop(first, last, epoch, state)

        return jax.vmap(one)(state, data)

    return run


def _epoch(training: CgnnTraining, batches: int, learn: bool, number: Any, state: Any, data: Any) -> Any:
    """All rows once, in a fresh order, with fresh noise; the last incomplete batch is left out."""
    jax = jax_runtime.jax()
    jnp = jax.numpy
    u, v, n, key = data
    size = training.batch
    key = jax.random.fold_in(jax.random.wrap_key_data(key), 2 * number + learn)
    places = jax.random.uniform(key, u.shape)
    order = jnp.argsort(jnp.where(jnp.arange(len(u)) < n, places, 2.0))
    u, v = u[order], v[order]
    held = jnp.minimum(n, size)
    weight = jnp.where(jnp.arange(size) < held, 1.0, 0.0) / held
    noise = jax.random.normal(jax.random.fold_in(key, 1), (batches, size))

    def batch(i: Any, state: Any) -> Any:
        cause, effect = (jax.lax.dynamic_slice(a, (i * size,), (size,)) for a in (u, v))
        return _batch(training, learn, number * batches + i + 1, state, cause, effect, noise[i], weight)

    return jax.lax.fori_loop(0, batches, batch, state)


def _batch(training: CgnnTraining, learn: bool, step: Any, state: Any, u: Any, v: Any, noise: Any, weight: Any) -> Any:
    """One step of Adam, or one more loss added to the total."""
    jax = jax_runtime.jax()
    theta, m, s, total = state
    dx = (u[:, None] - u[None, :]) ** 2
    fake, back = jax.vjp(lambda theta: generate(theta, u, noise, training.hidden), theta)
    if not learn:
        return theta, m, s, total + mmd(dx, fake, v, weight)
    (g,) = back(mmd_gradient(dx, fake, v, weight))
    m, s = adam_moments(m, s, g)
    bias_m, bias_s = adam_bias(step.astype(theta.dtype))
    return theta - training.rate * adam_direction(m / bias_m, s / bias_s, jax.numpy.sqrt), m, s, total
