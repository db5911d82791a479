"""The graph of a scan drawn: names in boxes, arrows from cause to effect; no Graphviz needed."""

import os
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.report import panels
from causewise.report.picture import blank, made
from causewise.report.scan_look import PALE, POINT, breadth, heading, label, shade, strength
from causewise.report.wording import count
from causewise.scanning.consistency import Order, to_digraph
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from networkx import DiGraph, Graph

Vector = NDArray[np.float64]

LAID_OUT_SLOWLY = 80
"""Names that Kamada and Kawai's layout takes within a second; beyond, springs."""


def draw_graph(
    rows: Sequence[ScanRow],
    columns: Sequence[str],
    order: Order | None = None,
    path: str | os.PathLike[str] | None = None,
) -> "Figure":
    """Columns and the arrows between them, the thicker the surer; dashed where one goes against the order."""
    arranged = list(columns if order is None else order.columns)
    return made(lambda: _graph(rows, columns, arranged, order is not None), "".join(columns), path)


class Box(NamedTuple):
    """A name on the paper; all in inches."""

    text: str
    middle: Vector
    size: Vector


def _graph(rows: Sequence[ScanRow], columns: Sequence[str], arranged: Sequence[str], ordered: bool) -> "Figure":
    arrows = to_digraph(rows, columns)
    joined = [name for name in columns if arrows.degree(name)]
    paper = np.clip(np.array([3.4, 2.2]) + np.array([1.25, 1.05]) * len(joined) ** 0.5, (6.4, 3), (16, 13))
    font = float(np.clip(13 - 1.1 * len(joined) ** 0.5, 5, 10))
    figure = blank(paper[0], paper[1] + 1.35, left=0, right=0, top=0.55, bottom=0.8)
    ax = figure.subplots()
    ax.set(xlim=(0, paper[0]), ylim=(0, paper[1]))
    ax.set_axis_off()
    boxes = boxes_of(arrows, joined, font, paper)
    rank = {name: k for k, name in enumerate(arranged)}
    against = {(a, b) for a, b in arrows.edges if ordered and rank[a] > rank[b]}
    thin = float(np.clip((80 / max(arrows.number_of_edges(), 1)) ** 0.5, 0.4, 1))
    for a, b, facts in sorted(arrows.edges(data=True), key=lambda edge: edge[2]["weight"]):
        _arrow(ax, boxes[a], boxes[b], facts["weight"], thin, (a, b) in against)
    for box in boxes.values():
        _node(ax, box, font)
    heading(figure, rows, columns)
    lines = ["An arrow runs from cause to effect; the thicker and darker, the surer."]
    if against:
        lines.append("Dashed: against the order that disagrees least with all scores.")
    if len(joined) < len(columns):
        alone = [name for name in columns if name not in boxes]
        lines.append(f"Without an arrow: {_listed(alone, paper[0] - 2.6)}.")
    left, low = np.array([0.2, 0.15]) / figure.get_size_inches()
    figure.text(left, low, "\n".join(lines), color=panels.MUTED, fontsize=8.5, parse_math=False)
    return figure


def _listed(names: Sequence[str], room: float) -> str:
    """As many names as the room in inches has place for, and how many more there are."""
    listed = [label(name) for name in names]
    ends = accumulate(breadth(f"{name}, ", 8.5) for name in listed)
    many = max(sum(1 for _ in takewhile(lambda end: end <= room, ends)), 1)
    rest = f" and {count(len(listed) - many)} more" if many < len(listed) else ""
    return ", ".join(listed[:many]) + rest


def boxes_of(arrows: "DiGraph", names: Sequence[str], font: float, paper: Vector) -> dict[str, Box]:
    """Where each name stands: networkx's layout on the paper, names pushed apart.

    Half way to the ranks of the coordinates, which spreads the crowded middle and keeps who stands beside whom.
    """
    if not names:
        return {}
    texts = [label(name) for name in names]
    sizes = np.array([(breadth(text, font) + 0.16, font * POINT + 0.16) for text in texts])
    low, high = 0.1 + sizes.max(axis=0) / 2, paper - 0.1 - sizes.max(axis=0) / 2
    at = _laid_out(arrows, names)
    at = low + (high - low) * (_unit(at) + _unit(np.argsort(np.argsort(at, axis=0), axis=0))) / 2
    for _ in range(min(200, 40_000 // len(names))):
        at = np.clip(at + _push(at, sizes), low, high)
    return {name: Box(*facts) for name, *facts in zip(names, texts, at, sizes, strict=True)}


def _laid_out(arrows: "DiGraph", names: Sequence[str]) -> Vector:
    import networkx as nx

    # Distances count arrows whichever way they point; nodes in the table's order, for the same picture every time.
    bare = nx.Graph()
    bare.add_nodes_from(names)
    bare.add_edges_from(arrows.edges)
    if len(names) > LAID_OUT_SLOWLY:
        found = nx.spring_layout(bare, seed=0)
    else:
        found = nx.kamada_kawai_layout(bare, dist=_distances(bare))
    return np.array([found[name] for name in names])


def _distances(bare: "Graph") -> dict[str, dict[str, float]]:
    """Steps from name to name; parts that no arrow joins stand apart by half the length of the longest part.

    Without this networkx takes them for a million steps apart, and every part becomes a point.
    """
    import networkx as nx

    steps = {name: dict(found) for name, found in nx.all_pairs_shortest_path_length(bare)}
    apart = 1 + max(max(found.values()) for found in steps.values()) / 2
    return {name: {other: found.get(other, apart) for other in bare} for name, found in steps.items()}


def _unit(at: NDArray[Any]) -> Vector:
    """Each coordinate from 0 to 1."""
    spread = np.ptp(at, axis=0)
    return np.where(spread > 1e-9, (at - at.min(axis=0)) / np.maximum(spread, 1e-9), 0.5)


def _push(at: Vector, sizes: Vector) -> Vector:
    """Half the way out of every overlap, in the direction in which it is smaller."""
    apart = at[:, None] - at
    overlap = (sizes[:, None] + sizes) / 2 + 0.08 - np.abs(apart)
    touching = (overlap > 0).all(axis=2) & ~np.eye(len(at), dtype=bool)
    smaller = np.arange(2) == overlap.argmin(axis=2)[..., None]
    # Two names in one place part by their number.
    later = np.sign(np.arange(len(at))[:, None] - np.arange(len(at)))[..., None]
    way = np.where(apart == 0, later, np.sign(apart))
    return (0.5 * overlap * way * smaller * touching[..., None]).sum(axis=1)


def _arrow(ax: "Axes", cause: Box, effect: Box, confidence: float, thin: float, against: bool) -> None:
    from matplotlib.patches import FancyArrowPatch

    sure = strength(confidence)
    width = (0.6 + 1.8 * sure) * thin
    ends = (border(cause, effect), border(effect, cause))
    # A bend, since a straight arrow that runs under a third name looks like two; a white seam where arrows cross.
    bend: dict[str, Any] = {"connectionstyle": "arc3,rad=0.08", "shrinkA": 0, "shrinkB": 1.5, "zorder": 2 + sure}
    ax.add_patch(FancyArrowPatch(*ends, arrowstyle="-", linewidth=width + 1.6, color=panels.PAPER, **bend))
    head = bend | {"arrowstyle": "-|>", "mutation_scale": (8 + 5 * sure) * thin**0.5, "joinstyle": "miter"}
    line = (0, (4, 2)) if against else "-"
    ink = shade(0.15 + 0.85 * confidence, against)
    ax.add_patch(FancyArrowPatch(*ends, color=ink, linewidth=width, linestyle=line, gid="arrow", **head))


def border(box: Box, other: Box) -> tuple[float, float]:
    """Where the line from the middle of a box to the other's leaves it."""
    way = other.middle - box.middle
    reach = np.min(box.size / 2 / np.maximum(np.abs(way), 1e-12))
    x, y = box.middle + way * min(reach, 1.0)
    return float(x), float(y)


def _node(ax: "Axes", box: Box, font: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": panels.PLAIN, "linewidth": 0.8, "zorder": 5}
    (x, y), (width, height) = box.middle - box.size / 2, box.size
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.06", **look))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 6, "parse_math": False}
    ax.text(box.middle[0], box.middle[1], box.text, fontsize=font, color=panels.INK, **centred)
