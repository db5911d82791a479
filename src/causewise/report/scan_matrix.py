"""The matrix of a scan: every pair in two cells, its direction, confidence or what else became of it."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from causewise.report.canvas import CHOSEN, GRID, INK, MUTED, OTHER, PALE, PAPER, PLAIN, blank_figure, make_figure
from causewise.report.graph_layout import POINT, label, measure_text, strength
from causewise.report.graph_pictures import shade, write_heading
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

_GIVEN = "#c3ccd6"
"""Light, since dark cells are sure ones."""

Look = dict[str, Any]
_KINDS: dict[str, Look] = {
    "arrow": {"words": "causes the column above", "face": CHOSEN, "marker": ">", "ink": PAPER},
    "against": {"words": "causes it, against the order", "face": OTHER, "marker": ">", "ink": PAPER},
    "effect": {"words": "is caused by it", "face": PAPER, "marker": "<", "ink": "#a9c9de"},
    "given": {"words": "is given to cause it", "face": _GIVEN, "marker": ">", "ink": PLAIN},
    "given effect": {"words": "is given to be caused by it", "face": PAPER, "marker": "<", "ink": MUTED},
    "given apart": {"words": "is given as unrelated", "face": PALE, "marker": "_", "ink": MUTED},
    "undecided": {"words": "undecided", "face": PAPER, "marker": "o", "ink": MUTED},
    "unrelated": {"words": "unrelated", "face": PALE},
    "failed": {"words": "failed", "face": PAPER, "marker": "x", "ink": INK},
}
"""What a cell may say of the column at its left."""
_MIRRORED = {"arrow": "effect", "against": "effect", "given": "given effect"}
"""Of a kind that has a direction, what the other cell of the pair says."""
Cells = Mapping[str, Sequence[tuple[int, int, float | None]]]
"""By what they say: row and column of the cell that tells the direction, and the confidence."""


def draw_matrix(
    rows: Sequence[ScanRow],
    columns: Sequence[str],
    order: Order | None = None,
    path: str | os.PathLike[str] | None = None,
) -> "Figure":
    """Every pair as two cells: the one in the cause's row and the effect's column is filled, the darker the surer.

    order: arrange the columns so, causes first; what stands below the diagonal then contradicts the order.
    path: also write the figure; the ending says the format: png, svg or pdf.
    """
    arranged = list(columns if order is None else order.columns)
    return make_figure(lambda: _figure(rows, arranged, order is not None), "".join(columns), path)


def _figure(rows: Sequence[ScanRow], columns: Sequence[str], ordered: bool) -> "Figure":
    step = max(-(-len(columns) // READABLE), 1)
    names = {k: label(columns[k]) for k in range(0, len(columns), step)}
    cell = float(np.clip(10 / len(columns), 0.005, 0.55))
    font = float(np.clip(0.62 * cell / POINT, 5.5, 9.5))
    margin = 0.3 + max(measure_text(name, font) for name in names.values())
    side = cell * len(columns)
    width = max(margin + side + 0.3, 7.0)
    height = margin + side + LEGEND + 0.65
    edges = {"left": margin, "right": width - margin - side, "top": margin + 0.45, "bottom": LEGEND + 0.2}
    figure = blank_figure(width, height, **edges)
    ax = figure.subplots()
    cells = _group_cells(rows, columns, ordered)
    looks = _KINDS if len(columns) <= MARKED else {kind: _drop_mark(look) for kind, look in _KINDS.items()}
    _draw_cells(ax, cells, len(columns), looks)
    written: dict[str, Any] = {"fontsize": font, "color": INK, "parse_math": False}
    ax.xaxis.tick_top()
    ax.set_xticks([*names], [*names.values()], rotation=90, **written)
    ax.set_yticks([*names], [*names.values()], **written)
    ax.tick_params(length=0 if step == 1 else 3, width=0.7, color=MUTED, pad=4)
    if looks is _KINDS:
        _draw_marks(ax, cells, cell / POINT)
    write_heading(figure, rows, columns)
    present = {*cells, *(_MIRRORED[kind] for kind in cells if kind in _MIRRORED)}
    _draw_legend(figure, [look for kind, look in looks.items() if kind in present])
    return figure


def _drop_mark(look: Look) -> Look:
    """The mark's ink fills the cell, where that is else white."""
    return {"words": look["words"], "face": look["ink"] if look["face"] == PAPER else look["face"]}


def _group_cells(rows: Sequence[ScanRow], columns: Sequence[str], ordered: bool) -> Cells:
    place = {name: k for k, name in enumerate(columns)}
    groups: dict[str, list[tuple[int, int, float | None]]] = {}
    for row in rows:
        i, j = (place[row.y], place[row.x]) if row.cause == row.y else (place[row.x], place[row.y])
        groups.setdefault(_find_kind(row, ordered and i > j), []).append((i, j, row.confidence))
    return groups


def _find_kind(row: ScanRow, against: bool) -> str:
    if row.is_given:
        return "given" if row.cause is not None else "given apart"
    return row.status if row.status != "oriented" else "against" if against else "arrow"


def _draw_cells(ax: "Axes", cells: Cells, n: int, looks: Mapping[str, Look]) -> None:
    from matplotlib.colors import to_rgb

    image = np.ones((n, n, 3))
    for kind, group in cells.items():
        face, mirrored = to_rgb(looks[kind]["face"]), to_rgb(looks[_MIRRORED.get(kind, kind)]["face"])
        for i, j, confidence in group:
            image[j, i] = mirrored
            image[i, j] = shade(confidence, kind == "against") if kind in ("arrow", "against") else face
    np.einsum("iic->ic", image)[:] = to_rgb(GRID)
    ax.imshow(image, interpolation="nearest", aspect="auto")
    if n <= MARKED:
        for draw in (ax.hlines, ax.vlines):
            draw(np.arange(n - 1) + 0.5, -0.5, n - 0.5, color=GRID, linewidth=0.5)
    for spine in ax.spines.values():
        spine.set(color=MUTED, linewidth=0.7)


def _draw_marks(ax: "Axes", cells: Cells, points: float) -> None:
    """A triangle, dot or cross a cell; `points`: the side of a cell."""
    line = max(0.05 * points, 0.5)

    def draw_small(kind: str, i: NDArray[Any], j: NDArray[Any]) -> None:
        look = {"marker": _KINDS[kind]["marker"], "color": _KINDS[kind]["ink"], "gid": kind}
        ax.scatter(j, i, s=(0.25 * points) ** 2, linewidths=line, **look)

    for kind in [kind for kind, look in _KINDS.items() if kind in cells and "marker" in look]:
        i, j, sure = np.array([(i, j, strength(confidence)) for i, j, confidence in cells[kind]]).T
        if kind in ("arrow", "against"):
            ink = np.where(sure[:, None] > 0.5, (1.0, 1.0, 1.0), shade(None, kind == "against"))
            hollow = {"facecolors": "none", "edgecolors": ink} if kind == "against" else {"color": ink}
            size = (points * (0.3 + 0.2 * sure)) ** 2
            ax.scatter(j, i, s=size, marker=">", linewidths=line, gid=kind, **hollow)
            draw_small("effect", j, i)
        elif kind == "given":
            draw_small(kind, i, j)
            draw_small("given effect", j, i)
        else:
            draw_small(kind, np.concatenate([i, j]), np.concatenate([j, i]))


def _draw_legend(figure: "Figure", looks: Sequence[Look]) -> None:
    """What the cells mean for the column at their left, along the lower edge."""
    width, height = figure.get_size_inches()
    ax = figure.add_axes((0, 0, 1, LEGEND / height), xlim=(0, width), ylim=(0, LEGEND))
    ax.set_axis_off()
    words = "A column at the left …  (the darker and larger, the surer)"
    ax.text(0.2, LEGEND - 0.14, words, va="center", color=MUTED, fontsize=8.5)
    left, low = 0.2, LEGEND - 0.42
    for look in looks:
        broad = 0.34 + measure_text(look["words"], 8.5)
        left, low = (left, low) if left + broad < width else (0.2, low - 0.28)
        _draw_key(ax, left, low, look)
        ax.text(left + 0.3, low, look["words"], va="center", color=INK, fontsize=8.5)
        left += broad + 0.22


def _draw_key(ax: "Axes", left: float, low: float, look: Look) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((left, low - 0.1), 0.2, 0.2, facecolor=look["face"], edgecolor=MUTED, linewidth=0.5))
    if "marker" in look:
        hollow = look["face"] == OTHER
        ink = {"facecolors": "none", "edgecolors": look["ink"]} if hollow else {"color": look["ink"]}
        ax.scatter(left + 0.1, low, s=22, marker=look["marker"], linewidths=0.9, **ink)
