"""Held-out simulators from economics, physics and engineering."""

import numpy as np
from scipy import special

from training.held_out_laws import (
    Columns,
    Rng,
    beta,
    log_uniform,
    on_line,
    one_of,
    positive,
    scatter,
    shares,
    with_noise,
)

# Economics.


def household(rng: Rng, n: int) -> Columns:
    """Schooling or experience to wage, or income to food."""
    return one_of(rng, _mincer, _engel)(rng, n)


def _mincer(rng: Rng, n: int) -> Columns:
    """Mincer's wage equation (1974): log wage linear in schooling, quadratic in experience; one of them is seen."""
    spikes = rng.choice(
        (9.0, 10, 11, 12, 13, 14, 16, 18, 20), n, p=(0.06, 0.06, 0.06, 0.36, 0.08, 0.12, 0.17, 0.07, 0.02)
    )
    school = spikes if rng.random() < 0.6 else np.clip(rng.normal(12, 3, n), 0, 22)
    years = np.maximum(rng.uniform(0, 42, n) - (school - 12) / 2, 0)
    scatter = rng.uniform(0.2, 0.45) * (1 + rng.uniform(0, 0.02) * years) * rng.normal(size=n)
    growth = rng.uniform(0.035, 0.07) * (years - years**2 / log_uniform(rng, 55, 90))
    wage = log_uniform(rng, 3, 12) * np.exp(rng.uniform(0.06, 0.13) * (school - 12) + growth + scatter)
    return (school if rng.random() < 0.5 else years), wage


def _engel(rng: Rng, n: int) -> Columns:
    """Income to food spending or to the food share, which falls with log income (Engel 1857; Working 1943)."""
    income = log_uniform(rng, 500, 5000) * positive(rng, n, rng.uniform(0.4, 0.9))
    lean = rng.uniform(0.3, 0.9) * np.log(np.maximum(income, 1e-9) / np.median(income))
    share = special.expit(rng.uniform(-1.5, 0) - lean + log_uniform(rng, 0.15, 0.5) * rng.normal(size=n))
    return income, share * (income if rng.random() < 0.5 else 100)


def market(rng: Rng, n: int) -> Columns:
    """Harvest to price, or capital to output."""
    return one_of(rng, _storage, _production)(rng, n)


def _storage(rng: Rng, n: int) -> Columns:
    """A harvest set by weather to its price: an elasticity, and a kink where storers buy (Deaton and Laroque 1992)."""
    harvest = np.maximum(positive(rng, n, rng.uniform(0.12, 0.4)), 0.05)
    price = harvest ** (-1 / rng.uniform(0.3, 1.2))
    floor = np.quantile(price, rng.uniform(0.2, 0.6))
    stored = np.where(price < floor, floor - rng.uniform(0.05, 0.5) * (floor - price), price)
    return log_uniform(rng, 10, 1e4) * harvest, log_uniform(rng, 1, 500) * stored * scatter(rng, n, 0.05, 0.3)


def _production(rng: Rng, n: int) -> Columns:
    """Capital to output of firms by a CES function (Arrow et al. 1961); labour follows capital and stays unseen."""
    capital = positive(rng, n, rng.uniform(0.5, 1.2))
    labour = capital ** rng.uniform(-0.2, 0.8) * scatter(rng, n, 0.1, 0.7)
    power, share = rng.choice((-1.0, -0.5, -0.2, 0.2, 0.5)), rng.uniform(0.25, 0.7)
    output = (share * capital**power + (1 - share) * labour**power) ** (1 / power)
    return log_uniform(rng, 10, 1e4) * capital, log_uniform(rng, 10, 1e4) * output * scatter(rng, n, 0.05, 0.4)


# Physics and engineering.


def physics(rng: Rng, n: int) -> Columns:
    """A law of the laboratory or the weather station."""
    return one_of(rng, _arrhenius, _radiator, _diode, _pendulum, _lapse)(rng, n)


def _arrhenius(rng: Rng, n: int) -> Columns:
    """Temperature to reaction rate (Arrhenius 1889), samples of varying purity."""
    kelvin = rng.uniform(275, 330) + rng.uniform(6, 20) * on_line(rng, n)
    rate = np.exp(-log_uniform(rng, 3e4, 1e5) / 8.314 * (1 / kelvin - 1 / 300))
    return kelvin, with_noise(rng, log_uniform(rng, 1e-3, 10) * rate * scatter(rng, n, 0.03, 0.3), 0.005, 0.1)


def _radiator(rng: Rng, n: int) -> Columns:
    """Temperature to radiated power (Stefan 1879), with emissivities that differ."""
    kelvin = rng.uniform(320, 500) * (1 + rng.uniform(0.2, 1.5) * beta(rng, n, 0.8, 3))
    emissivity = shares(rng, n, 0.8, log_uniform(rng, 20, 300))
    return kelvin, with_noise(rng, 5.67e-8 * emissivity * (kelvin**4 - 293.0**4), 0.01, 0.15)


def _diode(rng: Rng, n: int) -> Columns:
    """Voltage to current (Shockley 1949); the junction's temperature wanders."""
    volts = rng.uniform(0.35, 0.55) + rng.uniform(0.05, 0.25) * beta(rng, n, 0.7, 2.5)
    thermal = 8.617e-5 * (300 + rng.uniform(2, 15) * rng.normal(size=n)) * rng.uniform(1, 2)
    amperes = log_uniform(rng, 1e-12, 1e-9) * scatter(rng, n, 0.02, 0.3) * np.expm1(volts / thermal)
    return volts, with_noise(rng, 1000 * amperes, 0.002, 0.1)


def _pendulum(rng: Rng, n: int) -> Columns:
    """Length to period with amplitudes that differ (exact by the elliptic integral), timed by hand."""
    metres = log_uniform(rng, 0.1, 1) * positive(rng, n, rng.uniform(0.2, 0.6))
    amplitude = np.clip(np.abs(rng.normal(0, rng.uniform(0.2, 1.2), n)), 0, 2.8)
    period = 4 * np.sqrt(metres / 9.81) * special.ellipk(np.sin(amplitude / 2) ** 2)
    return metres, np.maximum(period + rng.uniform(0.01, 0.15) * rng.normal(size=n), 0.05)


def _lapse(rng: Rng, n: int) -> Columns:
    """Altitude to mean temperature of stations: lapse rate, coast and latitude, cold pools in valleys."""
    metres = 8 + log_uniform(rng, 200, 1200) * positive(rng, n, rng.uniform(0.5, 1.1))
    pooled = rng.uniform(0, 5) * np.exp(-metres / rng.uniform(100, 400)) * rng.gamma(2, 0.5, n)
    place = rng.uniform(0.5, 2.5) * np.maximum(rng.normal(size=n), -rng.uniform(0.5, 2))
    return metres, rng.uniform(5, 25) - rng.uniform(4, 8) / 1000 * metres - pooled + place


def turbine(rng: Rng, n: int) -> Columns:
    """Wind speed to power of a turbine, averaged over gusts; cut-in, rated and cut-out speed (IEC 61400-12-1)."""
    wind = log_uniform(rng, 5, 11) * rng.weibull(rng.uniform(1.6, 3), n)
    gusts = wind[:, None] * (1 + rng.uniform(0.05, 0.2) * rng.normal(size=(n, int(rng.integers(4, 30)))))
    start, full, stop = rng.uniform(2.5, 4), rng.uniform(10, 15), rng.uniform(20, 26)
    share = np.clip((gusts**3 - start**3) / (full**3 - start**3), 0, 1).mean(axis=1) * (wind < stop)
    curtailed = np.where(rng.random(n) < rng.uniform(0, 0.06), rng.random(n), 1)
    power = share * curtailed * rng.normal(1, rng.uniform(0.01, 0.08), n)
    return wind, log_uniform(rng, 500, 5000) * (power - rng.uniform(0, 0.01) * (power == 0))


def runoff(rng: Rng, n: int) -> Columns:
    """Rain to runoff of a storm by the SCS curve number, which varies with the soil's wetness (USDA NEH-4, 1972)."""
    rain = log_uniform(rng, 15, 60) * positive(rng, n, rng.uniform(0.5, 1.0))
    curve = np.clip(rng.uniform(68, 92) + rng.uniform(1, 8) * rng.normal(size=n), 40, 99)
    store = 25400 / curve - 254
    lost = rng.uniform(0.05, 0.2) * store
    depth = np.where(rain > lost, (rain - lost) ** 2 / (rain - lost + store), 0.0)
    return rain, depth * scatter(rng, n, 0.03, 0.3)


def queue(rng: Rng, n: int) -> Columns:
    """Arrival rate to the mean wait of the first k customers of a single server, by Lindley's recursion (1952)."""
    served, k, shape = log_uniform(rng, 2, 60), int(log_uniform(rng, 20, 200)), log_uniform(rng, 0.7, 4)
    rate = served * (rng.uniform(0.05, 0.4) + rng.uniform(0.4, 1.0) * beta(rng, n, 0.8, 3))
    wait, total = np.zeros(n), np.zeros(n)
    for _ in range(k):
        wait = np.maximum(wait + rng.gamma(shape, 1 / (served * shape), n) - rng.exponential(1 / rate), 0)
        total += wait
    return rate, 60 * total / k
