"""Columns in, trained networks out: the engine is chosen here, and what has been trained in this process is cached.

    fit_networks   columns → networks, the best of their restarts, trained or cached
    train          problems → trained networks: value, parameters and status of one iterate, the best

A fit's result does not depend on the fits beside it: bit for bit with compiled loops and in the fused kernel, to 1e-6
in log-likelihood with plain JAX. CPU and GPU agree to 1e-3 (`benchmarks/network.py gpu`).
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.models import Fit
from causewise.models.network import jax_runtime
from causewise.models.network.compiled import CompiledEngine
from causewise.models.network.heads import Head, location_and_scale, log_density, outputs
from causewise.models.network.jax_engines import JaxEngine, fused_engine, launch, plain_engine
from causewise.models.network.training import LONG, Problem, Training, TrainingStatus, canonicalise, plan, problem
from causewise.pair import FloatArray

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
