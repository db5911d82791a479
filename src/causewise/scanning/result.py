"""The result of a scan: one row a pair, as a tidy table of the kind that went in, or as a file."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.formatting import csv_text, encodable, json_text
from causewise.methods.combined.method import THRESHOLD
from causewise.scanning.consistency import Order, Quality, find_order, measure_quality, to_digraph
from causewise.scanning.graph_files import GRAPH_FORMATS, check_ending
from causewise.scanning.pair_scorer import PairScorer
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from networkx import DiGraph

COLUMNS = tuple(each.name for each in fields(ScanRow))


@dataclass(frozen=True, eq=False)
class Scan:
    """The pairs of a table, in the order of its columns.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(-2, 2, 500)
    >>> b = np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500)
    >>> scan = causewise.scan({"a": a, "b": b, "c": rng.normal(size=500)})
    >>> [(row.x, row.y, row.status) for row in scan]
    [('a', 'b', 'oriented'), ('a', 'c', 'unrelated'), ('b', 'c', 'unrelated')]
    >>> list(scan.to_networkx().edges)
    [('a', 'b')]
    """

    rows: tuple[ScanRow, ...]
    columns: tuple[str, ...]
    """The columns that were scored."""
    left_out: Mapping[str, str]
    """Columns that could not be scored, with the reason."""
    facts: Mapping[str, Any]
    """Method, settings, seed and version: what it takes to repeat the scan."""
    kind: str = "dict"
    """`pandas`, `polars`, `pyarrow` or `dict`: what the table was."""
    before: tuple[tuple[str, str], ...] = ()
    """Columns of which the first is given to come before the second."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """What each column is by how its values repeat; of columns that are adjusted, before that."""
    notes: tuple[str, ...] = ()
    """What had to be understood to make numbers of columns, such as dates, a sentence each."""
    scorer: PairScorer | None = field(default=None, repr=False)
    """The columns, as they were scored, and the method: what it takes to decide a pair anew."""
    finished: Callable[[], None] = field(default=lambda: None, repr=False)
    """Called when the result is in a file: what was kept along the way is then no longer needed."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ScanRow]:
        return iter(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs have each status; apart from these those that are `given`, not found."""
        counts = Counter(row.outcome for row in self.rows)
        return {outcome: counts[outcome] for outcome in ("oriented", "undecided", "unrelated", "failed", "given")}

    @property
    def threshold(self) -> float:
        """The confidence that an answer needs, where the method has one."""
        return THRESHOLD if self.scorer is None else self.scorer.threshold

    def __str__(self) -> str:
        counts = [f"{count} {each}" for each, count in self.counts.items() if count or each not in ("failed", "given")]
        return f"{len(self)} pair{'s' * (len(self) != 1)} of {len(self.columns)} columns: {', '.join(counts)}"

    def __repr__(self) -> str:
        return f"<Scan: {self}>"

    def to_networkx(self) -> "DiGraph":
        """The arrows as a networkx graph: all columns, and an edge for every oriented pair, its weight the confidence.

        Pairwise arrows are no multivariate discovery: an edge may stand for a path, or for a common cause.
        """
        return to_digraph(self.rows, self.columns)

    def write_graph(self, path: Any) -> None:
        """Write the arrows as GraphML, JSON (node-link), DOT or Tetrad's text (.txt), by the ending of the name."""
        target = Path(path)
        replace_with(target, check_ending(target, GRAPH_FORMATS)(self.to_networkx()).encode())

    def order(self) -> Order:
        """The order of the columns that contradicts the scores least, and background knowledge nowhere."""
        return find_order(self.rows, self.columns, self.before)

    def quality(self) -> Quality:
        """Contradictions among the arrows: cycles, and triples that run in a circle."""
        return measure_quality(self.rows, self.columns)

    def plot(self, path: Any = None, kind: str = "matrix") -> "Figure":
        """Draw the `matrix` of all pairs or the `graph` of the arrows."""
        if kind not in ("matrix", "graph"):
            raise InputError(f"Got kind={kind!r}; expected 'matrix' or 'graph'.")
        from causewise.report.graph_pictures import draw_graph
        from causewise.report.scan_matrix import draw_matrix

        draw = draw_graph if kind == "graph" else draw_matrix
        return draw(self.rows, self.columns, self.order(), path)

    def report(self, path: Any) -> None:
        """Write one self-contained HTML page: matrix, graph, and a table of the pairs that opens each of them."""
        from causewise.report.html_pages import write_scan

        write_scan(self, path)

    def _repr_html_(self) -> str:
        """What was found and the surest pairs, for notebooks."""
        from causewise.report.html_pages import render_scan_card

        return render_scan_card(self)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record of the scan: its rows, columns, settings, seed and version."""
        rows = [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]
        record = {"rows": rows, "columns": self.columns, "left_out": dict(self.left_out)}
        return record | {"kinds": dict(self.kinds), "notes": self.notes, **self.facts}

    def to_columns(self) -> dict[str, list[Any]]:
        """The table column by column; warnings joined to one text, and names spelt so that every file can hold them."""
        table = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        table |= {"warnings": [" | ".join(row.warnings) for row in self.rows]}
        return {
            name: [encodable(value) if isinstance(value, str) else value for value in values]
            for name, values in table.items()
        }

    def to_frame(self) -> Any:
        """The table as a data frame of the library that the input came from; a dict of columns for arrays and files."""
        table = self.to_columns()
        if self.kind == "pandas":
            import pandas

            return pandas.DataFrame(table)
        if self.kind == "polars":
            import polars

            return polars.DataFrame(table, infer_schema_length=None)
        return _to_arrow(table) if self.kind == "pyarrow" else table

    def write(self, path: Any, raw: bool = False) -> None:
        """Write the table as CSV, Parquet or JSON, by the ending of the name; `raw` leaves cells as they are."""
        target = Path(path)
        content = check_ending(target, FORMATS)(self, raw)
        replace_with(target, content)
        self.finished()


def find_library(data: Any) -> str:
    """Which library a table belongs to."""
    library = type(data).__module__.partition(".")[0]
    return library if library in ("pandas", "polars", "pyarrow") else "dict"


def _to_csv(scan: Scan, raw: bool) -> bytes:
    lines = zip(*scan.to_columns().values(), strict=True)
    cells = [["" if v is None else repr(v) if isinstance(v, float) else str(v) for v in line] for line in lines]
    return csv_text([list(COLUMNS), *cells], raw).encode()


def _to_json(scan: Scan, raw: bool) -> bytes:
    record = scan.to_dict()
    return (json.dumps(record) if raw else json_text(record)).encode() + b"\n"


def _to_parquet(scan: Scan, raw: bool) -> bytes:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "Got a name that ends in .parquet, and no library that writes it is installed; install one with: "
            "pip install '.[tables]', or choose .csv."
        ) from None
    stream = io.BytesIO()
    pyarrow.parquet.write_table(_to_arrow(scan.to_columns()), stream)
    return stream.getvalue()


def _to_arrow(table: Mapping[str, list[Any]]) -> Any:
    import pyarrow

    # A column that is empty still has its type.
    text = {"x", "y", "status", "direction", "cause", "effect", "warnings", "reason", "x_kind", "y_kind"}
    whole = {"n", "dropped_rows", "rows_judged"}
    types = (
        dict.fromkeys(text, pyarrow.string()) | dict.fromkeys(whole, pyarrow.int64()) | {"is_given": pyarrow.bool_()}
    )
    kinds = {name: types.get(name, pyarrow.float64()) for name in table}
    return pyarrow.table({name: pyarrow.array(values, kinds[name]) for name, values in table.items()})


FORMATS: Mapping[str, Callable[[Scan, bool], bytes]] = {".csv": _to_csv, ".parquet": _to_parquet, ".json": _to_json}
"""Of the table of all pairs."""
