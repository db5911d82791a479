"""A column in ascending order: sorted once, since sorting a million rows takes longer than all else on a page."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causewise.pair import FloatArray, Pair


@dataclass(frozen=True, eq=False)
class Ordered:
    """The values, which row each of them comes from, and what follows from their order."""

    order: NDArray[np.intp]
    ascending: FloatArray

    @classmethod
    def of(cls, column: FloatArray) -> "Ordered":
        """Rows of equal value come in any order, which nothing here depends on."""
        order = np.argsort(column)
        return cls(order, column[order])

    @classmethod
    def both(cls, pair: Pair) -> "tuple[Ordered, Ordered]":
        """Both columns of a pair."""
        return cls.of(pair.x), cls.of(pair.y)

    @property
    def starts(self) -> NDArray[np.intp]:
        """Where each distinct value begins."""
        return np.concatenate([[0], np.flatnonzero(np.diff(self.ascending)) + 1])

    @property
    def median(self) -> float:
        """Of two middle values, their mean."""
        n = len(self.ascending)
        return float(np.mean(self.ascending[(n - 1) // 2 : n // 2 + 1]))

    def mid_ranks(self) -> FloatArray:
        """Ranks from 0 of the rows as they came; equal values share the mean of theirs."""
        starts = self.starts
        ends = np.append(starts[1:], len(self.ascending))
        ranks = np.empty(len(self.ascending))
        ranks[self.order] = np.repeat((starts + ends - 1) / 2, ends - starts)
        return ranks
