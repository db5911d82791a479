"""A decision as a notebook shows it: the head of the page and a small picture of both fits, in one scoped element."""

from dataclasses import replace
from typing import TYPE_CHECKING

from causewise.decision import Decision
from causewise.report import panels
from causewise.report.geometry import coarser
from causewise.report.page import column
from causewise.report.summary import Side, summarise
from causewise.report.templating import environment

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_POINTS = 400
MAX_CURVE = 100
WIDTH, HEIGHT = 3.6, 2.3
"""Of each direction's picture, in inches."""


def card(decision: Decision) -> str:
    """An HTML fragment that needs nothing else; its colours follow the notebook's theme."""
    summary = summarise(decision, MAX_POINTS)
    pictures = {side.key: _picture(side) for side in summary.sides}
    return environment().get_template("card.html").render(s=summary, pictures=pictures)


def _picture(side: Side) -> "Markup":
    return column(replace(side, drawing=coarser(side.drawing, MAX_CURVE)), (panels.fit,), WIDTH, HEIGHT)
