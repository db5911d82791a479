"""The figures of the estimator study."""

from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, line, look
from whence.study import estimators
from whence.study.output import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {"sqrt": "√T knots", "tenth": "T/10 knots"}
_NAMES = {"concave": "concave estimator", "ifgls": "iterated least squares (IFGLS)"}


def divergence_curves(table: Table) -> "Figure":
    """Median KL against T with intervals, one panel per rule for the knots."""
    with look():
        figure, axes = canvas(1, 2, 8.4, 3.6, sharey=True, sharex=True)
        for panel, rule in zip(axes, _TITLES, strict=True):
            mine = Table(table.name, "", table.columns, tuple(row for row in table.rows if row[0] == rule))
            for index, name in enumerate(_NAMES):
                t, y = mine.column("T"), mine.column(name)
                style = line(index)
                panel.fill_between(
                    t, mine.column(f"{name} low"), mine.column(f"{name} high"), color=style["color"], alpha=0.2, lw=0
                )
                panel.plot(t, y, label=_NAMES[name], markersize=4.5, linewidth=1.3, **style)
            panel.set(xscale="log", yscale="log", title=_TITLES[rule], xlabel="rows T")
        axes[0].set_ylabel("median of KL(true ‖ estimated)")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
        return figure


def example(n: int = 1000, seed: int = 0) -> "Figure":
    """Both estimators on one data set: mean and ±2 standard deviations beside the truth."""
    x, y = estimators.draw(n, seed)
    at = np.linspace(-estimators.EDGE, estimators.EDGE, 2000)
    with look():
        figure, axes = canvas(2, 2, 8.4, 5.4, sharex=True, sharey=True)
        for index, panel in enumerate(axes):
            rule, estimator = list(_TITLES)[index // 2], list(_NAMES)[index % 2]
            n_knots = estimators.KNOTS[rule](n)
            mean, sd, _ = estimators.fitted(estimator, x, y, n_knots, at)
            kl = estimators.divergence(at, mean, sd)
            panel.plot(x, y, ".", color="#b0b0b0", markersize=2, zorder=0, rasterized=True)
            _law(panel, at, *estimators.truth(at), "#202020", "truth ± 2 sd", "--")
            _law(panel, at, mean, sd, line(index % 2)["color"], "estimate ± 2 sd", "-")
            panel.set(title=f"{_NAMES[estimator]}, {n_knots} knots: KL {kl:.2g}", ylim=(-5.5, 5.5))
        for panel in axes[2:]:
            panel.set_xlabel("x")
        for panel in axes[::2]:
            panel.set_ylabel("y")
            panel.legend(loc="lower left", ncols=2, fontsize=8, borderaxespad=0.1)
        return figure


def consistency(table: Table, slope: float) -> "Figure":
    """Error against T beside 1/√T, and coverage."""
    t = np.array(table.column("T"), float)
    error = np.array(table.column("error"))
    with look():
        figure, (left, right) = canvas(1, 2, 8.4, 3.4)
        left.plot(t, error, label=f"measured, slope {slope:.3f}", markersize=5, linewidth=1.3, **line(0))
        level = np.exp(np.mean(np.log(error * np.sqrt(t))))
        left.plot(t, level / np.sqrt(t), color="#202020", linestyle=":", label="1/√T")
        left.set(xscale="log", yscale="log", xlabel="rows T", ylabel="error of the coefficients")
        left.legend(loc="upper right")
        right.axhspan(93, 97, color="#e4e4e4", lw=0)
        right.axhline(95, color="#202020", linewidth=0.8, linestyle=":")
        for index, name in enumerate(("mean", "sd")):
            right.plot(
                t,
                table.column(f"covers {name} (%)"),
                label=f"of the {name}",
                markersize=5,
                linewidth=1.3,
                **line(index),
            )
        right.set(xscale="log", xlabel="rows T", ylabel="coverage of 95 % intervals (%)", ylim=(90, 100))
        right.legend(loc="upper right", ncols=2)
        return figure


def _law(panel: "Axes", x: np.ndarray, mean: np.ndarray, sd: np.ndarray, colour: str, label: str, dashes: str) -> None:
    panel.plot(x, mean, color=colour, linestyle=dashes, linewidth=1.2, label=label)
    for sign in (-2, 2):
        panel.plot(x, mean + sign * sd, color=colour, linestyle=dashes, linewidth=0.9)
