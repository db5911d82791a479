"""Pairs of held-out laws whose cause and noise are warped by increasing maps of held-out kinds; the same unwarped.

The world that `whence` has learnt from bends columns by the integral of exp(Gaussian process), by powers, exp, log and
tanh; its laws are random densities, normal, uniform, t, gamma, beta, Laplace, skew-normal, mixtures of normals. Nothing
below is among them. Cause and noise are bent *before* the mechanism acts, so that the pair stays as identifiable as it
was; `columns` bends what is recorded instead, where only what survives every increasing map of either column can help.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from whence.datasets.breaks import LEVEL
from whence.datasets.collection import Label
from whence.datasets.mechanisms import LADDER
from whence.pair import FloatArray, Pair, standardise

Random = np.random.Generator
MECHANISMS = ("anm", "lsnm", "multiplicative", "surface-2")
ROWS = 500


def kinked(rng: Random, v: FloatArray) -> FloatArray:
    """Piecewise linear: 3 to 8 kinks, slopes log-normal."""
    kinks = np.sort(rng.normal(size=int(rng.integers(3, 9))))
    slopes = np.exp(rng.normal(0, 1, len(kinks) + 1))
    places = np.concatenate(([min(v.min(), kinks[0]) - 1], kinks, [max(v.max(), kinks[-1]) + 1]))
    heights = np.concatenate(([0.0], np.cumsum(slopes * np.diff(places))))
    return np.interp(v, places, heights)


def rippled(rng: Random, v: FloatArray) -> FloatArray:
    """A line with a sine on it, nearly flat at places: v + 0.95 sin(b v + c) / b."""
    b, c = np.exp(rng.uniform(0.3, 1.6)), rng.uniform(0, 2 * np.pi)
    return np.asarray(v + 0.95 * np.sin(b * v + c) / b)


def stepped(rng: Random, v: FloatArray) -> FloatArray:
    """A sum of two to four logistic steps and a faint line: masses appear between the steps."""
    at, steep = rng.normal(size=4), np.exp(rng.uniform(0.5, 2.0, 4))
    steps = rng.dirichlet(np.ones(4)) / (1 + np.exp(-steep * (v[:, None] - at)))
    return np.asarray(steps.sum(axis=1) + 0.05 * v)


def stretched(rng: Random, v: FloatArray) -> FloatArray:
    """Lambert's heavy tails or their inverse in effect: v exp(d v² / 2), or sign(v) |v|^p about a random centre."""
    if rng.random() < 0.5:
        return np.asarray(v * np.exp(rng.uniform(0.05, 0.3) * np.minimum(v**2, 16) / 2))
    centred = v - rng.normal(0, 0.5)
    return np.asarray(np.sign(centred) * np.abs(centred) ** rng.uniform(0.4, 2.0))


WARPS: dict[str, Callable[[Random, FloatArray], FloatArray]] = {
    "kinked": kinked,
    "rippled": rippled,
    "stepped": stepped,
    "stretched": stretched,
}
LAWS: tuple[Callable[[Random, int], FloatArray], ...] = (
    lambda rng, n: rng.wald(1, rng.uniform(1, 6), n),
    lambda rng, n: np.log(np.tan(np.pi / 2 * rng.uniform(1e-6, 1 - 1e-6, n))),
    lambda rng, n: np.sqrt(rng.chisquare(3, n)),
    lambda rng, n: rng.choice([-1.0, 1.0], n) * rng.gamma(0.2, size=n) ** 0.2,
    lambda rng, n: rng.vonmises(0, rng.uniform(0.3, 3.0), n),
)
"""Wald, hyperbolic secant, Maxwell, generalised normal with exponent 5, von Mises."""
CONDITIONS = ("plain", "ingredients", "columns")


def draw(warp: str, condition: str, index: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Cause and effect of one pair; the three conditions of an index share laws, mechanism and random numbers."""
    laws, bends, action = (
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(list(WARPS).index(warp), index, part)))
        for part in range(3)
    )
    cause, noise = (_law(laws) for _ in range(2))
    bend = partial(WARPS[warp], bends)
    if condition == "ingredients":
        cause, noise = standardise(bend(cause)), standardise(bend(noise))
    effect = LADDER[MECHANISMS[index % len(MECHANISMS)]](action, cause, noise, LEVEL)
    return (cause, effect) if condition != "columns" else (bend(cause), bend(standardise(effect)))


def warped_labels(pairs: int, seed: int) -> dict[str, list[Label]]:
    """`warps/<kind>/<condition>` -> its labels; the order of the columns is a coin toss, alike in all conditions."""
    return {
        f"warps/{warp}/{condition}": [_label(warp, condition, index, seed) for index in range(pairs)]
        for warp in WARPS
        for condition in CONDITIONS
    }


def _label(warp: str, condition: str, index: int, seed: int) -> Label:
    coin = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(list(WARPS).index(warp), index, 3)))
    truth = 1 if coin.random() < 0.5 else -1
    return Label(index + 1, truth, 1.0, partial(_pair, warp, condition, index, seed, truth))


def _pair(warp: str, condition: str, index: int, seed: int, truth: int) -> Pair:
    cause, effect = draw(warp, condition, index, seed)
    return Pair.of(cause, effect) if truth > 0 else Pair.of(effect, cause)


def _law(rng: Random) -> FloatArray:
    column = standardise(LAWS[rng.integers(len(LAWS))](rng, ROWS))
    return -column if rng.random() < 0.5 else column
