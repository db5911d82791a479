"""How every figure looks: legible type, colours whose greys differ, hatches and markers so that print suffices."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.files import replace_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("pdf", "svg", "png")

_SETTINGS: dict[Any, Any] = {
    "font.size": 10.0,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
    "savefig.dpi": 200,
    "figure.dpi": 100,
    "pdf.fonttype": 42,
    "svg.hashsalt": "causewise",
}

# Luminance falls from entry to entry and comes back, so that neighbours differ in grey too.
_COLOURS = ("#08306b", "#e08214", "#4d9221", "#b2182b", "#7fb8da", "#5a3a8e", "#c0a000", "#303030")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")


def legend_above(figure: "Figure", handles: "Sequence[Any]") -> None:
    """A legend over all panels, in as many columns as the figure is wide enough for."""
    # An entry takes some five points a letter, and its sample with the space around it another forty.
    widest = 40 + 5.2 * max(len(handle.get_label()) for handle in handles)
    columns = max(1, min(len(handles), int(72 * figure.get_figwidth() / widest)))
    figure.legend(handles=list(handles), loc="outside upper center", ncols=columns, columnspacing=1.2)


def line_style(index: int) -> dict[str, Any]:
    """Colour, marker and dashes of the index-th line; no two of the first 32 share all three."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _LINES[(index + index // len(_COLOURS)) % len(_LINES)],
    }


def draw_line(panel: "Axes", x: Any, y: Any, label: str, index: int, **style: Any) -> None:
    """The index-th line of a panel."""
    panel.plot(x, y, label=label, **{"markersize": 4.5, "linewidth": 1.3} | line_style(index) | style)


def draw_reference(panel: "Axes", y: float) -> None:
    """A thin dotted line across a panel."""
    panel.axhline(y, color="#202020", linewidth=0.8, linestyle=":")


@contextmanager
def figure_style() -> Iterator[None]:
    """The settings, for the time of one drawing only."""
    import matplotlib

    with matplotlib.rc_context(_SETTINGS):
        yield


def canvas(rows: int, columns: int, width: float, height: float, **shared: Any) -> "tuple[Figure, list[Axes]]":
    """A figure without pyplot, which would keep global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    return figure, list(axes.ravel())


def save(figure: "Figure", folder: Path, name: str, formats: Sequence[str] = FORMATS) -> list[Path]:
    """The same bytes for the same figure: no dates inside."""
    unknown = set(formats) - set(FORMATS)
    if unknown:
        raise InputError(f"Got the format {sorted(unknown)[0]!r}; expected some of {', '.join(FORMATS)}.")
    # The layout is computed once, so that all formats agree.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    dateless = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    paths = [folder / f"{name}.{form}" for form in formats]
    for path, form in zip(paths, formats, strict=True):
        content = io.BytesIO()
        figure.savefig(content, format=form, metadata=dateless[form])
        replace_with(path, content.getvalue())
    return paths
