"""The figures of the splitting study."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, line, look
from whence.study.ledger import Row
from whence.study.output import Table, select, values_of
from whence.study.splitting import RIGHT, WAYS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES = {"all": "rows of the fit", "cross": "unseen rows, both halves", "half": "unseen rows, one half"}


def against_n(table: Table) -> "Figure":
    """One row of panels per number of knots; Gaussian noise."""
    shown = (
        ("by statistic (%)", "accuracy by statistic (%)"),
        ("by p-value (%)", "accuracy by p-value (%)"),
        ("rejects true (%)", "true direction, p < 0.05 (%)"),
        ("rejects false (%)", "false direction, p < 0.05 (%)"),
    )
    knots = list(dict.fromkeys(table.column("knots")))
    with look():
        figure, axes = canvas(len(knots), 4, 10.6, 2.5 * len(knots) + 0.5, sharex=True, sharey="col")
        for place, panel in enumerate(axes):
            down, across = divmod(place, 4)
            column, label = shown[across]
            for index, way in enumerate(WAYS):
                mine = [row for row in table.rows if row[0] == knots[down] and row[1] == "gaussian" and row[3] == way]
                values = [row[table.columns.index(column)] for row in mine]
                style = line(index)
                panel.plot([row[2] for row in mine], values, label=_NAMES[way], markersize=4.5, linewidth=1.2, **style)
            panel.set(xscale="log")
            panel.set_title(label if down == 0 else "", fontsize=9.5)
            if across == 2:
                panel.axhline(5, color="#202020", linewidth=0.8, linestyle=":")
            if across == 0:
                panel.set_ylabel(knots[down])
        for panel in axes[-4:]:
            panel.set_xlabel("rows n")
            sizes = sorted(set(table.column("n")))
            panel.set_xticks(sizes, [str(n) for n in sizes], minor=False)
            panel.set_xticks([], minor=True)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        return figure


def p_values(rows: Sequence[Row]) -> "Figure":
    """Distribution function of the true direction's p-values; a calibrated test follows the diagonal."""
    sizes = values_of(rows, "n")
    n = sizes[min(2, len(sizes) - 1)]
    worlds = {
        "random smooth f and g": [row for row in rows if row["knots"] == "25 knots" and row["noise"] != RIGHT],
        "f and g within the splines": select(rows, knots="25 knots", noise=RIGHT),
    }
    with look():
        figure, axes = canvas(1, len(worlds), 8.0, 3.7, sharey=True)
        for panel, (name, mine) in zip(axes, worlds.items(), strict=True):
            for index, way in enumerate(WAYS):
                p = np.sort([row["p_true"] for row in select(mine, n=n, way=way)])
                style = {key: value for key, value in line(index).items() if key != "marker"}
                panel.step(
                    p, np.arange(1, len(p) + 1) / len(p), where="post", label=_NAMES[way], linewidth=1.5, **style
                )
            panel.axline((0, 0), slope=1, color="#202020", linewidth=0.8, linestyle=":")
            panel.set(
                xlabel="p-value of the true direction", title=f"{name}, 25 knots, n = {n}", xlim=(0, 1), ylim=(0, 1.01)
            )
        axes[0].set_ylabel("share of pairs below")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        return figure
