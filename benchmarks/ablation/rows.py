"""The rows of the tables: `whence` as shipped, its channels alone and left out, single methods, controls.

A variant is the combination fitted anew, on the generated training pairs only, with the readings of some channels held
at zero while it is fitted and while it is used.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ablation.sets import Set
from ablation.store import CONTROLS, SINGLE, Store
from whence.evidence import fitting
from whence.evidence.channels import CHANNELS, READINGS
from whence.evidence.combined import fitted_trees
from whence.evidence.fitting import fit, log_odds
from whence.evidence.training import Labelled
from whence.evidence.trees import Trees
from whence.pair import FloatArray

SHIPPED = "whence"
REFITTED = "all channels, fitted anew"
Scores = dict[str, FloatArray]


@dataclass(frozen=True)
class Variant:
    """Trees, and the readings that are silent in them."""

    trees: Trees
    silent: tuple[int, ...] = ()

    def scores(self, readings: Labelled) -> FloatArray:
        """Log-odds of every pair."""
        return log_odds(self.trees, readings, self.silent)


def places(channels: Iterable[str]) -> tuple[int, ...]:
    """Places of the readings of some channels."""
    return tuple(READINGS.index(name) for channel in channels for name in CHANNELS[channel])


def silences() -> dict[str, tuple[int, ...]]:
    """Name of a row -> readings that are silent in it."""
    rows: dict[str, tuple[int, ...]] = {REFITTED: ()}
    rows |= {f"without {channel}": places([channel]) for channel in CHANNELS}
    return rows | {f"only {channel}": places(set(CHANNELS) - {channel}) for channel in CHANNELS}


@dataclass(frozen=True)
class Variants:
    """Fitted variants, each kept in a file once it has been fitted to the same readings."""

    training: Labelled
    folder: Path
    fitted: dict[str, Variant] = field(default_factory=dict)

    def named(self, name: str) -> Variant:
        """The shipped combination, or a variant of it."""
        if name not in self.fitted:
            silent = () if name == SHIPPED else silences()[name]
            self.fitted[name] = Variant(fitted_trees() if name == SHIPPED else self._kept(name, silent), silent)
        return self.fitted[name]

    def _kept(self, name: str, silent: tuple[int, ...]) -> Trees:
        path = self.folder / f"{name.replace(' ', '-').replace(',', '')}-{self._digest}.npz"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(path, **fit(self.training, silent=silent)._asdict())
        with np.load(path) as kept:
            return Trees.of({key: kept[key] for key in kept.files})

    @property
    def _digest(self) -> str:
        seen = hashlib.sha256(np.ascontiguousarray(self.training.costs).tobytes())
        seen.update(Path(fitting.__file__).read_bytes())
        return seen.hexdigest()[:10]


def names(variants: bool = True) -> tuple[str, ...]:
    """All rows, in the order of the tables."""
    return (SHIPPED, *(silences() if variants else ()), *SINGLE, *CONTROLS)


def scores(store: Store, variants: Variants | None, group: Set) -> Scores:
    """Every row on one set; a method that was not run there is left out."""
    readings = store.readings(group)
    mine = (SHIPPED, *silences()) if variants else ()
    found = {name: variants.named(name).scores(readings) for name in mine} if variants else {}
    if not variants:
        found[SHIPPED] = Variant(fitted_trees()).scores(readings)
    others = {name: store.scores(name, group) for name in (*SINGLE, *CONTROLS)}
    return found | {name: score for name, score in others.items() if score is not None}
