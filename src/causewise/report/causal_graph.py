"""The graph of all columns drawn: causes above, effects below; what moves the spread of another bears the mark ±."""

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from causewise.report import panels
from causewise.report.picture import blank, made
from causewise.report.scan_look import PALE, POINT, breadth, label, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from networkx import DiGraph

Vector = NDArray[np.float64]
Slot = str | tuple[str, str]
"""What takes room in a row: a name, or an arrow on its way past it."""
_SWEEPS = 12
_ROW, _GAP, _LANE = 1.05, 0.3, 0.22
"""Inches from row to row, between the names of a row, and for an arrow that passes a row."""
_PORTS = 0.7
"""Of a name's breadth, over which the arrows that end or begin at it are spread."""


def draw_causal_graph(arrows: "DiGraph", heading: str, path: str | os.PathLike[str] | None = None) -> "Figure":
    """Columns in rows, each below all its parents; an arrow the thicker the more parts of the rows have it."""
    return made(lambda: _figure(arrows, heading), "".join(arrows), path)


def _figure(arrows: "DiGraph", heading: str) -> "Figure":
    font = float(np.clip(12 - 0.4 * len(arrows) ** 0.5, 7, 10))
    rows = _rows(arrows)
    widths = [sum(_size(slot, font)[0] + _GAP for slot in row) for row in rows]
    paper = np.array([float(np.clip(max(widths, default=0) + 0.6, 6.4, 24)), _ROW * max(len(rows), 1)])
    legend = _legend(arrows)
    foot = 0.3 + 0.17 * len(legend)
    figure = blank(paper[0], paper[1] + foot + 0.5, left=0, right=0, top=0.5, bottom=foot)
    ax = figure.subplots()
    ax.set(xlim=(0, paper[0]), ylim=(0, paper[1]))
    ax.set_axis_off()
    places = [_placed(row, font, paper, k) for k, row in enumerate(rows)]
    ways = _ways(arrows, places, font)
    for a, b, facts in sorted(arrows.edges(data=True), key=lambda edge: edge[2]["weight"]):
        _arrow(ax, ways[a, b], facts)
    for place in places:
        for slot, middle in place.items():
            if isinstance(slot, str):
                _box(ax, slot, middle, font)
    left, height = 0.2 / paper[0], paper[1] + foot + 0.5
    words: dict[str, Any] = {"color": panels.INK, "fontsize": 11, "weight": "bold", "parse_math": False}
    figure.text(left, 1 - 0.2 / height, heading, va="top", **words)
    figure.text(left, 0.15 / height, "\n".join(legend), color=panels.MUTED, fontsize=8.5, parse_math=False)
    return figure


def _legend(arrows: "DiGraph") -> list[str]:
    facts = [each for _, _, each in arrows.edges(data=True)]
    lines = ["An arrow runs from a column to one that it moves."]
    if any("support" in each for each in facts):
        lines.append("The thicker and darker, the more random parts of the rows have it.")
    if any(each["spread"] for each in facts):
        lines.append("±: it moves the size of the noise. Dashed: that alone, and not the mean.")
    alone = [label(name) for name in arrows if not arrows.degree(name)]
    if alone:
        more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
        lines.append(f"Without an arrow: {', '.join(alone[:5])}{more}.")
    return lines


def _rows(arrows: "DiGraph") -> list[list[Slot]]:
    """Columns by the longest way to them, with room for the arrows that pass; ordered such that arrows cross little.

    What stands in a row is put at the mean place of what it hangs on above, and in the next sweep below (Sugiyama et
    al. 1981).
    """
    depth: dict[str, int] = {}
    for name in arrows:  # parents come first
        if arrows.degree(name):
            depth[name] = 1 + max((depth[parent] for parent in arrows.predecessors(name)), default=-1)
    rows: list[list[Slot]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name, k in depth.items():
        rows[k].append(name)
    for a, b in arrows.edges:
        for k in range(depth[a] + 1, depth[b]):
            rows[k].append((a, b))
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        order = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for k in order:
            beside = {slot: j for j, slot in enumerate(rows[k - 1 if down else k + 1])}
            wanted = {slot: _wanted(arrows, slot, beside, down) for slot in rows[k]}
            stays = {slot: j * len(beside) / len(rows[k]) for j, slot in enumerate(rows[k])}
            rows[k].sort(key=lambda slot, at=wanted, here=stays: here[slot] if at[slot] is None else at[slot])  # type: ignore[misc]  # a default holds the loop's variable
    return rows


def _wanted(arrows: "DiGraph", slot: Slot, beside: dict[Slot, int], down: bool) -> float | None:
    """The mean place of what a slot hangs on in the row beside it; None where that is nothing."""
    if isinstance(slot, str):
        edges = [(a, slot) for a in arrows.predecessors(slot)] if down else [(slot, b) for b in arrows.successors(slot)]
    else:
        edges = [slot]
    places = [beside[each] for edge in edges for each in (edge, edge[0] if down else edge[1]) if each in beside]
    return float(np.mean(places)) if places else None


def _size(slot: Slot, font: float) -> Vector:
    return np.array([breadth(label(slot), font) + 0.18 if isinstance(slot, str) else _LANE, font * POINT + 0.18])


def _placed(row: Sequence[Slot], font: float, paper: Vector, k: int) -> dict[Slot, Vector]:
    """The middle of every slot of a row, spread over the paper."""
    widths = [_size(slot, font)[0] for slot in row]
    gap = (paper[0] - sum(widths)) / (len(row) + 1)
    left = gap * np.arange(1, len(row) + 1) + np.cumsum([0.0, *widths[:-1]])
    return {
        slot: np.array([x + width / 2, paper[1] - _ROW * (k + 0.5)])
        for slot, x, width in zip(row, left, widths, strict=True)
    }


def _ways(arrows: "DiGraph", places: Sequence[dict[Slot, Vector]], font: float) -> dict[tuple[str, str], list[Vector]]:
    """The points that each arrow runs through: from a lower edge, past the rows between, to an upper edge."""
    at = {slot: middle for place in places for slot, middle in place.items() if isinstance(slot, str)}
    passed = {edge: [place[edge] for place in places if edge in place] for edge in arrows.edges}
    ways = {}
    for a, b in arrows.edges:
        leaving = sorted(arrows.successors(a), key=lambda c, a=a: [*passed[a, c], at[c]][0][0])  # type: ignore[misc]  # a default holds the loop's variable
        coming = sorted(arrows.predecessors(b), key=lambda c, b=b: [at[c], *passed[c, b]][-1][0])  # type: ignore[misc]  # a default holds the loop's variable
        start = at[a] + _port(_size(a, font), leaving.index(b), len(leaving)) * (1, -1)
        ways[a, b] = [start, *passed[a, b], at[b] + _port(_size(b, font), coming.index(a), len(coming))]
    return ways


def _port(size: Vector, k: int, count: int) -> Vector:
    """From the middle of a box to the place at its upper edge where arrow `k` of so many ends."""
    return np.array([_PORTS * size[0] * ((k + 0.5) / count - 0.5), size[1] / 2])


def _arrow(ax: "Axes", way: Sequence[Vector], facts: dict[str, Any]) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    sure, only = facts["weight"], facts["spread"] and not facts["mean"]
    points, codes = [way[0]], [Path.MOVETO]
    for here, there in pairwise(way):
        middle = (here[1] + there[1]) / 2
        points += [np.array([here[0], middle]), np.array([there[0], middle]), there]
        codes += [Path.CURVE4] * 3
    line: dict[str, Any] = {"path": Path(np.array(points), codes), "shrinkA": 0, "shrinkB": 1.5, "zorder": 2 + sure}
    # A white seam where arrows cross.
    ax.add_patch(FancyArrowPatch(arrowstyle="-", linewidth=0.7 + 1.3 * sure + 1.8, color=panels.PAPER, **line))
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 8 + 3 * sure, "joinstyle": "miter", "gid": "arrow"}
    ink = shade(0.6 + 0.4 * sure, only)
    dashes = (0, (4, 2)) if only else "-"
    ax.add_patch(FancyArrowPatch(color=ink, linewidth=0.7 + 1.3 * sure, linestyle=dashes, **look, **line))
    if facts["spread"]:
        k = (len(way) - 1) // 2
        x, y = (way[k] + way[k + 1]) / 2
        behind = {"boxstyle": "circle,pad=0.06", "facecolor": panels.PAPER, "edgecolor": "none"}
        ax.text(x, y, "±", color=ink, fontsize=8, ha="center", va="center", zorder=4, bbox=behind)


def _box(ax: "Axes", name: str, middle: Vector, font: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": panels.PLAIN, "linewidth": 0.8, "zorder": 5}
    size = _size(name, font)
    x, y = middle - size / 2
    ax.add_patch(FancyBboxPatch((x, y), size[0], size[1], boxstyle="round,pad=0,rounding_size=0.06", **look))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 6, "parse_math": False}
    ax.text(middle[0], middle[1], label(name), fontsize=font, color=panels.INK, **centred)
