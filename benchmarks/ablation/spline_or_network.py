"""Spline or network: the same scores, channels and combination from either kind of regression, on the same pairs.

The combination is fitted crosswise on the grid itself here, since training pairs have no networks: pairs whose number
leaves one remainder by five are judged by trees that saw the others. Cells of an axis share their random numbers by
pair number, so nothing leaks.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ablation.board import Board, markdown
from ablation.networks import FED, FED_RANKS, Learnt, fed, method_scores
from ablation.rows import Scores
from ablation.store import Store
from whence.evidence.channels import READINGS
from whence.evidence.fitting import fit, log_odds
from whence.evidence.training import Labelled
from whence.pair import FloatArray

FOLDS = 5
COUPLES = {
    "loci-h": "nn-loci-h",
    "loci-m": "nn-loci-m",
    "anm-h": "nn-anm-h",
    "anm-m": "nn-anm-m",
}
SINGLE_READINGS = {
    "description: mdl": "mdl",
    "independence: log HSIC": "h_scale",
    "the same in normal scores": "h_ranks",
}
ONLY_REGRESSION = tuple(i for i, name in enumerate(READINGS) if name not in (*FED, *FED_RANKS))
COMBINED: dict[str, tuple[int, ...]] = {"readings that rest on a regression": ONLY_REGRESSION, "all readings": ()}


@dataclass(frozen=True)
class Feeds:
    """Readings of the same pairs from splines and from networks."""

    spline: dict[str, Labelled]
    network: dict[str, Labelled]


def compared(board: Board, learnt: Learnt, store: Store, say: Callable[[str], None]) -> Board:
    """The grid's first pairs with every row that has a spline and a network side."""
    small = board.first(learnt.pairs(len(board.sets)))
    feeds = Feeds({}, {})
    extra: dict[str, Scores] = {}
    for place, group in enumerate(small.sets):
        first = place * len(group)
        feeds.spline[group.name] = store.readings(group)
        feeds.network[group.name] = fed(learnt, group, first, feeds.spline[group.name])
        extra[group.name] = method_scores(learnt, group, first) | _readings(feeds, group.name)
        say(f"networks: {place + 1} of {len(small.sets)}")
    for title, silent in COMBINED.items():
        for kind, readings in (("spline", feeds.spline), ("network", feeds.network)):
            for name, score in crosswise(readings, silent).items():
                extra[name][f"{title}, {kind}"] = score
    return small.first(len(small.sets[0]), extra)


def crosswise(readings: dict[str, Labelled], silent: tuple[int, ...]) -> dict[str, FloatArray]:
    """Log-odds of every pair by trees that have not seen it."""
    together = Labelled(*(np.concatenate([getattr(r, f) for r in readings.values()]) for f in Labelled._fields))
    fold = np.concatenate([np.arange(len(r.truth)) % FOLDS for r in readings.values()])
    score = np.empty(len(fold))
    for k in range(FOLDS):
        trees = fit(_part(together, fold != k), silent=silent)
        score[fold == k] = log_odds(trees, _part(together, fold == k), silent)
    ends = np.cumsum([len(r.truth) for r in readings.values()])[:-1]
    return dict(zip(readings, np.split(score, ends), strict=True))


def table(board: Board) -> list[str]:
    """Both sides and their difference, accuracy and AUDRC."""
    couples = dict(COUPLES) | {f"{t}, spline": f"{t}, network" for t in (*SINGLE_READINGS, *COMBINED)}
    head = ["", "spline", "network", "network − spline", "spline, AUDRC", "network, AUDRC", "network − spline, AUDRC"]
    return markdown(head, [_line(board, a, b) for a, b in couples.items()])


def _line(board: Board, spline: str, network: str) -> list[str]:
    title = spline.removesuffix(", spline") if spline.endswith("spline") else f"{spline}, {network}"
    shown = []
    for metric in ("accuracy", "audrc"):
        a, b = (board.over(row, metric) for row in (spline, network))
        shown += [a.text(1), b.text(1), (b - a).text(1, sign=True)]
    return [title, *shown]


def _readings(feeds: Feeds, name: str) -> Scores:
    found = {}
    for title, reading in SINGLE_READINGS.items():
        for kind, readings in (("spline", feeds.spline), ("network", feeds.network)):
            costs = readings[name].costs[:, :, READINGS.index(reading)]
            found[f"{title}, {kind}"] = costs[:, 1] - costs[:, 0]
    return found


def _part(labelled: Labelled, which: FloatArray) -> Labelled:
    return Labelled(*(getattr(labelled, name)[which] for name in Labelled._fields))
