"""Parquet files: the schema first, then the columns asked for and no others, by whichever library is installed.

Arrow files, which Feather files are, are held whole.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from causewise.errors import InputError
from causewise.tables.cells import quote_cell
from causewise.tables.frames import FrameTable, frame_table, is_numeric, table_of
from causewise.tables.source import ReadOptions

T = TypeVar("T")


def parquet_table(content: bytes | Path, where: str, options: ReadOptions) -> FrameTable:
    """A Parquet file, given by its path or its bytes."""
    import narwhals as nw

    source = content if isinstance(content, Path) else io.BytesIO(content)
    reader = _guard(lambda: _open(source), where)
    if reader is None:
        raise InputError(
            f"Got the Parquet file {where}, and no reader for it is installed; install one with: "
            "pip install '.[tables]'"
        )
    options.check_rows(reader.rows, where)

    def column(k: int) -> Any:
        # Text is rejected: a short file can repeat a long text without end, and what is a number is stored as one.
        dtype = nw.from_native(reader.empty[k], series_only=True).dtype
        if not (dtype.is_numeric() or dtype.is_temporal() or dtype == nw.Boolean):
            raise InputError(
                f"Column {reader.names[k]!r} of {where} is of the type {quote_cell(str(dtype))}; "
                "expected numbers: write it as numbers, or choose another column."
            )
        options.check_bytes(reader.size(k), where)
        return _guard(lambda: reader.column(k), where)

    numeric = [k for k, each in enumerate(reader.empty) if is_numeric(each)]
    return table_of(reader.names, numeric, column, reader.empty.__getitem__)


def arrow_table(content: bytes, where: str, options: ReadOptions) -> FrameTable:
    """An Arrow IPC file, given by its bytes."""
    try:
        from pyarrow import BufferReader, ipc
    except ImportError:
        raise InputError(
            f"Got the Arrow file {where}, and no reader for it is installed; install one with: pip install '.[tables]'"
        ) from None
    # Compressed parts are unpacked one after the other, and counted.
    batches, rows, size = list[Any](), 0, 0
    reader = _guard(lambda: ipc.open_file(BufferReader(content)), where, "Arrow")
    for k in range(reader.num_record_batches):
        batches.append(_guard(lambda k=k: reader.get_batch(k), where, "Arrow"))  # type: ignore[misc]
        rows, size = rows + batches[-1].num_rows, size + batches[-1].nbytes
        options.check_rows(rows, where)
        options.check_bytes(size, where)
    from pyarrow import Table

    return frame_table(_guard(lambda: Table.from_batches(batches, reader.schema), where, "Arrow"))


def _open(source: Path | io.BytesIO) -> "_Arrow | _Polars | None":
    for reader in (_Arrow, _Polars):
        try:
            return reader(source)
        except ImportError:
            continue
    return None


def _guard(read: Callable[[], T], where: str, form: str = "Parquet") -> T:
    try:
        return read()
    except Exception as problem:  # each library raises its own types for a damaged file
        reason = str(problem).strip().split("\n")[0][:120]
        raise InputError(
            f"Could not read {where} as {form} ({reason}); expected a whole {form} file: write it again."
        ) from None


class _Arrow:
    """Names, the number of rows, every column without its rows (for its type), and one column at a time."""

    def __init__(self, source: Path | io.BytesIO) -> None:
        from pyarrow.parquet import ParquetFile

        self._file = ParquetFile(source)
        self.names: list[str] = self._file.schema_arrow.names
        self.rows: int = self._file.metadata.num_rows
        self.empty: list[Any] = self._file.schema_arrow.empty_table().columns

    def size(self, k: int) -> int:
        """Bytes of a column once unpacked."""
        facts = self._file.metadata
        leaves = [i for i in range(facts.num_columns) if facts.schema.column(i).path == self.names[k]]
        groups = [facts.row_group(g) for g in range(facts.num_row_groups)]
        return sum(group.column(i).total_uncompressed_size for group in groups for i in leaves)

    def column(self, k: int) -> Any:
        # Columns are asked for by name here, and a name may repeat, or be the first part of another.
        name = self.names[k]
        table = self._file.read(columns=[name])
        alike = [i for i, other in enumerate(table.column_names) if other == name]
        return table.column(alike[self.names[:k].count(name)])


class _Polars:
    """The same by polars."""

    def __init__(self, source: Path | io.BytesIO) -> None:
        import polars

        self._source, self._polars = source, polars
        schema = polars.read_parquet_schema(self._rewind())
        self.names: list[str] = list(schema)
        self.rows: int = polars.scan_parquet(self._rewind()).select(polars.len()).collect().item()
        # Levels are text, which is rejected, and Arrow's reader knows no order of them either.
        levels = polars.selectors.by_dtype(polars.Enum).cast(polars.Categorical)
        self.empty: list[Any] = polars.DataFrame(schema=schema).with_columns(levels).get_columns()

    def size(self, k: int) -> int:
        return 16 * self.rows  # no type of number is longer

    def column(self, k: int) -> Any:
        return self._polars.read_parquet(self._rewind(), columns=[k])[:, 0]

    def _rewind(self) -> Path | io.BytesIO:
        if isinstance(self._source, io.BytesIO):
            self._source.seek(0)
        return self._source
