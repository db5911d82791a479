"""Columns in, trained networks out: starts, restarts, and a memory of what has been trained in this process.

A network depends on its rows, head, settings and seed alone, so it may be remembered: the likelihood and the
independence variant of a method ask for the same networks.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whence.models.fit import Fit
from whence.models.network import Progress, train
from whence.models.network_heads import Head, location_and_scale, log_density, outputs
from whence.models.network_layout import canonical, problem
from whence.models.network_training import Status, Trained, Training
from whence.pair import FloatArray

MEMORY = 8192
"""Networks remembered, some 3 kB each."""
_Key = tuple[bytes, Head, Training]
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
        return Fit(
            log_likelihood=float(np.mean(log_density(self.head, out, v))),
            location=location,
            scale=scale,
            residual=(v - location) / scale,
            converged=status is not Status.DIVERGED,
            n_iter=self.trained.step + 1,
            message=status.value if status is Status.DIVERGED else "",
        )


def networks(
    columns: Sequence[tuple[FloatArray, FloatArray]], head: Head, training: Training, progress: Progress | None = None
) -> list[Network]:
    """One network for every (cause, effect), the best of its restarts; all that are not remembered train together."""
    directions = [canonical(cause, effect) for cause, effect in columns]
    keys: list[_Key] = [(direction.digest, head, training) for direction in directions]
    fresh = {key: direction for key, direction in zip(keys, directions, strict=True) if key not in _remembered}
    starts = range(training.restarts)
    pending = [(direction, start) for direction in fresh.values() for start in starts]
    problems = [problem(direction, head, training.hidden, training.seed, start) for direction, start in pending]
    trained = train(problems, head, training, progress)
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
