"""The neural variants of LOCI and of additive noise: a network × a criterion, all fits of all pairs at once.

The steps are those of LOCI with splines: standardise, fit each direction, score each direction, subtract. Only the
fitting is taken out of the loop over pairs: pairs × directions × restarts train as one batch (`models.network`). The
likelihood and the independence variant of a model share their training.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from inspect import signature
from typing import Any

from causewise.criteria import Criterion, independence, likelihood
from causewise.decision import Decision
from causewise.methods.loci import compare_directions, fit_direction
from causewise.models.network.fitting import Progress, TrainedNetwork, fit_networks
from causewise.models.network.heads import ADDITIVE, LOCATION_SCALE, STUDENT, Head
from causewise.models.network.jax_runtime import has_gpu
from causewise.models.network.training import Training, TrainingStatus
from causewise.pair import Pair
from causewise.protocol import attempt, record_failure

HOST_BATCH, GPU_BATCH = 16, 128
NOT_IN_THE_RECORD = ("device", "engine", "memory")
"""Settings that change where and how fast a network trains, but not the answer."""


@dataclass(frozen=True)
class NeuralLoci:
    """Train a network in both directions of every pair and compare the directions by a criterion."""

    name: str
    head: Head
    criterion: Criterion
    training: Training
    progress: Progress | None = field(default=None, repr=False, compare=False)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that can change the answer, and the seed."""
        return {key: value for key, value in asdict(self.training).items() if key not in NOT_IN_THE_RECORD}

    @property
    def seed(self) -> int:
        """The seed of the networks' starts."""
        return self.training.seed

    @property
    def wants_gpu(self) -> bool:
        """Whether it trains on a GPU where there is one."""
        return self.training.device != "cpu"

    @property
    def batch_size(self) -> int:
        """How many pairs are best handed over at once."""
        return GPU_BATCH if self.wants_gpu and has_gpu() else HOST_BATCH

    def with_progress(self, progress: Progress) -> "NeuralLoci":
        """The same method, reporting how far training is."""
        return replace(self, progress=progress)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Train for all pairs together, then score each."""
        columns = [side for pair in pairs for side in ((pair.x, pair.y), (pair.y, pair.x))]
        trained = fit_networks(columns, self.head, self.training, self.progress)
        decisions = (self._decide(pair, *trained[2 * i : 2 * i + 2]) for i, pair in enumerate(pairs))
        return [replace(decision, settings=self.settings, seed=self.seed) for decision in decisions]

    def _decide(self, pair: Pair, there: TrainedNetwork, back: TrainedNetwork) -> Decision:
        if not (there.usable and back.usable):
            return record_failure(pair, self.name, f"{self.name}: {TrainingStatus.DIVERGED.value}")

        def compare() -> Decision:
            sides = fit_direction(pair.x, pair.y, there.fit), fit_direction(pair.y, pair.x, back.fit)
            return compare_directions(self.name, pair, sides, self.criterion)

        return attempt(pair, self.name, compare)


def _make_builder(name: str, head: Head, criterion: Criterion) -> Callable[..., NeuralLoci]:
    """The function that builds a method from keyword settings."""

    # Written out five times, the settings of `Training` would be declared and defaulted in six places.
    def build(**settings: Any) -> NeuralLoci:
        return NeuralLoci(name, head, criterion, Training(**settings))

    build.__doc__ = f"Build {name}; the settings are those of `causewise.models.network.training.Training`."
    build.__signature__ = signature(Training)  # type: ignore[attr-defined]  # read by inspect, and so by the catalogue
    return build


nn_loci_h = _make_builder("nn-loci-h", LOCATION_SCALE, independence)
nn_loci_m = _make_builder("nn-loci-m", LOCATION_SCALE, likelihood)
nn_anm_h = _make_builder("nn-anm-h", ADDITIVE, independence)
nn_anm_m = _make_builder("nn-anm-m", ADDITIVE, likelihood)
roche = _make_builder("roche", STUDENT, independence)
"""Robust to heavy tails: Student's t instead of the normal law (the ROCHE authors' method)."""
