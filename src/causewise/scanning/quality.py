"""How good a scan is without the truth: arrows that run in a circle cannot all be right."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causewise.scanning.arrows import graph
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from networkx import DiGraph

RANDOM_SHARE = 0.25
"""Two of the eight ways to draw three arrows are circles (Kendall & Babington Smith 1940)."""


class Quality(NamedTuple):
    """Contradictions among the arrows of a scan."""

    arrows: int
    knots: tuple[tuple[str, ...], ...]
    """Sets of columns that all cause one another along arrows (strongly connected components), in the table's order."""
    cycle: tuple[str, ...]
    """A shortest circle, each column an arrow to the next and the last one to the first; empty where there is none."""
    triples: int
    """Threes of columns whose three pairs all lean somewhere, oriented or not."""
    circular: int
    """Those that lean in a circle."""

    @property
    def share(self) -> float | None:
        """Circular triples among all; a quarter for random arrows, 0 for arrows that follow some order."""
        return self.circular / self.triples if self.triples else None

    @property
    def words(self) -> str:
        """What the numbers say, in a sentence or two."""
        return f"{self._about_arrows()} {self._about_triples()}"

    def _about_arrows(self) -> str:
        if not self.cycle:
            return "No arrows run in a circle." if self.arrows else "There are no arrows."
        circle = " → ".join((*self.cycle, self.cycle[0]))
        tied = sum(map(len, self.knots))
        return f"Arrows of {tied} columns run in circles, for instance {circle}: not all of these can be right."

    def _about_triples(self) -> str:
        if self.share is None:
            return "No three columns have a score for each pair, so there is no triple to check."
        found = f"{self.circular} of {self.triples} triples ({100 * self.share:.0f} %)"
        return f"{found} lean in a circle; random arrows would give {100 * RANDOM_SHARE:.0f} %, consistent ones none."


def quality(rows: Sequence[ScanRow], columns: Sequence[str]) -> Quality:
    """Circles among the oriented pairs, and among the leanings of all triples that have three scores."""
    import networkx as nx

    arrows = graph(rows, columns)
    place = {name: k for k, name in enumerate(columns)}
    parts = [sorted(part, key=place.__getitem__) for part in nx.strongly_connected_components(arrows) if len(part) > 1]
    knots = sorted(map(tuple, parts), key=lambda part: place[part[0]])
    return Quality(arrows.number_of_edges(), tuple(knots), _shortest(arrows, knots), *_triples(rows))


def _shortest(arrows: "DiGraph", knots: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Every arrow of a knot closes some circle; none is shorter than three, since a pair has one arrow."""
    import networkx as nx

    best: tuple[str, ...] = ()
    for knot in knots:
        inside = arrows.subgraph(knot)
        for cause in knot:
            for effect in inside.successors(cause):
                path = tuple(nx.shortest_path(inside, effect, cause))
                if not best or len(path) < len(best):
                    best = (cause, *path[:-1])
                if len(best) == 3:
                    return best
    return best


def _triples(rows: Iterable[ScanRow]) -> tuple[int, int]:
    leaning = [(row.x, row.y) if row.score > 0 else (row.y, row.x) for row in rows if row.score]
    # A column with one leaning is in no triple: of a scan with one target nothing is left.
    times = Counter(name for arrow in leaning for name in arrow)
    place = {name: k for k, name in enumerate(name for name in times if times[name] > 1)}
    wins = np.zeros((len(place), len(place)), dtype=np.float32)
    for cause, effect in leaning:
        if cause in place and effect in place:
            wins[place[cause], place[effect]] = 1
    # Closed walks of three steps: a circle has three starts, a triple three starts and two ways round. Entries of the
    # squares are counts below 2²⁴, which single precision holds exactly.
    any_way = wins + wins.T
    return _closed(any_way) // 6, _closed(wins) // 3


def _closed(steps: np.ndarray) -> int:
    return int(np.sum((steps @ steps) * steps.T, dtype=np.float64))
