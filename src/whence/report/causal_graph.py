"""The graph of all columns drawn: causes above, effects below; what moves the spread of another bears the mark ±."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.report import panels
from whence.report.picture import blank, made
from whence.report.scan_look import PALE, POINT, breadth, label, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from networkx import DiGraph

Vector = NDArray[np.float64]
_SWEEPS = 12
_GAP = 0.3
"""Inches between the names of a row."""


class _Name(NamedTuple):
    """A column on the paper; all in inches."""

    text: str
    middle: Vector
    size: Vector


def draw_causal_graph(arrows: "DiGraph", heading: str, path: str | os.PathLike[str] | None = None) -> "Figure":
    """Columns in rows, each below all its parents; an arrow the thicker the more parts of the rows have it."""
    return made(lambda: _figure(arrows, heading), "".join(arrows), path)


def _figure(arrows: "DiGraph", heading: str) -> "Figure":
    font = float(np.clip(12 - 0.4 * len(arrows) ** 0.5, 7, 10))
    rows = _rows(arrows)
    widths = [sum(_size(name, font)[0] + _GAP for name in row) for row in rows]
    paper = np.array([float(np.clip(max(widths, default=0) + 1.0, 6.4, 24)), 0.4 + 1.05 * max(len(rows), 1)])
    figure = blank(paper[0], paper[1] + 1.3, left=0, right=0, top=0.5, bottom=0.8)
    ax = figure.subplots()
    ax.set(xlim=(0, paper[0]), ylim=(0, paper[1]))
    ax.set_axis_off()
    names = _placed(rows, font, paper)
    for a, b, facts in sorted(arrows.edges(data=True), key=lambda edge: edge[2]["weight"]):
        _arrow(ax, names[a], names[b], facts)
    for name in names.values():
        _box(ax, name, font)
    left, height = 0.2 / paper[0], paper[1] + 1.3
    words: dict[str, Any] = {"color": panels.INK, "fontsize": 11, "weight": "bold", "parse_math": False}
    figure.text(left, 1 - 0.2 / height, heading, va="top", **words)
    figure.text(left, 0.15 / height, "\n".join(_legend(arrows)), color=panels.MUTED, fontsize=8.5, parse_math=False)
    return figure


def _legend(arrows: "DiGraph") -> list[str]:
    facts = [each for _, _, each in arrows.edges(data=True)]
    drawn = any("support" in each for each in facts)
    thicker = "; the thicker and darker, the more random parts of the rows have it" if drawn else ""
    lines = [f"An arrow runs from a column to one that it moves{thicker}."]
    if any(each["spread"] for each in facts):
        lines.append("±: it moves the size of the noise. Dashed: that alone, and not the mean.")
    alone = [label(name) for name in arrows if not arrows.degree(name)]
    if alone:
        more = f" and {len(alone) - 8} more" if len(alone) > 8 else ""
        lines.append(f"Without an arrow: {', '.join(alone[:8])}{more}.")
    return lines


def _rows(arrows: "DiGraph") -> list[list[str]]:
    """Columns with an arrow by the longest way to them; beside each other such that arrows cross little.

    A column stands at the mean of its parents' places, and in the next sweep of its children's (Sugiyama 1981).
    """
    depth: dict[str, int] = {}
    for name in arrows:  # parents come first
        if arrows.degree(name):
            depth[name] = 1 + max((depth[parent] for parent in arrows.predecessors(name)), default=-1)
    rows = [[name for name in depth if depth[name] == k] for k in range(max(depth.values(), default=-1) + 1)]
    for sweep in range(_SWEEPS):
        place = {name: (k + 0.5) / len(row) for row in rows for k, name in enumerate(row)}
        beside = arrows.successors if sweep % 2 else arrows.predecessors
        for row in rows[:: -1 if sweep % 2 else 1]:
            wanted = {name: [place[other] for other in beside(name)] for name in row}
            row.sort(key=lambda name, wanted=wanted: float(np.mean(wanted[name] or [place[name]])))  # type: ignore[misc]
            place |= {name: (k + 0.5) / len(row) for k, name in enumerate(row)}
    return rows


def _size(name: str, font: float) -> Vector:
    return np.array([breadth(label(name), font) + 0.18, font * POINT + 0.18])


def _placed(rows: Sequence[Sequence[str]], font: float, paper: Vector) -> dict[str, _Name]:
    found = {}
    for k, row in enumerate(rows):
        sizes = [_size(name, font) for name in row]
        gap = (paper[0] - sum(size[0] for size in sizes)) / (len(row) + 1)
        # Every other row is shifted a little: an arrow past a row then does not run through a name.
        x = gap + (0.12 if k % 2 else -0.12) * gap
        for name, size in zip(row, sizes, strict=True):
            found[name] = _Name(label(name), np.array([x + size[0] / 2, paper[1] - 0.5 - 1.05 * k]), size)
            x += size[0] + gap
    return found


def _arrow(ax: "Axes", cause: _Name, effect: _Name, facts: dict[str, Any]) -> None:
    from matplotlib.patches import FancyArrowPatch

    sure, only = facts["weight"], facts["spread"] and not facts["mean"]
    start, end = _border(cause, effect), _border(effect, cause)
    bend = 0.06 if abs(cause.middle[1] - effect.middle[1]) < 1.5 else 0.16
    curve: dict[str, Any] = {"connectionstyle": f"arc3,rad={bend}", "shrinkA": 0, "shrinkB": 1.5, "zorder": 2 + sure}
    # A white seam where arrows cross.
    ax.add_patch(FancyArrowPatch(tuple(start), tuple(end), arrowstyle="-", linewidth=3, color=panels.PAPER, **curve))
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 9 + 3 * sure, "joinstyle": "miter", "gid": "arrow"}
    ink = shade(0.5 + 0.5 * (0.2 + 0.8 * sure), only)
    line = (0, (4, 2)) if only else "-"
    ends = (tuple(start), tuple(end))
    ax.add_patch(FancyArrowPatch(*ends, color=ink, linewidth=0.7 + 1.3 * sure, linestyle=line, **look, **curve))
    if facts["spread"]:
        way = end - start
        x, y = (start + end) / 2 + bend / 2 * np.array([way[1], -way[0]])
        behind = {"boxstyle": "circle,pad=0.08", "facecolor": panels.PAPER, "edgecolor": "none"}
        ax.text(x, y, "±", color=ink, fontsize=9, ha="center", va="center", zorder=4, bbox=behind)


def _border(box: _Name, other: _Name) -> Vector:
    """Where the line from the middle of a box to the other's leaves it."""
    way = other.middle - box.middle
    return box.middle + way * min(float(np.min(box.size / 2 / np.maximum(np.abs(way), 1e-12))), 1.0)


def _box(ax: "Axes", name: _Name, font: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": panels.PLAIN, "linewidth": 0.8, "zorder": 5}
    (x, y), (width, height) = name.middle - name.size / 2, name.size
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.06", **look))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 6, "parse_math": False}
    ax.text(name.middle[0], name.middle[1], name.text, fontsize=font, color=panels.INK, **centred)
