"""Where the columns and edges of a causal graph stand: in layers, causes above; and how each kind of edge looks.

Places are in inches from the lower left corner; a page has them in pixels from the upper left one.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causewise.graphs.causal_graph import ARROW, EDGE_KINDS, LINE, TWO_HEADED, CausalGraph
from causewise.report.graph_layout import (
    PIXELS,
    POINT,
    Box,
    Node,
    Vector,
    label,
    measure_text,
    shape_node,
    to_pixels,
    write_point,
)
from causewise.report.scan_wording import column_name

if TYPE_CHECKING:
    from networkx import DiGraph

Slot = str | tuple[str, str]
"""What takes room in a layer: a name, or an arrow on its way past it."""
LAYER, GAP = 1.05, 0.3
"""Inches from layer to layer, and between the names of a layer."""
_LANE = 0.22
"""Inches for an arrow that passes a layer."""
_PORTS = 0.7
"""Of a name's breadth, over which the arrows that end or begin at it are distributed."""
_SWEEPS = 12


class EdgeLook(NamedTuple):
    """How an edge of a causal graph is drawn, by what is known of it; no fact is told by colour alone."""

    kind: str
    """Of `EDGE_KINDS`."""
    heads: tuple[bool, bool]
    """At the upper end, at the lower end."""
    variance_only: bool
    marked: bool
    """Whether it bears the mark ± of an effect on the variance."""

    @property
    def colour(self) -> str:
        """As the themes of a page call it."""
        return {"directed": "chosen", "undirected": "plain", "common cause": "other", "given": "muted"}[self.kind]

    @property
    def dashes(self) -> str:
        """Of an SVG; empty for an unbroken line."""
        return "1.5 3" if self.kind == "given" else "7 4" if self.variance_only else ""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "EdgeLook":
        """Of the attributes of an edge of `point_down`."""
        direction = facts.get("direction", ARROW)
        given = facts.get("required") or facts.get("direction_given")
        kind = "given" if given else EDGE_KINDS[(ARROW, LINE, TWO_HEADED).index(direction)]
        turned = bool(facts.get("turned"))
        heads = {ARROW: (turned, not turned), LINE: (False, False), TWO_HEADED: (True, True)}[direction]
        alone = direction == ARROW and facts["spread"] and not facts["mean"]
        return cls(kind, heads, bool(alone), bool(direction == ARROW and facts["spread"]))


def point_down(graph: "DiGraph") -> "DiGraph":
    """The same graph with every edge from the earlier node to the later one; `turned` where it ran the other way."""
    from networkx import DiGraph

    place = {name: k for k, name in enumerate(graph)}
    down: DiGraph = DiGraph()
    down.add_nodes_from(graph)
    for a, b, facts in graph.edges(data=True):
        turned = place[a] > place[b]
        down.add_edge(*((b, a) if turned else (a, b)), **facts, turned=turned)
    return down


class Link(NamedTuple):
    """An edge of a causal graph as paths of an SVG."""

    line: str
    heads: tuple[str, ...]
    look: EdgeLook
    width: float
    mark: tuple[float, float]
    """Where the ± stands."""
    number: int
    """Of the edge, in the order of the graph's."""


class LinkShapes(NamedTuple):
    """What the page of a causal graph draws, in pixels."""

    width: float
    height: float
    font: float
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    alone: tuple[str, ...]
    """Columns without an edge."""


def shape_causal_graph(graph: CausalGraph, font: float = 11.0) -> LinkShapes:
    """Columns in layers, each below all that it has an edge from; `font` in points."""
    down = point_down(graph.to_networkx())
    paper, places = place_layers(down, font, least=3.0)
    ways = route_arrows(down, places, font)
    numbers = {frozenset((edge.parent, edge.child)): k for k, edge in enumerate(graph.edges)}
    links = tuple(
        _shape_link([to_pixels(point, paper[1]) for point in ways[a, b]], facts, numbers[frozenset((a, b))])
        for a, b, facts in down.edges(data=True)
    )
    nodes = tuple(
        shape_node(Box(label(slot), middle, slot_size(slot, font)), slot, font, paper[1])
        for place in places
        for slot, middle in place.items()
        if isinstance(slot, str)
    )
    alone = tuple(column_name(name) for name in down if not down.degree(name))
    width, height = (PIXELS * paper).tolist()
    return LinkShapes(width, height, font * PIXELS / 72, nodes, links, alone)


def _shape_link(way: Sequence[Vector], facts: Mapping[str, Any], number: int) -> Link:
    look = EdgeLook.of(facts)
    width = 1.6 if look.kind == "given" else round(1.2 + 1.6 * facts["weight"], 2)
    length = 6 + 2 * width
    # Ways leave and arrive upright; where there is a head the line ends inside it.
    ends = [
        point + np.array([0.0, 0.7 * length * sign * has])
        for point, has, sign in zip((way[0], way[-1]), look.heads, (1, -1), strict=True)
    ]
    line = f"M{write_point(ends[0])}"
    for here, there in pairwise([ends[0], *way[1:-1], ends[1]]):
        middle = (here[1] + there[1]) / 2
        line += f"C{here[0]:.1f} {middle:.1f} {there[0]:.1f} {middle:.1f} {write_point(there)}"
    heads = tuple(
        f"M{write_point(point)}l{-0.42 * length:.1f} {sign * length:.1f}h{0.84 * length:.1f}Z"
        for point, has, sign in zip((way[0], way[-1]), look.heads, (1, -1), strict=True)
        if has
    )
    k = (len(way) - 1) // 2
    x, y = (way[k] + way[k + 1]) / 2
    return Link(line, heads, look, width, (round(float(x), 1), round(float(y), 1)), number)


def place_layers(down: "DiGraph", font: float, least: float) -> tuple[Vector, list[dict[Slot, Vector]]]:
    """The paper's size, at least so broad, and the places of all layers."""
    layers = order_layers(down)
    widths = [sum(slot_size(slot, font)[0] + GAP for slot in layer) for layer in layers]
    paper = np.array([float(np.clip(max(widths, default=0) + 0.6, least, 24)), LAYER * max(len(layers), 1)])
    return paper, [place_layer(layer, font, paper, k) for k, layer in enumerate(layers)]


def order_layers(arrows: "DiGraph") -> list[list[Slot]]:
    """Columns by the longest way to them, with room for the arrows that pass; ordered such that arrows cross little.

    What stands in a layer is put at the mean place of what it hangs on above, and in the next sweep below (Sugiyama et
    al. 1981).
    """
    depth: dict[str, int] = {}
    for name in arrows:  # parents come first
        if arrows.degree(name):
            depth[name] = 1 + max((depth[parent] for parent in arrows.predecessors(name)), default=-1)
    layers: list[list[Slot]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name, k in depth.items():
        layers[k].append(name)
    for a, b in arrows.edges:
        for k in range(depth[a] + 1, depth[b]):
            layers[k].append((a, b))
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for k in range(1, len(layers)) if down else range(len(layers) - 2, -1, -1):
            beside = {slot: j for j, slot in enumerate(layers[k - 1 if down else k + 1])}
            stays = {slot: j * len(beside) / len(layers[k]) for j, slot in enumerate(layers[k])}
            places = {slot: _mean_place(arrows, slot, beside, down, stays[slot]) for slot in layers[k]}
            layers[k].sort(key=places.__getitem__)
    return layers


def _mean_place(arrows: "DiGraph", slot: Slot, beside: Mapping[Slot, int], down: bool, here: float) -> float:
    """Of what a slot hangs on in the layer beside it; `here` where that is nothing."""
    if isinstance(slot, str):
        edges = [(a, slot) for a in arrows.predecessors(slot)] if down else [(slot, b) for b in arrows.successors(slot)]
    else:
        edges = [slot]
    places = [beside[each] for edge in edges for each in (edge, edge[0] if down else edge[1]) if each in beside]
    return float(np.mean(places)) if places else here


def slot_size(slot: Slot, font: float) -> Vector:
    """Breadth and height that a slot takes."""
    breadth = measure_text(label(slot), font) + 0.18 if isinstance(slot, str) else _LANE
    return np.array([breadth, font * POINT + 0.18])


def place_layer(layer: Sequence[Slot], font: float, paper: Vector, k: int) -> dict[Slot, Vector]:
    """The middle of every slot of the k-th layer, distributed over the paper."""
    widths = [slot_size(slot, font)[0] for slot in layer]
    gap = (paper[0] - sum(widths)) / (len(layer) + 1)
    left = gap * np.arange(1, len(layer) + 1) + np.cumsum([0.0, *widths[:-1]])
    return {
        slot: np.array([x + width / 2, paper[1] - LAYER * (k + 0.5)])
        for slot, x, width in zip(layer, left, widths, strict=True)
    }


def route_arrows(
    arrows: "DiGraph", places: Sequence[dict[Slot, Vector]], font: float
) -> dict[tuple[str, str], list[Vector]]:
    """The points that each arrow runs through: from a lower edge, past the layers between, to an upper edge."""
    at = {slot: middle for place in places for slot, middle in place.items() if isinstance(slot, str)}
    passed = {edge: [place[edge] for place in places if edge in place] for edge in arrows.edges}
    ways = {}
    for a, b in arrows.edges:
        leaving = sorted(arrows.successors(a), key=lambda c, a=a: [*passed[a, c], at[c]][0][0])  # type: ignore[misc]  # a default holds the loop's variable
        coming = sorted(arrows.predecessors(b), key=lambda c, b=b: [at[c], *passed[c, b]][-1][0])  # type: ignore[misc]  # a default holds the loop's variable
        start = at[a] + _port(slot_size(a, font), leaving.index(b), len(leaving)) * (1, -1)
        ways[a, b] = [start, *passed[a, b], at[b] + _port(slot_size(b, font), coming.index(a), len(coming))]
    return ways


def _port(size: Vector, k: int, count: int) -> Vector:
    """From the middle of a box to the place at its upper edge where arrow `k` of so many ends."""
    return np.array([_PORTS * size[0] * ((k + 0.5) / count - 0.5), size[1] / 2])
