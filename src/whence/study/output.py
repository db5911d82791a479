"""Tables and figures of a study, on disk."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whence.study.ledger import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """A named table; cells are numbers or words."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def markdown(self) -> str:
        """For reading."""
        body = [[shown(value) for value in row] for row in self.rows]
        width = [max(len(line[i]) for line in [self.columns, *body]) for i in range(len(self.columns))]
        numeric = [all(not isinstance(row[i], str) for row in self.rows) for i in range(len(self.columns))]
        lines = [_line(self.columns, width, numeric)]
        lines.append(
            "|"
            + "|".join("-" * (w + 1) + (":" if right else "-") for w, right in zip(width, numeric, strict=True))
            + "|"
        )
        return "\n".join([self.title, "", *lines, *(_line(line, width, numeric) for line in body)])

    def column(self, name: str) -> list[Any]:
        """One column by name."""
        return [row[self.columns.index(name)] for row in self.rows]


def write_tables(folder: Path, tables: Sequence[Table], rows: Sequence[Row]) -> list[Path]:
    """Every table as CSV with all digits, all of them in one Markdown file, and the rows behind them."""
    paths = [folder / f"{table.name}.csv" for table in tables]
    for path, table in zip(paths, tables, strict=True):
        _write_csv(path, table.columns, table.rows)
    together = folder / "tables.md"
    together.write_text("\n\n".join(table.markdown() for table in tables) + "\n", encoding="utf-8")
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    _write_csv(folder / "rows.csv", columns, [[row.get(name, "") for name in columns] for row in rows])
    return [*paths, together, folder / "rows.csv"]


def write_figures(folder: Path, figures: "Mapping[str, Figure]") -> list[Path]:
    """Every figure as PDF, SVG and PNG."""
    from whence.benchmark.figures.style import save

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


def median_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """Median with a distribution-free interval from the binomial law of the order statistics."""
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, float))
    n = len(ordered)
    reach = int(binom.ppf((1 - level) / 2, n, 0.5))
    low, high = max(reach - 1, 0), min(n - reach, n - 1)
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def share(values: Sequence[bool]) -> tuple[float, float]:
    """Percentage of true values, and its standard error."""
    p, n = float(np.mean(values)), len(values)
    return 100 * p, 100 * math.sqrt(p * (1 - p) / n)


def select(rows: Sequence[Row], **settings: Any) -> list[Row]:
    """The rows with these settings."""
    return [row for row in rows if all(row.get(name) == value for name, value in settings.items())]


def values_of(rows: Sequence[Row], name: str) -> list[Any]:
    """The different values of a setting, in the order of the rows."""
    return list(dict.fromkeys(row[name] for row in rows if name in row))


def _line(cells: Sequence[str], width: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(cells, width, numeric, strict=True)]
    return "| " + " | ".join(padded) + " |"


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
