"""Simulators of published sets: known laws drawn anew, and look-alikes where the exact law is not known.

Known: AN, ANs, LS, LSs, MNU (Tagasovska et al. 2020) and Multi (Goudet et al. 2018). Look-alikes: SIM and its variants
(Mooij et al. 2016, appendix) have random densities and random smooth functions; the structure is the paper's, some
length scales are fitted. Net (Goudet et al. 2018) has random networks; its code is lost.
tests/lab/datasets/test_simulators.py compares drawn pairs with the published ones. Every law draws (cause, effect).

Pairs that are hard, of the robustness grid: damaged by measuring, of broken assumptions, of misleading variances. The
label stays right in all of them, since the cause does act on the effect; what should fall is a method's confidence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from causewise.lab.datasets.laws import (
    NOISE_SD,
    Columns,
    Law,
    Mechanism,
    PairLaw,
    additive,
    draw_any,
    draw_cause,
    draw_noise,
    draw_process,
    exponential,
    gamma2,
    gaussian,
    increasing_map,
    laplace,
    location_scale,
    log_normal,
    positive,
    random_network,
    smooth,
    uniform,
)
from causewise.pair import FloatArray, standardise

# ---- Tagasovska et al.


def additive_process(rng: np.random.Generator, n: int) -> Columns:
    """AN: y = f(x) + e, f a Gaussian process with unit variance and length scale."""
    cause = scale_mixture(rng, n)
    return cause, draw_process(rng, [cause], [1.0]) + 0.2 * scale_mixture(rng, n)


def additive_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """ANs: y = f(x) + e, f a sigmoid."""
    # In the published ANs files both variances are drawn once per pair, so cause and noise are Gaussian (the variances
    # of the causes range over 1.0 to 2.0, their mean excess kurtosis is −0.01); in the other four sets once per row.
    cause = gaussian_of_random_size(rng, n)
    return cause, sigmoid(rng, cause) + 0.2 * gaussian_of_random_size(rng, n)


def location_scale_process(rng: np.random.Generator, n: int) -> Columns:
    """LS: y = f(x) + (f(x) − min f)·e, f a Gaussian process."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, draw_process(rng, [cause], [1.0]))


def location_scale_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """LSs: y = f(x) + (f(x) − min f)·e, f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, sigmoid(rng, cause))


def multiplicative_uniform(rng: np.random.Generator, n: int) -> Columns:
    """MNU: y = f(x)·u, u uniform on (0, 1), f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, sigmoid(rng, cause) * rng.uniform(size=n)


def scale_mixture(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with v ~ U(1, 2) drawn anew for every row."""
    return np.sqrt(rng.uniform(1, 2, n)) * rng.standard_normal(n)


def gaussian_of_random_size(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with one v ~ U(1, 2) for all rows."""
    return np.asarray(np.sqrt(rng.uniform(1, 2)) * rng.standard_normal(n))


def sigmoid(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """c·b(x+a)/(1 + |b(x+a)|); a ~ U(−2, 2), |b| ~ U(½, 2) with either sign, c ~ 1 + Exp(rate 4)."""
    shift = rng.uniform(-2, 2)
    slope = rng.uniform(0.5, 2) * rng.choice([-1.0, 1.0])
    height = 1 + rng.exponential(1 / 4)
    inner = slope * (cause + shift)
    return np.asarray(height * inner / (1 + np.abs(inner)))


def _location_scale(rng: np.random.Generator, location: FloatArray) -> FloatArray:
    # f − min f is the scale: never negative, and 0 at the lowest point of the sample.
    return location + (location - location.min()) * 0.2 * scale_mixture(rng, len(location))


# ---- Goudet et al.


def combined_noise(rng: np.random.Generator, n: int) -> Columns:
    """Multi: noise added or multiplied, before or after f; both columns come out normalised."""
    # A linear function with Gaussian cause and added Gaussian noise is not identifiable: draw again.
    while True:
        cause_law, noise_law, mechanism = rng.integers(2, size=3)
        multiplied, inside = rng.integers(2, size=2)
        linear_gaussian = cause_law == noise_law == mechanism == 0 and not multiplied
        if not linear_gaussian:
            break
    cause, noise = _variable(rng, n, cause_law == 0), _variable(rng, n, noise_law == 0)
    power = 1 + int(mechanism)
    slope, offset = rng.standard_normal(2)

    def function(argument: FloatArray) -> FloatArray:
        return np.asarray(slope * argument**power + offset)

    combine = np.multiply if multiplied else np.add
    effect = function(combine(cause, noise)) if inside else combine(function(cause), noise)
    return _normalise(cause), _normalise(effect)


def _variable(rng: np.random.Generator, n: int, is_gaussian: bool) -> FloatArray:
    scale, shift = rng.standard_normal(2)
    raw = rng.standard_normal(n) if is_gaussian else _normalise(rng.uniform(size=n))
    return np.asarray(scale * raw + shift)


def _normalise(column: FloatArray) -> FloatArray:
    # The 1e-3 is the original's; it keeps near-constant columns small.
    return np.asarray((column - column.mean()) / (column.std(ddof=1) + 1e-3))


# ---- look-alikes

JITTER = 1e-4
"""Standard deviation of the white noise on every random function of SIM."""
# Of Net we know that the cause's law is chosen at random, and that the effect is the output of a randomly initialised
# network of cause and noise. The list of laws is ours, and so are width and weights of the network.
NET_LAWS: dict[str, Law] = {
    "gaussian": gaussian,
    "exponential": exponential,
    "gamma": gamma2,
    "lognormal": log_normal,
    "laplace": laplace,
    "uniform": uniform,
}

Gamma = tuple[float, float]
"""Shape and scale."""


@dataclass(frozen=True)
class SimulationSettings:
    """Laws of the length scales of SIM and its variants; one draw of each per pair."""

    # The paper leaves the length scales of the effect's mechanism open to us. They were chosen, with the factor ½ in
    # the kernel, so that kurtosis, residual variance, non-linear share and heteroscedasticity of drawn pairs agree with
    # those of the published ones.
    density: Gamma = (5.0, 0.1)
    cause_noise: Gamma = (2.0, 1.5)
    effect_noise: Gamma = (2.0, 20.0)
    cause: Gamma = (2.0, 3.0)
    measurement: Gamma = (2.0, 0.1)
    """Law of the standard deviation of the measurement noise, one draw per column."""
    confounded: bool = False


SIM = SimulationSettings()
SIMC = SimulationSettings(confounded=True)
SIMLN = SimulationSettings(effect_noise=(2.0, 300.0), measurement=(2.0, 0.01))
# Γ(10⁶, 10⁻³) is all but the constant 1000: at that length scale the maps are lines, and cause and noise Gaussian.
SIMG = SimulationSettings(density=(1e6, 1e-3), cause_noise=(1e6, 1e-3))


def draw_simulated(settings: SimulationSettings, rng: np.random.Generator, n: int) -> Columns:
    """Cause and effect with measurement noise on both."""
    noises = [_noise(settings, rng, n) for _ in range(2 + settings.confounded)]
    hidden = noises[2:]
    cause = _function(rng, [noises[0], *hidden], [settings.cause_noise, *[settings.effect_noise] * len(hidden)])
    laws = [settings.cause, settings.effect_noise, *[settings.effect_noise] * len(hidden)]
    effect = _function(rng, [cause, noises[1], *hidden], laws)
    return _add_measurement_noise(settings, rng, cause), _add_measurement_noise(settings, rng, effect)


def _noise(settings: SimulationSettings, rng: np.random.Generator, n: int) -> FloatArray:
    """Sample of a random smooth density: normals under a random increasing map."""
    length = rng.gamma(*settings.density)
    return _rescale(increasing_map(rng, rng.standard_normal(n), length, JITTER))


def _function(rng: np.random.Generator, columns: list[FloatArray], laws: list[Gamma]) -> FloatArray:
    lengths = [rng.gamma(*law) for law in laws]
    return _rescale(draw_process(rng, columns, lengths) + JITTER * rng.standard_normal(len(columns[0])))


def _rescale(column: FloatArray) -> FloatArray:
    # n − 1 in the variance, as the low-noise files show: theirs is 1 − 1/n + measurement noise.
    return standardise(column) * np.sqrt(1 - 1 / len(column))


def _add_measurement_noise(settings: SimulationSettings, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    return column + rng.gamma(*settings.measurement) * rng.standard_normal(len(column))


def network_effect(rng: np.random.Generator, n: int) -> Columns:
    """Net-like: standardised cause, normal noise, one hidden layer."""
    cause = standardise(draw_any(NET_LAWS, rng, n))
    return cause, standardise(random_network(rng, cause, rng.standard_normal(n)))


Damage = Callable[[np.random.Generator, FloatArray, FloatArray], Columns]
ColumnDamage = Callable[[np.random.Generator, FloatArray], FloatArray]

WHERE = ("cause", "effect", "both")


def draw_base(
    cause: Law, noise: Law, mechanism: Mechanism, noise_sd: float, rng: np.random.Generator, n: int
) -> Columns:
    """A pair without damage or broken assumption."""
    x, e = cause(rng, n), noise(rng, n)
    return x, mechanism(rng, x, e, noise_sd)


# Random laws of cause and noise, because marginals alone must not give the answer away.
BASE: PairLaw = partial(draw_base, draw_cause, draw_noise, location_scale, NOISE_SD)

# ---- damage: what measuring does to a pair


def draw_damaged(damage: Damage, rng: np.random.Generator, n: int) -> Columns:
    """A base pair, then the damage."""
    cause, effect = BASE(rng, n)
    return damage(rng, cause, effect)


def damage_columns(
    damage: ColumnDamage, where: str, rng: np.random.Generator, cause: FloatArray, effect: FloatArray
) -> Columns:
    """Apply a one-column damage to cause, effect or both."""
    return (
        damage(rng, cause) if where in ("cause", "both") else cause,
        damage(rng, effect) if where in ("effect", "both") else effect,
    )


def round_column(values: int, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """To the nearest of `values` numbers, equally spaced over the middle 98 % of the column; the rest is clipped."""
    # Over the full range one outlier would push nearly all rows onto one value.
    low, high = np.quantile(column, [0.01, 0.99])
    step = (high - low) / (values - 1)
    return np.asarray(low + step * np.clip(np.round((column - low) / step), 0, values - 1))


def add_outliers(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A share of the values (at least one) moved by 4 to 8 standard deviations, up or down."""
    hit = rng.permutation(len(column))[: max(1, round(share * len(column)))]
    jump = rng.uniform(4, 8, len(hit)) * rng.choice(np.array([-1.0, 1.0]), len(hit))
    moved = column.copy()
    moved[hit] += jump * column.std()
    return moved


def censor(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Censored: the lowest share of the values is reported as the floor."""
    return np.maximum(column, np.quantile(column, share))


def add_error(error: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Additive normal error, its standard deviation a share of the column's."""
    return column + error * column.std() * rng.standard_normal(len(column))


def warp(rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A random increasing map of the standardised column."""
    return increasing_map(rng, standardise(column), 1.0)


def _damages() -> dict[str, Damage]:
    of_a_column: dict[str, tuple[ColumnDamage, tuple[str, ...]]] = {
        **{f"round-{values}": (partial(round_column, values), WHERE) for values in (100, 30, 10, 5)},
        **{f"outliers-{percent}": (partial(add_outliers, percent / 100), ("both",)) for percent in (1, 3, 10)},
        "floor-20": (partial(censor, 0.2), WHERE),
        "error-20": (partial(add_error, 0.2), ("cause",)),
        "warp": (warp, ("both",)),
    }
    return {
        f"{name}-{where}": partial(damage_columns, damage, where)
        for name, (damage, places) in of_a_column.items()
        for where in places
    }


DAMAGES: dict[str, Damage] = _damages()

# ---- breaks: hidden common cause, hidden steps, selection, mixture


def draw_confounded(strength: float, rng: np.random.Generator, n: int) -> Columns:
    """x = u + s·a(z), y = f(x) + g(x)·e + s·b(z): the hidden z has s times the standard deviation of the rest."""
    hidden = rng.standard_normal(n)
    own = draw_cause(rng, n)
    cause = standardise(own + strength * smooth(rng, hidden))
    effect = location_scale(rng, cause, draw_noise(rng, n), NOISE_SD) + strength * smooth(rng, hidden)
    return cause, effect


def draw_mediated(steps: int, rng: np.random.Generator, n: int) -> Columns:
    """x → m₁ → … → y, every link additive with its own noise; the steps between are not observed."""
    cause = current = draw_cause(rng, n)
    for _ in range(steps + 1):
        current = standardise(additive(rng, current, draw_noise(rng, n), NOISE_SD))
    return cause, current


def draw_selected(rng: np.random.Generator, n: int) -> Columns:
    """Only the half of the rows with the larger x + y (both standardised) is seen."""
    cause = draw_cause(rng, 2 * n)
    effect = location_scale(rng, cause, draw_noise(rng, 2 * n), NOISE_SD)
    total = standardise(cause) + standardise(effect)
    seen = np.sort(np.argsort(total, kind="stable")[n:])
    return cause[seen], effect[seen]


def draw_mixture(share: float, rng: np.random.Generator, n: int) -> Columns:
    """Two location-scale mechanisms, the second for a share of the rows."""
    cause = draw_cause(rng, n)
    noise = draw_noise(rng, n)
    first, second = (location_scale(rng, cause, noise, NOISE_SD) for _ in range(2))
    return cause, np.where(rng.uniform(size=n) < share, second, first)


BREAKS: dict[str, PairLaw] = {
    **{f"confounder-{strength:g}": partial(draw_confounded, strength) for strength in (0.25, 0.5, 1.0, 2.0)},
    **{f"mediator-{steps}": partial(draw_mediated, steps) for steps in (1, 2, 3)},
    "selection": draw_selected,
    "mixture": partial(draw_mixture, 0.3),
}

# ---- variance: pairs whose conditional variances point the wrong way, or the right one


def draw_variance_ordered(misleading: bool, rng: np.random.Generator, n: int) -> Columns:
    """Standardised, Var(X|Y) < Var(Y|X) when misleading and > when not (Sun & Schulte): drawn until it is so."""
    # Either order occurs in about half of the draws, so the last of 1000 is a wrong one with probability 2⁻¹⁰⁰⁰.
    for _ in range(1000):
        cause, effect = _draw_near_monotone(rng, n)
        excess = conditional_variance(cause, effect) - conditional_variance(effect, cause)
        if (excess > 0) == misleading:
            break
    return cause, effect


def conditional_variance(cause: FloatArray, effect: FloatArray, bins: int = 20) -> float:
    """E Var(effect | cause) of the standardised columns, over bins of equal count in the cause."""
    ordered = standardise(effect)[np.argsort(cause, kind="stable")]
    return float(np.mean([part.var() * len(part) for part in np.array_split(ordered, bins)]) * bins / len(ordered))


def _draw_near_monotone(rng: np.random.Generator, n: int) -> Columns:
    cause = draw_cause(rng, n)
    noise = draw_noise(rng, n)
    # Steep sigmoid plus line: near one-to-one, so that neither order of the conditional variances is rare.
    location = standardise(cause + rng.uniform(0, 2) * np.tanh(rng.uniform(1, 4) * (cause - rng.uniform(-1, 1))))
    return cause, location + rng.uniform(0.2, 0.8) * positive(rng, cause) * noise
