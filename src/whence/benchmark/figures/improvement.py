"""What modelling the scale adds: each additive method beside its location-scale counterpart."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from whence.benchmark.figures.style import ADDITIVE, LOCATION_SCALE, canvas
from whence.benchmark.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def improvement(summary: Summary, sets: Sequence[str], counterparts: Sequence[Mapping[str, str]]) -> "Figure | None":
    """One panel per set, two bars per couple, the gain in points above them."""
    shown = [name for name in sets if name in summary.sets]
    couples = [couple for couple in counterparts if all(_known(summary, couple, name) for name in shown)]
    if not shown or not couples:
        return None
    figure, axes = canvas(1, len(shown), 1.0 + 2.4 * len(shown), 3.4, sharey=True)
    for panel, name in zip(axes, shown, strict=True):
        for place, couple in enumerate(couples):
            _couple(panel, summary, couple, name, place)
        panel.set_title(name)
        panel.set_xticks(range(len(couples)), [couple["name"].replace(", ", "\n") for couple in couples])
    axes[0].set_ylabel("accuracy (%)")
    axes[0].set_ylim(0, 114)
    axes[0].set_yticks([0, 25, 50, 75, 100])
    _explain(figure)
    return figure


def _known(summary: Summary, couple: Mapping[str, str], name: str) -> bool:
    values = (summary.value(couple[part], name) for part in ("additive", "location_scale"))
    return not any(math.isnan(value) for value in values)


def _couple(panel: "Axes", summary: Summary, couple: Mapping[str, str], name: str, place: int) -> None:
    before, after = (summary.value(couple[part], name) for part in ("additive", "location_scale"))
    for offset, value, how in ((-0.19, before, ADDITIVE), (0.19, after, LOCATION_SCALE)):
        panel.bar(
            place + offset, value, width=0.38, color=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5
        )
    panel.text(place, max(before, after) + 2, f"{after - before:+.0f}", ha="center", fontsize=9.5, fontweight="bold")


def _explain(figure: "Figure") -> None:
    from matplotlib.patches import Patch

    words = {ADDITIVE: "constant noise (ANM)", LOCATION_SCALE: "noise that scales (LSNM)"}
    handles = [
        Patch(facecolor=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5, label=label)
        for how, label in words.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
