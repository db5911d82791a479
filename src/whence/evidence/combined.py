"""The method `whence`: every channel's reading of a pair, joined into one calibrated log-odds.

The combination was fitted once, on generated pairs only (see `world`, `training`, `fitting`); its constants lie beside
this file in `trees.npz` and `picture-a.npz` … `picture-c.npz`. `docs/whence-method.md` says what was seen of recorded
pairs while it was built.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import files
from typing import Any

import numpy as np

from whence.decision import Decision, Evidence, undecided
from whence.evidence.channels import CHANNELS, READINGS, Readings, read
from whence.evidence.doubt import abstention
from whence.evidence.resolution import MAX_ROWS, resolved
from whence.evidence.trees import Trees, one_sided
from whence.methods import evidence
from whence.models.spline import fit_location_scale
from whence.pair import FloatArray, InputError, Pair, both_directions


@dataclass(frozen=True)
class Whence:
    """Several kinds of evidence, one log-odds."""

    name: str = "whence"
    max_rows: int = MAX_ROWS
    settings: Mapping[str, Any] = field(default_factory=dict)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [self._decide(pair) for pair in pairs]

    def _decide(self, pair: Pair) -> Decision:
        try:
            with np.errstate(all="ignore"):
                sides = both_directions(pair, partial(evidence, model=fit_location_scale))
                readings = read(resolved(pair.x, pair.y, self.max_rows))
        except (ArithmeticError, np.linalg.LinAlgError, InputError) as problem:
            why = f"{self.name} broke down on this pair ({problem}); look at the two columns for degenerate values."
            return undecided(pair, self.name, why, settings=self.settings)
        return self._joined(pair, sides, readings)

    def _joined(self, pair: Pair, sides: tuple[Evidence, Evidence], readings: Readings) -> Decision:
        odds = two_sided(readings.differences, readings.context)
        forward, backward = (replace(side, score=value) for side, value in zip(sides, odds, strict=True))
        score = forward.score - backward.score
        said = contributions(readings)
        confidence = 1.0 / (1.0 + math.exp(-abs(score)))
        return Decision(
            self.name,
            pair,
            score,
            forward,
            backward,
            settings=self.settings,
            contributions=said,
            confidence=confidence,
            abstention=abstention(pair, confidence, score, said, (forward, backward)) if score else "",
        )


def whence(max_rows: int = MAX_ROWS) -> Whence:
    """The combined method; `max_rows` bounds what the channels look at, the plotted fit sees every row."""
    if not (isinstance(max_rows, int) and max_rows >= 50):
        raise InputError(f"Got max_rows={max_rows!r} for whence; expected a whole number, at least 50.")
    return Whence(max_rows=max_rows, settings={"max_rows": max_rows})


def two_sided(differences: FloatArray, context: FloatArray) -> tuple[float, float]:
    """Half the trees' sum for x → y and for y → x; their difference is the log-odds."""
    trees = fitted_trees()
    return 0.5 * one_sided(trees, differences, context), 0.5 * one_sided(trees, -differences, context)


def contributions(readings: Readings) -> dict[str, float]:
    """For every channel: how far the log-odds fall when that channel falls silent (reads the same both ways)."""
    full = _log_odds(readings.differences, readings.context)
    out = {}
    for channel, names in CHANNELS.items():
        muted = readings.differences.copy()
        muted[[READINGS.index(name) for name in names]] = 0.0
        out[channel] = full - _log_odds(muted, readings.context)
    return out


def _log_odds(differences: FloatArray, context: FloatArray) -> float:
    forward, backward = two_sided(differences, context)
    return forward - backward


@cache
def fitted_trees() -> Trees:
    """The combination that ships with the library."""
    with files("whence.evidence").joinpath("trees.npz").open("rb") as stored, np.load(stored) as found:
        return Trees.of({name: found[name] for name in Trees._fields})
