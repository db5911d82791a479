"""A decision as one HTML file that needs nothing else: no network, no other file, no framework."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from causewise.consensus import Answer, ask
from causewise.decision import Decision
from causewise.files import replace_with
from causewise.report import panels
from causewise.report.inline import FONT_AS_TEXT, inline
from causewise.report.picture import blank, settings
from causewise.report.summary import Side, summarise
from causewise.report.templating import environment
from causewise.stability import half_samples

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

Panel = Callable[["Axes", Side], None]


def render(decision: Decision, nonce: str = "", answers: Sequence[Answer] = ()) -> str:
    """The page as a string; the same decision gives the same string.

    nonce: that of the Content-Security-Policy under which a server sends the page; a file of its own needs none.
    answers: what other methods say of the pair, where they were asked.
    """
    summary = summarise(decision, panels.MOST_DOTS, answers)
    pictures = {side.key: _all_panels(side) for side in summary.sides}
    return environment().get_template("decision.html").render(s=summary, pictures=pictures, nonce=nonce)


def write(
    decision: Decision, path: str | os.PathLike[str], stability: bool = False, methods: Sequence[str | Answer] = ()
) -> None:
    """Write the page, whole or not at all; halves and methods that were not asked yet are asked now."""
    if stability and decision.half_samples is None and not decision.stopped:
        decision = replace(decision, half_samples=half_samples(decision))
    answers = [ask(decision.pair, each) if isinstance(each, str) else each for each in methods]
    replace_with(path, render(decision, answers=answers).encode("utf-8", errors="replace"))


def describe(side: Side) -> str:
    """What a column of panels shows, for readers who do not see it."""
    curve = ", with the fitted mean and a band of two standard deviations" if side.drawing.curve else ""
    rest = f"; below, the standardised residual against {side.cause} and its Q–Q plot" if _has_residual(side) else ""
    return f"{side.arrow}, {side.outcome}: scatter of {side.effect} against {side.cause}{curve}{rest}."


def column(side: Side, wanted: Sequence[Panel], width: float, height: float) -> "Markup":
    """Panels of one direction, one below the other, as an `<svg>` element of this size in inches."""
    with settings(**FONT_AS_TEXT, **{"svg.hashsalt": side.key}):
        left = panels.left_margin(side)
        figure = blank(width, height, left=left, right=0.08, top=0.08, bottom=0.46, hspace=0.29)
        axes = figure.subplots(len(wanted), 1, squeeze=False, height_ratios=(1.25, 1, 1)[: len(wanted)])[:, 0]
        for panel, ax in zip(wanted, axes, strict=True):
            panel(ax, side)
            ax.yaxis.set_label_coords((0.14 - left) / (width - left - 0.08), 0.5)
        return inline(figure, describe(side))


def _all_panels(side: Side) -> "Markup":
    if _has_residual(side):
        return column(side, (panels.fit, panels.residual, panels.quantiles), 4.2, 7.5)
    return column(side, (panels.fit,), 4.2, 3.1)


def _has_residual(side: Side) -> bool:
    return side.drawing.residual is not None
