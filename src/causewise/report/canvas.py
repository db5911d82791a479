"""matplotlib without pyplot: colours, axes with round numbers, files of the same bytes, SVG inside a page.

No window opens, no global figure list grows, and the caller's backend and style stay as they were. Colours are Okabe
and Ito's blue and a dark orange, which colour-blind readers can tell apart.
"""

import io
import math
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.formatting import format_number, group_digits

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PAPER = "#ffffff"
INK = "#1b2430"
MUTED = "#5b6673"
GRID = "#d8dde3"
DOT = "#647182"
CHOSEN = "#0067a5"
OTHER = "#b84e00"
PLAIN = "#3d4a57"
PALE = "#eef1f4"

FORMATS = ("png", "svg", "pdf")
FONT_AS_TEXT = {"svg.fonttype": "none"}
"""matplotlib setting: letters stay letters, which the page's font draws and a screen reader or a search can find."""
CELL = 3.8
"""Distance of two neighbouring hexagons of a density, in points."""
MOST_TICKS = 6
"""Intervals between ticks, where their numbers are short."""

_FULL = 1e-3, 1e6
"""Axes whose largest number lies between these are written out; others in powers of ten."""
_LAYERS = 5
"""Dots are painted in this many layers, so that overlapping ones grow darker although each layer is a single path."""
_VARIABLES = {
    PAPER: "--paper",
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    DOT: "--dot",
    CHOSEN: "--chosen",
    OTHER: "--other",
    PLAIN: "--plain",
}
"""What a page's themes call the colours."""
_PLACED = ("d", "x", "y", "width", "height", "transform")
_XLINK = "{http://www.w3.org/1999/xlink}"

_OTHER_SCRIPTS = (
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Hiragino Sans",
    "Arial Unicode MS",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)
"""Fonts to turn to, where they are installed, for letters that matplotlib's own font lacks."""

# matplotlib keeps these settings in one table for the whole process: they are set only while a figure of ours is made
# or written, one thread at a time, and put back afterwards.
_SETTINGS = threading.RLock()
_LEFT_ALONE = ("backend", "backend_fallback", "interactive", "toolbar", "timezone")


def make_figure(make: "Callable[[], Figure]", letters: str, path: str | os.PathLike[str] | None) -> "Figure":
    """A figure under our settings, with fonts for these letters, and written where a path is given."""
    ending = None if path is None else check_format(path)  # a wrong one is rejected before anything is drawn
    with settings(**_fonts(letters)):
        figure = make()
    if path is not None and ending is not None:
        with settings():
            content = encode(figure, ending)
        replace_with(path, content)
    return figure


def check_format(path: str | os.PathLike[str]) -> str:
    """The format that the ending of a picture's file name asks for."""
    place = Path(path)
    ending = place.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        got = f"the ending {place.suffix!r}" if ending else "no ending"
        raise InputError(
            f"Got {got} in the picture's file name {str(place)!r}; expected .png, .svg or .pdf: choose one of these."
        )
    return ending


def encode(figure: "Figure", ending: str) -> bytes:
    """A figure as the bytes of a file, free of dates, so that equal figures give equal bytes."""
    undated: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[ending]
    buffer = io.BytesIO()
    with boxes_for_unknown_letters():
        figure.savefig(buffer, format=ending, dpi=144, metadata=undated)
    return buffer.getvalue()


@contextmanager
def boxes_for_unknown_letters() -> Iterator[None]:
    """A script the fonts here do not have shows as boxes; that is visible in the picture and needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def blank_figure(
    width: float, height: float, *, left: float, right: float, top: float, bottom: float, **spaces: float
) -> "Figure":
    """An empty figure of this size, with these margins, all in inches, that pyplot does not know of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor=PAPER)
    FigureCanvasAgg(figure)
    sides = {"left": left / width, "right": 1 - right / width, "top": 1 - top / height, "bottom": bottom / height}
    # Fixed margins: constrained layout measures every label first, which doubles the time to draw, and panels with the
    # same margins line up.
    figure.subplots_adjust(**sides, **spaces)
    return figure


@contextmanager
def settings(**extra: Any) -> Iterator[None]:
    """matplotlib's own defaults plus what same bytes for the same decision need, whatever the user's style says."""
    import matplotlib

    chosen: Any = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in _LEFT_ALONE}
    chosen |= {"svg.hashsalt": "causewise", "axes.formatter.limits": (-3, 4)} | extra
    with _SETTINGS, matplotlib.rc_context(chosen):
        yield


def _fonts(letters: str) -> dict[str, Any]:
    # Latin, Greek, Cyrillic and Armenian are in matplotlib's own DejaVu Sans, which looks the same on every machine.
    if all(ord(letter) < 0x590 for letter in letters):
        return {}
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return {"font.family": ["DejaVu Sans", *(font for font in _OTHER_SCRIPTS if font in installed)]}


def dot_size(n: int) -> float:
    """Diameter of a dot in points, smaller where there are more."""
    return min(max(16 / max(n, 1) ** 0.25, 1.7), 5.0)


def dot_alpha(n: int) -> float:
    """Opacity of a dot, lower where there are more."""
    return min(max(5 / max(n, 1) ** 0.35, 0.22), 0.75)


def write_ticks(axis: "Axis", low: float, high: float) -> None:
    """Round ticks over a range, as few as leave room for their numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    values = _round_values(low, high, MOST_TICKS)
    if max(map(len, tick_labels(values))) > 8 and axis is axis.axes.xaxis:
        values = _round_values(low, high, MOST_TICKS // 2)
    labels = dict(zip(values, tick_labels(values), strict=True))
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FuncFormatter(lambda value, _: labels.get(float(value), format_number(float(value)))))


def widest_label(low: float, high: float) -> int:
    """Letters of the longest number along this range."""
    return max(map(len, tick_labels(_round_values(low, high, MOST_TICKS))))


def tick_labels(values: Sequence[float]) -> list[str]:
    """As many digits as tell neighbours apart, the same number of decimals for all.

    >>> tick_labels([0.0, 5000.0, 10000.0])
    ['0', '5\u202f000', '10\u202f000']
    >>> tick_labels([1990.0, 2000.0]), tick_labels([0.0, 0.5, 1.0]), tick_labels([0.0, 2e6])
    (['1990', '2000'], ['0.0', '0.5', '1.0'], ['0', '2×10⁶'])
    """
    step = min((b - a for a, b in pairwise(values)), default=1.0)
    largest = max(map(abs, values))
    place = math.floor(math.log10(step) + 1e-6)  # of the last digit that differs
    digits = max(math.floor(math.log10(largest)) - place, 0) + 1 if largest else 1
    # A narrow range far from zero, such as seconds since 1970, has no short powers of ten.
    if _FULL[0] <= largest <= _FULL[1] or (digits > 4 and largest < 1e12 and place > -4):
        plain = [f"{value:.{max(-place, 0)}f}" for value in values]
        # Four digits stand alone, since they may be years, unless a longer neighbour is grouped.
        return [group_digits(text, 4 if largest >= 1e4 else 5) for text in plain]
    return [format_number(0.0 if abs(value) < step / 2 else value, digits) for value in values]


def _round_values(low: float, high: float, most: int) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    inside = MaxNLocator(nbins=most, steps=[1, 2, 5, 10]).tick_values(low, high)
    # The locator goes one step beyond either end.
    kept = [float(value) for value in inside if low <= value <= high]
    return kept or [low, high]


def to_inline_svg(figure: "Figure", description: str) -> "Markup":
    """The figure as a small `<svg>` element in the page's font and colours; inside `settings(**FONT_AS_TEXT)`.

    Nothing in it is a `style` attribute, which a Content-Security-Policy without `unsafe-inline` would reject: what
    matplotlib writes as style becomes presentation attributes, whose `var(--ink)` follows the theme as well.
    """
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
        kept[key] = _shorten_place(kept[key])
    return kept | _presentation(kept.pop("style", ""))


def _shorten_place(place: str) -> str:
    # More than tenths of a point cannot be seen on a screen and would make the page a third larger.
    tenths = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), place)
    return re.sub(r"\s*([MLCQz])\s*", r"\1", tenths)


def _presentation(style: str) -> dict[str, str]:
    """`fill: #1b2430; font-size: 8px` as attributes, in the page's colours; the font is the page's own."""
    parts = (part.partition(":") for part in style.split(";") if part.strip())
    values = {name.strip(): value.strip() for name, _, value in parts}
    values.pop("font-family", None)
    return {name: f"var({_VARIABLES[value]})" if value in _VARIABLES else value for name, value in values.items()}


def _as_dots(group: Element) -> None:
    """A thousand `<use>` elements become a few paths of zero-length strokes, which round caps turn into dots."""
    uses, clip = _empty(group)
    places = [f"M{use.get('x')} {use.get('y')}h0" for use in uses]
    n = len(places)
    look = {"stroke-width": f"{dot_size(n):.2f}", "stroke-opacity": f"{dot_alpha(n):.2f}"}
    group.attrib.update({"class": "dots"} | look | clip)
    for layer in range(min(_LAYERS, n)):
        ElementTree.SubElement(group, "path", {"d": "".join(places[layer::_LAYERS])})


def _as_cells(group: Element) -> None:
    """A thousand `<use>` elements of one hexagon become one path, with the hexagon written out at every place.

    In whole tenths of a point, each a step away from the one before: half the letters of decimals.
    """
    uses, clip = _empty(group)
    across, edge = round(5 * CELL), round(10 * CELL / 3**0.5)
    # From the top corner clockwise; closing it draws the last edge.
    corner = edge // 2
    hexagon = f"l{across} {corner}v{edge}l-{across} {corner}-{across}-{corner}v-{edge}z"
    tops = [(round(10 * float(use.get("x", ""))), round(10 * float(use.get("y", ""))) - edge) for use in uses]
    steps = [(x - u, y - v) for (u, v), (x, y) in pairwise([(0, 0), *tops])]
    group.attrib.update({"class": "cells"} | clip)
    path = "".join(f"m{right} {down}{hexagon}" for right, down in steps)
    attributes = {"d": path, "transform": "scale(.1)", "style": uses[0].get("style", "")}
    ElementTree.SubElement(group, "path", attributes)


def _empty(group: Element) -> tuple[list[Element], dict[str, str]]:
    """The `<use>` elements of a group, taken out of it, and the frame they are clipped to."""
    uses = [element for element in group.iter() if element.tag.endswith("}use")]
    clips = [clip for clip in (element.get("clip-path") for element in group.iter()) if clip]
    for child in list(group):
        group.remove(child)
    return uses, {"clip-path": clips[0]} if clips else {}


_MARKERS = {"dots": _as_dots, "cells": _as_cells}
"""What becomes of a group of markers, by the name that `panels` gives it."""
