"""The rows beside a heap: what can still be judged where one value of a column stands out.

Zeros that a hurdle or a floor makes say nothing of how the rest moves, and are taken for a cause. Without them the rest
speaks. Leaving out rows by the value of the effect selects among them, which bends f and g near the heap but leaves the
noise beside it one; no answer turned over in simulations of floors, hurdles and zeros at random, in either column, and
hardly a pair without direction got one (`python benchmarks/heaps.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whence.kinds import Kind, tally
from whence.numerics.columns import once
from whence.pair import Pair
from whence.preflight import FEW_ROWS, Level, Notice, check, heaped_shares, heaps, missing_rows


def beside_heaps(pair: Pair) -> Pair | None:
    """The rows that share no heap; None where a column has several, or too few rows are left.

    Examples
    --------
    >>> import numpy as np
    >>> from whence.heaps import beside_heaps
    >>> from whence.pair import Pair
    >>> rng = np.random.default_rng(0)
    >>> rain, river = rng.gamma(2, size=(2, 500))
    >>> rest = beside_heaps(Pair.of(rain, np.where(rng.random(500) < 0.4, 0.0, river)))
    >>> rest.n, rest.y.min() > 0
    (304, np.True_)
    """
    kept = np.ones(pair.n, bool)
    for column in (pair.x, pair.y):
        found = once(tally, column)
        if found.kind is Kind.HEAPED:
            if found.heaps > 1:
                return None
            kept &= column != found.heaped
    rest = replace(pair, x=pair.x[kept], y=pair.y[kept])
    varies = all(len(column) and column.min() < column.max() for column in (rest.x, rest.y))
    return rest if FEW_ROWS <= rest.n < pair.n and varies and not np.array_equal(rest.x, rest.y) else None


def judgeable(pair: Pair, notices: Sequence[Notice]) -> tuple[Pair, tuple[Notice, ...]] | None:
    """Where a heap alone stops an answer: the rows beside it and what is to be said of them, if nothing stops there."""
    if [notice.kind for notice in notices if notice.level is Level.STOPS] != [heaps.__name__]:
        return None
    rest = beside_heaps(pair)
    told = check(rest) if rest else ()
    if rest is None or any(notice.level is Level.STOPS for notice in told):
        return None
    said = f"{heaped_shares(pair)}: only the other {rest.n} rows are judged."
    # Rows left out for a missing value are a share of all rows, as they were.
    whole = [notice for notice in notices if notice.kind == missing_rows.__name__]
    own = [notice for notice in told if notice.kind != missing_rows.__name__]
    return rest, (Notice(said, Level.LOWERS, heaps.__name__), *own, *whole)
