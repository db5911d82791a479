"""The figures of the identifiability study."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whence.benchmark.figures.style import canvas, line, look
from whence.study.ledger import Row
from whence.study.output import Table, select

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FLOOR = 1e-16
_PATHS = {
    "bend": "bend: a straight line becomes a curve, its noise uneven",
    "temper": "temper: f and g stay, the cause becomes Gaussian",
}


def residuals(equation: Table, path: Table, rows: Sequence[Row]) -> "Figure":
    """Every random model as a dot, and the two paths as lines."""
    with look():
        figure, (left, right) = canvas(1, 2, 8.4, 3.6, sharey=True)
        for place, name in enumerate(equation.column("models")):
            values = [max(row["typical"], _FLOOR) for row in select(rows, part="equation", models=name)]
            spread = np.linspace(-0.25, 0.25, len(values))
            left.plot(place + spread, values, "o", markersize=3, color=line(0 if place < 2 else 1)["color"])
        left.set_xticks(range(len(equation.rows)), equation.column("models"), rotation=30)
        left.set(yscale="log", ylim=(_FLOOR / 3, 3), ylabel="mean relative residual", title="random models")
        for index, name in enumerate(_PATHS):
            mine = [row for row in path.rows if row[0] == name]
            values = [max(row[3], _FLOOR) for row in mine]
            right.plot([row[1] for row in mine], values, label=name, markersize=5, linewidth=1.3, **line(index))
        right.set(xlabel="position t on the path", title="paths")
        right.legend(loc="lower right")
        for panel in (left, right):
            panel.axhline(1e-6, color="#202020", linewidth=0.8, linestyle=":")
        left.annotate("tolerance", (0.02, 1e-6), xycoords=("axes fraction", "data"), va="bottom", fontsize=8)
        return figure


def the_map(path: Table, table: Table) -> "Figure":
    """One row per path: residual of the equation, accuracy, and how often the test rejects the false direction."""
    with look():
        figure, axes = canvas(2, 3, 10.6, 6.2, sharex=True)
        for down, name in enumerate(_PATHS):
            residual, accuracy, rejected = axes[3 * down : 3 * down + 3]
            mine = [row for row in path.rows if row[0] == name]
            residual.plot([row[1] for row in mine], [row[3] for row in mine], markersize=5, linewidth=1.3, **line(0))
            residual.set(ylabel="mean relative residual", ylim=(-0.02, None))
            residual.set_title(_PATHS[name], loc="left")
            _accuracy(accuracy, table, name)
            _rejections(rejected, table, name)
        for panel in axes[3:]:
            panel.set_xlabel("position t on the path")
        for panel in axes[4:]:
            panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8, handlelength=2.8)
        return figure


def _accuracy(panel: "Axes", table: Table, path: str) -> None:
    index = 0
    for variant in dict.fromkeys(table.column("variant")):
        sizes = list(dict.fromkeys(row[3] for row in table.rows if row[:2] == (path, variant)))
        for n in sizes[::2]:
            mine = [row for row in table.rows if row[:4:3] == (path, n) and row[1] == variant]
            _line(panel, mine, 5, f"{variant}, n = {n}", index)
            index += 1
    panel.axhline(50, color="#202020", linewidth=0.8, linestyle=":")
    panel.set(ylabel="accuracy (%)", ylim=(0, 104))


def _rejections(panel: "Axes", table: Table, path: str) -> None:
    mine = [row for row in table.rows if row[:2] == (path, "loci-h")]
    sizes = list(dict.fromkeys(row[3] for row in mine))
    for index, n in enumerate(sizes):
        _line(panel, [row for row in mine if row[3] == n], 7, f"false direction, n = {n}", index)
    _line(panel, [row for row in mine if row[3] == sizes[-1]], 6, f"true direction, n = {sizes[-1]}", len(sizes))
    panel.axhline(5, color="#202020", linewidth=0.8, linestyle=":")
    panel.set(ylabel="rejected at 5 %, spline fit (%)", ylim=(-2, 104))


def _line(panel: "Axes", rows: list[tuple[Any, ...]], column: int, label: str, index: int) -> None:
    values = [row[column] for row in rows]
    panel.plot([row[2] for row in rows], values, label=label, markersize=4.5, linewidth=1.2, **line(index))
