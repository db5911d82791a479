"""CURE (Sgouritsa, Janzing, Hennig & Schölkopf 2015): the regression learnt from the effect's marginal alone.

If x causes y, the law of x says nothing about that of y given x, while the law of y may say something about x given y.
A Gaussian process from a uniform, unseen cause to the effect is learnt from the effect alone, another one from the
pairs; each says how probable the cause of a row is, given its effect. The score of a direction is minus

    mean log p(cause | effect; pairs) − mean log p(cause | effect; effect alone):

the direction in which less is lost by hiding the cause wins.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from causewise.decision import Evidence
from causewise.errors import ITERATIONS, between
from causewise.methods.baselines.inverse import LearntCurve, Place, from_effect, from_pairs
from causewise.methods.baselines.latent import LatentRows
from causewise.pair import FloatArray
from causewise.protocol import Directional

SHARE = 1e-13
"""Of the evidence, beneath which a curve is left out; it would save a row that all others hold impossible."""
LEAST, MOST = 8, 1024
"""Levels; fewer are no curve, and every row is compared with each."""
BLOCK = 4096


def score(cause: FloatArray, effect: FloatArray, *, levels: int = 128, max_iter: int = 100) -> Evidence:
    """Minus what hiding the cause costs, in nats a row."""
    x, y, _ = LatentRows.of(cause, effect)
    place = Place.of(x, levels)
    alone, paired = from_effect(y, levels, max_iter), from_pairs(place, y, levels)
    # The effect alone cannot tell the two ends of the cause apart: the better reading counts.
    hidden = float(np.max(log_density(alone, [place, place.mirrored(levels)], y)))
    seen = float(log_density(paired, [place], y)[0])
    converged = all(curve.converged for curve, _ in _weighed(alone))
    return Evidence(hidden - seen, converged=converged, costs={"effect alone": -hidden, "pairs": -seen})


def log_density(curves: Sequence[LearntCurve], places: Sequence[Place], effect: FloatArray) -> FloatArray:
    """Mean log p(cause | effect) over the rows, for every reading of where their causes lie."""
    weighed, n = _weighed(curves), len(effect)
    totals = np.zeros(len(places))
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        some = [Place(place.left[rows], place.part[rows]) for place in places]
        held = np.full((len(places), len(effect[rows])), -math.inf)
        for curve, log_share in weighed:
            held = np.logaddexp(held, log_share + _given_effect(curve, some, effect[rows]))
        totals += np.sum(held, axis=1)
    return np.asarray(totals / n)


def _weighed(curves: Sequence[LearntCurve]) -> list[tuple[LearntCurve, float]]:
    """The curves that count, and the logs of their shares of the evidence."""
    evidence = np.array([curve.evidence for curve in curves])
    logs = evidence - np.logaddexp.reduce(evidence)
    return [(curve, float(log)) for curve, log in zip(curves, logs, strict=True) if log > math.log(SHARE)]


def _given_effect(curve: LearntCurve, places: Sequence[Place], effect: FloatArray) -> FloatArray:
    """Log p(cause | effect) under one curve, by Bayes' rule: the cause is uniform beforehand."""
    variance = curve.noise**2 + curve.variance
    logs = -0.5 * ((effect[:, None] - curve.mean) ** 2 / variance + np.log(variance))
    top = np.max(logs, axis=1)
    norm = top + np.log(np.mean(np.exp(logs - top[:, None]), axis=1))
    row = np.arange(len(effect))
    # Between two levels the log is linear, as it is where `from_pairs` divides a row.
    return np.array([(1.0 - at) * logs[row, left] + at * logs[row, left + 1] - norm for left, at in places])


def cure(*, levels: int = 128, max_iter: int = 100) -> Directional:
    """The method; the hidden cause has one of `levels` values, and a climb at most `max_iter` steps."""
    between("cure", LEAST, MOST, levels=levels)
    between("cure", *ITERATIONS, max_iter=max_iter)
    settings: dict[str, Any] = {"levels": levels, "max_iter": max_iter}
    return Directional("cure", partial(score, **settings), settings)
