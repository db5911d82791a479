"""A decision as one HTML file that needs nothing else: no network, no other file, no framework.

Its pictures are matplotlib's SVG made fit to stand inside a page: small, in the page's font, and in colours that the
page's light and dark themes can change.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from whence.decision import Decision
from whence.report import panels
from whence.report.files import environment, replace_with
from whence.report.picture import blank, encode, settings
from whence.report.summary import Side, summarise

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panel = Callable[["Axes", Side], None]

MAX_POINTS = 1200
"""Dots per panel; 1200 keep the whole page near 150 kB."""

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


def render(decision: Decision) -> str:
    """The page as a string; the same decision gives the same string."""
    summary = summarise(decision, MAX_POINTS)
    pictures = {side.key: _all_panels(side) for side in summary.sides}
    return environment().get_template("decision.html").render(s=summary, pictures=pictures)


def write(decision: Decision, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all."""
    replace_with(path, render(decision).encode("utf-8", errors="replace"))


def describe(side: Side) -> str:
    """What a column of panels shows, for readers who do not see it."""
    curve = ", with the fitted mean and a band of two standard deviations" if side.drawing.curve else ""
    rest = f"; below, the standardised residual against {side.cause} and its Q–Q plot" if _has_residual(side) else ""
    return f"{side.arrow}, {side.outcome}: scatter of {side.effect} against {side.cause}{curve}{rest}."


def column(side: Side, wanted: Sequence[Panel], width: float, height: float) -> "Markup":
    """Panels of one direction, one below the other, as an `<svg>` element of this size in inches."""
    from markupsafe import Markup

    with settings(**FONT_AS_TEXT, **{"svg.hashsalt": side.key}):
        figure = blank(width, height, left=0.66, right=0.08, top=0.08, bottom=0.46, hspace=0.29)
        axes = figure.subplots(len(wanted), 1, squeeze=False, height_ratios=(1.25, 1, 1)[: len(wanted)])[:, 0]
        for panel, ax in zip(wanted, axes, strict=True):
            panel(ax, side)
            ax.yaxis.set_label_coords(-0.52 / (width - 0.74), 0.5)
        return Markup(_inline(figure, describe(side)))  # our own tree, in which every name is escaped


def _all_panels(side: Side) -> "Markup":
    if _has_residual(side):
        return column(side, (panels.fit, panels.residual, panels.quantiles), 4.2, 7.5)
    return column(side, (panels.fit,), 4.2, 3.1)


def _has_residual(side: Side) -> bool:
    return side.drawing.residual is not None


def _inline(figure: "Figure", description: str) -> str:
    """The figure as an `<svg>` element; call it inside `settings(**FONT_AS_TEXT)`."""
    # The tree is rewritten rather than the text, so that nothing a column is called can be mistaken for markup.
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
    # More than tenths of a point cannot be seen on a screen and would make the page a third larger.
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
