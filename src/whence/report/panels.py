"""The three panels a direction has: the fit, the residual, the Q–Q plot. Each draws one `Side` on given axes.

Colours are Okabe and Ito's blue and a dark orange, which colour-blind readers can tell apart; in grey print the chosen
direction still has the thick frame, the badge and the unbroken line.
"""

from typing import TYPE_CHECKING

import numpy as np

from whence.report.geometry import RESIDUAL_LIMIT, Range
from whence.report.summary import Side
from whence.report.wording import count, short

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
MAX_VECTOR_DOTS = 2000
"""More dots than this are an image inside an SVG or PDF file, which would else take megabytes."""


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
    _frame(ax, side)
    _dots(ax, drawing.cause, drawing.effect)
    if drawing.curve is not None:
        curve = drawing.curve
        if curve.low is not None and curve.high is not None:
            ax.fill_between(curve.cause, curve.low, curve.high, color=accent(side), alpha=0.14, linewidth=0, zorder=2)
            for edge in (curve.low, curve.high):
                ax.plot(curve.cause, edge, color=accent(side), linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=3)
        ax.plot(curve.cause, curve.location, color=accent(side), linewidth=2.2, linestyle=_line(side), zorder=4)
    _limits(ax, drawing.cause_range, drawing.effect_range)
    _labels(ax, side.cause, side.effect)


def residual(ax: "Axes", side: Side) -> None:
    """Standardised residual against presumed cause; independent noise is a level band of even width."""
    drawing = side.drawing
    _frame(ax, side)
    _labels(ax, side.cause, "standardised residual")
    if drawing.residual is None:
        _nothing(ax)
        return
    height = float(np.clip(np.max(np.abs(drawing.residual)), 3.2, RESIDUAL_LIMIT))
    for level in (-2, 0, 2):
        ax.axhline(level, color=MUTED, linewidth=0.7, linestyle="-" if level == 0 else (0, (4, 3)), zorder=1.5)
    _dots(ax, drawing.cause, np.clip(drawing.residual, -height, height))
    if drawing.drift is not None:
        for values in drawing.drift.levels:
            ax.plot(drawing.drift.cause, values, color=accent(side), linewidth=1.6, linestyle=_line(side), zorder=4)
    if drawing.beyond:
        rows = f"{count(drawing.beyond)} row{'s' * (drawing.beyond != 1)}"
        _note(ax, f"{rows} beyond ±{RESIDUAL_LIMIT:g}", y=0.02)
    _limits(ax, drawing.cause_range, (-height, height))


def quantiles(ax: "Axes", side: Side) -> None:
    """Quantiles of the residual against those of a normal distribution; on the line means Gaussian noise."""
    _frame(ax, side)
    _labels(ax, "normal quantile", "residual quantile")
    if side.drawing.quantiles is None:
        _nothing(ax)
        return
    normal, sample = side.drawing.quantiles
    reach = 1.05 * float(max(np.max(np.abs(normal)), min(np.max(np.abs(sample)), 2 * RESIDUAL_LIMIT)))
    ax.plot([-reach, reach], [-reach, reach], color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1.5)
    ax.plot(normal, np.clip(sample, -reach, reach), color=accent(side), linewidth=2.2, zorder=4)
    _limits(ax, (float(normal[0]), float(normal[-1])), (-reach / 1.05, reach / 1.05))


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


def _frame(ax: "Axes", side: Side) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_facecolor(PAPER)
    ax.grid(color=GRID, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    ax.tick_params(colors=MUTED, labelcolor=MUTED, labelsize=8, length=3, width=0.7)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        axis.get_offset_text().set(color=MUTED, fontsize=8)
    for spine in ax.spines.values():
        spine.set(color=accent(side) if side.chosen else MUTED, linewidth=1.8 if side.chosen else 0.7)


def _dots(ax: "Axes", cause: np.ndarray, values: np.ndarray) -> None:
    n = len(cause)
    dots = ax.plot(cause, values, linestyle="none", marker="o", markersize=dot_size(n), markeredgewidth=0, zorder=2.5)
    dots[0].set(color=DOT, alpha=dot_alpha(n), gid="dots", rasterized=n > MAX_VECTOR_DOTS)


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


def _limits(ax: "Axes", x: Range, y: Range) -> None:
    for (low, high), setter in ((x, ax.set_xlim), (y, ax.set_ylim)):
        margin = 0.05 * (high - low)
        setter(low - margin, high + margin)
