"""Which rows are scored where a column has a point mass: the one place for that rule.

1. The rows beside it, where each column has one point mass at most and a hundred rows are left, at least half of all.
   Zeros that a hurdle or a floor makes say nothing of how the rest moves, and are taken for a cause; without them the
   rest speaks. Leaving out rows by the value of the effect selects among them, which bends f and g near the point mass
   but leaves the noise beside it one. A minority does so in simulations; of three answers on recorded pairs one was
   right.
2. All rows, where none can be scored beside it (several point masses, too few rows), each lies inside a column of few
   values that fill a grid (8 and 12 years of schooling), and most rows repeat a value in both columns: a step commoner
   than others. A ratio that was kept in whole numbers for most rows and in hundredths for some fills none.
3. No rows: excess zeros and censoring of which too little is left, and columns that were rounded in part.

Right of all answers, with the default prior and with `direct`, by the rows that are scored (`python
benchmarks/point_masses.py --pairs 24`; recorded: the Tübingen and Lisbon pairs, simulated: zeros, hurdles and floors):

                                       this rule        all rows         rows beside it
    recorded, of the cause            3/3    11/11     11/13   37/40       3/4    12/13
    recorded, of the effect           1/2     2/4       3/5     5/9        1/2     3/6
    simulated, of the cause          68/72  121/127    89/90  198/201     79/83  149/156
    simulated, of the effect         45/53   83/95      6/34   38/142     52/61  110/123
    in 100 steps, of the cause       98/103 127/136   174/175 195/201    117/122 154/165
    in 100 steps, of the effect      65/74   88/103    23/96   41/139     83/92  116/130

Scoring all rows names the column with the point mass as the cause. In recorded tables it is so four times out of five,
which is knowledge about who has zeros, not evidence of the rows at hand; so the second rule is narrow.
"""

from dataclasses import replace

import numpy as np

from causewise.column_types import Kind, Tally, tally
from causewise.numerics.columns import once
from causewise.numerics.ranked import rank_column
from causewise.pair import FEW_ROWS, FloatArray, Pair

_REPEATED = 0.5
"""Share of the rows that repeat a value of the finer column, from which on both columns count as recorded in steps."""


def beside_heaps(pair: Pair) -> Pair | None:
    """The rows that share no point mass; None where a column has several, or too few rows are left.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.point_mass import beside_heaps
    >>> from causewise.pair import Pair
    >>> rng = np.random.default_rng(0)
    >>> rain, river = rng.gamma(2, size=(2, 500))
    >>> rest = beside_heaps(Pair.of(rain, np.where(rng.random(500) < 0.4, 0.0, river)))
    >>> rest.n, rest.y.min() > 0
    (304, np.True_)
    """
    if any(each.heaps > 1 for each in _heaped(pair)):
        return None
    kept = off_heaps(pair)
    rest = replace(pair, x=pair.x[kept], y=pair.y[kept])
    varies = all(len(column) and column.min() < column.max() for column in (rest.x, rest.y))
    return rest if FEW_ROWS <= rest.n < pair.n and varies and not np.array_equal(rest.x, rest.y) else None


def off_heaps(pair: Pair) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows do not lie on the largest point mass of a column."""
    kept = np.ones(pair.n, bool)
    for column in (pair.x, pair.y):
        found = once(tally, column)
        if found.kind is Kind.HEAPED:
            kept &= column != found.heaped
    return kept


def are_steps(pair: Pair) -> bool:
    """Whether point masses count as steps that are commoner than others, so that all rows are scored: rule 2."""
    columns = [column for column in (pair.x, pair.y) if once(tally, column).kind is Kind.HEAPED]
    tallies = [once(tally, column) for column in columns]
    if not columns or not all(each.inside and each.is_coarse for each in tallies) or not all(map(fills_grid, columns)):
        return False
    finer = max(once(tally, column).distinct for column in (pair.x, pair.y))
    return 1 - finer / pair.n > _REPEATED and beside_heaps(pair) is None


def fills_grid(column: FloatArray) -> bool:
    """Whether at least half of the steps of the smallest size, from the least value to the largest, occur."""
    steps = np.diff(column[once(rank_column, column).first_rows])
    return bool(np.sum(steps) <= 2 * len(steps) * np.min(steps))


def _heaped(pair: Pair) -> list[Tally]:
    tallies = (once(tally, column) for column in (pair.x, pair.y))
    return [each for each in tallies if each.kind is Kind.HEAPED]
