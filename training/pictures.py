"""The two figures of the ablation page."""

from pathlib import Path

import numpy as np

from causewise.methods.combined.terms import TERMS
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray
from causewise.report.canvas import blank_figure, settings
from training.evaluate import Evaluation

_COLOURS = {"description": "#4477aa", "shape": "#66c2a5"}
"""Of the terms that columns without ties have."""


def draw_families(held_out: Evaluation, path: Path) -> None:
    """Accuracy of the method and of its terms, family by family."""
    names = list(dict.fromkeys(held_out.family))
    whole = _by_family(held_out, held_out.score, names)
    order = np.argsort(whole)
    with settings():
        figure = blank_figure(7.2, 5.4, left=1.6, right=0.15, top=0.4, bottom=0.5)
        ax = figure.subplots()
        for name, colour in _COLOURS.items():
            alone = _by_family(held_out, held_out.terms[:, list(TERMS).index(name)], names)
            ax.plot(alone[order], np.arange(len(names)), "o", ms=4, color=colour, label=KINDS[name])
        ax.plot(whole[order], np.arange(len(names)), "D", ms=6, color="#222222", label="causewise", zorder=0)
        ax.axvline(50, color="#bbbbbb", lw=1, zorder=-1)
        ax.set_yticks(np.arange(len(names)), [names[k].replace("_", " ") for k in order])
        ax.set_xlim(0, 102)
        ax.set_xlabel("right, % of pairs")
        ax.legend(
            loc="lower center", bbox_to_anchor=(0.38, 1.0), ncols=4, frameon=False, fontsize=7.5, columnspacing=0.8
        )
        figure.savefig(path, dpi=150)


def draw_confidence(sets: dict[str, Evaluation], path: Path) -> None:
    """Share of right answers against confidence if one column surely causes the other, in groups of equal count.

    Without pairs that `infer` never answers.
    """
    shown = {
        "held-out": ("held-out simulators", "#222222", 10),
        "tuebingen": ("Tübingen, cross-fitted", "#4477aa", 4),
        "lisbon": ("Lisbon", "#aa3377", 5),
    }
    with settings():
        figure = blank_figure(4.6, 3.8, left=0.6, right=0.15, top=0.15, bottom=0.5)
        ax = figure.subplots()
        ax.plot([50, 100], [50, 100], color="#bbbbbb", lw=1)
        ax.axvline(80, color="#bbbbbb", lw=1, ls=":")
        for where, (title, colour, count) in shown.items():
            sure, right = _groups(sets[where].where(~sets[where].stopped), count)
            ax.plot(sure, right, "o-", ms=4, color=colour, label=title)
        ax.set_xlabel("confidence with --direct, %")
        ax.set_ylabel("right, % of pairs")
        ax.set_ylim(30, 103)
        ax.legend(frameon=False, loc="upper left", fontsize=8)
        figure.savefig(path, dpi=150)


def _by_family(evaluation: Evaluation, score: FloatArray, names: list[str]) -> FloatArray:
    right = score * evaluation.truth > 0
    return np.array([100 * np.mean(right[evaluation.family == name]) for name in names])


def _groups(evaluation: Evaluation, count: int) -> tuple[FloatArray, FloatArray]:
    sure = 100 * evaluation.confidence(direct=True)
    parts = np.array_split(np.argsort(sure, kind="stable"), count)
    right = evaluation.told * evaluation.truth > 0
    means = [
        (np.average(sure[p], weights=evaluation.share[p]), np.average(right[p], weights=evaluation.share[p]))
        for p in parts
    ]
    return np.array([mean[0] for mean in means]), np.array([100 * mean[1] for mean in means])
