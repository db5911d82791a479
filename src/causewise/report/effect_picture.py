"""The effect of one column on another drawn: its mean, bounds and ± 2 standard deviations, over the set values."""

import os
from typing import TYPE_CHECKING

import numpy as np

from causewise.formatting import shorten
from causewise.graphs.effect import Effect
from causewise.report.canvas import (
    CHOSEN,
    FONT_AS_TEXT,
    GRID,
    INK,
    MUTED,
    OTHER,
    blank_figure,
    make_figure,
    settings,
    to_inline_svg,
    write_ticks,
)
from causewise.report.html_pages import TableCard

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LETTERS = 60


def draw_effect(effect: Effect, path: str | os.PathLike[str] | None = None) -> "Figure":
    """As a matplotlib figure; values beyond the observed range lie behind a dashed line."""
    return make_figure(lambda: _figure(effect), effect.cause + effect.effect, path)


def render_effect_card(effect: Effect) -> str:
    """The sentence, and the numbers at each value, for notebooks."""
    title = f"{effect.cause} → {effect.effect}"
    sentence = " ".join((str(effect), *effect.notes))
    tone = "tie" if effect.notes else "weighed"
    picture = _draw_small(effect) if len(effect.at) > 1 else ""
    return TableCard(title, sentence, tone, effect.headings, tuple(effect.cells()), "", picture).render()


def _draw_small(effect: Effect) -> "Markup":
    """The curve as an `<svg>` element in the colours of a notebook's theme."""
    with settings(**FONT_AS_TEXT, **{"svg.hashsalt": "effect"}):
        figure = blank_figure(3.8, 2.5, left=0.72, right=0.1, top=0.1, bottom=0.46)
        _draw_curve(figure.add_subplot(), effect, _LETTERS // 2)
        return to_inline_svg(figure, f"Mean of {effect.effect} where {effect.cause} is set, with bounds.")


def _figure(effect: Effect) -> "Figure":
    figure = blank_figure(6.4, 4.4, left=0.9, right=0.2, top=0.6, bottom=1.0)
    _draw_curve(figure.add_subplot(), effect, _LETTERS)
    title = f"{shorten(effect.cause, _LETTERS // 2)} → {shorten(effect.effect, _LETTERS // 2)}"
    figure.text(0.9 / 6.4, 1 - 0.22 / 4.4, title, color=INK, fontsize=11, weight="bold", va="top", parse_math=False)
    bounds = "" if np.isnan(effect.low).any() else f", with {effect.level:.0%} bounds"
    key = f"Line: mean{bounds}. Pale: ± 2 standard deviations."
    beyond = "\nDashed upright: where the observed values end." if effect.beyond else ""
    figure.text(0.2 / 6.4, 0.15 / 4.4, key + beyond, color=MUTED, fontsize=8.5, parse_math=False)
    return figure


def _draw_curve(ax: "Axes", effect: Effect, letters: int) -> None:
    order = np.argsort(effect.at, kind="stable")
    curves = (effect.at, effect.mean, effect.low, effect.high, effect.scale)
    at, mean, low, high, scale = (each[order] for each in curves)
    ends = (mean - 2 * scale, mean + 2 * scale)
    ax.fill_between(at, *ends, color=CHOSEN, alpha=0.12, linewidth=0)
    for end in ends:
        ax.plot(at, end, color=CHOSEN, linewidth=0.8, linestyle=(0, (4, 2)))
    ax.fill_between(at, low, high, color=CHOSEN, alpha=0.35, linewidth=0)
    ax.plot(at, mean, color=CHOSEN, linewidth=2, marker="o", markersize=4)
    for border in effect.observed:
        if effect.beyond and at[0] <= border <= at[-1]:
            ax.axvline(border, color=OTHER, linewidth=1.2, linestyle=(0, (4, 2)))
    heights = np.concatenate([*ends, low, high])
    heights = heights[np.isfinite(heights)]
    for axis, values in ((ax.xaxis, at), (ax.yaxis, heights)):
        if values.min() < values.max():
            write_ticks(axis, float(values.min()), float(values.max()))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=MUTED)
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(f"{shorten(effect.cause, letters)}, set", color=INK, parse_math=False)
    ax.set_ylabel(shorten(effect.effect, letters // 2), color=INK, parse_math=False)
