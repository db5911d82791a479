"""CGNN (Goudet et al. 2018), pairwise: the direction whose generative network imitates the data better.

Score = (A_back − A_there) / (A_back + A_there), A the kernel distance between generated and observed rows, averaged
over several runs. The networks of all pairs, directions and runs train together.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

import numpy as np

from whence.baselines.cgnn_training import CgnnTraining, Progress, distances
from whence.decision import Decision, Evidence
from whence.models.network.jax_runtime import Device, gpu_in_sight
from whence.models.network.layout import canonical
from whence.pair import Pair
from whence.protocol import undecided
from whence.ranges import at_least, one_of, positive


@dataclass(frozen=True)
class Cgnn:
    """A batched method; see `cgnn` for the settings."""

    training: CgnnTraining
    published: bool = False
    progress: Progress | None = field(default=None, repr=False, compare=False)
    name: str = "cgnn"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that can change the answer."""
        given = {key: value for key, value in asdict(self.training).items() if key != "device"}
        return given | {"published": self.published}

    @property
    def seed(self) -> int:
        """The seed of starts, noise and batches."""
        return self.training.seed

    @property
    def batch_size(self) -> int:
        """How many pairs are best handed over at once."""
        return 128 if self.training.device != "cpu" and gpu_in_sight() else 4

    def with_progress(self, progress: Progress) -> "Cgnn":
        """The same method, telling how far training is."""
        return replace(self, progress=progress)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Train for all pairs together, then compare the directions of each."""
        runs = range(self.training.runs)
        directions = [canonical(*side) for pair in pairs for side in ((pair.x, pair.y), (pair.y, pair.x))]
        found = distances([(direction, run) for direction in directions for run in runs], self.training, self.progress)
        sides = np.mean(found.reshape(len(pairs), 2, len(runs)), axis=2)
        return [self._decide(pair, float(there), float(back)) for pair, (there, back) in zip(pairs, sides, strict=True)]

    def _decide(self, pair: Pair, there: float, back: float) -> Decision:
        carried: dict[str, Any] = {"settings": self.settings, "seed": self.seed}
        score = (back - there) * (max(1, pair.n // self.training.batch) if self.published else 1 / (back + there))
        if not math.isfinite(score):
            return undecided(pair, self.name, "CGNN's training diverged; try a lower rate.", **carried)
        return Decision(self.name, pair, score, Evidence(-there), Evidence(-back), **carried)


def cgnn(
    hidden: int = 20,
    runs: int = 6,
    epochs: int = 1000,
    test_epochs: int = 1000,
    batch: int = 200,
    rate: float = 0.01,
    rows: int = 2000,
    published: bool = False,
    device: Device = "auto",
    seed: int = 0,
) -> Cgnn:
    """CGNN with the settings behind the LOCI paper's results; `published=True` scores by the plain difference.

    `runs` networks a direction are averaged; `epochs` train, `test_epochs` judge; `batch` rows a step; of more than
    `rows` rows a random choice is used.
    """
    sizes = {"hidden": hidden, "runs": runs, "epochs": epochs, "test_epochs": test_epochs, "batch": batch, "rows": rows}
    at_least("cgnn", 1, **sizes)
    at_least("cgnn", 0, seed=seed)
    positive("cgnn", rate=rate)
    one_of("cgnn", get_args(Device), device=device)
    training = CgnnTraining(hidden, epochs, test_epochs, batch, rate, rows, runs, device, seed)
    return Cgnn(training, published)
