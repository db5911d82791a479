"""One pair, two models, both directions: the mean and its band, to see why the scale matters."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas
from whence.decision import Decision, Evidence
from whence.pair import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def example(decisions: Mapping[str, Decision], title: str) -> "Figure | None":
    """One row of panels per model, one column per direction; None where a method keeps no fitted curves."""
    if not decisions or any(_fit(decision.forward) is None for decision in decisions.values()):
        return None
    figure, axes = canvas(len(decisions), 2, 7.6, 0.6 + 2.8 * len(decisions))
    for row, (model, decision) in enumerate(decisions.items()):
        pair = decision.pair
        there, back = axes[2 * row], axes[2 * row + 1]
        _panel(there, pair.x, pair.y, decision.forward, (pair.x_name, pair.y_name), model)
        _panel(back, pair.y, pair.x, decision.backward, (pair.y_name, pair.x_name), model)
    figure.suptitle(title, fontsize=11)
    return figure


def _fit(evidence: Evidence) -> tuple[FloatArray, FloatArray] | None:
    if evidence.location is None or evidence.scale is None:
        return None
    return evidence.location, evidence.scale


def _panel(
    panel: "Axes", cause: FloatArray, effect: FloatArray, evidence: Evidence, names: tuple[str, str], model: str
) -> None:
    fit = _fit(evidence)
    assert fit is not None
    order = np.argsort(cause, kind="stable")
    at, middle, spread = cause[order], fit[0][order], fit[1][order]
    panel.fill_between(at, middle - 2 * spread, middle + 2 * spread, color="#c6dbef", linewidth=0)
    panel.scatter(cause, effect, s=5, color="#666666", alpha=0.7, linewidth=0, rasterized=True)
    for edge in (middle - 2 * spread, middle + 2 * spread):
        panel.plot(at, edge, color="#08519c", linewidth=0.9, linestyle="--")
    panel.plot(at, middle, color="#08306b", linewidth=1.8)
    panel.set(xlabel=names[0], ylabel=names[1])
    low, high = np.quantile(effect, [0.0, 1.0])
    room = 0.15 * (high - low)
    panel.set_ylim(low - room, high + room)
    panel.set_title(f"{model}, {names[0]} → {names[1]}{_numbers(evidence)}", fontsize=9.5)


def _numbers(evidence: Evidence) -> str:
    said = []
    if evidence.log_likelihood is not None:
        said.append(f"log-likelihood {evidence.log_likelihood:.3f}")
    if evidence.hsic is not None:
        said.append(f"HSIC {evidence.hsic:.2e}")
    if evidence.p_value is not None:
        said.append(f"p = {evidence.p_value:.2g}")
    return "\n" + ", ".join(said) if said else ""
