"""The figures of the likelihood study."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, line, look
from whence.datasets.laws import CAUSE_LAWS
from whence.study.ledger import Row
from whence.study.likelihood import MECHANISMS, RULES, correlation
from whence.study.output import Table, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKS = {"loci-m": 0, "igci-g": 1, "loci-h": 2, "relation": 3}
_LABELS = {"relation": "loci-m − igci-g (the relation's part)"}


def accuracies(table: Table) -> "Figure":
    """One place per world, one mark per rule."""
    worlds = table.column("world")
    with look():
        figure, (panel,) = canvas(1, 1, 10.2, 4.0)
        for rule in RULES:
            style = line(_MARKS[rule]) | {"linestyle": "none"}
            shift = 0.16 * (_MARKS[rule] - 1.5)
            panel.plot(
                np.arange(len(worlds)) + shift,
                table.column(f"{rule} (%)"),
                label=_LABELS.get(rule, rule),
                markersize=6,
                **style,
            )
        panel.axhline(50, color="#202020", linewidth=0.8, linestyle=":")
        for border in (4.5, 9.5, 14.5):
            panel.axvline(border, color="#c0c0c0", linewidth=0.8)
        names = [world.removesuffix(" cause").split(", ")[-1] for world in worlds]
        panel.set_xticks(range(len(worlds)), names, rotation=35, ha="right", rotation_mode="anchor")
        for place, text in ((2, "location-scale"), (7, "additive"), (12, "additive, noisy"), (18, "benchmark laws")):
            panel.annotate(text, (place, 104), ha="center", fontsize=9)
        panel.set(ylabel="accuracy (%)", ylim=(0, 112), yticks=range(0, 101, 25), xlim=(-0.6, len(worlds) - 0.4))
        figure.legend(loc="outside lower center", ncols=4)
        return figure


def scores(rows: Sequence[Row]) -> "Figure":
    """The likelihood score against the entropies of the two columns; on the dotted line they are the same."""
    with look():
        figure, axes = canvas(len(MECHANISMS), len(CAUSE_LAWS), 10.4, 6.6, sharey="row", sharex="row")
        worlds = [(mechanism, law) for mechanism in MECHANISMS for law in CAUSE_LAWS]
        for panel, (mechanism, law) in zip(axes, worlds, strict=True):
            some = select(rows, world=f"{mechanism}, {law} cause")
            x, y = (np.array([row[rule] for row in some]) for rule in ("igci-g", "loci-m"))
            panel.axhline(0, color="#909090", linewidth=0.7)
            panel.axvline(0, color="#909090", linewidth=0.7)
            panel.axline((0, 0), slope=1, color="#202020", linewidth=0.8, linestyle=":")
            panel.plot(x, y, ".", markersize=4, color=line(0)["color"], rasterized=True)
            panel.set_title(f"{law}: r = {correlation(x, y):.2f}", pad=3)
            if law == next(iter(CAUSE_LAWS)):
                panel.set_ylabel(f"{mechanism}\nloci-m (nats)")
        figure.supxlabel("entropy of the cause − entropy of the effect (igci-g, nats)", fontsize=10)
        return figure
