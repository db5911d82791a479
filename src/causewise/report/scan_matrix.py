"""The matrix of a scan: every pair in two cells, its direction, confidence or what else became of it."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from causewise.report import panels
from causewise.report.picture import blank, made
from causewise.report.scan_look import PALE, POINT, breadth, heading, label, shade, strength
from causewise.scanning.consistency import Order
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

READABLE = 60
"""Columns of which every name is written; of more, every second, third, …"""
MARKED = 250
"""Columns beyond which cells are too small for marks."""
LEGEND = 0.9
"""Inches at the lower edge."""

Look = dict[str, Any]
_KINDS: dict[str, Look] = {
    "arrow": {"words": "causes the column above", "face": panels.CHOSEN, "marker": ">", "ink": panels.PAPER},
    "against": {"words": "causes it, against the order", "face": panels.OTHER, "marker": ">", "ink": panels.PAPER},
    "effect": {"words": "is caused by it", "face": panels.PAPER, "marker": "<", "ink": "#a9c9de"},
    "undecided": {"words": "undecided", "face": panels.PAPER, "marker": "o", "ink": panels.MUTED},
    "unrelated": {"words": "unrelated", "face": PALE},
    "failed": {"words": "failed", "face": panels.PAPER, "marker": "x", "ink": panels.INK},
}
"""What a cell may say of the column at its left."""


def draw_matrix(
    rows: Sequence[ScanRow],
    columns: Sequence[str],
    order: Order | None = None,
    path: str | os.PathLike[str] | None = None,
) -> "Figure":
    """Every pair as two cells: the one in the cause's row and the effect's column is filled, the darker the surer.

    order: arrange the columns so, causes first; what stands below the diagonal then goes against the order.
    path: also write the figure; the ending says the format: png, svg or pdf.
    """
    arranged = list(columns if order is None else order.columns)
    return made(lambda: _matrix(rows, arranged, order is not None), "".join(columns), path)


def _matrix(rows: Sequence[ScanRow], columns: Sequence[str], ordered: bool) -> "Figure":
    names = [label(name) for name in columns]
    cell = float(np.clip(10 / len(columns), 0.005, 0.55))
    font = float(np.clip(0.62 * cell / POINT, 5.5, 9.5))
    margin = 0.3 + max(breadth(name, font) for name in names[:: _step(names)])
    side = cell * len(columns)
    width = max(margin + side + 0.3, 7.0)
    height = margin + side + LEGEND + 0.65
    figure = blank(width, height, left=margin, right=width - margin - side, top=margin + 0.45, bottom=LEGEND + 0.2)
    ax = figure.subplots()
    place = {name: k for k, name in enumerate(columns)}
    looks = _KINDS if len(columns) <= MARKED else {kind: _without_mark(look) for kind, look in _KINDS.items()}
    _cells(ax, rows, place, ordered, looks)
    _names(ax, names, font)
    _marks(ax, rows, place, ordered, looks, cell / POINT)
    heading(figure, rows, columns)
    present = {_kind(row, place, ordered) for row in rows}
    present |= {"effect"} if present & {"arrow", "against"} else set()
    _legend(figure, [look for kind, look in looks.items() if kind in present])
    return figure


def _without_mark(look: Look) -> Look:
    """The mark's ink fills the cell, where that is else white."""
    return {"words": look["words"], "face": look["ink"] if look["face"] == panels.PAPER else look["face"]}


def _cells(ax: "Axes", rows: Sequence[ScanRow], place: dict[str, int], ordered: bool, looks: dict[str, Look]) -> None:
    from matplotlib.colors import to_rgb

    faces = {kind: to_rgb(look["face"]) for kind, look in looks.items()}
    faces["oriented"] = faces["effect"]
    image = np.ones((len(place), len(place), 3))
    for row in rows:
        i, j = _cell(row, place)
        image[i, j] = image[j, i] = faces[row.status]
        if row.status == "oriented":
            image[i, j] = shade(row.confidence, ordered and i > j)
    np.einsum("iic->ic", image)[:] = to_rgb(panels.GRID)
    ax.imshow(image, interpolation="nearest", aspect="auto")
    lines = np.arange(len(place) - 1) + 0.5
    if len(place) <= MARKED:
        for draw in (ax.hlines, ax.vlines):
            draw(lines, -0.5, len(place) - 0.5, color=panels.GRID, linewidth=0.5)
    for spine in ax.spines.values():
        spine.set(color=panels.MUTED, linewidth=0.7)


def _cell(row: ScanRow, place: dict[str, int]) -> tuple[int, int]:
    """Row and column of the cell that tells the direction."""
    i, j = place[row.x], place[row.y]
    return (j, i) if row.cause == row.y else (i, j)


def _kind(row: ScanRow, place: dict[str, int], ordered: bool) -> str:
    if row.status != "oriented":
        return row.status
    i, j = _cell(row, place)
    return "against" if ordered and i > j else "arrow"


def _step(names: Sequence[str]) -> int:
    return max(-(-len(names) // READABLE), 1)


def _names(ax: "Axes", names: Sequence[str], font: float) -> None:
    step = _step(names)
    ticks = range(0, len(names), step)
    labels = [names[k] for k in ticks]
    look: dict[str, Any] = {"fontsize": font, "color": panels.INK, "parse_math": False}
    ax.xaxis.tick_top()
    ax.set_xticks(ticks, labels, rotation=90, **look)
    ax.set_yticks(ticks, labels, **look)
    ax.tick_params(length=0 if step == 1 else 3, width=0.7, color=panels.MUTED, pad=4)


def _marks(
    ax: "Axes", rows: Sequence[ScanRow], place: dict[str, int], ordered: bool, looks: dict[str, Look], points: float
) -> None:
    """A triangle, dot or cross a cell; `points`: the side of a cell."""
    for kind, look in looks.items():
        at = [(*_cell(row, place), strength(row.confidence)) for row in rows if _kind(row, place, ordered) == kind]
        if not at or "marker" not in look:
            continue
        i, j, sure = np.array(at).T
        if kind in ("arrow", "against"):
            ink = np.where(sure[:, None] > 0.5, (1.0, 1.0, 1.0), shade(None, kind == "against"))
            hollow = {"facecolors": "none", "edgecolors": ink} if kind == "against" else {"color": ink}
            ax.scatter(
                j, i, s=(points * (0.3 + 0.2 * sure)) ** 2, marker=">", linewidths=_line(points), gid=kind, **hollow
            )
            _small(ax, j, i, "effect", points)
        else:
            _small(ax, np.concatenate([i, j]), np.concatenate([j, i]), kind, points)


def _small(ax: "Axes", i: NDArray[Any], j: NDArray[Any], kind: str, points: float) -> None:
    look, line = _KINDS[kind], _line(points)
    ax.scatter(j, i, s=(0.25 * points) ** 2, marker=look["marker"], linewidths=line, color=look["ink"], gid=kind)


def _line(points: float) -> float:
    return max(0.05 * points, 0.5)


def _legend(figure: "Figure", looks: Sequence[Look]) -> None:
    """What the cells mean for the column at their left, along the lower edge."""
    width, height = figure.get_size_inches()
    ax = figure.add_axes((0, 0, 1, LEGEND / height), xlim=(0, width), ylim=(0, LEGEND))
    ax.set_axis_off()
    words = "A column at the left …  (the darker and larger, the surer)"
    ax.text(0.2, LEGEND - 0.14, words, va="center", color=panels.MUTED, fontsize=8.5)
    left, low = 0.2, LEGEND - 0.42
    for look in looks:
        broad = 0.34 + breadth(look["words"], 8.5)
        left, low = (left, low) if left + broad < width else (0.2, low - 0.28)
        _key(ax, left, low, look)
        ax.text(left + 0.3, low, look["words"], va="center", color=panels.INK, fontsize=8.5)
        left += broad + 0.22


def _key(ax: "Axes", left: float, low: float, look: Look) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((left, low - 0.1), 0.2, 0.2, facecolor=look["face"], edgecolor=panels.MUTED, linewidth=0.5))
    if "marker" in look:
        hollow = look["face"] == panels.OTHER
        ink = {"facecolors": "none", "edgecolors": look["ink"]} if hollow else {"color": look["ink"]}
        ax.scatter(left + 0.1, low, s=22, marker=look["marker"], linewidths=0.9, **ink)
