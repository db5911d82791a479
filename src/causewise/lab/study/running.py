"""What a study is, and how one is run: cells to rows, several processes at a time, finished cells skipped.

A study is a module of this package with the names of `Study`; its work is found by the module's name, so that a process
that has just been started knows what to do. Its rows become tables and figures on disk.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from causewise.errors import ROUNDS, between
from causewise.files import replace_with
from causewise.formatting import csv_text, markdown_table
from causewise.lab.benchmark.ledger import Ledger
from causewise.lab.plotting import figure_style, save
from causewise.parallel import OnProgress
from causewise.worker_pool import Lost, WorkerError, open_pool

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = dict[str, Any]
"""The settings of one piece of work: JSON values, and the same cell always gives the same rows."""
Row = dict[str, Any]
"""What was measured, with the settings it was measured under."""
MOST_JOBS = 1024


@dataclass(frozen=True)
class Scale:
    """How much of a study is done."""

    seeds: int | None = None
    """Repetitions; None is the study's own number."""
    fast: bool = False
    """A small version that exercises everything, for continuous integration."""
    networks: bool = False
    """Also the neural variants, where the study has them; they take a second a fit."""

    def repetitions(self, full: int, fast: int) -> int:
        """The number asked for, or the default of this scale."""
        return self.seeds or (fast if self.fast else full)


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
        body = [[format_number(value) for value in row] for row in self.rows]
        align = "".join("l" if each else "r" for each in words)
        return f"{self.title}\n\n{markdown_table(self.columns, body, align, padded=True)}"

    def column(self, name: str) -> list[Any]:
        """One column by name."""
        return [row[self.columns.index(name)] for row in self.rows]

    def where(self, **cells: Any) -> "StudyTable":
        """The rows with these cells."""
        at = {self.columns.index(name): cell for name, cell in cells.items()}
        rows = tuple(row for row in self.rows if all(row[i] == cell for i, cell in at.items()))
        return StudyTable(self.name, self.title, self.columns, rows)


class Study(Protocol):
    """The names every study module has."""

    NAME: str
    REVISION: int
    """Raised whenever a cell's rows would come out otherwise."""

    def cells(self, scale: Scale) -> list[Cell]:
        """All the work."""

    def measure(self, cell: Cell) -> list[Row]:
        """Do one piece of it."""

    def tables(self, rows: Sequence[Row]) -> list[StudyTable]:
        """What it comes to."""

    def figures(self, rows: Sequence[Row]) -> "dict[str, Figure]":
        """The same to look at."""


class CellLedger(Ledger):
    """The file of finished cells; `study` is a name with its revision, so that a new revision starts afresh."""

    remedy = "name another folder with --out"

    def prepare(self) -> None:
        """One entry per study and cell."""
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS finished (study TEXT, cell TEXT, rows TEXT, PRIMARY KEY (study, cell))"
        )

    def missing(self, study: str, cells: Iterable[Cell]) -> list[Cell]:
        """Those cells that are not finished, in their order."""
        stored = self._read_cells(study)
        return [cell for cell in cells if key(cell) not in stored]

    def add(self, study: str, cell: Cell, rows: list[Row]) -> None:
        """Commit a finished cell."""
        with self.translate_errors(self.path), self.transaction() as connection:
            entry = (study, key(cell), json.dumps(rows))
            connection.execute("INSERT INTO finished VALUES (?, ?, ?) ON CONFLICT (study, cell) DO NOTHING", entry)

    def rows(self, study: str, cells: Iterable[Cell]) -> list[Row]:
        """The rows of these cells, each with its cell's settings, in the cells' order whoever finished first."""
        stored = self._read_cells(study)
        return [{**cell, **row} for cell in cells if key(cell) in stored for row in json.loads(stored[key(cell)])]

    def _read_cells(self, study: str) -> dict[str, str]:
        with self.translate_errors(self.path):
            query = "SELECT cell, rows FROM finished WHERE study = ?"
            return dict(self._connection.execute(query, (study,)).fetchall())


def key(cell: Cell) -> str:
    """A cell as text, the same whatever the order of its settings."""
    return json.dumps(cell, sort_keys=True)


def load(name: str) -> Study:
    """The study of that name."""
    return cast(Study, import_module(f"causewise.lab.study.{name}"))


def run(
    study: Study,
    scale: Scale,
    folder: Path,
    jobs: int = 1,
    on_progress: OnProgress = lambda what, done, of: None,
) -> list[Row]:
    """Finish a study in a folder and return all its rows; `on_progress` is called after every cell."""
    between("", 1, MOST_JOBS, jobs=jobs)
    if scale.seeds is not None:
        # At least two: standard deviations are estimated from them.
        between("", 2, ROUNDS[1], seeds=scale.seeds)
    folder.mkdir(parents=True, exist_ok=True)
    cells, name = study.cells(scale), f"{study.NAME} {study.REVISION}"
    with CellLedger.open(folder / "rows.sqlite") as ledger:
        todo = ledger.missing(name, cells)
        done = len(cells) - len(todo)
        on_progress(study.NAME, done, len(cells))
        with open_pool(min(jobs, max(1, len(todo))), nullcontext, [study.NAME]) as pool:
            for number, [rows] in pool.map(_measure, [[cell] for cell in todo]):
                if isinstance(rows, Lost):
                    raise WorkerError(f"The cell {key(todo[number])} could not be measured. {rows.reason}")
                ledger.add(name, todo[number], rows)
                done += 1
                on_progress(study.NAME, done, len(cells))
        return ledger.rows(name, cells)


def _measure(name: str, cells: Sequence[Cell]) -> list[list[Row]]:
    return [load(name).measure(cell) for cell in cells]


# ---- tables and figures


def write_tables(folder: Path, tables: Sequence[StudyTable], rows: Sequence[Row]) -> list[Path]:
    """Every table as CSV with all digits, all of them in one Markdown file, and the rows behind them."""
    paths = [folder / f"{table.name}.csv" for table in tables]
    for path, table in zip(paths, tables, strict=True):
        replace_with(path, csv_text([table.columns, *table.rows]).encode())
    together = folder / "tables.md"
    replace_with(together, ("\n\n".join(table.markdown() for table in tables) + "\n").encode())
    # Parts of a study measure different things: the union of their columns, with empty cells.
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    lines = ([row.get(name, "") for name in columns] for row in rows)
    replace_with(folder / "rows.csv", csv_text([columns, *lines]).encode())
    return [*paths, together, folder / "rows.csv"]


def write_figures(folder: Path, figures: "Mapping[str, Figure]") -> list[Path]:
    """Every figure as PDF, SVG and PNG."""
    # Inside the style: it holds the salt of SVG identifiers, without which no two files are the same.
    with figure_style():
        return [path for name, figure in figures.items() for path in save(figure, folder, name)]


def format_number(value: Any) -> str:
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
