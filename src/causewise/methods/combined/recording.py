"""Evidence from how the columns of a table were recorded, which generated pairs do not have.

Recorded columns are rounded, counted or set on a grid, so that values repeat. Two things follow.

recording    What people set or count (an age, a year, a dose, rooms) is recorded more coarsely than what they measure,
             and is more often the cause: the contrast is the logarithm of the ratio of distinct values. It is knowledge
             about tables, not about mechanisms, so its height is bounded: it never gives an answer alone
regression   Error of a cubic fitted to the recorded values, each column in units of its range (RECI, Blöbaum et al.
             2018); no density, no spline and no tie has to be broken for it. It counts by the root of the share of rows
             that repeat a value in *both* columns: one column that somebody rounded does not call it in, and of a
             short table few rows repeat however it was recorded

Both came out of taking `slope` apart on the Tübingen pairs (docs: the ablation page). Its global fit is `regression`: a
line in the place of the cubic, by which both directions explain the same share of a variance, already gives most of it,
so what counts is how evenly a column fills its range. Its local fits at repeated values draw each value's *sorted*
effects and pay nothing for the order: they follow the coarser column whatever the relation, as `recording` does openly.
"""

import math
from typing import NamedTuple

from causewise.numerics.arrays import minmax, squared_error
from causewise.pair import FloatArray, row_order

POWERS = (0, 1, 2, 3)


class Recording(NamedTuple):
    """How two columns were recorded, and what a cubic leaves over of each given the other."""

    distinct: tuple[int, int]
    """Distinct values of x and of y."""
    n: int
    errors: tuple[float, float] | None
    """Of y given x and of x given y, root mean square in units of the range; None where no weight is left for them."""

    @property
    def repeats(self) -> float:
        """Share of the rows that repeat a value in the finer of the two columns, from 0 to 1."""
        return 1.0 - max(self.distinct) / self.n

    @property
    def share(self) -> float:
        """Of the regression error in the score, from 0 to 1."""
        return math.sqrt(self.repeats)

    @property
    def contrasts(self) -> dict[str, float]:
        """What speaks for x → y; exchanging the columns negates every number exactly."""
        (in_x, in_y), (forward, backward) = self.distinct, self.errors or (1.0, 1.0)
        return {
            "recording": math.log(in_y) - math.log(in_x),
            "regression": math.log(backward) - math.log(forward),
        }

    @property
    def costs(self) -> tuple[dict[str, float], dict[str, float]]:
        """What each term says against x → y and against y → x."""
        coarse = [{"recording": float(distinct)} for distinct in self.distinct]
        errors = [{"regression": error} for error in self.errors] if self.errors else [{}, {}]
        return coarse[0] | errors[0], coarse[1] | errors[1]


def read_recording(x: FloatArray, y: FloatArray, distinct: tuple[int, int]) -> Recording:
    """The columns as they were recorded, in any units and order of rows, with their distinct values."""
    finer_repeats = max(distinct) < len(x)
    return Recording(distinct, len(x), (_range_error(x, y), _range_error(y, x)) if finer_repeats else None)


def _range_error(cause: FloatArray, effect: FloatArray) -> float:
    order = row_order(cause, effect)
    return math.sqrt(squared_error(minmax(cause[order]), minmax(effect[order]), POWERS))
