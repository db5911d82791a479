"""Tables and figures of a study, on disk."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.files import replace_with
from causewise.formatting import csv_text, markdown_table
from causewise.lab.plotting import figure_style, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Row = dict[str, Any]
"""What was measured, with the settings it was measured under."""


@dataclass(frozen=True)
class StudyTable:
    """A named table; cells are numbers or words."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def markdown(self) -> str:
        """For reading; columns with words in them are left-aligned."""
        words = [any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.columns))]
        body = [[shown(value) for value in row] for row in self.rows]
        align = "".join("l" if each else "r" for each in words)
        return f"{self.title}\n\n{markdown_table(self.columns, body, align, padded=True)}"

    def column(self, name: str) -> list[Any]:
        """One column by name."""
        return [row[self.columns.index(name)] for row in self.rows]


def write_tables(folder: Path, tables: Sequence[StudyTable], rows: Sequence[Row]) -> list[Path]:
    """Every table as CSV with all digits, all of them in one Markdown file, and the rows behind them."""
    paths = [folder / f"{table.name}.csv" for table in tables]
    for path, table in zip(paths, tables, strict=True):
        _write_csv(path, table.columns, table.rows)
    together = folder / "tables.md"
    replace_with(together, ("\n\n".join(table.markdown() for table in tables) + "\n").encode())
    # Parts of a study measure different things: the union of their columns, with empty cells.
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    _write_csv(folder / "rows.csv", columns, [[row.get(name, "") for name in columns] for row in rows])
    return [*paths, together, folder / "rows.csv"]


def write_figures(folder: Path, figures: "Mapping[str, Figure]") -> list[Path]:
    """Every figure as PDF, SVG and PNG."""
    # Inside the style: it holds the salt of SVG identifiers, without which no two files are the same.
    with figure_style():
        return [path for name, figure in figures.items() for path in save(figure, folder, name)]


def shown(value: Any) -> str:
    """A number with as many digits as a reader needs."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return str(value)
    if value is None or not math.isfinite(value):
        return "–"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.1e}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def percentage(values: Sequence[bool]) -> float:
    """Of true values."""
    return 100 * float(np.mean(values))


def select(rows: Sequence[Row], **settings: Any) -> list[Row]:
    """The rows with these settings."""
    return [row for row in rows if all(row.get(name) == value for name, value in settings.items())]


def values_of(rows: Sequence[Row], name: str) -> list[Any]:
    """The different values of a setting, in the order of the rows."""
    return list(dict.fromkeys(row[name] for row in rows if name in row))


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    replace_with(path, csv_text([columns, *rows]).encode())
