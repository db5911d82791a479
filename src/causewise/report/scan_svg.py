"""The graph of a scan as shapes of an inline SVG, in the page's own colours: names in boxes, the surest arrows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from causewise.decision import percent
from causewise.report.scan_graph import Box, border, boxes_of
from causewise.report.scan_look import strength
from causewise.report.scan_numbers import brief, surest_first
from causewise.scanning.consistency import to_digraph
from causewise.scanning.scan_row import ScanRow

MOST_ARROWS = 200
"""More of them hide each other; the surest are drawn."""
PIXELS = 96
"""An inch."""
_BEND = 0.08
"""Of an arrow, in its length: a straight one that runs under a third name looks like two."""

Point = npt.NDArray[np.float64]


class Arrow(NamedTuple):
    """From cause to effect."""

    line: str
    head: str
    width: float
    opacity: float
    against: bool
    """Whether it runs against the order of the columns."""
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
    """What is drawn, in pixels."""

    width: float
    height: float
    font: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    drawn: int
    of: int
    """Arrows drawn, and arrows there are."""


def graph_shapes(rows: Sequence[ScanRow], columns: Sequence[str], arranged: Sequence[str]) -> GraphShapes | None:
    """The columns that have an arrow, laid out as in `draw_graph`; None where there is no arrow."""
    oriented = [row for row in surest_first(rows) if row.status == "oriented"]
    shown = oriented[:MOST_ARROWS]
    if not shown:
        return None
    found = to_digraph(shown, columns)
    joined = [name for name in columns if found.degree(name)]
    paper = np.clip(np.array([3.0, 1.8]) + np.array([1.2, 0.95]) * len(joined) ** 0.5, (5.6, 2.4), (15.0, 12.0))
    font = float(np.clip(15.5 - 1.2 * len(joined) ** 0.5, 7.5, 13))
    boxes = boxes_of(found, joined, font, paper)
    rank = {name: k for k, name in enumerate(arranged)}
    thin = float(np.clip((80 / len(shown)) ** 0.5, 0.5, 1))
    # The surest last, on top of the others.
    arrows = [_arrow(row, boxes, rank, thin, paper[1]) for row in reversed(shown)]
    nodes = [_node(box, name, font, paper[1]) for name, box in boxes.items()]
    width, height = (PIXELS * paper).tolist()
    return GraphShapes(width, height, font * PIXELS / 72, tuple(nodes), tuple(arrows), len(shown), len(oriented))


def _arrow(row: ScanRow, boxes: dict[str, Box], rank: dict[str, int], thin: float, top: float) -> Arrow:
    cause, effect = row.cause or "", row.effect or ""
    sure = strength(row.confidence)
    width = (1.1 + 2.2 * sure) * thin
    start, end = (_pixels(border(boxes[a], boxes[b]), top) for a, b in ((cause, effect), (effect, cause)))
    way = end - start
    bend = (start + end) / 2 + _BEND * np.array([way[1], -way[0]])
    along = (end - bend) / max(float(np.hypot(*(end - bend))), 1e-9)
    across, length = np.array([-along[1], along[0]]), 5 + 2.2 * width
    foot = end - length * along
    sides = [foot + 0.42 * length * across, foot - 0.42 * length * across]
    confidence = "" if row.confidence is None else f", confidence {percent(row.confidence)}"
    return Arrow(
        line=f"M{_at(start)}Q{_at(bend)} {_at(foot + 0.3 * length * along)}",
        head=f"M{_at(end)}L{_at(sides[0])} {_at(sides[1])}Z",
        width=round(width, 2),
        opacity=round(0.45 + 0.55 * sure, 2),
        against=rank.get(cause, 0) > rank.get(effect, 0),
        words=f"{brief(cause)} → {brief(effect)}{confidence}",
    )


def _node(box: Box, name: str, font: float, top: float) -> Node:
    corner = _pixels(box.middle - box.size / 2 * np.array([1, -1]), top)
    width, height = PIXELS * box.size
    middle, y = _pixels(box.middle, top)
    places = (corner[0], corner[1], width, height, middle, y + 0.36 * font * PIXELS / 72)
    return Node(box.text, brief(name), *(round(float(v), 1) for v in places))


def _pixels(at: Sequence[float] | Point, top: float) -> Point:
    return PIXELS * np.array([at[0], top - at[1]])


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
