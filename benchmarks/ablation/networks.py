"""The scores and channels that rest on a regression, from the networks that `train_networks` has learnt."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ablation.sets import Set
from ablation.train_networks import TRAINED, view
from whence.criteria import Criterion, independence, likelihood
from whence.evidence.channels import READINGS
from whence.evidence.description import conditional_length, marginal_length
from whence.evidence.fits import Curve
from whence.evidence.independence import dependence, kernel
from whence.evidence.training import Labelled
from whence.methods import evidence
from whence.models.network_fits import Network
from whence.models.network_heads import ADDITIVE
from whence.models.network_training import Status, Trained
from whence.pair import FloatArray, Pair, row_order, standardise

METHODS: dict[str, tuple[str, Criterion]] = {
    "nn-loci-h": ("scale", independence),
    "nn-loci-m": ("scale", likelihood),
    "nn-anm-h": ("additive", independence),
    "nn-anm-m": ("additive", likelihood),
    "roche": ("student", independence),
}
FED = ("mdl", "mdl_total", "h_scale", "p_scale", "mdl_additive", "h_additive", "p_additive", "error")
FED_RANKS = ("mdl_ranks", "h_ranks", "p_ranks", "error_ranks", "log_scale_ranks")
"""Readings that rest on a regression, and so can rest on a network's."""


@dataclass(frozen=True)
class Learnt:
    """Parameters by head and view, pair by pair."""

    theta: dict[str, FloatArray]

    @classmethod
    def of(cls, folder: Path) -> "Learnt | None":
        """From the folder that `train_networks` writes; None where it has not run."""
        names = [f"{head}-{name}" for head, (_, views) in TRAINED.items() for name in views]
        if not all((folder / f"{name}.npy").exists() for name in names):
            return None
        return cls({name: np.load(folder / f"{name}.npy") for name in names})

    def network(self, head: str, name: str, place: int, way: int) -> Network:
        """One trained network."""
        theta = self.theta[f"{head}-{name}"][place, way].astype(np.float64)
        return Network(TRAINED[head][0], Trained(theta, 0.0, 0, Status.ANNEALED))


def method_scores(learnt: Learnt, group: Set) -> dict[str, FloatArray]:
    """Scores of the neural methods."""
    rows = [_pair_scores(learnt, p.pair, i) for i, p in enumerate(group.listed())]
    return {name: np.array([row[name] for row in rows]) for name in METHODS}


def _pair_scores(learnt: Learnt, pair: Pair, place: int) -> dict[str, float]:
    found = {}
    for head in TRAINED:
        ways = ((pair.x, pair.y), (pair.y, pair.x))
        models = [learnt.network(head, "raw", place, way).fit for way in (0, 1)]
        sides = [evidence(*columns, model) for columns, model in zip(ways, models, strict=True)]
        for name, (mine, criterion) in METHODS.items():
            if mine == head:
                found[name] = criterion(sides[0]) - criterion(sides[1])
    return found


def fed(learnt: Learnt, group: Set, spline: Labelled) -> Labelled:
    """Readings of a set with the networks' regressions in place of the splines'."""
    costs = spline.costs.copy()
    for i, labelled in enumerate(group.listed()):
        for way in (0, 1):
            for name, value in _costs(learnt, labelled.pair, i, way).items():
                costs[i, way, READINGS.index(name)] = value
    return Labelled(costs, spline.context, spline.truth)


def _costs(learnt: Learnt, pair: Pair, place: int, way: int) -> dict[str, float]:
    turned = partial(_sorted, pair, way)
    (u, v), (u_ranks, v_ranks) = turned("seen"), turned("ranks")
    scale = _curve(learnt.network("scale", "seen", place, way), u, v)
    additive = _curve(learnt.network("additive", "seen", place, way), u, v)
    ranks = _curve(learnt.network("scale", "ranks", place, way), u_ranks, v_ranks)
    own, kernel_u = marginal_length(u), kernel(u)
    by = [dependence(kernel_u, curve.residual) for curve in (scale, additive)]
    by.append(dependence(kernel(u_ranks), ranks.residual))
    mdl = own + conditional_length(scale)
    size = np.log(additive.scale[0])
    size_ranks = 0.5 * np.log(np.mean((v_ranks - ranks.location) ** 2))
    values = [mdl, mdl * len(u), by[0].log_statistic, -by[0].log_p, own + conditional_length(additive)]
    values += [by[1].log_statistic, -by[1].log_p, size]
    of_ranks = (conditional_length(ranks), by[2].log_statistic, -by[2].log_p, size_ranks, np.mean(np.log(ranks.scale)))
    found = dict(zip((*FED, *FED_RANKS), map(float, (*values, *of_ranks)), strict=True))
    return {name: value for name, value in found.items() if name in READINGS}


def _sorted(pair: Pair, way: int, name: str) -> tuple[FloatArray, FloatArray]:
    columns = view(pair, name)
    cause, effect = columns if way == 0 else columns[::-1]
    order = row_order(cause, effect)
    return standardise(cause[order]), standardise(effect[order])


def _curve(network: Network, u: FloatArray, v: FloatArray) -> Curve:
    """As the channels want it; a network's size is the same both ways, so its price cancels and is left out."""
    fit = network.fit(u, v)
    error = v - fit.location
    scale = np.full(len(v), np.sqrt(np.mean(error**2))) if network.head == ADDITIVE else fit.scale
    return Curve(fit.location, scale, error / scale, 0, 0.0)
