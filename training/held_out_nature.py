"""Held-out simulators from biology and ecology."""

import math

import numpy as np

from training.held_out_laws import (
    Columns,
    Rng,
    hill,
    log_uniform,
    one_of,
    positive,
    scatter,
    shares,
    toss,
    with_noise,
)

# Biology: genes, neurons, epidemics, drugs, animals.


def gene_hill(rng: Rng, n: int) -> Columns:
    """Hill activation or repression at steady state, with Langevin and array noise (GeneNetWeaver, Schaffter 2011)."""
    x = log_uniform(rng, 5, 500) * positive(rng, n, rng.uniform(0.3, 1.0))
    share = hill(x, float(np.median(x)) * log_uniform(rng, 0.4, 2.5), rng.uniform(1, 5))
    active = share if rng.random() < 0.6 else 1 - share
    copies = log_uniform(rng, 30, 2000) * (rng.uniform(0, 0.2) + active) * scatter(rng, n, 0.05, 0.5)
    copies = np.maximum(copies + np.sqrt(log_uniform(rng, 1, 10) * copies) * rng.normal(size=n), 0.0)
    return x * scatter(rng, n, 0.005, 0.05), copies * scatter(rng, n, 0.02, 0.15)


def gene_cascade(rng: Rng, n: int) -> Columns:
    """Two genes of a cascade, both read late: log-OU upstream, chemical Langevin downstream (Gillespie 2000)."""
    dt, spread, memory = 0.05, rng.uniform(0.4, 1.1), log_uniform(rng, 0.8, 8)
    half, power, noise = log_uniform(rng, 0.5, 2), rng.uniform(1, 4), math.sqrt(log_uniform(rng, 0.002, 0.05) * dt)
    repressed, keep = rng.random() < 0.4, math.exp(-dt / memory)
    z = rng.normal(size=n)
    y = np.full(n, 0.5)
    for _ in range(120):
        made = hill(np.exp(spread * z), half, power)
        made = 1 - made if repressed else made
        y = np.abs(y + dt * (made - y) + noise * np.sqrt(made + y) * rng.normal(size=n))
        z = keep * z + math.sqrt(1 - keep**2) * rng.normal(size=n)
    return log_uniform(rng, 1, 200) * np.exp(spread * z), log_uniform(rng, 10, 2000) * y


def neuron(rng: Rng, n: int) -> Columns:
    """Injected current to firing rate of a leaky integrate-and-fire neuron with noise (Burkitt 2006)."""
    drive = rng.uniform(0.0, 0.8) + rng.uniform(0.3, 1.5) * positive(rng, n, rng.uniform(0.3, 0.8))
    step, noise, rest = 1 / log_uniform(rng, 10, 30), log_uniform(rng, 0.1, 0.6), int(rng.integers(2, 6))
    volt, spikes, silent = np.zeros(n), np.zeros(n), np.zeros(n, int)
    for _ in range(400):
        volt += (silent == 0) * (step * (drive - volt) + noise * math.sqrt(2 * step) * rng.normal(size=n))
        fires = volt > 1
        spikes += fires
        silent = np.where(fires, rest, np.maximum(silent - 1, 0))
        volt[fires] = 0.0
    current = log_uniform(rng, 0.1, 1) * drive
    return current, 2.5 * spikes if rng.random() < 0.5 else with_noise(rng, 2.5 * spikes, 0.01, 0.1)


def epidemic(rng: Rng, n: int) -> Columns:
    """Reproduction number to reported cases of an outbreak: Reed-Frost chain binomial (Abbey 1952), under-reported."""
    number = rng.uniform(0.6, 2.0) * positive(rng, n, rng.uniform(0.2, 0.5))
    town, seeds = int(log_uniform(rng, 100, 5000)), int(rng.integers(2, 20))
    healthy, ill = np.full(n, town), np.full(n, seeds)
    for _ in range(80):
        ill = rng.binomial(healthy, 1 - np.exp(-number * ill / town))
        healthy = healthy - ill
    reported = shares(rng, n, 0.6, log_uniform(rng, 10, 200))
    return number, rng.binomial(town - healthy, reported).astype(float)


def dose_response(rng: Rng, n: int) -> Columns:
    """A drug's sigmoid Emax curve or an enzyme's velocity."""
    return one_of(rng, _emax, _enzyme)(rng, n)


def _emax(rng: Rng, n: int) -> Columns:
    """Sigmoid Emax with subjects differing in baseline, Emax and EC50 (Holford and Sheiner 1981)."""
    arms = np.r_[0.0, log_uniform(rng, 1, 20) * log_uniform(rng, 1.8, 3.2) ** np.arange(rng.integers(4, 9))]
    free = arms[1] * log_uniform(rng, 10, 200) ** rng.random(n)
    dose = arms[rng.integers(len(arms), size=n)] if rng.random() < 0.4 else free
    half = float(np.median(dose)) * log_uniform(rng, 0.3, 3) * scatter(rng, n, 0.1, 0.6)
    share = hill(dose, half, rng.uniform(0.7, 3) * scatter(rng, n, 0.02, 0.2))
    top, base = log_uniform(rng, 10, 100), log_uniform(rng, 0.1, 1)
    effect = top * (base * scatter(rng, n, 0.05, 0.3) + toss(rng) * share * scatter(rng, n, 0.05, 0.4))
    return dose, effect + top * log_uniform(rng, 0.02, 0.15) * rng.normal(size=n)


def _enzyme(rng: Rng, n: int) -> Columns:
    """Substrate to velocity, Michaelis and Menten 1913, at times with Haldane's inhibition by substrate."""
    s = log_uniform(rng, 0.05, 5) * positive(rng, n, rng.uniform(0.5, 1.2))
    km = float(np.median(s)) * log_uniform(rng, 0.3, 4)
    inhibition = s**2 / (km * log_uniform(rng, 3, 30)) if rng.random() < 0.4 else 0.0
    v = log_uniform(rng, 1, 100) * s / (km + s + inhibition)
    return s, with_noise(rng, v * scatter(rng, n, 0.02, 0.3), 0.02, 0.2)


def allometry(rng: Rng, n: int) -> Columns:
    """Body mass to metabolic rate, 70 M^0.75 with scatter of species on the native scale (Kleiber 1947)."""
    spread = log_uniform(rng, 0.3, 1.8)
    mass = log_uniform(rng, 0.02, 70) * (positive(rng, n, spread) if spread < 1 else rng.lognormal(0, spread, n))
    exponent = rng.normal(0.75, 0.05) + rng.normal(0, 0.02) * np.log(mass)
    rate = log_uniform(rng, 30, 100) * mass**exponent * scatter(rng, n, 0.1, 0.5)
    return mass, rate * (1 + rng.uniform(0, 2) * (rng.random(n) < rng.uniform(0, 0.3)))


# Ecology.


def stock_recruitment(rng: Rng, n: int) -> Columns:
    """Spawners to recruits with log-normal error (Ricker 1954; Beverton and Holt 1957; Barrowman 2000)."""
    stock = positive(rng, n, rng.uniform(0.4, 1.0))
    b = log_uniform(rng, 0.3, 2)
    forms = (stock * np.exp(-b * stock), stock / (1 + b * stock), np.minimum(stock, 1 / b))
    recruits = log_uniform(rng, 1, 20) * forms[rng.integers(3)] * scatter(rng, n, 0.15, 0.6)
    return (unit := log_uniform(rng, 1, 1000)) * stock, unit * recruits


def functional_response(rng: Rng, n: int) -> Columns:
    """Prey offered to prey eaten: Holling's type II or III (1959) with overdispersed counts."""
    design = np.unique(np.round(2 * log_uniform(rng, 1.3, 2) ** np.arange(8)))
    field = rng.poisson(log_uniform(rng, 5, 80) * positive(rng, n, rng.uniform(0.4, 0.8))).astype(float)
    prey = rng.choice(design, n) if rng.random() < 0.35 else field
    wish = prey if rng.random() < 0.6 else prey**2 / np.mean(prey)
    handled = log_uniform(rng, 0.3, 4) * wish / np.mean(wish)
    mean = rng.uniform(0.2, 0.9) * wish / (1 + handled)
    eaten = rng.poisson(mean * rng.gamma(shape := log_uniform(rng, 3, 40), 1 / shape, n))
    return prey, np.asarray(np.minimum(prey, eaten), float)
