"""From rows to numbers: a score per method and set, with its interval; the same whatever order the rows came in."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from causewise.errors import InputError
from causewise.lab.benchmark.metrics import METRICS, PairScores, bootstrap, interval, resample, wilson
from causewise.lab.benchmark.published import Published, paper_methods, paper_sets, published_number
from causewise.lab.benchmark.sets import count_pairs, set_size
from causewise.lab.benchmark.store import Row, Status, natural
from causewise.pair import FloatArray

MEAN = "mean"
ROUNDED = 0.5
"""Most published numbers are whole percent."""


@dataclass(frozen=True)
class SetScore:
    """A metric of one method on one set, in percent."""

    value: float
    low: float
    high: float
    pairs: int
    failed: int
    seconds: float
    """Median per pair."""
    seeds: int = 1
    """`pairs` counts a pair once for each."""
    draws: FloatArray = field(repr=False, compare=False, default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class AnswerRate:
    """How many pairs a method answers that may withhold answers, and how often it is right on these; in percent."""

    share: float
    """Of the pairs, by weight; a pair that was withheld, tied or failed is not answered."""
    accuracy: float
    """Among the answered; NaN where there are none."""
    low: float
    high: float


@dataclass(frozen=True)
class ScoreTable:
    """Methods × sets."""

    metric: str
    methods: tuple[str, ...]
    sets: tuple[str, ...]
    cells: dict[tuple[str, str], SetScore]
    answer_rates: dict[tuple[str, str], AnswerRate] = field(default_factory=dict)
    """Of the methods that withheld an answer somewhere, by (method, set or mean)."""

    @property
    def withholding(self) -> list[str]:
        """The methods that withheld an answer somewhere."""
        return [method for method in self.methods if any(name == method for name, _ in self.answer_rates)]

    def value(self, method: str, column: str) -> float:
        """A cell's value or the mean over all sets; NaN where a method was not run on every one of them."""
        if column != MEAN:
            cell = self.cells.get((method, column))
            return math.nan if cell is None else cell.value
        return float(np.mean([self.value(method, name) for name in self.sets]))

    def bounds(self, method: str, column: str) -> tuple[float, float]:
        """The interval of a cell, or of the mean over sets, which are resampled independently."""
        if column != MEAN:
            cell = self.cells.get((method, column))
            return (math.nan, math.nan) if cell is None else (cell.low, cell.high)
        if math.isnan(self.value(method, MEAN)):
            return math.nan, math.nan
        return interval(np.mean([self.cells[method, name].draws for name in self.sets], axis=0))

    def published_number(self, method: str, column: str, source: str = "") -> Published | None:
        """What the paper or another source has published, the mean taken over the sets shown here."""
        return published_number(self.metric, method, self.sets if column == MEAN else (column,), source)

    def beyond(self, method: str, column: str) -> int:
        """1 where ours is above the published number by more than the pairs allow, −1 where it is below, else 0.

        The published number must lie outside the 95 % bootstrap interval over pairs and outside Wilson's, each widened
        by half a point: a bootstrap alone would call a hundred right of a hundred a certainty.
        """
        number, cell = self.published_number(method, column), self.cells.get((method, column))
        if number is None or math.isnan(self.value(method, column)):
            return 0
        low, high = self.bounds(method, column)
        if cell is not None:
            least, most = wilson(cell.value / 100, cell.pairs / cell.seeds)
            low, high = float(np.fmin(low, 100 * least)), float(np.fmax(high, 100 * most))
        return int(number.value < low - ROUNDED) - int(number.value > high + ROUNDED)

    def best(self, column: str) -> float:
        """The highest value in a column as it is displayed, with one decimal."""
        values = [round(self.value(method, column), 1) for method in self.methods]
        known = [value for value in values if not math.isnan(value)]
        return max(known, default=math.nan)

    def is_partial(self, method: str, column: str) -> bool:
        """Whether a number rests on fewer pairs than the set has, or the mean on such a number."""
        names = self.sets if column == MEAN else (column,)
        cells = [(name, self.cells[method, name]) for name in names if (method, name) in self.cells]
        return any(cell.pairs < cell.seeds * (set_size(name) or 0) for name, cell in cells)

    def counts(self) -> dict[str, str]:
        """The pairs of each set, of the method that has the most: `100`, or `5 of 100`."""
        by_set = {name: [cell for (_, of), cell in self.cells.items() if of == name] for name in self.sets}
        most = {name: max(cells, key=lambda cell: cell.pairs) for name, cells in by_set.items()}
        return {name: count_pairs(name, cell.pairs, cell.seeds) for name, cell in most.items()}

    def partial(self) -> list[str]:
        """One line on the sets that are not whole, or of which it is not known; none where all are whole."""
        parts = [
            f"{name}: {count} pairs" for name, count in self.counts().items() if " " in count or not set_size(name)
        ]
        return ["; ".join(parts)] if parts else []

    def incomplete(self) -> list[str]:
        """Sentences on methods that have fewer pairs of a set than another method has."""
        most = {name: max(c.pairs for (_, s), c in self.cells.items() if s == name) for name in self.sets}
        short = [(m, s, c.pairs) for (m, s), c in sorted(self.cells.items()) if c.pairs < most[s]]
        return [f"{method} has {pairs} of the {most[name]} pairs of {name}" for method, name, pairs in short]

    def failures(self) -> list[str]:
        """Sentences on failed pairs, which count as wrong."""
        bad = [(m, s, c) for (m, s), c in sorted(self.cells.items()) if c.failed]
        return [f"{method} failed on {cell.failed} of {cell.pairs} pairs of {name}" for method, name, cell in bad]


def summarise(
    rows: Iterable[Row], metric: str = "accuracy", sets: Sequence[str] | None = None, intervals: bool = True
) -> ScoreTable:
    """Every method × set in the rows; several seeds are averaged. Without intervals nothing is resampled."""
    if metric not in METRICS:
        raise InputError(f"Got the metric {metric!r}; expected one of {', '.join(METRICS)}.")
    groups = group_rows(rows)
    if sets is not None:
        groups = {key: group for key, group in groups.items() if key[1] in sets}
    cells = {key: _set_score(group, metric, key[1], intervals) for key, group in groups.items()}
    methods = _in_order({method for method, _ in cells}, paper_methods())
    columns = _in_order({name for _, name in cells}, paper_sets())
    return ScoreTable(metric, methods, columns, cells, _answer_rates(groups, columns))


def group_rows(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Rows by (method, set): the newest version of each; settings that differ under one name are kept apart."""
    everything: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        everything[row.method, row.dataset].append(row)
    chosen: dict[tuple[str, str], list[Row]] = {}
    for (method, dataset), group in everything.items():
        # Rows of an older version are kept in the store, but a table never mixes two versions of a method.
        newest = max((row.version for row in group), key=_version)
        current = [row for row in group if row.version == newest]
        variants = sorted({row.settings_hash for row in current})
        for variant in variants:
            name = method if len(variants) == 1 else f"{method} [{variant}]"
            kept = [row for row in current if row.settings_hash == variant]
            chosen[name, dataset] = sorted(kept, key=lambda row: (row.seed, natural(row.pair_id)))
    return chosen


def answer_rate(*sets: Sequence[Row]) -> AnswerRate:
    """What one method answered on one set, or on several that count the same each."""
    weight, right = np.concatenate([_answers(rows) for rows in sets]).T
    answered = float(np.sum(weight))
    if answered == 0:
        return AnswerRate(0.0, math.nan, math.nan, math.nan)
    accuracy = float(np.sum(right)) / answered
    # Kish's effective sample size under unequal weights.
    low, high = wilson(accuracy, answered**2 / float(np.sum(weight**2)))
    return AnswerRate(100 * answered / len(sets), 100 * accuracy, 100 * low, 100 * high)


def pair_scores(rows: Sequence[Row]) -> PairScores:
    """The rows of one method on one set under one seed, for the metrics."""
    # A tie keeps its 0, which is wrong but ranks as the least certain; a failure has no score at all.
    answers = [row.score if Status(row.status).answered or row.score == 0 else math.nan for row in rows]
    columns = ([row.truth for row in rows], [row.weight for row in rows], [row.confidence for row in rows])
    return PairScores.of(answers, *columns)


def by_seed(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Split by seed."""
    return {seed: [row for row in rows if row.seed == seed] for seed in sorted({row.seed for row in rows})}


def _set_score(rows: Sequence[Row], metric: str, dataset: str, intervals: bool) -> SetScore:
    runs = [pair_scores(group) for group in by_seed(rows).values()]
    value = float(np.mean([METRICS[metric](run) for run in runs]))
    resampled = [bootstrap(run, metric, resample(len(run.score), dataset)) for run in runs if intervals]
    draws = np.mean(resampled, axis=0) if intervals else np.full(1, np.nan)
    low, high = interval(draws)
    failed = sum(Status(row.status).broken for row in rows)
    seconds = float(np.median([row.seconds for row in rows]))
    return SetScore(100 * value, 100 * low, 100 * high, len(rows), failed, seconds, len(runs), 100 * draws)


def _answer_rates(groups: dict[tuple[str, str], list[Row]], sets: Sequence[str]) -> dict[tuple[str, str], AnswerRate]:
    rates: dict[tuple[str, str], AnswerRate] = {}
    for method in {method for (method, _), rows in groups.items() if any(row.withheld for row in rows)}:
        mine = {name: groups[method, name] for name in sets if (method, name) in groups}
        rates |= {(method, name): answer_rate(rows) for name, rows in mine.items()}
        if len(mine) == len(sets):
            rates[method, MEAN] = answer_rate(*mine.values())
    return rates


def _answers(rows: Sequence[Row]) -> FloatArray:
    """For every pair its weight times the share of its runs that were answered, and that were answered right."""
    # Several seeds are averaged within a pair, which stays one observation: the same answer twice adds no certainty.
    runs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        runs[row.pair_id].append(row)
    weight = np.array([group[0].weight for group in runs.values()])
    answered = np.array([sum(row.answered for row in group) / len(group) for group in runs.values()])
    right = np.array([sum(row.answered and row.correct for row in group) / len(group) for group in runs.values()])
    return np.stack([weight * answered, weight * right], axis=1) / np.sum(weight)


def _version(text: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(part) for part in text.split("+")[0].split(".") if part.isdecimal()), text


def _in_order(names: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """As the paper has them, and others after these; settings of a method are left aside."""
    place = {name: index for index, name in enumerate(known)}
    return tuple(sorted(names, key=lambda name: (place.get(re.split("[: ]", name)[0], len(place)), name)))
