"""matplotlib's SVG made fit to stand inside a page: small, in the page's font, and in colours the page can change.

The tree is rewritten rather than the text, so that nothing a column is called can be mistaken for markup.
"""

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from whence.report import panels
from whence.report.picture import encode

if TYPE_CHECKING:
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


def inline(figure: "Figure", description: str) -> str:
    """The figure as an `<svg>` element; call it inside `picture.settings(**FONT_AS_TEXT)`."""
    root = ElementTree.fromstring(encode(figure, "svg"))
    _rewrite(root)
    del root.attrib["width"], root.attrib["height"]
    root.attrib.update({"role": "img", "aria-label": description})
    return ElementTree.tostring(root, encoding="unicode")


def _rewrite(element: Element) -> None:
    element.tag = element.tag.split("}")[-1]
    element.tail = None
    if element.tag != "text":
        element.text = None
    if element.get("id") == "dots":
        _as_paths(element)
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
    if "style" in kept:
        kept["style"] = _restyled(kept["style"])
    return kept


def _shortened(place: str) -> str:
    tenths = re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), place)
    return re.sub(r"\s*([MLCQz])\s*", r"\1", tenths)


def _restyled(style: str) -> str:
    for colour, variable in _VARIABLES.items():
        style = style.replace(colour, f"var({variable})")
    return re.sub(r"font-family: [^;]*; ", "", style)


def _as_paths(dots: Element) -> None:
    """A thousand `<use>` elements become a few paths of zero-length strokes, which round caps turn into dots."""
    uses = [element for element in dots.iter() if element.tag.endswith("}use")]
    places = [f"M{use.get('x')} {use.get('y')}h0" for use in uses]
    clips = [clip for clip in (group.get("clip-path") for group in dots.iter()) if clip]
    for child in list(dots):
        dots.remove(child)
    dots.attrib.update({"class": "dots", "style": _dot_style(len(places))} | ({"clip-path": clips[0]} if clips else {}))
    for layer in range(min(LAYERS, len(places))):
        ElementTree.SubElement(dots, "path", {"d": "".join(places[layer::LAYERS])})


def _dot_style(n: int) -> str:
    return f"stroke-width: {panels.dot_size(n):.2f}; stroke-opacity: {panels.dot_alpha(n):.2f}"
