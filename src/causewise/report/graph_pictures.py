"""Graphs drawn: names in boxes, arrows from cause to effect; no Graphviz needed.

A scan's columns stand by distance, those of a causal graph in layers, causes above. No fact is told by colour alone:
confidence is a lightness and a width, what contradicts the order is dashed as well as orange, what is given by
background knowledge dotted as well as grey; edges of a causal graph have no, one or two heads.
"""

import os
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.report.canvas import CHOSEN, INK, MUTED, OTHER, PALE, PAPER, PLAIN, blank_figure, make_figure
from causewise.report.causal_layout import EdgeLook, place_layers, point_down, route_arrows, slot_size
from causewise.report.graph_layout import (
    Box,
    Vector,
    border_point,
    label,
    measure_text,
    place_by_distance,
    strength,
)
from causewise.report.scan_wording import graph_legend, heading
from causewise.scanning.consistency import Order, to_digraph
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from networkx import DiGraph


LineStyle = str | tuple[float, tuple[float, ...]]
_DASHES, _DOTS = (0, (4, 2)), (0, (1, 1.5))


def draw_graph(
    rows: Sequence[ScanRow],
    columns: Sequence[str],
    order: Order | None = None,
    path: str | os.PathLike[str] | None = None,
) -> "Figure":
    """Columns and the arrows between them, the thicker the surer; dashed where one contradicts the order."""
    return make_figure(lambda: _scan_figure(rows, columns, order), "".join(columns), path)


def _scan_figure(rows: Sequence[ScanRow], columns: Sequence[str], order: Order | None) -> "Figure":
    arrows = to_digraph(rows, columns)
    joined = [name for name in columns if arrows.degree(name)]
    paper = np.clip(np.array([3.4, 2.2]) + np.array([1.25, 1.05]) * len(joined) ** 0.5, (6.4, 3), (16, 13))
    font = float(np.clip(13 - 1.1 * len(joined) ** 0.5, 5, 10))
    figure, ax = _paper(paper, top=0.55, bottom=0.8)
    boxes = place_by_distance(arrows, joined, font, paper)
    rank = {} if order is None else {name: k for k, name in enumerate(order.columns)}
    against = {(a, b) for a, b in arrows.edges if rank and rank[a] > rank[b]}
    thin = float(np.clip((80 / max(arrows.number_of_edges(), 1)) ** 0.5, 0.4, 1))
    given = {(a, b) for a, b, facts in arrows.edges(data=True) if "given" in facts}
    against -= given
    for a, b, facts in sorted(arrows.edges(data=True), key=lambda edge: ("given" not in edge[2], edge[2]["weight"])):
        if (a, b) in given:
            _draw_given(ax, boxes[a], boxes[b], thin)
        else:
            _draw_arrow(ax, boxes[a], boxes[b], facts["weight"], thin, (a, b) in against)
    for box in boxes.values():
        _draw_box(ax, box, font)
    write_heading(figure, rows, columns)
    alone = [label(name) for name in columns if name not in boxes]
    ends = accumulate(measure_text(f"{name}, ", 8.5) for name in alone)
    legend = graph_legend(bool(against), alone, max(sum(end <= paper[0] - 2.6 for end in ends), 1), bool(given))
    left, low = np.array([0.2, 0.15]) / figure.get_size_inches()
    figure.text(left, low, legend, color=MUTED, fontsize=8.5, parse_math=False)
    return figure


def _paper(size: Vector, top: float, bottom: float) -> "tuple[Figure, Axes]":
    """A figure with axes in inches and margins above and below."""
    figure = blank_figure(size[0], size[1] + (bottom + top), left=0, right=0, top=top, bottom=bottom)
    ax = figure.subplots()
    ax.set(xlim=(0, size[0]), ylim=(0, size[1]))
    ax.set_axis_off()
    return figure, ax


def write_heading(figure: "Figure", rows: Sequence[ScanRow], columns: Sequence[str]) -> None:
    """What became of the pairs of a scan, at the upper edge."""
    _write_line(figure, heading(rows, columns))


def _write_line(figure: "Figure", words: str) -> None:
    """A bold line at the upper edge, as large as its length allows."""
    width, height = figure.get_size_inches()
    font = 11 * min(1, (width - 0.4) / (1.15 * measure_text(words, 11)))  # bold letters are broader
    look: dict[str, Any] = {"color": INK, "fontsize": font, "weight": "bold", "parse_math": False}
    figure.text(0.2 / width, 1 - 0.2 / height, words, va="top", **look)


def shade(confidence: float | None, against: bool = False) -> Any:
    """Blue, or orange against the order: pale at a half, full at 1; full where a method gives no confidence."""
    from matplotlib.colors import to_rgb

    full = np.array(to_rgb(OTHER if against else CHOSEN))
    return 1 - (0.2 + 0.8 * strength(confidence)) * (1 - full)


def _draw_arrow(ax: "Axes", cause: Box, effect: Box, confidence: float, thin: float, against: bool) -> None:
    sure = strength(confidence)
    width = (0.6 + 1.8 * sure) * thin
    ink = shade(0.15 + 0.85 * confidence, against)
    line = _bend(cause, effect) | {"zorder": 2 + sure}
    _add_arrow(ax, width, width + 1.6, (8 + 5 * sure) * thin**0.5, ink, _DASHES if against else "-", line)


def _draw_given(ax: "Axes", cause: Box, effect: Box, thin: float) -> None:
    """An arrow that the data do not say: of one width, whatever they make of it."""
    _add_arrow(ax, 1.2 * thin, 1.2 * thin + 1.6, 9 * thin**0.5, MUTED, _DOTS, _bend(cause, effect) | {"zorder": 2})


def _bend(cause: Box, effect: Box) -> dict[str, Any]:
    """From border to border, bent, since a straight arrow that runs under a third name looks like two."""
    ends = {"posA": border_point(cause, effect), "posB": border_point(effect, cause)}
    return ends | {"connectionstyle": "arc3,rad=0.08"}


def _add_arrow(
    ax: "Axes",
    width: float,
    seam: float,
    head: float,
    ink: Any,
    style: LineStyle,
    line: dict[str, Any],
    heads: str = "-|>",
) -> None:
    """An arrow over a white seam, which parts it from those it crosses."""
    from matplotlib.patches import FancyArrowPatch

    line = line | {"shrinkA": 0, "shrinkB": 1.5}
    ax.add_patch(FancyArrowPatch(arrowstyle="-", linewidth=seam, color=PAPER, **line))
    look: dict[str, Any] = {"arrowstyle": heads, "mutation_scale": head, "joinstyle": "miter", "gid": "arrow"}
    ax.add_patch(FancyArrowPatch(color=ink, linewidth=width, linestyle=style, **look, **line))


def _draw_box(ax: "Axes", box: Box, font: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": PLAIN, "linewidth": 0.8, "zorder": 5}
    (x, y), (width, height) = box.middle - box.size / 2, box.size
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.06", **look))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 6, "parse_math": False}
    ax.text(box.middle[0], box.middle[1], box.text, fontsize=font, color=INK, **centred)


def draw_causal_graph(arrows: "DiGraph", heading: str, path: str | os.PathLike[str] | None = None) -> "Figure":
    """Columns in layers, each below all its parents; an edge the thicker the more parts of the rows have it.

    What has no direction has no head, a common cause two of them; what affects the variance bears the mark ±.
    """
    return make_figure(lambda: _causal_figure(arrows, heading), "".join(arrows), path)


def _causal_figure(arrows: "DiGraph", heading: str) -> "Figure":
    font = float(np.clip(12 - 0.4 * len(arrows) ** 0.5, 7, 10))
    down = point_down(arrows)
    paper, places = place_layers(down, font, least=6.4)
    edges = [(a, b, facts, EdgeLook.of(facts)) for a, b, facts in down.edges(data=True)]
    legend = causal_legend([look for *_, look in edges], any("support" in facts for _, _, facts, _ in edges))
    alone = [label(name) for name in arrows if not arrows.degree(name)]
    if alone:
        more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
        legend.append((None, f"Without an edge: {', '.join(alone[:5])}{more}."))
    foot = 0.3 + 0.19 * len(legend)
    figure, ax = _paper(paper, top=0.5, bottom=foot)
    ways = route_arrows(down, places, font)
    for a, b, facts, look in sorted(edges, key=lambda edge: edge[2]["weight"]):
        _draw_way(ax, ways[a, b], look, facts["weight"])
    for place in places:
        for slot, middle in place.items():
            if isinstance(slot, str):
                _draw_box(ax, Box(label(slot), middle, slot_size(slot, font)), font)
    height = paper[1] + foot + 0.5
    _write_line(figure, heading)
    for k, (sample, text) in enumerate(reversed(legend)):
        y = 0.2 + 0.19 * k
        if sample is not None:
            _draw_sample(figure, sample, y)
        left = 0.2 if sample is None else 0.87
        letters: dict[str, Any] = {"color": MUTED, "fontsize": 8.5, "va": "center", "parse_math": False}
        figure.text(left / paper[0], y / height, text, **letters)
    return figure


def causal_legend(looks: Sequence[EdgeLook], has_support: bool) -> list[tuple[EdgeLook | None, str]]:
    """What each kind of edge that occurs looks like, and means."""
    lines: list[tuple[EdgeLook | None, str]] = [
        (EdgeLook(kind, heads, False, False), text)
        for (kind, heads), text in zip(_SAMPLES.items(), _MEANINGS, strict=True)
        if any(look.kind == kind for look in looks)
    ]
    if any(look.variance_only for look in looks):
        lines.append((EdgeLook("directed", _DOWN, True, True), "it affects the variance alone, not the mean"))
    if any(look.marked and not look.variance_only for look in looks):
        lines.append((EdgeLook("directed", _DOWN, False, True), "it affects the variance, and the mean"))
    if has_support:
        lines.append((None, "The thicker, the more random parts of the rows join the two."))
    return lines


_DOWN = (False, True)
_SAMPLES = {"directed": _DOWN, "undirected": (False, False), "common cause": (True, True), "given": _DOWN}
_MEANINGS = (
    "the first affects the second",
    "one affects the other; which way is open",
    "a common cause that is not in the table",
    "given by background knowledge",
)
_HEADS = {(False, False): "-", (True, False): "<|-", (False, True): "-|>", (True, True): "<|-|>"}


def _style(look: EdgeLook, sure: float) -> tuple[float, Any, LineStyle]:
    """Width, ink and dashes."""
    if look.kind == "given":
        return 1.2, MUTED, _DOTS
    ink = {"directed": shade(0.6 + 0.4 * sure), "undirected": PLAIN, "common cause": OTHER}[look.kind]
    return 0.7 + 1.3 * sure, ink, _DASHES if look.variance_only else "-"


def _draw_way(ax: "Axes", way: Sequence[Vector], look: EdgeLook, sure: float) -> None:
    """An edge of a causal graph along its points."""
    from matplotlib.path import Path

    points, codes = [way[0]], [Path.MOVETO]
    for here, there in pairwise(way):
        middle = (here[1] + there[1]) / 2
        points += [np.array([here[0], middle]), np.array([there[0], middle]), there]
        codes += [Path.CURVE4] * 3
    line = {"path": Path(np.array(points), codes), "zorder": 2 + sure}
    width, ink, style = _style(look, sure)
    _add_arrow(ax, width, width + 1.8, 8 + 3 * sure, ink, style, line, _HEADS[look.heads])
    if look.marked:
        k = (len(way) - 1) // 2
        x, y = (way[k] + way[k + 1]) / 2
        _mark(ax, x, y, ink)


def _mark(where: Any, x: float, y: float, ink: Any, **place: Any) -> None:
    behind = {"boxstyle": "circle,pad=0.06", "facecolor": PAPER, "edgecolor": "none"}
    where.text(x, y, "±", color=ink, fontsize=8, ha="center", va="center", zorder=4, bbox=behind, **place)


def _draw_sample(figure: "Figure", look: EdgeLook, y: float) -> None:
    """A short edge of the legend, so many inches above the lower end of the figure."""
    from matplotlib.patches import FancyArrowPatch

    width, ink, style = _style(look, 1.0)
    line: dict[str, Any] = {"arrowstyle": _HEADS[look.heads], "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0}
    place: dict[str, Any] = {"transform": figure.dpi_scale_trans}
    figure.add_artist(
        FancyArrowPatch((0.2, y), (0.75, y), color=ink, linewidth=width, linestyle=style, **line, **place)
    )
    if look.marked:
        width_in, height_in = figure.get_size_inches()
        _mark(figure, 0.42 / width_in, y / height_in, ink)
