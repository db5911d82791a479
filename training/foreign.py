"""Families of cause-effect pairs to which nothing is fitted: they judge the default method and nothing else.

Simulators of other papers, differential equations, thresholds, and models of biology, economics and engineering, each
with the parameters of its mechanism drawn anew for every pair and with columns in native units. No family may be
changed because of how a method does on it.
"""

import math
from collections.abc import Callable, Mapping
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

FloatArray = NDArray[np.float64]
Columns = tuple[FloatArray, FloatArray]
Draw = Callable[[np.random.Generator, int], Columns]
Rng = np.random.Generator

ROUNDED = 0.2
"""Share of the pairs that are read off an instrument of finite resolution."""
COMMONEST = 0.8
"""No single value may fill more than this share of a column."""
LARGEST = 1e100
ATTEMPTS = 200


# Sound columns, instruments, and pairs by number.


def sound(column: FloatArray) -> bool:
    """Whether a column is finite and varies."""
    if not np.all(np.abs(column) < LARGEST):
        return False
    counts = np.unique(column, return_counts=True)[1]
    return bool(len(counts) > 1 and counts.max() <= COMMONEST * len(column))


def settled(draw: Draw) -> Draw:
    """The same family, drawn again until both columns are sound."""

    def again(rng: Rng, n: int) -> Columns:
        for _ in range(ATTEMPTS):
            with np.errstate(all="ignore"):
                cause, effect = draw(rng, n)
            if sound(cause) and sound(effect):
                return cause, effect
        raise RuntimeError(
            f"{ATTEMPTS} draws gave no two columns that vary; check the ranges of the family's parameters"
        )

    return again


def measured(draw: Draw) -> Draw:
    """The same family, with a fifth of the pairs read off an instrument: one column or both."""

    def read(rng: Rng, n: int) -> Columns:
        cause, effect = draw(rng, n)
        if rng.random() >= ROUNDED:
            return cause, effect
        which = rng.integers(3)
        return (cause if which == 1 else rounded(rng, cause)), (effect if which == 2 else rounded(rng, effect))

    return settled(read)


def rounded(rng: Rng, column: FloatArray) -> FloatArray:
    """The column in steps of 1, 2 or 5 times a power of ten, from about five to the interquartile range upwards."""
    width = float(np.subtract(*np.quantile(column, (0.75, 0.25)))) or float(np.std(column))
    if not 0 < width < LARGEST:
        return column
    exponent, part = divmod(math.log10(width / _between(rng, 5, 60)), 1)
    step = 10**exponent * max(digit for digit in (1, 2, 5) if digit <= 10**part + 1e-9)
    return np.asarray(np.round(column / step) * step)


def draw_pairs(
    table: Mapping[str, Draw], family: str, count: int, seed: int, rows: tuple[int, int] = (200, 1500)
) -> list[tuple[FloatArray, FloatArray, int]]:
    """Pairs of a family in random column order with truth ±1; pair i depends on (seed, family, i) and `rows` only."""
    return [_numbered(table[family], _stream(seed, family, i), rows) for i in range(count)]


def pairs(
    family: str, count: int, seed: int, rows: tuple[int, int] = (200, 1500)
) -> list[tuple[FloatArray, FloatArray, int]]:
    """Pairs of one of `FAMILIES`: first column, second column, and +1 where the first causes the second."""
    return draw_pairs(FAMILIES, family, count, seed, rows)


def _stream(seed: int, family: str, i: int) -> Rng:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(family.encode()), i)))


def _numbered(draw: Draw, rng: Rng, rows: tuple[int, int]) -> tuple[FloatArray, FloatArray, int]:
    n, flip = round(_between(rng, *rows)), rng.random() < 0.5
    cause, effect = draw(rng, n)
    return (effect, cause, -1) if flip else (cause, effect, 1)


# Laws of causes and of noise.


def _between(rng: Rng, low: float, high: float) -> float:
    """A log-uniform number."""
    return float(np.exp(rng.uniform(math.log(low), math.log(high))))


def _sign(rng: Rng) -> float:
    return float(rng.choice((-1.0, 1.0)))


def _one_of(rng: Rng, *draws: Draw) -> Draw:
    return draws[rng.integers(len(draws))]


def _positive(rng: Rng, n: int, spread: float) -> FloatArray:
    """A positive law around one: log-normal, gamma, Weibull, uniform design, or two log-normal groups."""
    shift = spread * rng.uniform(1.0, 2.0) * (rng.random(n) < rng.uniform(0.2, 0.8))
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.lognormal(0.0, spread, n),
        lambda: rng.gamma(1 / spread**2, spread**2, n),
        lambda: rng.weibull(1.2 / spread, n),
        lambda: rng.uniform(math.exp(-2 * spread), 2.0, n),
        lambda: rng.lognormal(shift - spread / 2, spread / 2),
    )
    return laws[rng.integers(len(laws))]()


def _level(rng: Rng, n: int) -> FloatArray:
    """A law on the line of about unit size: normal, uniform, beta, two groups, truncated normal or skewed."""
    groups = rng.uniform(0.6, 1.6) * np.where(rng.random(n) < rng.uniform(0.25, 0.75), 1.0, -1.0)
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.normal(size=n),
        lambda: rng.uniform(-1.7, 1.7, n),
        lambda: 5 * _beta(rng, n, 0.6, 3) - 2.5,
        lambda: groups + rng.normal(0.0, rng.uniform(0.3, 0.7), n),
        lambda: stats.truncnorm.rvs(rng.uniform(-2, -0.3), rng.uniform(0.5, 2), size=n, random_state=rng),
        lambda: _sign(rng) * (rng.gamma(2.0, 0.7, n) - 1.4),
    )
    return np.asarray(laws[rng.integers(len(laws))](), float)


def _beta(rng: Rng, n: int, low: float, high: float) -> FloatArray:
    """A beta law with both shapes drawn from a range."""
    return rng.beta(rng.uniform(low, high), rng.uniform(low, high), n)


def _share(rng: Rng, n: int, mean: float, size: float) -> FloatArray:
    """Shares between nought and one around a mean, the closer to it the larger the size."""
    return rng.beta(size * mean, size * (1 - mean), n)


def _lognormal(rng: Rng, n: int, low: float, high: float) -> FloatArray:
    """Multiplicative scatter whose log has a deviation drawn from a range."""
    return rng.lognormal(0.0, _between(rng, low, high), n)


def _additive(rng: Rng, signal: FloatArray, low: float, high: float) -> FloatArray:
    """The signal with normal measurement noise, a share of the signal's deviation drawn from a range."""
    return signal + _between(rng, low, high) * np.std(signal) * rng.normal(size=len(signal))


def _hill(x: FloatArray, half: float | FloatArray, power: float | FloatArray) -> FloatArray:
    return np.asarray(special.expit(power * np.log(np.maximum(x, 1e-12) / half)))


# Biology: genes, neurons, epidemics, drugs, animals.


def gene_hill(rng: Rng, n: int) -> Columns:
    """Hill activation or repression at steady state, with Langevin and array noise (GeneNetWeaver, Schaffter 2011)."""
    x = _between(rng, 5, 500) * _positive(rng, n, rng.uniform(0.3, 1.0))
    share = _hill(x, float(np.median(x)) * _between(rng, 0.4, 2.5), rng.uniform(1, 5))
    active = share if rng.random() < 0.6 else 1 - share
    copies = _between(rng, 30, 2000) * (rng.uniform(0, 0.2) + active) * _lognormal(rng, n, 0.05, 0.5)
    copies = np.maximum(copies + np.sqrt(_between(rng, 1, 10) * copies) * rng.normal(size=n), 0.0)
    return x * _lognormal(rng, n, 0.005, 0.05), copies * _lognormal(rng, n, 0.02, 0.15)


def gene_cascade(rng: Rng, n: int) -> Columns:
    """Two genes of a cascade, both read late: log-OU upstream, chemical Langevin downstream (Gillespie 2000)."""
    dt, spread, memory = 0.05, rng.uniform(0.4, 1.1), _between(rng, 0.8, 8)
    half, power, noise = _between(rng, 0.5, 2), rng.uniform(1, 4), math.sqrt(_between(rng, 0.002, 0.05) * dt)
    repressed, keep = rng.random() < 0.4, math.exp(-dt / memory)
    z = rng.normal(size=n)
    y = np.full(n, 0.5)
    for _ in range(120):
        made = _hill(np.exp(spread * z), half, power)
        made = 1 - made if repressed else made
        y = np.abs(y + dt * (made - y) + noise * np.sqrt(made + y) * rng.normal(size=n))
        z = keep * z + math.sqrt(1 - keep**2) * rng.normal(size=n)
    return _between(rng, 1, 200) * np.exp(spread * z), _between(rng, 10, 2000) * y


def neuron(rng: Rng, n: int) -> Columns:
    """Injected current to firing rate of a leaky integrate-and-fire neuron with noise (Burkitt 2006)."""
    drive = rng.uniform(0.0, 0.8) + rng.uniform(0.3, 1.5) * _positive(rng, n, rng.uniform(0.3, 0.8))
    step, noise, rest = 1 / _between(rng, 10, 30), _between(rng, 0.1, 0.6), int(rng.integers(2, 6))
    volt, spikes, silent = np.zeros(n), np.zeros(n), np.zeros(n, int)
    for _ in range(400):
        volt += (silent == 0) * (step * (drive - volt) + noise * math.sqrt(2 * step) * rng.normal(size=n))
        fires = volt > 1
        spikes += fires
        silent = np.where(fires, rest, np.maximum(silent - 1, 0))
        volt[fires] = 0.0
    return _between(rng, 0.1, 1) * drive, 2.5 * spikes if rng.random() < 0.5 else _additive(
        rng, 2.5 * spikes, 0.01, 0.1
    )


def epidemic(rng: Rng, n: int) -> Columns:
    """Reproduction number to reported cases of an outbreak: Reed-Frost chain binomial (Abbey 1952), under-reported."""
    number = rng.uniform(0.6, 2.0) * _positive(rng, n, rng.uniform(0.2, 0.5))
    town, seeds = int(_between(rng, 100, 5000)), int(rng.integers(2, 20))
    healthy, ill = np.full(n, town), np.full(n, seeds)
    for _ in range(80):
        ill = rng.binomial(healthy, 1 - np.exp(-number * ill / town))
        healthy = healthy - ill
    reported = _share(rng, n, 0.6, _between(rng, 10, 200))
    return number, rng.binomial(town - healthy, reported).astype(float)


def dose_response(rng: Rng, n: int) -> Columns:
    """A drug's sigmoid Emax curve or an enzyme's velocity."""
    return _one_of(rng, _emax, _enzyme)(rng, n)


def _emax(rng: Rng, n: int) -> Columns:
    """Sigmoid Emax with subjects differing in baseline, Emax and EC50 (Holford and Sheiner 1981)."""
    arms = np.r_[0.0, _between(rng, 1, 20) * _between(rng, 1.8, 3.2) ** np.arange(rng.integers(4, 9))]
    free = arms[1] * _between(rng, 10, 200) ** rng.random(n)
    dose = arms[rng.integers(len(arms), size=n)] if rng.random() < 0.4 else free
    half = float(np.median(dose)) * _between(rng, 0.3, 3) * _lognormal(rng, n, 0.1, 0.6)
    share = _hill(dose, half, rng.uniform(0.7, 3) * _lognormal(rng, n, 0.02, 0.2))
    top, base = _between(rng, 10, 100), _between(rng, 0.1, 1)
    effect = top * (base * _lognormal(rng, n, 0.05, 0.3) + _sign(rng) * share * _lognormal(rng, n, 0.05, 0.4))
    return dose, effect + top * _between(rng, 0.02, 0.15) * rng.normal(size=n)


def _enzyme(rng: Rng, n: int) -> Columns:
    """Substrate to velocity, Michaelis and Menten 1913, at times with Haldane's inhibition by substrate."""
    s = _between(rng, 0.05, 5) * _positive(rng, n, rng.uniform(0.5, 1.2))
    km = float(np.median(s)) * _between(rng, 0.3, 4)
    inhibition = s**2 / (km * _between(rng, 3, 30)) if rng.random() < 0.4 else 0.0
    v = _between(rng, 1, 100) * s / (km + s + inhibition)
    return s, _additive(rng, v * _lognormal(rng, n, 0.02, 0.3), 0.02, 0.2)


def allometry(rng: Rng, n: int) -> Columns:
    """Body mass to metabolic rate, 70 M^0.75 with scatter of species on the native scale (Kleiber 1947)."""
    spread = _between(rng, 0.3, 1.8)
    mass = _between(rng, 0.02, 70) * (_positive(rng, n, spread) if spread < 1 else rng.lognormal(0, spread, n))
    exponent = rng.normal(0.75, 0.05) + rng.normal(0, 0.02) * np.log(mass)
    rate = _between(rng, 30, 100) * mass**exponent * _lognormal(rng, n, 0.1, 0.5)
    return mass, rate * (1 + rng.uniform(0, 2) * (rng.random(n) < rng.uniform(0, 0.3)))


# Ecology.


def stock_recruitment(rng: Rng, n: int) -> Columns:
    """Spawners to recruits with log-normal error (Ricker 1954; Beverton and Holt 1957; Barrowman 2000)."""
    stock = _positive(rng, n, rng.uniform(0.4, 1.0))
    b = _between(rng, 0.3, 2)
    forms = (stock * np.exp(-b * stock), stock / (1 + b * stock), np.minimum(stock, 1 / b))
    recruits = _between(rng, 1, 20) * forms[rng.integers(3)] * _lognormal(rng, n, 0.15, 0.6)
    return (unit := _between(rng, 1, 1000)) * stock, unit * recruits


def functional_response(rng: Rng, n: int) -> Columns:
    """Prey offered to prey eaten: Holling's type II or III (1959) with overdispersed counts."""
    design = np.unique(np.round(2 * _between(rng, 1.3, 2) ** np.arange(8)))
    field = rng.poisson(_between(rng, 5, 80) * _positive(rng, n, rng.uniform(0.4, 0.8))).astype(float)
    prey = rng.choice(design, n) if rng.random() < 0.35 else field
    wish = prey if rng.random() < 0.6 else prey**2 / np.mean(prey)
    handled = _between(rng, 0.3, 4) * wish / np.mean(wish)
    mean = rng.uniform(0.2, 0.9) * wish / (1 + handled)
    eaten = rng.poisson(mean * rng.gamma(shape := _between(rng, 3, 40), 1 / shape, n))
    return prey, np.asarray(np.minimum(prey, eaten), float)


# Economics.


def household(rng: Rng, n: int) -> Columns:
    """Schooling or experience to wage, or income to food."""
    return _one_of(rng, _mincer, _engel)(rng, n)


def _mincer(rng: Rng, n: int) -> Columns:
    """Mincer's wage equation (1974): log wage linear in schooling, quadratic in experience; one of them is seen."""
    spikes = rng.choice(
        (9.0, 10, 11, 12, 13, 14, 16, 18, 20), n, p=(0.06, 0.06, 0.06, 0.36, 0.08, 0.12, 0.17, 0.07, 0.02)
    )
    school = spikes if rng.random() < 0.6 else np.clip(rng.normal(12, 3, n), 0, 22)
    years = np.maximum(rng.uniform(0, 42, n) - (school - 12) / 2, 0)
    scatter = rng.uniform(0.2, 0.45) * (1 + rng.uniform(0, 0.02) * years) * rng.normal(size=n)
    growth = rng.uniform(0.035, 0.07) * (years - years**2 / _between(rng, 55, 90))
    wage = _between(rng, 3, 12) * np.exp(rng.uniform(0.06, 0.13) * (school - 12) + growth + scatter)
    return (school if rng.random() < 0.5 else years), wage


def _engel(rng: Rng, n: int) -> Columns:
    """Income to food spending or to the food share, which falls with log income (Engel 1857; Working 1943)."""
    income = _between(rng, 500, 5000) * _positive(rng, n, rng.uniform(0.4, 0.9))
    lean = rng.uniform(0.3, 0.9) * np.log(np.maximum(income, 1e-9) / np.median(income))
    share = special.expit(rng.uniform(-1.5, 0) - lean + _between(rng, 0.15, 0.5) * rng.normal(size=n))
    return income, share * (income if rng.random() < 0.5 else 100)


def market(rng: Rng, n: int) -> Columns:
    """Harvest to price, or capital to output."""
    return _one_of(rng, _storage, _production)(rng, n)


def _storage(rng: Rng, n: int) -> Columns:
    """A harvest set by weather to its price: an elasticity, and a kink where storers buy (Deaton and Laroque 1992)."""
    harvest = np.maximum(_positive(rng, n, rng.uniform(0.12, 0.4)), 0.05)
    price = harvest ** (-1 / rng.uniform(0.3, 1.2))
    floor = np.quantile(price, rng.uniform(0.2, 0.6))
    stored = np.where(price < floor, floor - rng.uniform(0.05, 0.5) * (floor - price), price)
    return _between(rng, 10, 1e4) * harvest, _between(rng, 1, 500) * stored * _lognormal(rng, n, 0.05, 0.3)


def _production(rng: Rng, n: int) -> Columns:
    """Capital to output of firms by a CES function (Arrow et al. 1961); labour follows capital and stays unseen."""
    capital = _positive(rng, n, rng.uniform(0.5, 1.2))
    labour = capital ** rng.uniform(-0.2, 0.8) * _lognormal(rng, n, 0.1, 0.7)
    power, share = rng.choice((-1.0, -0.5, -0.2, 0.2, 0.5)), rng.uniform(0.25, 0.7)
    output = (share * capital**power + (1 - share) * labour**power) ** (1 / power)
    return _between(rng, 10, 1e4) * capital, _between(rng, 10, 1e4) * output * _lognormal(rng, n, 0.05, 0.4)


# Physics and engineering.


def physics(rng: Rng, n: int) -> Columns:
    """A law of the laboratory or the weather station."""
    return _one_of(rng, _arrhenius, _radiator, _diode, _pendulum, _lapse)(rng, n)


def _arrhenius(rng: Rng, n: int) -> Columns:
    """Temperature to reaction rate (Arrhenius 1889), samples of varying purity."""
    kelvin = rng.uniform(275, 330) + rng.uniform(6, 20) * _level(rng, n)
    rate = np.exp(-_between(rng, 3e4, 1e5) / 8.314 * (1 / kelvin - 1 / 300))
    return kelvin, _additive(rng, _between(rng, 1e-3, 10) * rate * _lognormal(rng, n, 0.03, 0.3), 0.005, 0.1)


def _radiator(rng: Rng, n: int) -> Columns:
    """Temperature to radiated power (Stefan 1879), with emissivities that differ."""
    kelvin = rng.uniform(320, 500) * (1 + rng.uniform(0.2, 1.5) * _beta(rng, n, 0.8, 3))
    emissivity = _share(rng, n, 0.8, _between(rng, 20, 300))
    return kelvin, _additive(rng, 5.67e-8 * emissivity * (kelvin**4 - 293.0**4), 0.01, 0.15)


def _diode(rng: Rng, n: int) -> Columns:
    """Voltage to current (Shockley 1949); the junction's temperature wanders."""
    volts = rng.uniform(0.35, 0.55) + rng.uniform(0.05, 0.25) * _beta(rng, n, 0.7, 2.5)
    thermal = 8.617e-5 * (300 + rng.uniform(2, 15) * rng.normal(size=n)) * rng.uniform(1, 2)
    amperes = _between(rng, 1e-12, 1e-9) * _lognormal(rng, n, 0.02, 0.3) * np.expm1(volts / thermal)
    return volts, _additive(rng, 1000 * amperes, 0.002, 0.1)


def _pendulum(rng: Rng, n: int) -> Columns:
    """Length to period with amplitudes that differ (exact by the elliptic integral), timed by hand."""
    metres = _between(rng, 0.1, 1) * _positive(rng, n, rng.uniform(0.2, 0.6))
    amplitude = np.clip(np.abs(rng.normal(0, rng.uniform(0.2, 1.2), n)), 0, 2.8)
    period = 4 * np.sqrt(metres / 9.81) * special.ellipk(np.sin(amplitude / 2) ** 2)
    return metres, np.maximum(period + rng.uniform(0.01, 0.15) * rng.normal(size=n), 0.05)


def _lapse(rng: Rng, n: int) -> Columns:
    """Altitude to mean temperature of stations: lapse rate, coast and latitude, cold pools in valleys."""
    metres = 8 + _between(rng, 200, 1200) * _positive(rng, n, rng.uniform(0.5, 1.1))
    pooled = rng.uniform(0, 5) * np.exp(-metres / rng.uniform(100, 400)) * rng.gamma(2, 0.5, n)
    place = rng.uniform(0.5, 2.5) * np.maximum(rng.normal(size=n), -rng.uniform(0.5, 2))
    return metres, rng.uniform(5, 25) - rng.uniform(4, 8) / 1000 * metres - pooled + place


def turbine(rng: Rng, n: int) -> Columns:
    """Wind speed to power of a turbine, averaged over gusts; cut-in, rated and cut-out speed (IEC 61400-12-1)."""
    wind = _between(rng, 5, 11) * rng.weibull(rng.uniform(1.6, 3), n)
    gusts = wind[:, None] * (1 + rng.uniform(0.05, 0.2) * rng.normal(size=(n, int(rng.integers(4, 30)))))
    start, full, stop = rng.uniform(2.5, 4), rng.uniform(10, 15), rng.uniform(20, 26)
    share = np.clip((gusts**3 - start**3) / (full**3 - start**3), 0, 1).mean(axis=1) * (wind < stop)
    curtailed = np.where(rng.random(n) < rng.uniform(0, 0.06), rng.random(n), 1)
    power = share * curtailed * rng.normal(1, rng.uniform(0.01, 0.08), n)
    return wind, _between(rng, 500, 5000) * (power - rng.uniform(0, 0.01) * (power == 0))


def runoff(rng: Rng, n: int) -> Columns:
    """Rain to runoff of a storm by the SCS curve number, which varies with the soil's wetness (USDA NEH-4, 1972)."""
    rain = _between(rng, 15, 60) * _positive(rng, n, rng.uniform(0.5, 1.0))
    curve = np.clip(rng.uniform(68, 92) + rng.uniform(1, 8) * rng.normal(size=n), 40, 99)
    store = 25400 / curve - 254
    lost = rng.uniform(0.05, 0.2) * store
    depth = np.where(rain > lost, (rain - lost) ** 2 / (rain - lost + store), 0.0)
    return rain, depth * _lognormal(rng, n, 0.03, 0.3)


def queue(rng: Rng, n: int) -> Columns:
    """Arrival rate to the mean wait of the first k customers of a single server, by Lindley's recursion (1952)."""
    served, k, shape = _between(rng, 2, 60), int(_between(rng, 20, 200)), _between(rng, 0.7, 4)
    rate = served * (rng.uniform(0.05, 0.4) + rng.uniform(0.4, 1.0) * _beta(rng, n, 0.8, 3))
    wait, total = np.zeros(n), np.zeros(n)
    for _ in range(k):
        wait = np.maximum(wait + rng.gamma(shape, 1 / (served * shape), n) - rng.exponential(1 / rate), 0)
        total += wait
    return rate, 60 * total / k


# Simulators of other papers on cause and effect, and statistical models far from a function plus noise.


def velocity_flow(rng: Rng, n: int) -> Columns:
    """The effect moves along a random velocity field as the cause grows: dy/dx = v(y, x) (Xi et al. 2025)."""
    x, y = _level(rng, n), _between(rng, 0.3, 1) * _level(rng, n)
    a, b, c, d = rng.normal(size=(4, 1, int(rng.integers(2, 6))))
    size, start = _between(rng, 0.6, 2), rng.uniform(x.min(), x.max())
    steps = 30

    def velocity(y: FloatArray, t: FloatArray) -> FloatArray:
        return size * np.sum(a * np.tanh(b * y[:, None] + c * t[:, None] + d), axis=1)

    h = (x - start) / steps
    for k in range(steps):
        half = y + h / 2 * velocity(y, start + k * h)
        y = y + h * velocity(half, start + (k + 0.5) * h)
    return x, y


def quantile_surface(rng: Rng, n: int) -> Columns:
    """A conditional quantile function of rank two to four, monotone bases with positive weights (Chen et al. 2025)."""
    x, u = _level(rng, n), rng.uniform(1e-4, 1 - 1e-4, n)
    bases = np.stack((special.logit(u) / 2, special.ndtri(u), -np.log1p(-u), np.log(u), 4 * u, 2 * (2 * u - 1) ** 3))
    chosen = bases[rng.permutation(len(bases))[: rng.integers(2, 5)]]
    speed, phase, depth = (
        rng.uniform(0.5, 2, (len(chosen), 1)),
        rng.uniform(0, 6.3, (len(chosen), 1)),
        rng.uniform(0.5, 2),
    )
    weights = np.exp(depth * np.sin(speed * x + phase))
    centre = rng.uniform(0, 3) * np.tanh(rng.normal() * x + rng.normal())
    return x, centre + np.sum(weights * chosen, axis=0)


def carefl_lsnm(rng: Rng, n: int) -> Columns:
    """The location-scale forms and the ill-fitting noises with which CAREFL-H is tested (Sun and Schulte 2023)."""
    x, z = _level(rng, n), _bounded_noise(rng, n)
    a, b, c, d = rng.uniform(0.5, 2.0, 4) * rng.choice((-1.0, 1.0), 4)
    forms = (
        (b * np.tanh(a * x), np.exp(c / 2 * np.cos(d * x))),
        (b * np.sin(a * x), abs(d) * (np.tanh(c * x) + 1.2)),
        (b * special.expit(2 * a * x), abs(d) * special.expit(2 * c * x)),
    )
    place, scale = forms[rng.integers(3)]
    return x, place + scale * z


def _bounded_noise(rng: Rng, n: int) -> FloatArray:
    """Uniform, Beta(½, ½), exponential, Laplace or continuous Bernoulli noise."""
    odds = math.log(0.9 / 0.1)
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.uniform(-1, 1, n),
        lambda: 2 * rng.beta(0.5, 0.5, n) - 1,
        lambda: rng.exponential(1.0, n),
        lambda: rng.laplace(0.0, 0.7, n),
        lambda: 2 * np.log1p(rng.random(n) * math.expm1(odds)) / odds,
    )
    return laws[rng.integers(len(laws))]()


def skewed_scale(rng: Rng, n: int) -> Columns:
    """Location and scale with skew-normal or asymmetric generalised normal noise (Klippert and Marx 2025)."""
    x, z, k = _level(rng, n), rng.normal(size=n), _sign(rng) * rng.uniform(0.3, 0.9)
    slant = k / abs(k) * rng.uniform(3, 10)
    skewed = stats.skewnorm.rvs(slant, size=n, random_state=rng) if rng.random() < 0.5 else -np.expm1(-k * z) / k
    a, b, c, d, e = rng.normal(size=5)
    place = a * x + b * np.sin(_between(rng, 0.7, 2.5) * x + 3 * c) + 0.3 * d * x**2
    return x, place + _between(rng, 0.2, 1) * np.logaddexp(0, e * x + rng.normal()) * skewed


def sensor(rng: Rng, n: int) -> Columns:
    """A post-nonlinear sensor over additive noise: log, exponential, power, saturation (Zhang and Hyvärinen 2009)."""
    x = _level(rng, n)
    a, b = rng.normal(size=2)
    inner = (a * x**3 / 3 + b * x, _sign(rng) * x, np.abs(x + a) ** 1.5, np.cos(2 * a * x) + b * x)[rng.integers(4)]
    z = (inner - inner.mean()) / np.std(inner)
    z = z + _between(rng, 0.15, 0.8) * rng.choice(
        (rng.normal(size=n), rng.uniform(-1.7, 1.7, n), rng.laplace(0, 0.7, n))
    )
    power, gain = _between(rng, 0.35, 3), rng.uniform(0.5, 1.5)
    seen = (np.exp(gain * z), np.log(z - z.min() + gain), np.sign(z) * np.abs(z) ** power, np.arctan(gain * z))
    return x, _between(rng, 0.1, 100) * seen[rng.integers(4)]


def regime(rng: Rng, n: int) -> Columns:
    """A mechanism that changes at thresholds, or a hurdle."""
    return _one_of(rng, _switching, _hurdle)(rng, n)


def _switching(rng: Rng, n: int) -> Columns:
    """Level, slope and noise switch where the cause passes a threshold (Tong 1983; Hansen 2000)."""
    x = _level(rng, n)
    cuts = np.sort(np.quantile(x, rng.uniform(0.15, 0.85, int(rng.integers(1, 4)))))
    part = np.searchsorted(cuts, x)
    level, slope = rng.normal(size=(2, len(cuts) + 1))
    scale = np.exp(rng.normal(-0.8, 0.7, len(cuts) + 1))
    return x, level[part] + slope[part] * x + scale[part] * rng.standard_t(_between(rng, 3, 30), n)


def _hurdle(rng: Rng, n: int) -> Columns:
    """A hurdle, then a positive amount (Cragg 1971): nothing at all below it."""
    x = _positive(rng, n, rng.uniform(0.4, 0.8))
    steep, place = rng.uniform(1, 6), np.quantile(x, rng.uniform(0.1, 0.5))
    passed = rng.random(n) < special.expit(steep * (x - place) / np.std(x))
    amount = np.exp(rng.uniform(0.3, 1.2) * np.log(np.maximum(x, 1e-6))) * rng.gamma(
        k := _between(rng, 1.5, 20), 1 / k, n
    )
    return _between(rng, 1, 100) * x, _between(rng, 1, 1000) * passed * amount


def random_coefficients(rng: Rng, n: int) -> Columns:
    """Every row has its own intercept and slope, correlated and in classes (Swamy 1970; Heckman and Vytlacil 1998)."""
    x = _level(rng, n) if rng.random() < 0.4 else _between(rng, 0.5, 20) * _positive(rng, n, rng.uniform(0.3, 0.9))
    group = rng.integers(int(rng.integers(1, 4)), size=n)
    slope, rho, unit = rng.normal(1, 0.6, 3)[group], rng.uniform(-0.9, 0.9), float(np.std(x))
    e, f = rng.normal(size=(2, n))
    own = slope + _between(rng, 0.1, 0.8) * e
    base = rng.normal(0, 0.7, 3)[group] + _between(rng, 0.2, 0.8) * (rho * e + math.sqrt(1 - rho**2) * f)
    return x, unit * base + own * x


def forest(rng: Rng, n: int) -> Columns:
    """Steps of a few random trees (Breiman 2001) under heavy-tailed noise whose size steps as well."""
    x, step = _level(rng, n), np.zeros(n)
    for _ in range(rng.integers(1, 6)):
        leaf = np.searchsorted(np.sort(rng.choice(x, int(rng.integers(1, 8)))), x)
        step += rng.normal(size=leaf.max() + 1)[leaf]
    size = np.exp(rng.normal(0, 0.5, leaf.max() + 1))[leaf]
    return x, step + _between(rng, 0.1, 0.5) * np.std(step) * size * rng.standard_t(_between(rng, 2, 5), n)


def noisy_network(rng: Rng, n: int) -> Columns:
    """Two rectified layers that take noise as inputs beside the cause (as Goudet et al. 2018, with other units)."""
    x, wide = _level(rng, n), int(rng.integers(6, 30))
    noise = _between(rng, 0.2, 0.8) * rng.normal(size=(n, int(rng.integers(1, 4))))
    layer = np.column_stack((x, noise))
    for _ in range(2):
        width = layer.shape[1]
        layer = np.maximum(layer @ rng.normal(0, math.sqrt(2 / width), (width, wide)) + rng.normal(0, 0.5, wide), 0)
    return x, layer @ rng.normal(size=wide)


_DRAWS: dict[str, Draw] = {
    "gene_hill": gene_hill,
    "gene_cascade": gene_cascade,
    "neuron": neuron,
    "epidemic": epidemic,
    "dose_response": dose_response,
    "allometry": allometry,
    "stock_recruitment": stock_recruitment,
    "functional_response": functional_response,
    "household": household,
    "market": market,
    "physics": physics,
    "turbine": turbine,
    "runoff": runoff,
    "queue": queue,
    "velocity_flow": velocity_flow,
    "quantile_surface": quantile_surface,
    "carefl_lsnm": carefl_lsnm,
    "skewed_scale": skewed_scale,
    "sensor": sensor,
    "regime": regime,
    "random_coefficients": random_coefficients,
    "forest": forest,
    "noisy_network": noisy_network,
}

FAMILIES: dict[str, Draw] = {name: measured(draw) for name, draw in _DRAWS.items()}
