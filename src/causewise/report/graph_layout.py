"""Where the names and arrows of a scan's graph stand: by distance.

Places are in inches from the lower left corner; the page of a scan has them in pixels from the upper left one.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.report.canvas import boxes_for_unknown_letters
from causewise.report.scan_wording import arrow, column_name
from causewise.scanning.consistency import to_digraph
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from networkx import DiGraph, Graph

Vector = NDArray[np.float64]

POINT = 1 / 72
"""Inches."""
MOST_ARROWS = 200
"""On a page; more of them hide each other, and the surest are drawn."""
_LAID_OUT_SLOWLY = 80
"""Names that Kamada and Kawai's layout takes within a second; beyond, springs."""
PIXELS = 96
"""An inch."""
_BEND = 0.08
"""Of an arrow, in its length: a straight one that runs under a third name looks like two."""


class Box(NamedTuple):
    """A name on the paper."""

    text: str
    middle: Vector
    size: Vector


def label(name: str) -> str:
    """A column's name as it is written in a picture."""
    return column_name(name, 24)


def measure_text(text: str, font: float) -> float:
    """Inches that a text takes."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    with boxes_for_unknown_letters():
        pixels = RendererAgg(1, 1, 288).get_text_width_height_descent(text, FontProperties(size=font), False)[0]
    return float(pixels) / 288


def strength(confidence: float | None) -> float:
    """0 for a coin flip, 1 for certain, and where the method gives no confidence."""
    return 1.0 if confidence is None else float(np.clip(2 * confidence - 1, 0, 1))


def place_by_distance(arrows: "DiGraph", names: Sequence[str], font: float, paper: Vector) -> dict[str, Box]:
    """Where each name stands: networkx's layout on the paper, names pushed apart.

    Half way to the ranks of the coordinates, which widens the crowded middle and keeps who stands beside whom.
    """
    if not names:
        return {}
    texts = [label(name) for name in names]
    sizes = np.array([(measure_text(text, font) + 0.16, font * POINT + 0.16) for text in texts])
    low, high = 0.1 + sizes.max(axis=0) / 2, paper - 0.1 - sizes.max(axis=0) / 2
    at = _lay_out(arrows, names)
    at = low + (high - low) * (_to_unit(at) + _to_unit(np.argsort(np.argsort(at, axis=0), axis=0))) / 2
    for _ in range(min(200, 40_000 // len(names))):
        at = np.clip(at + _push_apart(at, sizes), low, high)
    return {name: Box(*facts) for name, *facts in zip(names, texts, at, sizes, strict=True)}


def _lay_out(arrows: "DiGraph", names: Sequence[str]) -> Vector:
    import networkx as nx

    # Distances count arrows whichever way they point; nodes in the table's order, for the same picture every time.
    bare = nx.Graph()
    bare.add_nodes_from(names)
    bare.add_edges_from(arrows.edges)
    if len(names) > _LAID_OUT_SLOWLY:
        places = nx.spring_layout(bare, seed=0)
    else:
        places = nx.kamada_kawai_layout(bare, dist=_distances(bare))
    return np.array([places[name] for name in names])


def _distances(bare: "Graph") -> dict[str, dict[str, float]]:
    """Steps from name to name; parts that no arrow joins stand apart by half the length of the longest part.

    Without this networkx takes them for a million steps apart, and every part becomes a point.
    """
    import networkx as nx

    steps = {name: dict(lengths) for name, lengths in nx.all_pairs_shortest_path_length(bare)}
    apart = 1 + max(max(lengths.values()) for lengths in steps.values()) / 2
    return {name: {other: lengths.get(other, apart) for other in bare} for name, lengths in steps.items()}


def _to_unit(at: NDArray[Any]) -> Vector:
    """Each coordinate from 0 to 1."""
    reach = np.ptp(at, axis=0)
    return np.where(reach > 1e-9, (at - at.min(axis=0)) / np.maximum(reach, 1e-9), 0.5)


def _push_apart(at: Vector, sizes: Vector) -> Vector:
    """Half the way out of every overlap, in the direction in which it is smaller."""
    apart = at[:, None] - at
    overlap = (sizes[:, None] + sizes) / 2 + 0.08 - np.abs(apart)
    touching = (overlap > 0).all(axis=2) & ~np.eye(len(at), dtype=bool)
    smaller = np.arange(2) == overlap.argmin(axis=2)[..., None]
    # Two names in one place part by their number.
    later = np.sign(np.arange(len(at))[:, None] - np.arange(len(at)))[..., None]
    way = np.where(apart == 0, later, np.sign(apart))
    return (0.5 * overlap * way * smaller * touching[..., None]).sum(axis=1)


def border_point(box: Box, other: Box) -> tuple[float, float]:
    """Where the line from the middle of a box to the other's leaves it."""
    way = other.middle - box.middle
    reach = np.min(box.size / 2 / np.maximum(np.abs(way), 1e-12))
    x, y = box.middle + way * min(reach, 1.0)
    return float(x), float(y)


class Arrow(NamedTuple):
    """From cause to effect, as paths of an SVG."""

    line: str
    head: str
    width: float
    opacity: float
    against: bool
    """Whether it contradicts the order of the columns."""
    given: bool
    words: str


class Node(NamedTuple):
    """A column's name in its box."""

    text: str
    name: str
    x: float
    y: float
    width: float
    height: float
    middle: float
    base: float


class GraphShapes(NamedTuple):
    """What the page of a scan draws, in pixels."""

    width: float
    height: float
    font: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    drawn: int
    of: int
    """Arrows drawn, and arrows there are."""


def shape_graph(rows: Sequence[ScanRow], columns: Sequence[str], arranged: Sequence[str]) -> GraphShapes | None:
    """The columns that have an arrow and the surest arrows; `rows` come surest first. None where there is no arrow."""
    oriented = [row for row in rows if row.status == "oriented"]
    drawn = oriented[:MOST_ARROWS]
    if not drawn:
        return None
    arrows = to_digraph(drawn, columns)
    joined = [name for name in columns if arrows.degree(name)]
    paper = np.clip(np.array([3.0, 1.8]) + np.array([1.2, 0.95]) * len(joined) ** 0.5, (5.6, 2.4), (15.0, 12.0))
    font = float(np.clip(15.5 - 1.2 * len(joined) ** 0.5, 7.5, 13))
    boxes = place_by_distance(arrows, joined, font, paper)
    rank = {name: k for k, name in enumerate(arranged)}
    thin = float(np.clip((80 / len(drawn)) ** 0.5, 0.5, 1))
    # The surest last, on top of the others.
    shapes = tuple(_shape_arrow(row, boxes, rank, thin, paper[1]) for row in reversed(drawn))
    nodes = tuple(shape_node(box, name, font, paper[1]) for name, box in boxes.items())
    width, height = (PIXELS * paper).tolist()
    return GraphShapes(width, height, font * PIXELS / 72, nodes, shapes, len(drawn), len(oriented))


def _shape_arrow(row: ScanRow, boxes: Mapping[str, Box], rank: Mapping[str, int], thin: float, top: float) -> Arrow:
    cause, effect = row.cause or "", row.effect or ""
    sure = 0.2 if row.is_given else strength(row.confidence)  # of one width, whatever the data make of it
    width = (1.1 + 2.2 * sure) * thin
    start, end = (to_pixels(border_point(boxes[a], boxes[b]), top) for a, b in ((cause, effect), (effect, cause)))
    way = end - start
    bend = (start + end) / 2 + _BEND * np.array([way[1], -way[0]])
    along = (end - bend) / max(float(np.hypot(*(end - bend))), 1e-9)
    across, length = np.array([-along[1], along[0]]), 5 + 2.2 * width
    foot = end - length * along
    left, right = foot + 0.42 * length * across, foot - 0.42 * length * across
    return Arrow(
        line=f"M{write_point(start)}Q{write_point(bend)} {write_point(foot + 0.3 * length * along)}",
        head=f"M{write_point(end)}L{write_point(left)} {write_point(right)}Z",
        width=round(width, 2),
        opacity=1.0 if row.is_given else round(0.45 + 0.55 * sure, 2),
        against=not row.is_given and rank.get(cause, 0) > rank.get(effect, 0),
        given=row.is_given,
        words=arrow(row),
    )


def shape_node(box: Box, name: str, font: float, top: float) -> Node:
    """A box on paper whose upper edge is so high, in pixels."""
    corner = to_pixels(box.middle - box.size / 2 * np.array([1, -1]), top)
    width, height = PIXELS * box.size
    middle, y = to_pixels(box.middle, top)
    places = (corner[0], corner[1], width, height, middle, y + 0.36 * font * PIXELS / 72)
    return Node(box.text, column_name(name), *(round(float(v), 1) for v in places))


def to_pixels(at: Sequence[float] | Vector, top: float) -> Vector:
    """A place in pixels from the upper left corner."""
    return PIXELS * np.array([at[0], top - at[1]])


def write_point(point: Vector) -> str:
    """A place as the paths of an SVG have it."""
    return f"{point[0]:.1f} {point[1]:.1f}"
