"""matplotlib's SVG made fit to stand inside a page: small, in the page's font, in colours its themes can change.

Nothing in it is a `style` attribute, which a Content-Security-Policy without `unsafe-inline` would refuse: what
matplotlib writes as style becomes presentation attributes, whose `var(--ink)` follows the theme as well.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from causewise.report import panels
from causewise.report.picture import encode

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

FONT_AS_TEXT = {"svg.fonttype": "none"}
"""matplotlib setting: letters stay letters, which the page's font draws and a screen reader or a search can find."""

LAYERS = 5
"""Dots are painted in this many layers, so that overlapping ones grow darker although each layer is a single path."""

_VARIABLES = {
    panels.PAPER: "--paper",
    panels.INK: "--ink",
    panels.MUTED: "--muted",
    panels.GRID: "--grid",
    panels.DOT: "--dot",
    panels.CHOSEN: "--chosen",
    panels.OTHER: "--other",
    panels.PLAIN: "--plain",
}
_PLACED = ("d", "x", "y", "width", "height", "transform")
_XLINK = "{http://www.w3.org/1999/xlink}"


def inline(figure: "Figure", description: str) -> "Markup":
    """The figure as an `<svg>` element; call it inside `settings(**FONT_AS_TEXT)`."""
    from markupsafe import Markup

    # The tree is rewritten rather than the text, so that nothing a column is called can be mistaken for markup.
    root = ElementTree.fromstring(encode(figure, "svg"))
    _rewrite(root)
    del root.attrib["width"], root.attrib["height"]
    root.attrib.update({"role": "img", "aria-label": description})
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # our own tree, in which every name is escaped


def _rewrite(element: Element) -> None:
    element.tag = element.tag.split("}")[-1]
    element.tail = None
    if element.tag != "text":
        element.text = None
    if element.get("id") in _MARKERS:
        _MARKERS[element.get("id", "")](element)
    element.attrib = _attributes(element)
    for child in list(element):
        if child.tag.endswith(("}metadata", "}style")):
            element.remove(child)
        else:
            _rewrite(child)


def _attributes(element: Element) -> dict[str, str]:
    kept = {key.replace(_XLINK, ""): value for key, value in element.attrib.items() if key != "version"}
    if element.tag == "g":
        kept.pop("id", None)  # never referred to, and the same in every figure of a page
    if kept.get("transform", "").startswith("rotate(-0"):
        del kept["transform"]
    for key in kept.keys() & set(_PLACED):
        kept[key] = _shortened(kept[key])
    return kept | _presentation(kept.pop("style", ""))


def _shortened(place: str) -> str:
    # More than tenths of a point cannot be seen on a screen and would make the page a third larger.
    tenths = re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), place)
    return re.sub(r"\s*([MLCQz])\s*", r"\1", tenths)


def _presentation(style: str) -> dict[str, str]:
    """`fill: #1b2430; font-size: 8px` as attributes, in the page's colours; the font is the page's own."""
    found = (part.partition(":") for part in style.split(";") if part.strip())
    values = {name.strip(): value.strip() for name, _, value in found}
    values.pop("font-family", None)
    return {name: f"var({_VARIABLES[value]})" if value in _VARIABLES else value for name, value in values.items()}


def _as_dots(group: Element) -> None:
    """A thousand `<use>` elements become a few paths of zero-length strokes, which round caps turn into dots."""
    uses, clip = _emptied(group)
    places = [f"M{use.get('x')} {use.get('y')}h0" for use in uses]
    n = len(places)
    look = {"stroke-width": f"{panels.dot_size(n):.2f}", "stroke-opacity": f"{panels.dot_alpha(n):.2f}"}
    group.attrib.update({"class": "dots"} | look | clip)
    for layer in range(min(LAYERS, n)):
        ElementTree.SubElement(group, "path", {"d": "".join(places[layer::LAYERS])})


def _as_cells(group: Element) -> None:
    """A thousand `<use>` elements of one hexagon become one path, with the hexagon written out at every place.

    In whole tenths of a point, each a step away from the one before: half the letters of decimals.
    """
    uses, clip = _emptied(group)
    across, edge = round(5 * panels.CELL), round(10 * panels.CELL / 3**0.5)
    # From the top corner clockwise; closing it draws the last edge.
    corner = edge // 2
    hexagon = f"l{across} {corner}v{edge}l-{across} {corner}-{across}-{corner}v-{edge}z"
    tops = [(round(10 * float(use.get("x", ""))), round(10 * float(use.get("y", ""))) - edge) for use in uses]
    steps = [(x - u, y - v) for (u, v), (x, y) in pairwise([(0, 0), *tops])]
    group.attrib.update({"class": "cells"} | clip)
    path = "".join(f"m{right} {down}{hexagon}" for right, down in steps)
    attributes = {"d": path, "transform": "scale(.1)", "style": uses[0].get("style", "")}
    ElementTree.SubElement(group, "path", attributes)


def _emptied(group: Element) -> tuple[list[Element], dict[str, str]]:
    """The `<use>` elements of a group, taken out of it, and the frame they are clipped to."""
    uses = [element for element in group.iter() if element.tag.endswith("}use")]
    clips = [clip for clip in (element.get("clip-path") for element in group.iter()) if clip]
    for child in list(group):
        group.remove(child)
    return uses, {"clip-path": clips[0]} if clips else {}


_MARKERS = {"dots": _as_dots, "cells": _as_cells}
"""What becomes of a group of markers, by the name that `panels` gives it."""
