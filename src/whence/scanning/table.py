"""The columns of a table that can be judged, and why the others cannot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whence.pair import LARGEST, MIN_ROWS, FloatArray, InputError, as_column
from whence.tables import table_from
from whence.tables.choose import listed, position


@dataclass(frozen=True, eq=False)
class ScanTable:
    """Columns of numbers, side by side; what is missing is NaN."""

    names: tuple[str, ...]
    values: FloatArray
    """One line a column."""
    left_out: Mapping[str, str]
    """Columns that cannot be judged, with the reason."""
    every: tuple[str, ...]
    """Names of all columns, those too that were not asked for."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.values.shape[1]


def scan_table(data: Any, wanted: Sequence[str | int] | None = None, **asked: Any) -> ScanTable:
    """Read the columns `wanted`, or all columns of numbers; a column that was named and cannot be judged is refused."""
    table, where = table_from(data, **asked)
    chosen = list(table.numeric) if wanted is None else [position(table.names, each) for each in wanted]
    if len(set(chosen)) < len(chosen):
        twice = next(table.names[k] for k in chosen if chosen.count(k) > 1)
        raise InputError(f"Got the column {twice!r} twice; expected every column once: leave one of them out.")
    left_out = {name: "it holds no numbers" for k, name in enumerate(table.names) if wanted is None and k not in chosen}
    names: list[str] = []
    kept: list[FloatArray] = []
    for k, raw in zip(sorted(chosen), table.columns(*sorted(chosen)), strict=True):
        name = table.names[k]
        column, _ = as_column(raw, name)
        if kept and len(column) != len(kept[0]):
            raise InputError(
                f"Got {len(column)} values for {name!r} and {len(kept[0])} for {names[0]!r}; expected columns of equal "
                "length, one row per observation."
            )
        if why := _unfit(column):
            if wanted is not None:
                raise InputError(f"Got the column {name!r}, and {why}; expected a column of numbers that varies.")
            left_out[name] = why
        else:
            names.append(name)
            kept.append(column)
    if len(kept) < 2:
        reasons = "; ".join(f"{name!r}: {why}" for name, why in list(left_out.items())[:5])
        raise InputError(
            f"Got {len(kept)} column{'s' * (len(kept) != 1)} that can be judged{listed(names)} in {where}; expected at "
            f"least two{f' ({reasons})' if reasons else ''}: give a table with more columns of numbers."
        )
    return ScanTable(tuple(names), np.array(kept), left_out, tuple(table.names))


def _unfit(column: FloatArray) -> str:
    """Why a column cannot be judged against any other; empty where it can."""
    present = column[~np.isnan(column)]
    if len(present) < MIN_ROWS:
        return f"it has {len(present)} values where at least {MIN_ROWS} are needed"
    if np.any(np.isinf(present)) or np.max(np.abs(present)) > LARGEST:
        return "it has infinite or too large values"
    return f"it is {present[0]:g} in every row" if np.min(present) == np.max(present) else ""
