"""Spline or network: the same scores, channels and combination from either kind of regression, on the same pairs.

The combination is fitted crosswise on these pairs here, since training pairs have no networks: each fifth is judged by
trees that saw the other four.
"""

import numpy as np

from ablation.board import Board, markdown
from ablation.networks import FED, FED_RANKS, Learnt, fed, method_scores
from ablation.rows import scores
from ablation.sets import Set
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


def compared(learnt: Learnt, group: Set, store: Store) -> Board:
    """A board on which every row has a spline and a network side."""
    spline = store.readings(group)
    feeds = {"spline": spline, "network": fed(learnt, group, spline)}
    found = scores(store, None, group) | method_scores(learnt, group)
    for kind, readings in feeds.items():
        for title, reading in SINGLE_READINGS.items():
            costs = readings.costs[:, :, READINGS.index(reading)]
            found[f"{title}, {kind}"] = costs[:, 1] - costs[:, 0]
        for title, silent in COMBINED.items():
            found[f"{title}, {kind}"] = crosswise(readings, silent)
    return Board([group], {group.name: found})


def crosswise(readings: Labelled, silent: tuple[int, ...]) -> FloatArray:
    """Log-odds of every pair by trees that have not seen it."""
    fold = np.arange(len(readings.truth)) % FOLDS
    score = np.empty(len(fold))
    for k in range(FOLDS):
        trees = fit(_part(readings, fold != k), silent=silent)
        score[fold == k] = log_odds(trees, _part(readings, fold == k), silent)
    return score


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


def _part(labelled: Labelled, which: FloatArray) -> Labelled:
    return Labelled(*(getattr(labelled, name)[which] for name in Labelled._fields))
