"""CURE (Sgouritsa, Janzing, Hennig & Schölkopf 2015): the regression learnt from the effect's marginal alone.

If x causes y, the law of x says nothing about that of y given x, while the law of y may say something about x given y.
A Gaussian process from a uniform, unseen cause to the effect is learnt from the effect alone, another one from the
pairs; each says how probable the cause of a row is, given its effect. The score of a direction is minus

    mean log p(cause | effect; pairs) − mean log p(cause | effect; effect alone):

the direction in which less is lost by hiding the cause wins.

The process: effect = f(u) + σ·noise, u uniform on [0, 1], noise standard normal, f from a Gaussian process with kernel
h² exp(−(u − u′)² / 2ℓ²). u takes one of some hundred levels, and f = Rw there, with K = RRᵀ and w standard normal. ℓ, h
and σ lie on a grid, where each combination weighs as much as its evidence says. From pairs, w is a linear regression.
From the effect alone the density of a row is the mean of N(y; f(u), σ²) over the levels: every row's u is summed out,
where the paper samples it, and w is normal about the mode that a climb reaches from the sorted effect (Laplace).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.errors import ITERATIONS
from causewise.methods.baselines.gpi import LatentRows
from causewise.pair import FloatArray
from causewise.protocol import Directional, make_builder

SHARE = 1e-13
"""Of the evidence, beneath which a curve is left out; it would save a row that all others hold impossible."""
LEVELS = (8, 1024)
"""Of the hidden cause; fewer are no curve, and every row is compared with each."""
BLOCK = 4096
LENGTHS = (0.1, 0.2, 0.4, 0.8)
HEIGHTS = (1.0, 3.0)
NOISES = tuple(0.06 * 2.0 ** (step / 2) for step in range(8, -1, -1))
"""In standard deviations of the effect, from 0.96; beneath the least, levels would stand apart like teeth of a comb."""
STEP = 0.04
"""Of the effect, in its standard deviations: rows as close as this are one, against a noise of 0.06 or more."""
FAR = 50.0
"""Nats of evidence below the best noise of a kernel at which smaller ones are not tried."""
RANK = 1e-6
"""Directions of w whose variance is a smaller part of the largest are left out."""
GAIN = 1e-6
"""Nats by which the last step of a climb still rises."""
CAUTIOUS = 10
"""Steps at the beginning of a climb; bold ones from the start may end at another, lower mode."""
LOG_TWO_PI = math.log(2.0 * math.pi)


class Place(NamedTuple):
    """Where every row's cause lies: between level `left` and the next, at this part of the way."""

    left: NDArray[np.intp]
    part: FloatArray

    @classmethod
    def of(cls, cause: FloatArray, levels: int) -> "Place":
        """Of a cause stretched to [0, 1]; levels are the middles of as many equal parts."""
        low, high = float(np.min(cause)), float(np.max(cause))
        at = np.clip((cause - low) / (high - low) * levels - 0.5, 0.0, levels - 1.0)
        left = np.minimum(at.astype(np.intp), levels - 2)
        return cls(left, at - left)

    def mirror(self, levels: int) -> "Place":
        """The same counted from the other end."""
        return Place(levels - 2 - self.left, 1.0 - self.part)

    def totals(self, values: FloatArray, levels: int) -> FloatArray:
        """Values of the rows added up at the levels, each row divided between its two."""
        lower = np.bincount(self.left, (1.0 - self.part) * values, minlength=levels)
        return np.asarray(lower + np.bincount(self.left + 1, self.part * values, minlength=levels))


class LearntCurve(NamedTuple):
    """f at the levels under one kernel and noise: normal, with the log evidence for that kernel and noise."""

    mean: FloatArray
    variance: FloatArray
    noise: float
    evidence: float
    converged: bool = True


@lru_cache(maxsize=8)
def roots(levels: int) -> tuple[FloatArray, ...]:
    """R for every length and height; a process of these lengths has five to twenty directions."""
    u = (np.arange(levels) + 0.5) / levels
    kernel_roots = []
    for length, height in product(LENGTHS, HEIGHTS):
        variances, directions = np.linalg.eigh(np.exp(-0.5 * ((u[:, None] - u) / length) ** 2))
        kept = variances > RANK * variances[-1]
        kernel_roots.append(np.asarray(height * directions[:, kept] * np.sqrt(variances[kept])))
    return tuple(kernel_roots)


def from_pairs(place: Place, effect: FloatArray, levels: int) -> list[LearntCurve]:
    """The regression of the effect on the cause, for every kernel and noise."""
    n, squares = len(effect), float(effect @ effect)
    counts, sums = (place.totals(values, levels) for values in (np.ones(n), effect))
    curves = []
    for root in roots(levels):
        # In the eigenvectors of RᵀCR, C the counts, every noise is a matter of division.
        strengths, turn = np.linalg.eigh(root.T @ (counts[:, None] * root))
        axes = root @ turn
        along = axes.T @ sums
        for noise in NOISES:
            precision = 1.0 + np.maximum(strengths, 0.0) / noise**2
            w = along / noise**2 / precision
            misfit = squares / noise**2 - float(along @ w) / noise**2
            evidence = -0.5 * (n * LOG_TWO_PI + misfit + float(np.sum(np.log(precision)))) - n * math.log(noise)
            curves.append(LearntCurve(axes @ w, np.asarray(axes**2 @ (1.0 / precision)), noise, evidence))
    return curves


class Sketch(NamedTuple):
    """A column by the means of its rows in narrow steps, and how many rows each step has."""

    values: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, column: FloatArray) -> "Sketch":
        """Of a standardised column; its steps grow in number like the cube root of the rows at most."""
        _, step, counts = np.unique(np.round(column / STEP), return_inverse=True, return_counts=True)
        return cls(np.bincount(step, column) / counts, counts.astype(np.float64))


def from_effect(effect: FloatArray, levels: int, max_iter: int) -> list[LearntCurve]:
    """What the effect alone says of f, for every kernel and noise that is worth a look."""
    sketch = Sketch.of(effect)
    # Without noise f is the quantile function, or its mirror image, which is as likely and never visited.
    quantiles = np.asarray(np.quantile(effect, (np.arange(levels) + 0.5) / levels), dtype=np.float64)
    curves: list[LearntCurve] = []
    for root in roots(levels):
        start = np.asarray(np.linalg.solve(root.T @ root + 0.01 * np.eye(root.shape[1]), root.T @ quantiles))
        best = -math.inf
        for noise in NOISES:
            curves.append(climb(Levels(sketch, root, noise), start, max_iter))
            best = max(best, curves[-1].evidence)
            if curves[-1].evidence < best - FAR:
                break
    return curves


class Levels(NamedTuple):
    """A mixture of normals of one size, equally frequent, whose means are f at the levels."""

    sketch: Sketch
    root: FloatArray
    noise: float

    def evaluate(self, w: FloatArray) -> "PosteriorAt":
        """The log posterior of w, its gradient, and two curvatures."""
        (values, counts), root, noise = self.sketch, self.root, self.noise
        gaps = (values[:, None] - root @ w) / noise
        logs = -0.5 * gaps * gaps
        top = np.max(logs, axis=1, keepdims=True)
        shares = np.exp(logs - top)
        totals = np.sum(shares, axis=1, keepdims=True)
        shares /= totals
        density = np.log(totals[:, 0]) + top[:, 0] - math.log(root.shape[0] * noise) - 0.5 * LOG_TWO_PI
        pulls = shares * gaps / noise
        weighted = counts[:, None] * pulls
        gradient = root.T @ np.sum(weighted, axis=0) - w
        # ∂²/∂f∂f′ of a row's log density is diag(share (gap² − 1)/σ²) − pull pullᵀ; with shares held fixed, −share/σ².
        certain = (counts @ shares) / noise**2
        diagonal = certain - np.sum(weighted * gaps, axis=0) / noise
        along = pulls @ root
        prior = np.eye(len(w))
        bound = prior + root.T @ (certain[:, None] * root)
        curvature = prior + root.T @ (diagonal[:, None] * root) + along.T @ (counts[:, None] * along)
        return PosteriorAt(float(counts @ density) - 0.5 * float(w @ w), gradient, curvature, bound)


class PosteriorAt(NamedTuple):
    """The log posterior at one w, its gradient, minus its second derivative, and a bound on that from above."""

    value: float
    gradient: FloatArray
    curvature: FloatArray
    bound: FloatArray


def climb(levels: Levels, w: FloatArray, max_iter: int) -> LearntCurve:
    """To the mode near w: steps that stay near it first, and then Newton's with every curvature taken by its size."""
    here, converged = levels.evaluate(w), False
    for taken in range(max_iter):
        w, there = (_step_cautiously if taken < CAUTIOUS else _step_boldly)(levels, w, here)
        converged, here = there.value - here.value < GAIN, there
        if converged:
            break
    variances, directions = np.linalg.eigh(here.curvature)
    # Where the mode is flat, or a climb stopped short of it, the prior is the narrower statement.
    precision = np.maximum(variances, 1.0)
    evidence = here.value - 0.5 * float(np.sum(np.log(precision)))
    variance = np.asarray((levels.root @ directions) ** 2 @ (1.0 / precision))
    return LearntCurve(levels.root @ w, variance, levels.noise, evidence, converged)


def _step_cautiously(levels: Levels, w: FloatArray, here: PosteriorAt) -> tuple[FloatArray, PosteriorAt]:
    """Newton's step, moved towards that of expectation-maximisation where it does not rise."""
    for towards in (0.0, 0.1, 0.5, 1.0):
        matrix = (1.0 - towards) * here.curvature + towards * here.bound
        if towards < 1.0 and np.linalg.eigvalsh(matrix)[0] <= 0.0:
            continue
        further = w + np.linalg.solve(matrix, here.gradient)
        there = levels.evaluate(further)
        if there.value >= here.value:
            return further, there
    return w, here  # no step rises by more than rounding


def _step_boldly(levels: Levels, w: FloatArray, here: PosteriorAt) -> tuple[FloatArray, PosteriorAt]:
    """Along a flat ridge the bound is far too large, and cautious steps go on for thousands."""
    sizes, directions = np.linalg.eigh(here.curvature)
    step = directions @ ((directions.T @ here.gradient) / np.maximum(np.abs(sizes), 1.0))
    for part in (1.0, 0.5, 0.25, 0.1):
        there = levels.evaluate(w + part * step)
        if there.value >= here.value:
            return w + part * step, there
    return _step_cautiously(levels, w, here)


def score(cause: FloatArray, effect: FloatArray, *, levels: int = 128, max_iter: int = 100) -> Evidence:
    """Minus what hiding the cause costs, in nats a row."""
    x, y, _ = LatentRows.of(cause, effect)
    place = Place.of(x, levels)
    alone, paired = from_effect(y, levels, max_iter), from_pairs(place, y, levels)
    # The effect alone cannot tell the two ends of the cause apart: the better of the two counts.
    hidden = float(np.max(log_density(alone, [place, place.mirror(levels)], y)))
    seen = float(log_density(paired, [place], y)[0])
    converged = all(curve.converged for curve, _ in _weigh_curves(alone))
    return Evidence(hidden - seen, converged=converged, costs={"effect alone": -hidden, "pairs": -seen})


def log_density(curves: Sequence[LearntCurve], places: Sequence[Place], effect: FloatArray) -> FloatArray:
    """Mean log p(cause | effect) over the rows, for either way of where their causes lie."""
    weighed, n = _weigh_curves(curves), len(effect)
    totals = np.zeros(len(places))
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        some = [Place(place.left[rows], place.part[rows]) for place in places]
        held = np.full((len(places), len(effect[rows])), -math.inf)
        for curve, log_share in weighed:
            held = np.logaddexp(held, log_share + _given_effect(curve, some, effect[rows]))
        totals += np.sum(held, axis=1)
    return np.asarray(totals / n)


def _weigh_curves(curves: Sequence[LearntCurve]) -> list[tuple[LearntCurve, float]]:
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


cure = make_builder(Directional, "cure", score, levels=LEVELS, max_iter=ITERATIONS)
