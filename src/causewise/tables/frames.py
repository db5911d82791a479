"""Data frames of any kind: pandas, polars and Arrow through narwhals, dictionaries, arrays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.numerics.conversion import has_ties, is_long, moments_of
from causewise.tables.cells import clipped, dates_in, from_objects, is_number
from causewise.tables.choose import distinct_names
from causewise.tables.passed_over import COUNTING, why_array, why_series

Named = tuple[Any, str]


@dataclass(frozen=True)
class FrameTable:
    """Columns by position, turned into numbers on request."""

    names: tuple[str, ...]
    numeric: tuple[int, ...]
    raw: Callable[[int], Any] = field(repr=False)
    typed: Callable[[int], Any] = field(repr=False)
    """A column for its type alone; it may have no rows."""
    _said: dict[int, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """By column, what is to be said of those that were read."""

    @cached_property
    def passed_over(self) -> Mapping[int, str]:
        """Text, categories without an order, and a first column that counts the rows."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        found = {k: COUNTING if is_numeric(self.typed(k)) else _why(self.typed(k)) for k in others}
        return {k: why for k, why in found.items() if why}

    def columns(self, *positions: int) -> list[NDArray[Any]]:
        """Some columns as numbers, missing values as NaN."""
        return list(self.each(*positions))

    def each(self, *positions: int) -> Iterator[NDArray[Any]]:
        """The same one after the other."""
        return (self._column(k) for k in positions)

    def notes(self, *positions: int) -> tuple[str, ...]:
        """That a column is levels in an order; of dates, the pair itself speaks."""
        return tuple(note for k in positions for note in self._said.get(k, ()))

    def _column(self, k: int) -> NDArray[Any]:
        column, name = self.raw(k), self.names[k]
        self._said[k] = said_of(column, name)
        return _numbers(column, name)


def as_two_columns(data: Any, x: Any, y: Any) -> tuple[Named, Named] | None:
    """`(x, y)` given as two sequences, or None when `data` is a table and x and y name its columns."""
    if y is None and x is not None and not isinstance(x, (str, int, np.integer)):
        _check_row_labels(data, x)
        return _named(data, "x", x), _named(x, "y", data)
    if isinstance(data, tuple) and len(data) == 2 and x is None and y is None:
        return as_two_columns(data[0], data[1], None)
    return None


def _check_row_labels(first: Any, second: Any) -> None:
    """pandas pairs values by their labels, and whoever sorted or filtered one of two series expects the same here."""
    labels, others = getattr(first, "index", None), getattr(second, "index", None)
    comparable = hasattr(labels, "equals") and hasattr(others, "equals") and len(first) == len(second)
    if comparable and not labels.equals(others):  # type: ignore[union-attr]  # it has `equals`
        raise InputError(
            "Got two series whose row labels differ; expected the same labels in the same order: put both into one "
            "data frame, or give their values alone, as in infer(x.to_numpy(), y.to_numpy())."
        )


def as_table(data: Any) -> FrameTable:
    """A table of whatever kind."""
    if isinstance(data, Mapping):
        return _table(list(data), list(data.values()))
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _table(list(data.dtype.names), [data[name] for name in data.dtype.names])
    if isinstance(data, (np.ndarray, list, tuple)):
        return _matrix(data)
    return frame_table(data)


def frame_table(data: Any) -> FrameTable:
    """A data frame of any library that narwhals knows."""
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"Got {type(data).__name__}; expected two arrays, a pandas, polars or Arrow table with column names, or "
            "the path of a file."
        ) from None
    except nw.exceptions.DuplicateError:
        names, numbered = _numbered(data)
        return replace(frame_table(numbered), names=distinct_names(names))
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    numeric = [k for k, kind in enumerate(frame.schema.dtypes()) if kind.is_numeric()]
    return table_of(list(frame.columns), numeric, lambda k: frame[:, k])


def _numbered(data: Any) -> tuple[list[Any], Any]:
    """The names of a pandas or Arrow table, which may repeat, and the table with numbers for names."""
    if hasattr(data, "rename_columns"):
        names = list(data.column_names)
        return names, data.rename_columns([str(k) for k in range(len(names))])
    return list(data.columns), data.set_axis([str(k) for k in range(data.shape[1])], axis=1)


def _table(names: list[Any], raw: list[Any]) -> FrameTable:
    return table_of(names, [k for k, column in enumerate(raw) if is_numeric(column)], raw.__getitem__)


def table_of(
    names: Sequence[Any], numeric: Sequence[int], raw: Callable[[int], Any], typed: Callable[[int], Any] | None = None
) -> FrameTable:
    """A table whose columns are fetched when they are asked for; `typed` gives a type without fetching."""
    # Only of three columns is the first taken for row numbers: of two it must be meant, and of more the user is asked.
    if len(numeric) == 3 and numeric[0] == 0 and _counts_rows(_numbers(raw(0), str(names[0]))):
        numeric = numeric[1:]
    return FrameTable(distinct_names(names), tuple(numeric), raw, typed or raw)


def _matrix(data: Any) -> FrameTable:
    try:
        matrix = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    except ValueError:
        matrix = np.empty(0)
    if matrix.ndim != 2:
        raise InputError(
            f"Got one {type(data).__name__} that is no table (shape {matrix.shape}); expected two columns: give both, "
            "as in infer(x, y), or an array with one row per observation and one column per variable."
        )
    return _table([""] * matrix.shape[1], list(matrix.T))


def _named(column: Any, default: str, other: Any) -> Named:
    """A series keeps its name, unless both carry the same one."""
    name, second = getattr(column, "name", None), getattr(other, "name", None)
    usable = isinstance(name, (str, int)) and str(name).strip() and name != second
    label = str(name).strip() if usable else default
    return _numbers(column, label), label


def _numbers(column: Any, name: str) -> NDArray[Any]:
    """A column as numbers; exact ones, as Python holds them, where doubles would round them."""
    if isinstance(column, (list, tuple)):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return _objects(column.tolist(), name) if column.dtype.kind in "OUST" and column.ndim == 1 else column
    import narwhals as nw

    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:
        return _numbers(_array(column), name)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        # Arrow refuses to round whole numbers beyond 2⁵³, which go the exact way like those that others round.
        with suppress(ValueError):
            rounded = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
            exact = series.dtype.is_integer() or series.dtype.is_decimal()
            if not (exact and (is_long(rounded) or (series.dtype.is_decimal() and has_ties(rounded)))):
                return rounded
    if levels := _levels(series):
        place: dict[Any, float] = {level: k for k, level in enumerate(levels)}
        return np.array([place.get(value, np.nan) for value in series.to_list()])
    return _objects(series.to_list(), name)


def _objects(values: list[Any], name: str) -> NDArray[Any]:
    moments = moments_of(values)
    dates = dates_in(values) if moments is None else moments
    return from_objects(values, name) if dates is None else dates


def _levels(series: Any) -> list[Any]:
    """The levels of an ordered category that are no numbers themselves; none of any other series."""
    import narwhals as nw

    levels = list(series.dtype.categories) if isinstance(series.dtype, nw.Enum) else _arrow_levels(series.to_native())
    return levels if any(not is_number(str(level)) for level in levels) else []


def _arrow_levels(column: Any) -> list[Any]:
    """The levels of an Arrow dictionary that is ordered, which narwhals takes for one that is not."""
    if not getattr(getattr(column, "type", None), "ordered", False):
        return []
    # Parts with levels of their own have no order together.
    found = [part.dictionary for part in (column.chunks if hasattr(column, "chunks") else [column])]
    return found[0].to_pylist() if found and all(each.equals(found[0]) for each in found) else []


def said_of(column: Any, name: str) -> tuple[str, ...]:
    """What is to be said of a column that is an ordered category."""
    if isinstance(column, (list, tuple, np.ndarray)):
        return ()
    import narwhals as nw

    try:
        levels = _levels(nw.from_native(column, series_only=True))
    except TypeError:
        return ()
    order = " < ".join(clipped(str(level)) for level in levels[:9]) + " …" * (len(levels) > 9)
    return (f"{name!r} is numbered in the order of its levels ({order}).",) if levels else ()


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
    """Whether a column of any kind holds numbers by its type."""
    if isinstance(column, (list, tuple)):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return bool(column.dtype.kind in "iuf")
    try:
        return bool(type_of(column).is_numeric())
    except TypeError:
        return bool(_array(column).dtype.kind in "iuf")


def _why(column: Any) -> str:
    """Why a column is none that a whole table is judged by; empty where it is one."""
    if isinstance(column, (list, tuple)):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return why_array(column)
    import narwhals as nw

    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:
        return why_array(np.asarray(_array(column)))
    return why_series(series, bool(_levels(series)))


def type_of(series: Any) -> Any:
    """The type of a series, as narwhals calls it."""
    import narwhals as nw

    return nw.from_native(series, series_only=True).dtype


def _counts_rows(column: NDArray[Any]) -> bool:
    return len(column) > 0 and column[0] in (0, 1) and bool(np.all(np.diff(column) == 1))
