"""The three panels a direction has: the fit, the residual, the Q–Q plot. Each draws one `Side` on given axes.

Colours are Okabe and Ito's blue and a dark orange, which colour-blind readers can tell apart; in grey print the chosen
direction still has the thick frame, the badge and the unbroken line.
"""

from typing import TYPE_CHECKING

import numpy as np

from causewise.report.density import LEVELS, hexagons
from causewise.report.geometry import RESIDUAL_LIMIT, Range, pieces
from causewise.report.summary import Side
from causewise.report.ticks import widest, write_ticks
from causewise.report.wording import count, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER = "#ffffff"
INK = "#1b2430"
MUTED = "#5b6673"
GRID = "#d8dde3"
DOT = "#647182"
CHOSEN = "#0067a5"
OTHER = "#b84e00"
PLAIN = "#3d4a57"

LABEL_WIDTH = 44
MOST_DOTS = 2000
"""More rows than this are drawn as a density: dots would hide one another, and take megabytes in a file."""
CELL = 3.8
"""Distance of two neighbouring hexagons of a density, in points."""
PALE = 0.35
"""Opacity of a curve where no rows bear it."""


def left_margin(side: Side) -> float:
    """Inches for the numbers and the name of the upright axis; numbers of the other panels are short."""
    return 0.26 + 0.07 * max(6, widest(*with_margin(*side.drawing.effect_range)))


def accent(side: Side) -> str:
    """Blue for the chosen direction, orange for the other, dark grey where none is chosen."""
    return PLAIN if not side.contested else CHOSEN if side.chosen else OTHER


def dot_size(n: int) -> float:
    """Diameter of a dot in points, smaller where there are more."""
    return float(np.clip(16 / max(n, 1) ** 0.25, 1.7, 5.0))


def dot_alpha(n: int) -> float:
    """Opacity of a dot, lower where there are more."""
    return float(np.clip(5 / max(n, 1) ** 0.35, 0.22, 0.75))


def fit(ax: "Axes", side: Side) -> None:
    """Effect against presumed cause, with the fitted mean and two standard deviations either side."""
    drawing = side.drawing
    _frame(ax, side, drawing.cause_range, drawing.effect_range)
    dense = _rows(ax, side, drawing.effect, drawing.rows.effect)
    if drawing.curve is not None:
        curve = drawing.curve
        for part, borne in pieces(curve.borne):
            if borne and curve.low is not None and curve.high is not None:
                _band(ax, curve.cause[part], curve.low[part], curve.high[part], accent(side))
            _curve(ax, curve.cause[part], curve.location[part], side, 2.2, borne, dense)
    _labels(ax, side.cause, side.effect)


def residual(ax: "Axes", side: Side) -> None:
    """Standardised residual against presumed cause; independent noise is a level band of even width."""
    drawing = side.drawing
    if drawing.residual is None or drawing.rows.residual is None:
        _frame(ax, side, drawing.cause_range, (-1.0, 1.0))
        _labels(ax, side.cause, "standardised residual")
        _nothing(ax)
        return
    every = drawing.rows.residual
    height = float(np.clip(max(every.max(), -every.min()), 3.2, RESIDUAL_LIMIT))
    _frame(ax, side, drawing.cause_range, (-height, height))
    _labels(ax, side.cause, "standardised residual")
    for level in (-2, 0, 2):
        ax.axhline(level, color=MUTED, linewidth=0.7, linestyle="-" if level == 0 else (0, (4, 3)), zorder=1.5)
    dense = _rows(ax, side, np.clip(drawing.residual, -height, height), np.clip(every, -height, height))
    if drawing.drift is not None:
        for part, borne in pieces(drawing.drift.borne):
            for values in drawing.drift.levels:
                _curve(ax, drawing.drift.cause[part], values[part], side, 1.6, borne, dense)
    if drawing.beyond:
        rows = f"{count(drawing.beyond)} row{'s' * (drawing.beyond != 1)}"
        _note(ax, f"{rows} beyond ±{RESIDUAL_LIMIT:g}", y=0.02)


def quantiles(ax: "Axes", side: Side) -> None:
    """Quantiles of the residual against those of a normal distribution; on the line means Gaussian noise."""
    if side.drawing.quantiles is None:
        _frame(ax, side, (-1.0, 1.0), (-1.0, 1.0))
        _labels(ax, "normal quantile", "residual quantile")
        _nothing(ax)
        return
    normal, sample = side.drawing.quantiles
    reach = 1.05 * float(max(np.max(np.abs(normal)), min(np.max(np.abs(sample)), 2 * RESIDUAL_LIMIT)))
    _frame(ax, side, (float(normal[0]), float(normal[-1])), (-reach / 1.05, reach / 1.05))
    _labels(ax, "normal quantile", "residual quantile")
    ax.plot([-reach, reach], [-reach, reach], color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1.5)
    ax.plot(normal, np.clip(sample, -reach, reach), color=accent(side), linewidth=2.2, zorder=4)


def badge(ax: "Axes", text: str, side: Side) -> None:
    """A small filled label at the top right, inside the frame."""
    ax.text(
        0.985,
        0.975,
        text,
        transform=ax.transAxes,
        ha="right",
        va="top",
        fontsize=8,
        fontweight="bold",
        color=PAPER,
        zorder=6,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": accent(side), "edgecolor": "none"},
    )


def label_in(ax: "Axes", ink: str) -> None:
    """Title, labels and ticks in another ink: they stand outside the frame, on a ground that may be dark."""
    from matplotlib.text import Text

    for text in ax.findobj(Text):
        if text.get_color() == INK:
            text.set_color(ink)
    ax.tick_params(labelcolor=ink)


def _frame(ax: "Axes", side: Side, x: Range, y: Range) -> None:
    ax.set_facecolor(PAPER)
    ax.grid(color=GRID, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    ax.tick_params(colors=MUTED, labelcolor=MUTED, labelsize=8, length=3, width=0.7)
    for axis, (low, high) in ((ax.xaxis, x), (ax.yaxis, y)):
        limits = with_margin(low, high)
        write_ticks(axis, *limits)
        (ax.set_xlim if axis is ax.xaxis else ax.set_ylim)(*limits)
    for spine in ax.spines.values():
        spine.set(color=accent(side) if side.chosen else MUTED, linewidth=1.8 if side.chosen else 0.7)


def with_margin(low: float, high: float) -> Range:
    """A range with room for dots at its ends."""
    margin = 0.05 * (high - low)
    return low - margin, high + margin


def _rows(ax: "Axes", side: Side, dots: np.ndarray, values: np.ndarray) -> bool:
    """Dots, or a density of every row where they are many; returns which."""
    cause, n = side.drawing.rows.cause, len(side.drawing.rows.cause)
    if n <= MOST_DOTS:
        _dots(ax, side.drawing.cause, dots)
        return False
    across, down = (72 / ax.figure.dpi * size / CELL for size in (ax.bbox.width, ax.bbox.height))
    shades, _ = hexagons(cause, values, ax.get_xlim(), ax.get_ylim(), across, down)
    # A hexagon's marker size is the distance of two opposite corners; neighbours touch along their edges.
    size = CELL * 2 / 3**0.5
    for x, y, level in shades:
        cells = ax.plot(x, y, linestyle="none", marker="h", markersize=size, markeredgewidth=0, zorder=2.5)
        cells[0].set(color=DOT, alpha=(0.6 + level) / (0.6 + LEVELS), gid="cells")
    return True


def _dots(ax: "Axes", cause: np.ndarray, values: np.ndarray) -> None:
    n = len(cause)
    dots = ax.plot(cause, values, linestyle="none", marker="o", markersize=dot_size(n), markeredgewidth=0, zorder=2.5)
    dots[0].set(color=DOT, alpha=dot_alpha(n), gid="dots")


def _band(ax: "Axes", at: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    ax.fill_between(at, low, high, color=colour, alpha=0.14, linewidth=0, zorder=2)
    for edge in (low, high):
        ax.plot(at, edge, color=colour, linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=3)


def _curve(ax: "Axes", at: np.ndarray, values: np.ndarray, side: Side, width: float, borne: bool, dense: bool) -> None:
    """Thin and pale where no rows bear it; with a rim of paper on a density, which is as dark as the line."""
    if borne and dense:
        ax.plot(at, values, color=PAPER, linewidth=width + 2, zorder=3.5)
    line = ax.plot(at, values, color=accent(side), linewidth=width if borne else 1.0, zorder=4)
    line[0].set(linestyle=_line(side) if borne else "-", alpha=1.0 if borne else PALE)


def _line(side: Side) -> str | tuple[int, tuple[float, float]]:
    return "-" if side.chosen or not side.contested else (0, (3.2, 1.2))


def _labels(ax: "Axes", x: str, y: str) -> None:
    ax.set_xlabel(short(x, LABEL_WIDTH), fontsize=9, color=INK, parse_math=False)
    ax.set_ylabel(short(y, LABEL_WIDTH - 12), fontsize=9, color=INK, parse_math=False)


def _note(ax: "Axes", text: str, y: float = 0.5) -> None:
    backing = {"boxstyle": "round,pad=0.2", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.8}
    ax.text(0.5, y, text, transform=ax.transAxes, ha="center", va="bottom", color=MUTED, fontsize=8, bbox=backing)


def _nothing(ax: "Axes") -> None:
    ax.set(xticks=[], yticks=[])
    _note(ax, "this method gives no residual")
