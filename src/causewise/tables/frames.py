"""Data frames of any type: pandas, polars and Arrow through narwhals, dictionaries, arrays."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.numerics.conversion import has_ties, is_long, moments_of
from causewise.tables.cells import convert_dates, convert_objects, is_number, quote_cell
from causewise.tables.choose import COUNTING, TIMES, UNORDERED, distinct_names, explain_text

_NO_NUMBERS = "it holds no numbers"
_FIRST = 100
"""Texts that are looked at."""


@dataclass(frozen=True)
class FrameTable:
    """Columns by position, converted to numbers on request."""

    names: tuple[str, ...]
    numeric: tuple[int, ...]
    raw: Callable[[int], Any] = field(repr=False)
    typed: Callable[[int], Any] = field(repr=False)
    """A column for its type alone; it may have no rows."""
    remarks: Mapping[int, str] = field(default_factory=dict)
    """By column, what the format itself says of it."""
    unordered: frozenset[int] = frozenset()
    """Columns whose levels have no known order, where their type does not tell."""

    @cached_property
    def passed_over(self) -> Mapping[int, str]:
        """Text, categories without an order, and a first column that counts the rows."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        typed = {k: _unwrap(self.typed(k)) for k in others}
        reasons = {k: COUNTING if is_numeric(column) else _explain(column) for k, column in typed.items()}
        reasons |= dict.fromkeys(sorted(self.unordered), UNORDERED)
        return {k: reason for k, reason in reasons.items() if reason}

    def columns(self, *positions: int) -> Iterator[NDArray[Any]]:
        """Some columns as numbers, missing values as NaN."""
        return (_convert(self.raw(k), self.names[k]) for k in positions)

    def columns_or_errors(self, *positions: int) -> Iterator[NDArray[Any] | InputError]:
        """The same; in the place of a column that cannot be read, the error that says why."""
        for k in positions:
            try:
                yield _convert(self.raw(k), self.names[k])
            except InputError as problem:
                yield problem

    def notes(self, *positions: int) -> tuple[str, ...]:
        """That a column is levels in an order; of dates, the pair itself speaks."""
        notes = []
        for k in positions:
            if levels := _ordered_levels(_unwrap(self.typed(k))):
                notes.append(describe_levels(self.names[k], levels))
            if k in self.remarks:
                notes.append(self.remarks[k])
        return tuple(notes)


def describe_levels(name: str, levels: Sequence[Any]) -> str:
    """That a column is levels in an order."""
    order = " < ".join(quote_cell(str(level)) for level in levels[:9]) + " …" * (len(levels) > 9)
    return f"{name!r} is numbered in the order of its levels ({order})."


def as_two_columns(data: Any, x: Any, y: Any) -> FrameTable | None:
    """`(x, y)` given as two sequences, or None when `data` is a table and x and y name its columns."""
    if isinstance(data, tuple) and len(data) == 2 and x is None and y is None:
        data, x = data
    if y is not None or x is None or isinstance(x, (str, int, np.integer)):
        return None
    # pandas pairs values by their labels, and whoever sorted or filtered one of two series expects the same here.
    labels, others = getattr(data, "index", None), getattr(x, "index", None)
    comparable = hasattr(labels, "equals") and hasattr(others, "equals") and len(data) == len(x)
    if comparable and not labels.equals(others):  # type: ignore[union-attr]  # it has `equals`
        raise InputError(
            "Got two series whose row labels differ; expected the same labels in the same order: put both into one "
            "data frame, or give their values alone, as in infer(x.to_numpy(), y.to_numpy())."
        )
    names = tuple(getattr(column, "name", None) for column in (data, x))
    usable = [isinstance(name, (str, int)) and str(name).strip() and names[0] != names[1] for name in names]
    labelled = (str(name).strip() if use else default for name, use, default in zip(names, usable, "xy", strict=True))
    columns = [_unwrap(data), _unwrap(x)]
    return FrameTable(tuple(labelled), (0, 1), columns.__getitem__, columns.__getitem__)


def as_table(data: Any) -> FrameTable:
    """A table of whatever type."""
    if isinstance(data, Mapping):
        return _collect(list(data), data.values())
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _collect(data.dtype.names, [data[name] for name in data.dtype.names])
    if not isinstance(data, (np.ndarray, list, tuple)):
        return frame_table(data)
    try:
        matrix = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    except ValueError:
        matrix = np.empty(0)
    if matrix.ndim != 2:
        raise InputError(
            f"Got one {type(data).__name__} that is no table (shape {matrix.shape}); expected two columns: give both, "
            "as in infer(x, y), or an array with one row per observation and one column per variable."
        )
    return _collect([""] * matrix.shape[1], matrix.T)


def frame_table(data: Any) -> FrameTable:
    """A data frame of any library that narwhals knows."""
    import narwhals as nw

    arrow = sys.modules.get("pyarrow")  # whoever holds a batch has it
    if arrow is not None and isinstance(data, arrow.RecordBatch):
        data = arrow.Table.from_batches([data])
    try:
        frame = nw.from_native(data)
    except UnicodeDecodeError as problem:  # Arrow does not check the names it is given
        raise InputError(
            f"Got a table with a column name that is not valid UTF-8 ({problem.object!r}); expected names in UTF-8: "
            "rename that column."
        ) from None
    except TypeError:
        raise InputError(
            f"Got {type(data).__name__}; expected two arrays, a pandas, polars or Arrow table with column names, or "
            "the path of a file."
        ) from None
    except nw.exceptions.DuplicateError:
        names, numbered = _number_columns(data)
        return replace(frame_table(numbered), names=distinct_names(names))
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    numeric = [k for k, dtype in enumerate(frame.schema.dtypes()) if dtype.is_numeric()]
    return table_of(frame.columns, numeric, lambda k: frame[:, k])


def _number_columns(data: Any) -> tuple[list[Any], Any]:
    """The names of a pandas or Arrow table, which may repeat, and the table with numbers for names."""
    if hasattr(data, "rename_columns"):
        names = list(data.column_names)
        return names, data.rename_columns([str(k) for k in range(len(names))])
    return list(data.columns), data.set_axis([str(k) for k in range(data.shape[1])], axis=1)


def _collect(names: Sequence[Any], columns: Any) -> FrameTable:
    raw = [_unwrap(column) for column in columns]
    return table_of(names, [k for k, column in enumerate(raw) if is_numeric(column)], raw.__getitem__)


def table_of(
    names: Sequence[Any], numeric: Sequence[int], raw: Callable[[int], Any], typed: Callable[[int], Any] | None = None
) -> FrameTable:
    """A table whose columns are fetched when they are asked for; `typed` gives a type without fetching."""
    # Only of three columns is the first taken for row numbers: of two it must be meant, and of more the user is asked.
    if len(numeric) == 3 and numeric[0] == 0:
        first = _convert(raw(0), str(names[0]))
        if len(first) > 0 and first[0] in (0, 1) and np.all(np.diff(first) == 1):
            numeric = numeric[1:]
    return FrameTable(distinct_names(names), tuple(numeric), raw, typed or raw)


def _unwrap(column: Any) -> Any:
    """A series as narwhals has it, any other column as an array."""
    if isinstance(column, np.ndarray):
        return column
    if isinstance(column, (list, tuple)):
        return _array(column)
    import narwhals as nw

    try:
        return nw.from_native(column, series_only=True)
    except TypeError:
        return _array(column)


def _array(column: Any) -> Any:
    try:
        array = np.asarray(column)
    except ValueError:  # rows of unequal length
        return np.asarray(list(column), dtype=object)
    # NumPy makes doubles of whole numbers of both signs beyond 2⁶³.
    if array.dtype.kind == "f" and array.ndim == 1 and is_long(array) and not hasattr(column, "dtype"):
        return np.asarray(list(column), dtype=object)
    return array


def is_numeric(column: Any) -> bool:
    """Whether a column of any type holds numbers by its type."""
    column = _unwrap(column)
    return column.dtype.kind in "iuf" if isinstance(column, np.ndarray) else bool(column.dtype.is_numeric())


def _convert(raw: Any, name: str) -> NDArray[Any]:
    """A column as numbers; exact ones, as Python holds them, where doubles would round them."""
    column = _unwrap(raw)
    if isinstance(column, np.ndarray):
        return _convert_values(column.tolist(), name) if column.dtype.kind in "OUST" and column.ndim == 1 else column
    import narwhals as nw

    dtype = column.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        # Arrow refuses to round whole numbers beyond 2⁵³, which go the exact way like those that others round.
        with suppress(ValueError):
            rounded = np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
            exact = dtype.is_integer() or dtype.is_decimal()
            if not (exact and (is_long(rounded) or (dtype.is_decimal() and has_ties(rounded)))):
                return rounded
    if levels := _ordered_levels(column):
        place: dict[Any, float] = {level: k for k, level in enumerate(levels)}
        return np.array([place.get(value, np.nan) for value in column.to_list()])
    return _convert_values(column.to_list(), name)


def _convert_values(values: list[Any], name: str) -> NDArray[Any]:
    moments = moments_of(values)
    dates = convert_dates(values) if moments is None else moments
    return convert_objects(values, name) if dates is None else dates


def _ordered_levels(column: Any) -> list[Any]:
    """The levels of an ordered category that are no numbers themselves; none of any other column."""
    if isinstance(column, np.ndarray):
        return []
    import narwhals as nw

    levels = list(column.dtype.categories) if isinstance(column.dtype, nw.Enum) else _arrow_levels(column.to_native())
    return levels if any(not is_number(str(level)) for level in levels) else []


def _arrow_levels(column: Any) -> list[Any]:
    """The levels of an Arrow dictionary that is ordered, which narwhals takes for one that is not."""
    if not getattr(getattr(column, "type", None), "ordered", False):
        return []
    # Parts with levels of their own have no order together.
    parts = [part.dictionary for part in (column.chunks if hasattr(column, "chunks") else [column])]
    return parts[0].to_pylist() if parts and all(part.equals(parts[0]) for part in parts) else []


def _explain(column: Any) -> str:
    """Why a whole table is scored without a column; empty where it is not."""
    if isinstance(column, np.ndarray):
        return _explain_array(column)
    import narwhals as nw

    dtype = column.dtype
    scored = dtype.is_numeric() or dtype in (nw.Boolean, nw.Date, nw.Datetime, nw.Duration, nw.Enum)
    if scored or _ordered_levels(column):
        return ""
    if dtype == nw.Categorical:
        return UNORDERED
    if dtype == nw.Time:
        return TIMES
    # Of text the first values tell, but for dates, which must go on as they began.
    first = column.head(_FIRST).to_list() if dtype == nw.String else []
    if dtype == nw.String and convert_dates(first) is None:
        return explain_text([text for text in first if isinstance(text, str)])
    if dtype in (nw.String, nw.Object, nw.Unknown):  # an older narwhals does not know pandas' text
        # With a None at its end, since of lists alone NumPy would make a table.
        return _explain_array(np.array([*column.to_list(), None], dtype=object)[:-1])
    return _NO_NUMBERS


def _explain_array(values: NDArray[Any]) -> str:
    if values.dtype.kind in "biufmM":
        return ""
    objects = values.ravel().tolist() if values.dtype.kind in "OUT" else []
    if not objects:
        return _NO_NUMBERS
    if moments_of(objects) is not None or convert_dates(objects) is not None:
        return ""
    if texts := [value for value in objects if isinstance(value, str)]:
        return explain_text(texts)
    try:
        convert_objects(objects, "")
    except InputError:
        return _NO_NUMBERS
    return ""
