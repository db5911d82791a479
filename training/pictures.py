"""The two figures of the ablation page."""

from pathlib import Path

import numpy as np

from training.judge import Judged
from whence.combined.constants import TERMS
from whence.combined.words import KINDS
from whence.pair import FloatArray
from whence.report.picture import blank, settings

_COLOURS = ("#4477aa", "#ccbb44", "#66c2a5")


def draw_families(foreign: Judged, path: Path) -> None:
    """Accuracy of the method and of its terms, family by family."""
    names = list(dict.fromkeys(foreign.family))
    whole = _by_family(foreign, foreign.score, names)
    order = np.argsort(whole)
    with settings():
        figure = blank(7.2, 5.4, left=1.6, right=0.15, top=0.4, bottom=0.5)
        ax = figure.subplots()
        for k, (name, colour) in enumerate(zip(TERMS, _COLOURS, strict=True)):
            alone = _by_family(foreign, foreign.terms[:, k], names)
            ax.plot(alone[order], np.arange(len(names)), "o", ms=4, color=colour, label=KINDS[name])
        ax.plot(whole[order], np.arange(len(names)), "D", ms=6, color="#222222", label="whence", zorder=0)
        ax.axvline(50, color="#bbbbbb", lw=1, zorder=-1)
        ax.set_yticks(np.arange(len(names)), [names[k].replace("_", " ") for k in order])
        ax.set_xlim(0, 102)
        ax.set_xlabel("right, % of pairs")
        ax.legend(
            loc="lower center", bbox_to_anchor=(0.38, 1.0), ncols=4, frameon=False, fontsize=7.5, columnspacing=0.8
        )
        figure.savefig(path, dpi=150)


def draw_confidence(foreign: Judged, recorded: Judged | None, path: Path) -> None:
    """Share of right answers against confidence, in groups of equal count; without pairs that `infer` never answers."""
    with settings():
        figure = blank(4.6, 3.8, left=0.6, right=0.15, top=0.15, bottom=0.5)
        ax = figure.subplots()
        ax.plot([50, 100], [50, 100], color="#bbbbbb", lw=1)
        ax.axvline(80, color="#bbbbbb", lw=1, ls=":")
        for judged, title, colour in ((foreign, "foreign families", "#222222"), (recorded, "recorded sets", "#4477aa")):
            if judged is not None:
                sure, right = _groups(judged.where(~judged.stopped))
                ax.plot(sure, right, "o-", ms=4, color=colour, label=title)
        ax.set_xlabel("confidence, %")
        ax.set_ylabel("right, % of pairs")
        ax.legend(frameon=False, loc="lower right")
        figure.savefig(path, dpi=150)


def _by_family(judged: Judged, score: FloatArray, names: list[str]) -> FloatArray:
    right = score * judged.truth > 0
    return np.array([100 * np.mean(right[judged.family == name]) for name in names])


def _groups(judged: Judged, count: int = 10) -> tuple[FloatArray, FloatArray]:
    sure = 100 * judged.confidence
    parts = np.array_split(np.argsort(sure, kind="stable"), count)
    right = judged.told * judged.truth > 0
    return np.array([sure[part].mean() for part in parts]), np.array([100 * right[part].mean() for part in parts])
