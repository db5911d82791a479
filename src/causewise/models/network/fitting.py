"""Columns in, trained networks out: the engine is chosen here, and what has been trained in this process is cached.

    fit_networks    columns → networks, the best of their restarts, trained or cached
    train           problems → trained networks: value, parameters and status of one iterate, the best
    CompiledEngine  the CPU's: forward pass, backward pass and Adam of one network in the loops of `native/network.h`,
                    one thread a fit; the gradient is written by hand and tested against automatic differentiation

A fit's result does not depend on the fits beside it: bit for bit with compiled loops and in the fused kernel, to 1e-6
in log-likelihood with plain JAX. CPU and GPU agree to 1e-3 (`benchmarks/network.py gpu`).
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.models import Fit
from causewise.models.network import jax_runtime
from causewise.models.network.heads import Head, location_and_scale, log_density, outputs
from causewise.models.network.jax_engines import JaxEngine, fused_engine, launch, plain_engine
from causewise.models.network.training import (
    LONG,
    Problem,
    Training,
    TrainingStatus,
    adam_bias,
    canonicalise,
    plan,
    problem,
)
from causewise.numerics.native import FloatArray, native
from causewise.parallel import processors

# ---- the CPU's engine

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


# ---- fitting

CACHE_SIZE = 8192
"""Networks cached, some 3 kB each."""
CHUNK = 250
"""Steps between two looks at progress and plateau."""
Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all) as training goes on."""


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """The law of a standardised effect given its standardised cause; all of it is the iterate with the lowest loss."""

    head: Head
    theta: FloatArray
    loss: float
    """Mean loss per row, as the engine saw it; infinite if even the first iterate had none."""
    step: int
    status: TrainingStatus

    @property
    def usable(self) -> bool:
        """Whether there is an iterate with a finite loss."""
        return math.isfinite(self.loss)

    def fit(self, u: FloatArray, v: FloatArray) -> Fit:
        """What the network says about standardised rows."""
        out = outputs(self.head, self.theta, u)
        location, scale = location_and_scale(self.head, out)
        log_likelihood = float(np.mean(log_density(self.head, out, v)))
        message = self.status.value if self.status is TrainingStatus.DIVERGED else ""
        return Fit.of(v, location, scale, log_likelihood, n_iter=self.step + 1, message=message)


# A network depends on its rows, head, settings and seed alone, so it may be cached: the likelihood and the
# independence variant of a method ask for the same networks.
_cache: OrderedDict[tuple[bytes, Head, Training], TrainedNetwork] = OrderedDict()


def fit_networks(
    columns: Sequence[tuple[FloatArray, FloatArray]], head: Head, training: Training, progress: Progress | None = None
) -> list[TrainedNetwork]:
    """One network for every (cause, effect), the best of its restarts; all that are not cached train together."""
    rows = [canonicalise(cause, effect) for cause, effect in columns]
    keys = [(each.digest, head, training) for each in rows]
    fresh = {key: each for key, each in zip(keys, rows, strict=True) if key not in _cache}
    starts = range(training.restarts)
    problems = [
        problem(each, head, training.hidden, training.seed, start) for each in fresh.values() for start in starts
    ]
    trained = train(problems, head, training, progress)
    # Restarts of one network stand side by side.
    runs = [trained[i : i + len(starts)] for i in range(0, len(trained), len(starts))]
    networks = {key: min(each, key=lambda run: run.loss) for key, each in zip(fresh, runs, strict=True)}
    networks |= {key: _cache[key] for key in keys if key in _cache}
    for key, network in networks.items():
        _cache[key] = network
        _cache.move_to_end(key)
    while len(_cache) > CACHE_SIZE:
        _cache.popitem(last=False)
    return [networks[key] for key in keys]


Engine = CompiledEngine | JaxEngine
"""`advance(first, last, active)` does the steps first … last − 1; `best()` is what came out so far."""
_Assigned = tuple[Sequence[int], Engine]
"""An engine and which of the problems, by index, its fits are."""


def train(
    problems: Sequence[Problem], head: Head, training: Training, progress: Progress | None = None
) -> list[TrainedNetwork]:
    """Train every problem; the order is kept."""
    results: list[TrainedNetwork | None] = [None] * len(problems)
    done, total = 0, len(problems) * training.steps
    for members, engine in _build_ahead(_build_engines(problems, head, training)):

        def report(step: int, count: int = len(members), before: int = done) -> None:
            if progress:
                progress(before + step * count, total)

        for index, network in zip(members, _run(engine, len(members), head, training, report), strict=True):
            results[index] = network
        done += len(members) * training.steps
    return [result for result in results if result is not None]


def _build_ahead(engines: Iterator[_Assigned]) -> Iterator[_Assigned]:
    """The same engines, built in the background while the ones before them train."""
    # Building an engine compiles its program, which takes XLA seconds and leaves the GPU idle.
    ready: SimpleQueue[_Assigned | None] = SimpleQueue()

    def build() -> None:
        try:
            for engine in engines:
                ready.put(engine)
        finally:
            ready.put(None)

    with ThreadPoolExecutor(1) as builder:
        building = builder.submit(build)
        while (engine := ready.get()) is not None:
            yield engine
        building.result()  # raises what kept an engine from being built


def _build_engines(problems: Sequence[Problem], head: Head, training: Training) -> Iterator[_Assigned]:
    """The engine for these settings, one for each group of fits that trains together."""
    if not problems:
        return
    if training.device != "cpu" and not jax_runtime.is_installed():
        raise InputError(f"{jax_runtime.INSTALL[:-1]}, or train on the CPU without it: device=cpu.")
    device = jax_runtime.choose_device(training.device)
    kind = training.engine
    if kind == "auto":
        kind = "compiled" if device == "cpu" else "fused"
    if kind == "compiled":
        yield range(len(problems)), CompiledEngine(problems, head, training)
    elif kind == "fused":
        yield from _build_fused(problems, head, training)
    else:
        yield from _build_plain(range(len(problems)), problems, head, training, device)


def _build_plain(
    chosen: Sequence[int], problems: Sequence[Problem], head: Head, training: Training, device: str
) -> Iterator[_Assigned]:
    itemsize = np.dtype(training.precision).itemsize
    mine = [problems[i] for i in chosen]
    for group in plan([p.n for p in mine], training.hidden, itemsize, training.memory, steady=device == "gpu"):
        yield [chosen[i] for i in group.members], plain_engine(mine, group, head, training, device)


def _build_fused(problems: Sequence[Problem], head: Head, training: Training) -> Iterator[_Assigned]:
    """Short fits through the fused kernel, long ones through the plain engine; all of them if there is no kernel."""
    short = [i for i, problem in enumerate(problems) if problem.n <= LONG]
    mine = [problems[i] for i in short]
    try:
        group = launch([p.n for p in mine]) if mine else None
        engine = fused_engine(mine, group, head, training) if group else None
    except Exception:  # whatever keeps the kernel from compiling on this GPU, the plain engine does the same steps
        if training.engine == "fused":
            raise
        short, engine = [], None
    if engine and group:
        yield [short[i] for i in group.members], engine
    left = sorted(set(range(len(problems))) - set(short))
    yield from _build_plain(left, problems, head, training, "gpu")


def _run(
    engine: Engine, count: int, head: Head, training: Training, report: Callable[[int], None]
) -> list[TrainedNetwork]:
    """Train in chunks; a fit on a plateau keeps what it had, and the run ends when all are there."""
    active = np.ones(count, dtype=bool)
    theta, record = engine.best()
    history = [record[:, 0]]

    def take() -> None:
        # Of active fits only: the two engines in JAX go on stepping the others, whose result must stay what it was.
        now = engine.best()
        theta[active], record[active] = now[0][active], now[1][active]

    for first in range(0, training.steps, CHUNK):
        last = min(first + CHUNK, training.steps)
        engine.advance(first, last, active)
        if training.patience:
            take()
            history.append(record[:, 0].copy())
            active &= ~_on_plateau(history, training)
        report(last)
        if not active.any():
            break
    take()
    report(training.steps)
    networks = []
    for parameters, (loss, step, failed), on in zip(theta, record, active, strict=True):
        stopped = TrainingStatus.ANNEALED if on else TrainingStatus.PLATEAU
        status = TrainingStatus.DIVERGED if failed >= 0 else stopped
        networks.append(TrainedNetwork(head, parameters, float(loss), int(step), status))
    return networks


def _on_plateau(history: list[FloatArray], training: Training) -> NDArray[np.bool_]:
    chunks = -(-training.patience // CHUNK)
    if len(history) <= chunks + 1:
        return np.zeros(len(history[0]), dtype=bool)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ of a fit that never had a finite loss
        return np.asarray(history[-1 - chunks] - history[-1] < training.tolerance)
