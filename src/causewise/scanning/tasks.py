"""What is done with a tile of pairs, and what stands for a pair that killed its process: plain lists and mappings."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from causewise.scanning.pair_scorer import PairScorer, Screening, blank_row

Tile = Sequence[Any]
Work = Callable[[PairScorer, Tile], list[Any]]
"""One result for each item of a tile, which does not depend on the others."""


@dataclass(frozen=True)
class Died:
    """What stands for the result of an item that killed its process."""

    item: Any


def screened(judge: PairScorer, pairs: Tile) -> list[Any]:
    """Of each pair (i, j), the fields of `Screening`."""
    return [list(judge.screen(*pair)) for pair in pairs]


def oriented(judge: PairScorer, related: Tile) -> list[Any]:
    """Of each related pair, given as those fields and its adjusted p-value, the fields of its row."""
    return [asdict(row) for row in judge.orient_all([(Screening(*found), p) for *found, p in related])]


def of_the_dead(judge: PairScorer, item: Any) -> Any:
    """What is said of a pair that killed its process, in the form of either kind of work."""
    why = "The process that judged this pair died; look at the two columns for degenerate values."
    if len(item) == 2:
        i, j = item
        missing = judge.count_missing(i, j)
        return list(Screening(i, j, judge.values.shape[1] - missing, missing, None, None, why, 0.0))
    *found, adjusted = item
    row = replace(blank_row(judge.names, Screening(*found), adjusted), status="failed", reason=why)
    return asdict(judge.apply_knowledge(row))
