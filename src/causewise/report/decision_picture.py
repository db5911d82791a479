"""The picture of a decision: both directions side by side, the fit above, the standardised residual below.

A page has them as SVG, one direction a column, with the Q–Q plot as third panel. Each panel draws one `Side` on given
axes. In grey print the chosen direction still has the thick frame, the badge and the unbroken line.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.formatting import format_count, shorten, text_width
from causewise.report import canvas
from causewise.report.decision_summary import Side, build_sides
from causewise.report.decision_wording import alt_text, caption, heading
from causewise.report.geometry import RESIDUAL_LIMIT, SHADES, Range, bin_hexagons, split_pieces

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panel = Callable[["Axes", Side], None]

MOST_DOTS = 2000
"""More rows than this are drawn as a density: dots would hide one another, and take megabytes in a file."""
_TITLE_WIDTH = 48
"""Letters that fit above one panel; longer titles take two lines."""
_LABEL_WIDTH = 44
_FAINT = 0.35
"""Opacity of a curve where no rows bear it."""


def draw(
    decision: Decision,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | Sequence[Axes] | NDArray[Any] | None" = None,
) -> "Figure":
    """Both directions of a decision as a matplotlib figure; nothing is shown.

    path: also write the figure; the ending says the format: png, svg or pdf.
    ax: draw into these axes of the caller's instead. One gets the chosen direction's fit (that of x → y where the score
    leans nowhere), two get both fits, four the residuals below them, in the order of `plt.subplots(2, 2)`.
    """
    if ax is not None and path is not None:
        raise InputError("Got both a file and axes; expected one of them: save the axes' own figure with savefig.")
    if ax is not None:
        return _draw_into(np.ravel(np.asarray(ax, dtype=object)).tolist(), decision)
    return canvas.make_figure(lambda: _figure(decision), decision.pair.x_name + decision.pair.y_name, path)


def _figure(decision: Decision) -> "Figure":
    sides = build_sides(decision, MOST_DOTS)
    with_residuals = any(side.drawing.residual is not None for side in sides)
    height = 7.7 if with_residuals else 4.7
    left, middle = (_left_margin(side) for side in sides)
    between = 2 * middle / (9.6 - left - middle - 0.12)
    figure = canvas.blank_figure(9.6, height, left=left, right=0.12, top=0.82, bottom=0.92, wspace=between, hspace=0.22)
    axes = figure.subplots(2 if with_residuals else 1, 2, squeeze=False)
    _fill(axes.ravel().tolist(), sides)
    figure.suptitle(heading(decision), color=canvas.INK, fontsize=12, y=1 - 0.12 / height, parse_math=False)
    words = caption(decision, [side.drawing for side in sides], MOST_DOTS)
    figure.supxlabel(words, color=canvas.MUTED, fontsize=8, y=0.08 / height, va="bottom", parse_math=False)
    return figure


def _draw_into(axes: list[Any], decision: Decision) -> "Figure":
    """The caller's axes, in the caller's style: fonts, sizes and layout are theirs."""
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    wrong = [type(each).__name__ for each in axes if not isinstance(each, Axes)]
    if wrong or len(axes) not in (1, 2, 4):
        got = wrong[0] if wrong else f"{len(axes)} axes"
        raise InputError(f"Got {got} as ax; expected one, two or four axes, as plt.subplots(1, 2)[1] makes them.")
    sides = build_sides(decision, MOST_DOTS)
    backward = decision.leaning is Direction.BACKWARD
    inks = [str(each.xaxis.label.get_color()) for each in axes]
    _fill(axes, sides if len(axes) > 1 else (sides[backward],))
    for each, ink in zip(axes, inks, strict=True):
        # Title, labels and ticks stand outside the frame, on a ground that may be dark.
        for text in each.findobj(Text):
            if text.get_color() == canvas.INK:
                text.set_color(ink)
        each.tick_params(labelcolor=ink)
    return cast("Figure", axes[0].figure)


def _fill(axes: "Sequence[Axes]", sides: Sequence[Side]) -> None:
    """Fits in the first row of axes, residuals in the second."""
    for k, ax in enumerate(axes):
        row, side = k // len(sides), sides[k % len(sides)]
        (draw_fit, draw_residual)[row](ax, side)
        if row == 0:
            _title(ax, side)


def _title(ax: "Axes", side: Side) -> None:
    words = f"{side.arrow}: {side.outcome}"
    if text_width(words) > _TITLE_WIDTH:
        words = f"{shorten(side.cause, 22)} → {shorten(side.effect, 22)}:\n{side.outcome}"
    weight = "bold" if side.chosen else "normal"
    ax.set_title(words, loc="left", fontsize=10, fontweight=weight, color=canvas.INK, parse_math=False)
    if side.chosen:
        box = {"boxstyle": "round,pad=0.35", "facecolor": _accent(side), "edgecolor": "none"}
        look: dict[str, Any] = {"fontsize": 8, "fontweight": "bold", "color": canvas.PAPER, "zorder": 6, "bbox": box}
        ax.text(0.985, 0.975, "chosen", transform=ax.transAxes, ha="right", va="top", **look)


def draw_column(side: Side, panels: Sequence[Panel], width: float, height: float) -> "Markup":
    """Panels of one direction, one below the other, as an `<svg>` element of this size in inches."""
    with canvas.settings(**canvas.FONT_AS_TEXT, **{"svg.hashsalt": side.key}):
        left = _left_margin(side)
        figure = canvas.blank_figure(width, height, left=left, right=0.08, top=0.08, bottom=0.46, hspace=0.29)
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=(1.25, 1, 1)[: len(panels)])[:, 0]
        for panel, ax in zip(panels, axes, strict=True):
            panel(ax, side)
            ax.yaxis.set_label_coords((0.14 - left) / (width - left - 0.08), 0.5)
        return canvas.to_inline_svg(figure, alt_text(side.cause, side.effect, side.outcome, side.drawing))


def _left_margin(side: Side) -> float:
    """Inches for the numbers and the name of the upright axis; numbers of the other panels are short."""
    return 0.26 + 0.07 * max(6, canvas.widest_label(*_with_margin(*side.drawing.effect_range)))


def _accent(side: Side) -> str:
    """Blue for the chosen direction, orange for the other, dark grey where none is chosen."""
    return canvas.PLAIN if not side.contested else canvas.CHOSEN if side.chosen else canvas.OTHER


def draw_fit(ax: "Axes", side: Side) -> None:
    """Effect against presumed cause, with the fitted mean and two standard deviations either side."""
    drawing = side.drawing
    _draw_frame(ax, side, drawing.cause_range, drawing.effect_range)
    dense = _draw_rows(ax, side, drawing.effect)
    if drawing.curve is not None:
        curve = drawing.curve
        for part, supported in split_pieces(curve.supported):
            if supported and curve.low is not None and curve.high is not None:
                _draw_band(ax, curve.cause[part], curve.low[part], curve.high[part], _accent(side))
            _draw_curve(ax, curve.cause[part], curve.location[part], side, 2.2, supported, dense)
    _labels(ax, side.cause, side.effect)


def draw_residual(ax: "Axes", side: Side) -> None:
    """Standardised residual against presumed cause; independent noise is a level band of even width."""
    drawing, values = side.drawing, side.drawing.residual
    height = 1.0 if values is None else float(np.clip(max(values.max(), -values.min()), 3.2, RESIDUAL_LIMIT))
    _draw_frame(ax, side, drawing.cause_range, (-height, height))
    _labels(ax, side.cause, "standardised residual")
    if values is None:
        ax.set(xticks=[], yticks=[])
        _note(ax, "this method gives no residual")
        return
    for y in (-2, 0, 2):
        ax.axhline(y, color=canvas.MUTED, linewidth=0.7, linestyle="-" if y == 0 else (0, (4, 3)), zorder=1.5)
    dense = _draw_rows(ax, side, np.clip(values, -height, height))
    if drawing.drift is not None:
        for part, supported in split_pieces(drawing.drift.supported):
            for line in drawing.drift.quantiles:
                _draw_curve(ax, drawing.drift.cause[part], line[part], side, 1.6, supported, dense)
    if drawing.beyond:
        rows = f"{format_count(drawing.beyond)} row{'s' * (drawing.beyond != 1)}"
        _note(ax, f"{rows} beyond ±{RESIDUAL_LIMIT:g}", y=0.02)


def draw_quantiles(ax: "Axes", side: Side) -> None:
    """Quantiles of the residual against those of a normal distribution; on the line means Gaussian noise."""
    if side.drawing.quantiles is None:
        return
    normal, sample = side.drawing.quantiles
    reach = 1.05 * float(max(np.max(np.abs(normal)), min(np.max(np.abs(sample)), 2 * RESIDUAL_LIMIT)))
    _draw_frame(ax, side, (float(normal[0]), float(normal[-1])), (-reach / 1.05, reach / 1.05))
    _labels(ax, "normal quantile", "residual quantile")
    ax.plot([-reach, reach], [-reach, reach], color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1.5)
    ax.plot(normal, np.clip(sample, -reach, reach), color=_accent(side), linewidth=2.2, zorder=4)


def _draw_frame(ax: "Axes", side: Side, x: Range, y: Range) -> None:
    ax.set_facecolor(canvas.PAPER)
    ax.grid(color=canvas.GRID, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    ax.tick_params(colors=canvas.MUTED, labelcolor=canvas.MUTED, labelsize=8, length=3, width=0.7)
    for axis, (low, high) in ((ax.xaxis, x), (ax.yaxis, y)):
        limits = _with_margin(low, high)
        canvas.write_ticks(axis, *limits)
        (ax.set_xlim if axis is ax.xaxis else ax.set_ylim)(*limits)
    for spine in ax.spines.values():
        spine.set(color=_accent(side) if side.chosen else canvas.MUTED, linewidth=1.8 if side.chosen else 0.7)


def _with_margin(low: float, high: float) -> Range:
    """A range with room for dots at its ends."""
    margin = 0.05 * (high - low)
    return low - margin, high + margin


def _draw_rows(ax: "Axes", side: Side, values: np.ndarray) -> bool:
    """Dots, or a density of every row where they are many; returns which."""
    cause, sample = side.drawing.cause, side.drawing.sample
    look: dict[str, Any] = {"linestyle": "none", "color": canvas.DOT, "markeredgewidth": 0, "zorder": 2.5}
    if len(cause) <= MOST_DOTS:
        n = len(sample)
        look |= {"marker": "o", "markersize": canvas.dot_size(n), "alpha": canvas.dot_alpha(n), "gid": "dots"}
        ax.plot(cause[sample], values[sample], **look)
        return False
    across, down = (72 / ax.figure.dpi * size / canvas.CELL for size in (ax.bbox.width, ax.bbox.height))
    # A hexagon's marker size is the distance of two opposite corners; neighbours touch along their edges.
    look |= {"marker": "h", "markersize": canvas.CELL * 2 / 3**0.5, "gid": "cells"}
    for x, y, depth in bin_hexagons(cause, values, ax.get_xlim(), ax.get_ylim(), across, down):
        ax.plot(x, y, alpha=(0.6 + depth) / (0.6 + SHADES), **look)
    return True


def _draw_band(ax: "Axes", at: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    ax.fill_between(at, low, high, color=colour, alpha=0.14, linewidth=0, zorder=2)
    for edge in (low, high):
        ax.plot(at, edge, color=colour, linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=3)


def _draw_curve(
    ax: "Axes", at: np.ndarray, values: np.ndarray, side: Side, width: float, supported: bool, dense: bool
) -> None:
    """Thin and pale where no rows bear it; with a rim of paper on a density, which is as dark as the line."""
    if supported and dense:
        ax.plot(at, values, color=canvas.PAPER, linewidth=width + 2, zorder=3.5)
    line = ax.plot(at, values, color=_accent(side), linewidth=width if supported else 1.0, zorder=4)
    whole = side.chosen or not side.contested or not supported
    line[0].set(linestyle="-" if whole else (0, (3.2, 1.2)), alpha=1.0 if supported else _FAINT)


def _labels(ax: "Axes", x: str, y: str) -> None:
    ax.set_xlabel(shorten(x, _LABEL_WIDTH), fontsize=9, color=canvas.INK, parse_math=False)
    ax.set_ylabel(shorten(y, _LABEL_WIDTH - 12), fontsize=9, color=canvas.INK, parse_math=False)


def _note(ax: "Axes", text: str, y: float = 0.5) -> None:
    backing = {"boxstyle": "round,pad=0.2", "facecolor": canvas.PAPER, "edgecolor": "none", "alpha": 0.8}
    ax.text(
        0.5, y, text, transform=ax.transAxes, ha="center", va="bottom", color=canvas.MUTED, fontsize=8, bbox=backing
    )
