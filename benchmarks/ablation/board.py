"""A board of scores: rows × sets, measured when asked for, and laid out as Markdown tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ablation.measures import Measured, mean, measured, worst
from ablation.rows import SHIPPED, Scores
from ablation.sets import Set

Summary = Callable[[Sequence[Measured]], Measured]
METRICS = {"accuracy": "accuracy", "audrc": "AUDRC"}


@dataclass(frozen=True)
class Board:
    """Sets of one kind with the scores of every row."""

    sets: list[Set]
    scores: dict[str, Scores]
    """Name of a set -> row -> scores."""
    _kept: dict[tuple[str, str, str], Measured] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> list[str]:
        """Rows that are there on every set."""
        first, *rest = (self.scores[group.name] for group in self.sets)
        return [name for name in first if all(name in scores for scores in rest)]

    def cell(self, row: str, group: Set, metric: str) -> Measured:
        """One row on one set."""
        key = (row, group.name, metric)
        if key not in self._kept:
            self._kept[key] = measured(self.scores[group.name][row], group, metric)
        return self._kept[key]

    def over(self, row: str, metric: str, summary: Summary = mean, sets: Sequence[Set] | None = None) -> Measured:
        """A row over all sets, or over some."""
        return summary([self.cell(row, group, metric) for group in (self.sets if sets is None else sets)])

    def ahead(self, row: str, metric: str, summary: Summary = mean) -> Measured:
        """`whence` − row, pair by pair."""
        return self.over(SHIPPED, metric, summary) - self.over(row, metric, summary)

    def first(self, pairs: int, extra: dict[str, Scores] | None = None) -> "Board":
        """The same board on the first pairs of every set, with further rows."""
        sets = [Set(group.name, group.kind, group.pairs[:pairs]) for group in self.sets]
        cut = {g.name: {row: score[:pairs] for row, score in self.scores[g.name].items()} for g in sets}
        return Board(sets, {name: scores | (extra or {}).get(name, {}) for name, scores in cut.items()})


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table whose first column holds names."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def overview(board: Board, with_worst: bool) -> list[str]:
    """Means over all sets with intervals, and how far `whence` is ahead of each row."""
    head = ["", "accuracy", "AUDRC", *(["worst tenth of cells, accuracy"] if with_worst else [])]
    head += [f"`{SHIPPED}` − row, accuracy", f"`{SHIPPED}` − row, AUDRC"]
    return markdown(head, [_overview_row(board, row, with_worst) for row in board.rows])


def _overview_row(board: Board, row: str, with_worst: bool) -> list[str]:
    shown = [board.over(row, metric).text(1) for metric in METRICS]
    shown += [board.over(row, "accuracy", worst).text()] if with_worst else []
    ahead = [_marked(board.ahead(row, metric)) if row != SHIPPED else "" for metric in METRICS]
    return [row, *shown, *ahead]


def _marked(difference: Measured) -> str:
    """Bold where the interval leaves out zero."""
    low, high = difference.bounds
    text = difference.text(1, sign=True)
    return f"**{text}**" if low > 0 or high < 0 else text


def by_set(board: Board, metric: str) -> list[str]:
    """A column for every set."""
    head = ["", *(group.name for group in board.sets)]
    rows = [[row, *(board.cell(row, group, metric).text() for group in board.sets)] for row in board.rows]
    return markdown(head, rows)


def by_axis(board: Board, metric: str) -> list[str]:
    """A column for every axis of the grid: means over its cells."""
    axes: dict[str, list[Set]] = {}
    for group in board.sets:
        axes.setdefault(group.name.split("/")[1], []).append(group)
    head = ["", *(f"{axis} ({len(sets)})" for axis, sets in axes.items())]
    rows = [[row, *(board.over(row, metric, mean, sets).text() for sets in axes.values())] for row in board.rows]
    return markdown(head, rows)
