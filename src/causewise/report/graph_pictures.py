"""Graphs drawn: names in boxes, arrows from cause to effect; no Graphviz needed.

A scan's columns stand by distance, those of a causal graph in layers, causes above. No fact is told by colour alone:
confidence is a lightness and a width, what contradicts the order is dashed as well as orange, and what is given by
background knowledge is dotted as well as grey.
"""

import os
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.report.canvas import CHOSEN, INK, MUTED, OTHER, PALE, PAPER, PLAIN, blank_figure, make_figure
from causewise.report.graph_layout import (
    GAP,
    LAYER,
    Box,
    Vector,
    border_point,
    label,
    measure_text,
    order_layers,
    place_by_distance,
    place_layer,
    route_arrows,
    slot_size,
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
    words = heading(rows, columns)
    width, height = figure.get_size_inches()
    font = 11 * min(1, (width - 0.4) / (1.15 * measure_text(words, 11)))  # bold letters are broader
    figure.text(0.2 / width, 1 - 0.2 / height, words, va="top", color=INK, fontsize=font, weight="bold")


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
    ax: "Axes", width: float, seam: float, head: float, ink: Any, style: LineStyle, line: dict[str, Any]
) -> None:
    """An arrow over a white seam, which parts it from those it crosses."""
    from matplotlib.patches import FancyArrowPatch

    line = line | {"shrinkA": 0, "shrinkB": 1.5}
    ax.add_patch(FancyArrowPatch(arrowstyle="-", linewidth=seam, color=PAPER, **line))
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": head, "joinstyle": "miter", "gid": "arrow"}
    ax.add_patch(FancyArrowPatch(color=ink, linewidth=width, linestyle=style, **look, **line))


def _draw_box(ax: "Axes", box: Box, font: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": PLAIN, "linewidth": 0.8, "zorder": 5}
    (x, y), (width, height) = box.middle - box.size / 2, box.size
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.06", **look))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 6, "parse_math": False}
    ax.text(box.middle[0], box.middle[1], box.text, fontsize=font, color=INK, **centred)


def draw_causal_graph(arrows: "DiGraph", heading: str, path: str | os.PathLike[str] | None = None) -> "Figure":
    """Columns in layers, each below all its parents; an arrow the thicker the more parts of the rows have it.

    What affects the variance of another column bears the mark ±.
    """
    return make_figure(lambda: _causal_figure(arrows, heading), "".join(arrows), path)


def _causal_figure(arrows: "DiGraph", heading: str) -> "Figure":
    font = float(np.clip(12 - 0.4 * len(arrows) ** 0.5, 7, 10))
    layers = order_layers(arrows)
    widths = [sum(slot_size(slot, font)[0] + GAP for slot in layer) for layer in layers]
    paper = np.array([float(np.clip(max(widths, default=0) + 0.6, 6.4, 24)), LAYER * max(len(layers), 1)])
    legend = _causal_legend(arrows)
    foot = 0.3 + 0.17 * len(legend)
    figure, ax = _paper(paper, top=0.5, bottom=foot)
    places = [place_layer(layer, font, paper, k) for k, layer in enumerate(layers)]
    ways = route_arrows(arrows, places, font)
    for a, b, facts in sorted(arrows.edges(data=True), key=lambda edge: edge[2]["weight"]):
        _draw_way(ax, ways[a, b], facts)
    for place in places:
        for slot, middle in place.items():
            if isinstance(slot, str):
                _draw_box(ax, Box(label(slot), middle, slot_size(slot, font)), font)
    left, height = 0.2 / paper[0], paper[1] + foot + 0.5
    words: dict[str, Any] = {"color": INK, "fontsize": 11, "weight": "bold", "parse_math": False}
    figure.text(left, 1 - 0.2 / height, heading, va="top", **words)
    figure.text(left, 0.15 / height, "\n".join(legend), color=MUTED, fontsize=8.5, parse_math=False)
    return figure


def _causal_legend(arrows: "DiGraph") -> list[str]:
    facts = [each for _, _, each in arrows.edges(data=True)]
    lines = ["An arrow runs from a column to one that it affects."]
    if any("support" in each for each in facts):
        lines.append("The thicker and darker, the more random parts of the rows have it.")
    if any(each["spread"] for each in facts):
        lines.append("±: it affects the variance. Dashed: the variance alone, not the mean.")
    if any(map(_is_given, facts)):
        lines.append("Dotted and grey: given by background knowledge.")
    alone = [label(name) for name in arrows if not arrows.degree(name)]
    if alone:
        more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
        lines.append(f"Without an arrow: {', '.join(alone[:5])}{more}.")
    return lines


def _is_given(facts: dict[str, Any]) -> bool:
    """Whether an arrow of a causal graph, or its direction, comes from background knowledge."""
    return bool(facts.get("required") or facts.get("direction_given"))


def _draw_way(ax: "Axes", way: Sequence[Vector], facts: dict[str, Any]) -> None:
    """An arrow of a causal graph along its points."""
    from matplotlib.path import Path

    sure, variance_only = facts["weight"], facts["spread"] and not facts["mean"]
    points, codes = [way[0]], [Path.MOVETO]
    for here, there in pairwise(way):
        middle = (here[1] + there[1]) / 2
        points += [np.array([here[0], middle]), np.array([there[0], middle]), there]
        codes += [Path.CURVE4] * 3
    line = {"path": Path(np.array(points), codes), "zorder": 2 + sure}
    width, ink = 0.7 + 1.3 * sure, shade(0.6 + 0.4 * sure, variance_only)
    style: LineStyle = _DASHES if variance_only else "-"
    if _is_given(facts):
        width, ink, style = 1.2, MUTED, _DOTS
    _add_arrow(ax, width, width + 1.8, 8 + 3 * sure, ink, style, line)
    if facts["spread"]:
        k = (len(way) - 1) // 2
        x, y = (way[k] + way[k + 1]) / 2
        behind = {"boxstyle": "circle,pad=0.06", "facecolor": PAPER, "edgecolor": "none"}
        ax.text(x, y, "±", color=ink, fontsize=8, ha="center", va="center", zorder=4, bbox=behind)
