"""Columns in, trained networks out: the engine is chosen here, and what has been trained in this process is kept.

    networks   columns → networks, the best of their restarts, trained or remembered
    train      problems → trained networks: value, parameters and status of one iterate, the best

A fit's result does not depend on the fits beside it: bit for bit with compiled loops and in the fused kernel, to 1e-6
in log-likelihood with plain JAX. CPU and GPU agree to 1e-3 (`benchmarks/network.py gpu`).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.models import Fit
from causewise.models.network import jax_runtime
from causewise.models.network.compiled import CompiledEngine
from causewise.models.network.fused import FusedEngine, launch
from causewise.models.network.heads import Head, location_and_scale, log_density, outputs
from causewise.models.network.layout import LONG, Problem, canonical, plan, problem
from causewise.models.network.training import Trained, Training, TrainingStatus
from causewise.models.network.xla import XlaEngine
from causewise.pair import FloatArray

MEMORY = 8192
"""Networks remembered, some 3 kB each."""
CHUNK = 250
"""Steps between two looks at progress and plateau."""
Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all) as training goes on."""
_Key = tuple[bytes, Head, Training]
# A network depends on its rows, head, settings and seed alone, so it may be remembered: the likelihood and the
# independence variant of a method ask for the same networks.
_remembered: OrderedDict[_Key, Trained] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network: the law of a standardised effect given its standardised cause."""

    head: Head
    trained: Trained

    def fit(self, u: FloatArray, v: FloatArray) -> Fit:
        """What the network says about standardised rows."""
        out = outputs(self.head, self.trained.theta, u)
        location, scale = location_and_scale(self.head, out)
        status = self.trained.status
        log_likelihood = float(np.mean(log_density(self.head, out, v)))
        message = status.value if status is TrainingStatus.DIVERGED else ""
        return Fit.of(v, location, scale, log_likelihood, n_iter=self.trained.step + 1, message=message)


def networks(
    columns: Sequence[tuple[FloatArray, FloatArray]], head: Head, training: Training, progress: Progress | None = None
) -> list[Network]:
    """One network for every (cause, effect), the best of its restarts; all that are not remembered train together."""
    rows = [canonical(cause, effect) for cause, effect in columns]
    keys: list[_Key] = [(each.digest, head, training) for each in rows]
    fresh = {key: each for key, each in zip(keys, rows, strict=True) if key not in _remembered}
    starts = range(training.restarts)
    problems = [
        problem(each, head, training.hidden, training.seed, start) for each in fresh.values() for start in starts
    ]
    trained = train(problems, head, training, progress)
    # Restarts of one network stand side by side.
    runs = [trained[i : i + len(starts)] for i in range(0, len(trained), len(starts))]
    found = {key: min(each, key=lambda run: run.loss) for key, each in zip(fresh, runs, strict=True)}
    found |= {key: _remembered[key] for key in keys if key in _remembered}
    _remember(found)
    return [Network(head, found[key]) for key in keys]


def _remember(found: dict[_Key, Trained]) -> None:
    for key, trained in found.items():
        _remembered[key] = trained
        _remembered.move_to_end(key)
    while len(_remembered) > MEMORY:
        _remembered.popitem(last=False)


class Engine(Protocol):
    """Does training steps for a list of fits."""

    def advance(self, first: int, last: int, active: NDArray[np.bool_]) -> None:
        """Do steps first … last − 1."""

    def best(self) -> tuple[FloatArray, FloatArray]:
        """Best parameters, and (best loss, its step, step that diverged or −1), a row for every fit."""


_Built = tuple[Sequence[int], Engine]
"""An engine and which of the problems, by index, its fits are."""


def train(
    problems: Sequence[Problem], head: Head, training: Training, progress: Progress | None = None
) -> list[Trained]:
    """Train every problem; the order is kept."""
    results: list[Trained | None] = [None] * len(problems)
    done, total = 0, len(problems) * training.steps
    for members, engine in _built_ahead(_engines(problems, head, training)):

        def report(step: int, count: int = len(members), before: int = done) -> None:
            if progress:
                progress(before + step * count, total)

        for index, trained in zip(members, _run(engine, len(members), training, report), strict=True):
            results[index] = trained
        done += len(members) * training.steps
    return [result for result in results if result is not None]


def _built_ahead(engines: Iterator[_Built]) -> Iterator[_Built]:
    """The same engines, built in the background while the ones before them train."""
    # Building an engine compiles its program, which takes XLA seconds and leaves the GPU idle.
    ready: SimpleQueue[_Built | None] = SimpleQueue()

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


def _engines(problems: Sequence[Problem], head: Head, training: Training) -> Iterator[_Built]:
    """The engine for these settings, one for each group of fits that trains together."""
    if not problems:
        return
    if training.device != "cpu" and not jax_runtime.installed():
        raise InputError(f"{jax_runtime.INSTALL[:-1]}, or train on the CPU without it: device=cpu.")
    device = jax_runtime.chosen_device(training.device)
    kind = training.engine
    if kind == "auto":
        kind = "compiled" if device == "cpu" else "fused"
    if kind == "compiled":
        yield range(len(problems)), CompiledEngine(problems, head, training)
    elif kind == "fused":
        yield from _fused(problems, head, training)
    else:
        yield from _plain(range(len(problems)), problems, head, training, device)


def _plain(
    chosen: Sequence[int], problems: Sequence[Problem], head: Head, training: Training, device: str
) -> Iterator[_Built]:
    itemsize = np.dtype(training.precision).itemsize
    mine = [problems[i] for i in chosen]
    for group in plan([p.n for p in mine], training.hidden, itemsize, training.memory, steady=device == "gpu"):
        yield [chosen[i] for i in group.members], XlaEngine(mine, group, head, training, device)


def _fused(problems: Sequence[Problem], head: Head, training: Training) -> Iterator[_Built]:
    """Short fits through the fused kernel, long ones through the plain engine; all of them if there is no kernel."""
    short = [i for i, problem in enumerate(problems) if problem.n <= LONG]
    mine = [problems[i] for i in short]
    try:
        group = launch([p.n for p in mine]) if mine else None
        engine = FusedEngine(mine, group, head, training) if group else None
    except Exception:  # whatever keeps the kernel from compiling on this GPU, the plain engine does the same steps
        if training.engine == "fused":
            raise
        short, engine = [], None
    if engine and group:
        yield [short[i] for i in group.members], engine
    left = sorted(set(range(len(problems))) - set(short))
    yield from _plain(left, problems, head, training, "gpu")


def _run(engine: Engine, count: int, training: Training, report: Callable[[int], None]) -> list[Trained]:
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
            active &= ~_plateau(history, training)
        report(last)
        if not active.any():
            break
    take()
    report(training.steps)
    return [_trained(*row) for row in zip(theta, record, active, strict=True)]


def _plateau(history: list[FloatArray], training: Training) -> NDArray[np.bool_]:
    chunks = -(-training.patience // CHUNK)
    if len(history) <= chunks + 1:
        return np.zeros(len(history[0]), dtype=bool)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ of a fit that never had a finite loss
        return np.asarray(history[-1 - chunks] - history[-1] < training.tolerance)


def _trained(theta: FloatArray, record: FloatArray, active: np.bool_) -> Trained:
    loss, step, failed = record
    stopped = TrainingStatus.ANNEALED if active else TrainingStatus.PLATEAU
    status = TrainingStatus.DIVERGED if failed >= 0 else stopped
    return Trained(theta, float(loss), int(step), status)
