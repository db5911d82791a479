"""A long column is sorted once, whatever is asked about it: counted, not timed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import causewise
from causewise.numerics.native import FloatArray
from causewise.numerics.row_sampling import MAX_ROWS

ROWS = 2 * MAX_ROWS
SORTS = ("sort", "argsort", "lexsort", "unique")
MOST = 6
"""Two columns, two residuals for their autocorrelation, and the noise of either column given the other."""


def columns(rounded: str) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=ROWS)
    y = np.sin(x) + 0.3 * rng.normal(size=ROWS)
    return x.round(1) if "x" in rounded else x, y.round(2) if "y" in rounded else y


@pytest.fixture
def sorted_columns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the functions that sort numbers of more rows than a sample has."""
    calls = []

    def counting(name: str) -> Callable[..., Any]:
        plain = getattr(np, name)

        def counted(keys: Any, *arguments: Any, **settings: Any) -> Any:
            last = np.asarray(keys[-1] if name == "lexsort" else keys)
            if last.dtype.kind in "fc" and last.size > MAX_ROWS + 100:
                calls.append(name)
            return plain(keys, *arguments, **settings)

        return counted

    for name in SORTS:
        monkeypatch.setattr(np, name, counting(name))
    return calls


@pytest.mark.parametrize("rounded", ["none", "x", "xy"])
def test_a_column_is_sorted_once(rounded: str, sorted_columns: list[str]) -> None:
    decision = causewise.infer(*columns("" if rounded == "none" else rounded))
    assert decision.rows_judged is not None and decision.rows_judged < ROWS
    assert len(sorted_columns) <= MOST, sorted_columns
    assert sorted_columns.count("argsort") == 4


def test_the_columns_of_a_pair_can_be_changed_afterwards() -> None:
    """What is found out about them is remembered no longer than they are judged."""
    x, y = (column[:300].copy() for column in columns(""))
    pair = causewise.Pair(x, y)
    before = causewise.infer(pair)
    x[:] = y**3
    assert causewise.infer(pair).score == causewise.infer(y**3, y).score != before.score


def test_columns_need_not_be_contiguous() -> None:
    x, y = (column[:300] for column in columns(""))
    table = np.column_stack([x, y])
    assert causewise.infer(causewise.Pair(table[:, 0], table[:, 1])) == causewise.infer(x, y)
