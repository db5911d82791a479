"""What is known about the columns of a graph, as matrices: who stands before whom, who is no parent, who is one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causewise.knowledge.knowledge import Knowledge
from causewise.numerics.native import FloatArray

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Row: the first column of a statement; column: the second."""

    before: BoolArray
    """The first stands before the second; transitive."""
    barred: BoolArray
    """The first is no parent of the second, though it may stand before it."""
    required: BoolArray
    """The first is a parent of the second, whatever the data say."""
    log_odds: FloatArray
    """That the first stands before the second: antisymmetric, 0 where nothing is said."""

    @classmethod
    def none(cls, count: int) -> "Constraints":
        """Nothing is known."""
        nothing = np.zeros((count, count), dtype=bool)
        return cls(nothing, nothing, nothing, np.zeros((count, count)))

    @classmethod
    def of(cls, knowledge: Knowledge, names: Sequence[str]) -> "Constraints":
        """What a table's knowledge says about these columns."""
        pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
        found = cls(*(np.zeros((len(names), len(names)), dtype=kind) for kind in (bool, bool, bool, float)))
        for i, j in pairs:
            found.before[i, j] = bool(knowledge.precedence.told(names[i], names[j]))
            found.barred[i, j] = (names[i], names[j]) in knowledge.forbidden
            found.required[i, j] = knowledge.precedence.requires(names[i], names[j])
            odds = knowledge.soft.get((names[i], names[j]), 0.0)
            found.log_odds[i, j] += odds
            found.log_odds[j, i] -= odds
        return found
