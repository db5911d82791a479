"""Data frames of any kind: pandas, polars and Arrow through narwhals, Parquet files, dictionaries, arrays."""

import io
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from whence.pair import FloatArray, InputError
from whence.tables.cells import from_objects
from whence.tables.choose import distinct_names

Named = tuple[Any, str]


@dataclass(frozen=True)
class FrameTable:
    """Columns by position, turned into numbers on request."""

    names: tuple[str, ...]
    numeric: tuple[int, ...]
    raw: tuple[Any, ...] = field(repr=False)

    def columns(self, i: int, j: int) -> tuple[FloatArray, FloatArray]:
        """Two columns as numbers, missing values as NaN."""
        return _floats(self.raw[i], self.names[i]), _floats(self.raw[j], self.names[j])


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
    series = [frame[:, k] for k in range(frame.shape[1])]
    return _table(list(frame.columns), series)


def parquet_table(content: bytes, where: str) -> FrameTable:
    """The content of a Parquet file, read by whichever library is installed."""
    return frame_table(_parquet_frame(content, where))


def _parquet_frame(content: bytes, where: str) -> Any:
    """A data frame of the kind that the installed reader makes."""
    for read in (_pyarrow, _polars, _pandas):
        try:
            return read(io.BytesIO(content))
        except ImportError:
            continue
        except Exception as problem:  # each reader raises its own kinds for a damaged file
            reason = str(problem).strip().split("\n")[0][:120]
            raise InputError(
                f"Could not read {where} as Parquet ({reason}); expected a whole Parquet file: write it again."
            ) from None
    raise InputError(
        f"Got the Parquet file {where}, and no reader for it is installed; install one with: "
        "pip install 'whence[tables]'"
    )


def _pyarrow(content: io.BytesIO) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(content)


def _polars(content: io.BytesIO) -> Any:
    import polars

    return polars.read_parquet(content)


def _pandas(content: io.BytesIO) -> Any:
    import pandas

    return pandas.read_parquet(content)


def _numbered(data: Any) -> tuple[list[Any], Any]:
    """The names of a pandas or Arrow table, which may repeat, and the table with numbers for names."""
    if hasattr(data, "rename_columns"):
        names = list(data.column_names)
        return names, data.rename_columns([str(k) for k in range(len(names))])
    return list(data.columns), data.set_axis([str(k) for k in range(data.shape[1])], axis=1)


def _table(names: list[Any], raw: list[Any]) -> FrameTable:
    # Only of three columns is the first taken for row numbers: of two it must be meant, and of more the user is asked.
    numeric = [k for k, column in enumerate(raw) if _is_numeric(column)]
    if len(numeric) == 3 and numeric[0] == 0 and _counts_rows(_floats(raw[0], str(names[0]))):
        numeric = numeric[1:]
    return FrameTable(distinct_names(names), tuple(numeric), tuple(raw))


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
    return _floats(column, label), label


def _floats(column: Any, name: str) -> FloatArray:
    if isinstance(column, (list, tuple)):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return from_objects(column.tolist(), name) if column.dtype.kind in "OUST" and column.ndim == 1 else column
    import narwhals as nw

    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:
        return _floats(_array(column), name)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        # Arrow refuses to round integers beyond 2⁵³; they go the slow way, which rounds like NumPy.
        with suppress(ValueError):
            return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return from_objects(series.to_list(), name)


def _array(column: Any) -> Any:
    try:
        return np.asarray(column)
    except ValueError:  # rows of unequal length
        return np.asarray(list(column), dtype=object)


def _is_numeric(column: Any) -> bool:
    if isinstance(column, (list, tuple)):
        column = _array(column)
    if isinstance(column, np.ndarray):
        return bool(column.dtype.kind in "iuf")
    import narwhals as nw

    try:
        return bool(nw.from_native(column, series_only=True).dtype.is_numeric())
    except TypeError:
        return bool(_array(column).dtype.kind in "iuf")


def _counts_rows(column: FloatArray) -> bool:
    return len(column) > 0 and column[0] in (0, 1) and bool(np.all(np.diff(column) == 1))
