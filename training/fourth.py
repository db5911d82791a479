"""Each candidate as a fourth term of the default method: what it changes, and whether it earns its place.

The rule, written down before any result was seen. All curves and the size are fitted anew to the generated worlds, with
the candidate and without it, on the pairs that the candidate has read. It is taken in if, on the foreign families,

1. the log-loss falls by at least 0.01, and by more than noise: the 95 % interval of the change, families drawn anew and
   pairs within them, lies below 0;
2. the accuracy is not lower;
3. it speaks of the relation: read from the same columns with their rows shuffled, it keeps less than half of the fall.
   What is left then comes from the columns' own shapes, which may hold for a simulator and not for a table.

A fourth part was added when the results were in, because the third has a hole: with shuffled rows the two directions of
the Gaussian likelihood are equal whatever the columns' shapes, and with a relation it compares those shapes after all.

4. Beside `igci-g`, which sees the columns one by one, it keeps at least half of its fall.

The recorded sets are shown beside and choose nothing.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from training.fit import fit_size, fit_terms, sums, weights
from training.judge import Judged
from training.table import Table
from whence.benchmark.metrics import Scored, accuracy, audrc
from whence.combined.constants import TERMS, Term, WeightConstants
from whence.pair import FloatArray

Worlds = tuple[Table, Table, Table]
LEAST_FALL = 0.01
HALF = 0.5
"""Of the fall: from shuffled rows less, beside the columns' shapes no less."""
SHAPES = "igci-g"
DRAWS = 2000


class Fitted(NamedTuple):
    """The method's form with its constants."""

    terms: dict[str, Term]
    weight: WeightConstants

    def score(self, found: Table | Judged, contrasts: FloatArray) -> FloatArray:
        """Log-odds of every pair."""
        return np.asarray(weights(found, self.weight) * sums(contrasts, self.terms))


class Measured(NamedTuple):
    """A method on one set."""

    log_loss: float
    accuracy: float
    audrc: float


class Change(NamedTuple):
    """Of the log-loss on the foreign families, with its 95 % interval."""

    mean: float
    low: float
    high: float


class Trial(NamedTuple):
    """A candidate beside none, both on the pairs that it read."""

    name: str
    alone: tuple[float, float]
    """Foreign pairs on which its own sign is right, in percent: rows as they are, and shuffled."""
    first: tuple[float, float]
    """Log-loss in the first world without and with it."""
    foreign: tuple[Measured, Measured]
    change: Change
    shuffled: tuple[float, float]
    """Change in log-loss with it read from the rows as they are, and from shuffled ones; the same pairs."""
    beside: Change
    """Where the columns' shapes are a term already."""
    recorded: tuple[Measured, Measured] | None

    @property
    def verdict(self) -> str:
        """What keeps it out; empty where it earns its place."""
        there, shuffled = self.shuffled
        if self.change.mean > -LEAST_FALL:
            return "harm" if self.change.mean > LEAST_FALL and self.change.low > 0 else "little gain"
        if self.change.high >= 0:
            return "noise"
        if self.foreign[1].accuracy < self.foreign[0].accuracy:
            return "accuracy"
        return "shapes" if shuffled <= HALF * there or self.beside.mean > HALF * self.change.mean else ""


def trials(worlds: Worlds, foreign: Judged, recorded: Judged | None, names: Sequence[str]) -> list[Trial]:
    """Every candidate, in the order of its column; the columns' shapes must be among them."""
    bases: dict[bytes, tuple[Fitted, Fitted]] = {}
    return [_trial(bases, worlds, foreign, recorded, names, k) for k in range(len(names))]


def refitted(worlds: Worlds, names: Sequence[str], *added: int) -> Fitted:
    """The three terms and the candidates that are added: curves from the first world, their size from all three."""
    wanted = [*TERMS, *(names[k] for k in added)]
    first, second, tossed = (found._replace(contrasts=_with(found, *added)) for found in worlds)
    terms = fit_terms(first, first.contrasts, wanted)
    size, weight = fit_size((first, second, tossed), terms)
    return Fitted({name: Term(size * term.height, term.width) for name, term in terms.items()}, weight)


def _trial(
    bases: dict[bytes, tuple[Fitted, Fitted]],
    worlds: Worlds,
    foreign: Judged,
    recorded: Judged | None,
    names: Sequence[str],
    k: int,
) -> Trial:
    shapes = names.index(SHAPES)
    together = tuple(dict.fromkeys((shapes, k)))
    first, second, tossed = (found.where(_read(found, k)) for found in worlds)
    worlds, foreign = (first, second, tossed), foreign.where(_read(foreign, k))
    key = first.contrasts.tobytes()
    if key not in bases:
        bases[key] = refitted(worlds, names), refitted(worlds, names, shapes)
    (none, shaped), added, both = bases[key], refitted(worlds, names, k), refitted(worlds, names, *together)
    twice = foreign.where(~np.isnan(foreign.shuffled[:, k]))
    deprived = twice._replace(candidates=twice.shuffled)
    without = _mean_loss(none, twice)
    return Trial(
        names[k],
        (_right(foreign, k), _right(deprived, k)),
        (_mean_loss(none, first), _mean_loss(added, first, k)),
        (measured(none, foreign), measured(added, foreign, k)),
        _changed(foreign, _losses(none, foreign), _losses(added, foreign, k)),
        (_mean_loss(added, twice, k) - without, _mean_loss(added, deprived, k) - without),
        _changed(foreign, _losses(shaped, foreign, shapes), _losses(both, foreign, *together)),
        None if recorded is None or not _read(recorded, k).any() else _recorded(none, added, recorded, k),
    )


def _recorded(none: Fitted, added: Fitted, recorded: Judged, k: int) -> tuple[Measured, Measured]:
    recorded = recorded.where(_read(recorded, k))
    return measured(none, recorded), measured(added, recorded, k)


def _read(found: Table | Judged, k: int) -> NDArray[np.bool_]:
    return ~np.isnan(found.candidates[:, k])


def _with(found: Table | Judged, *added: int) -> FloatArray:
    return np.column_stack([found.contrasts, found.candidates[:, added]])


def _losses(fitted: Fitted, found: Table | Judged, *added: int) -> FloatArray:
    """−log of the probability given to the truth, pair by pair."""
    return np.asarray(np.logaddexp(0, -found.truth * fitted.score(found, _with(found, *added))))


def _mean_loss(fitted: Fitted, found: Table | Judged, *added: int) -> float:
    return float(np.mean(_losses(fitted, found, *added)))


def _changed(foreign: Judged, before: FloatArray, after: FloatArray) -> Change:
    return Change(float(np.mean(after - before)), *family_interval(after - before, foreign.family))


def _right(judged: Judged, k: int) -> float:
    return by_family(judged, judged.candidates[:, k], accuracy)


def measured(fitted: Fitted, judged: Judged, *added: int) -> Measured:
    """On one set, families alike."""
    score = fitted.score(judged, _with(judged, *added))
    loss = float(np.average(_losses(fitted, judged, *added), weights=judged.share))
    return Measured(loss, by_family(judged, score, accuracy), by_family(judged, score, audrc))


def by_family(judged: Judged, score: FloatArray, measure: Callable[[Scored], float]) -> float:
    """Mean over families, each with the same weight; recorded pairs by their published weights. In percent."""
    parts = []
    for name in dict.fromkeys(judged.family):
        some = judged.family == name
        parts.append(measure(Scored.of(score[some], judged.truth[some].astype(int), judged.share[some])))
    return 100 * math.fsum(parts) / len(parts)


def family_interval(changes: FloatArray, family: NDArray[np.str_], draws: int = DRAWS) -> tuple[float, float]:
    """95 % interval of the mean over families: families drawn with replacement, and pairs within each of them.

    Pairs of one simulator are alike; drawing pairs alone would take 2300 of them for as many pieces of evidence.
    """
    rng, groups = np.random.default_rng(0), [changes[family == name] for name in dict.fromkeys(family)]
    means = [
        np.mean([np.mean(rng.choice(groups[k], len(groups[k]))) for k in rng.integers(len(groups), size=len(groups))])
        for _ in range(draws)
    ]
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
