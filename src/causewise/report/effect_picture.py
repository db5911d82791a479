"""The effect of one column on another drawn: its mean, bounds and ± 2 standard deviations, over the set values."""

import os
from typing import TYPE_CHECKING

import numpy as np

from causewise.formatting import shorten
from causewise.graphs.effect import Effect
from causewise.report.canvas import CHOSEN, GRID, INK, MUTED, OTHER, blank_figure, make_figure, write_ticks
from causewise.report.html_pages import TableCard

if TYPE_CHECKING:
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
    return TableCard(title, sentence, tone, effect.headings, tuple(effect.cells()), "").render()


def _figure(effect: Effect) -> "Figure":
    figure = blank_figure(6.4, 4.4, left=0.9, right=0.2, top=0.6, bottom=1.0)
    ax = figure.add_subplot()
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
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(f"{shorten(effect.cause, _LETTERS)}, set", color=INK, parse_math=False)
    ax.set_ylabel(shorten(effect.effect, _LETTERS // 2), color=INK, parse_math=False)
    title = f"{shorten(effect.cause, _LETTERS // 2)} → {shorten(effect.effect, _LETTERS // 2)}"
    figure.text(0.9 / 6.4, 1 - 0.22 / 4.4, title, color=INK, fontsize=11, weight="bold", va="top", parse_math=False)
    key = f"Line: mean, with {effect.level:.0%} bounds. Pale: ± 2 standard deviations."
    beyond = "\nDashed upright: where the observed values end." if effect.beyond else ""
    figure.text(0.2 / 6.4, 0.15 / 4.4, key + beyond, color=MUTED, fontsize=8.5, parse_math=False)
    return figure
