"""The location-scale curve: as many knots as the rows pay for, and a fit that its own noise finds nothing to add to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from causewise.methods.combined.curve import DEGREE, KNOTS, ROWS_PER_COEFFICIENT, curve_at, fit_curve
from causewise.methods.combined.terms import fit_direction
from causewise.numerics.density import fit_mixture, log_density
from causewise.pair import FloatArray, standardise

Columns = tuple[FloatArray, FloatArray]
seeds = st.integers(0, 10**6)
LEAST = KNOTS[0] + DEGREE - 1 + 1
"""Coefficients of the smallest curve: the shortest spline, and a constant scale."""


def wavy(seed: int, n: int, frequency: float = 4.0, noise: float = 0.3) -> Columns:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.normal(size=n))
    v = np.sin(frequency * u) + noise * (1 + 0.5 * np.tanh(u)) * rng.normal(size=n)
    return standardise(u), standardise(v)


@given(seed=seeds, n=st.integers(10, 250))
def test_few_rows_give_few_knots(seed: int, n: int) -> None:
    found = fit_curve(*wavy(seed, n, noise=0.01))
    for spline in (found.location_spline, found.log_variance_spline):
        assert spline.size <= KNOTS[0] + DEGREE - 1 or spline.size * ROWS_PER_COEFFICIENT <= n


def test_many_rows_pay_for_many_knots() -> None:
    sizes = [fit_curve(*wavy(1, n, noise=0.02)).location_spline.size for n in (30, 100, 300, 2000)]
    assert sizes == sorted(sizes)
    assert sizes[0] == KNOTS[0] + DEGREE - 1
    assert sizes[-1] >= KNOTS[3] + DEGREE - 1


def test_a_straight_line_with_constant_noise_takes_the_smallest_size() -> None:
    sizes = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        u = np.sort(rng.uniform(-1, 1, 400))
        v = u + 0.3 * rng.normal(size=400)
        sizes.append(fit_curve(standardise(u), standardise(v)).size)
    assert np.mean(np.array(sizes) == LEAST) >= 0.9


@given(seed=seeds, n=st.integers(20, 300))
def test_the_price_is_half_a_logarithm_of_the_rows_for_each_coefficient(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    log_likelihood = norm.logpdf(v, found.location, found.scale)
    assert found.log_likelihood == pytest.approx(log_likelihood.mean(), rel=1e-9, abs=1e-9)
    assert found.price == pytest.approx(0.5 * found.size * np.log(n) / n, rel=1e-12)


@given(seed=seeds, n=st.integers(10, 300))
def test_the_residual_is_what_is_left_in_units_of_the_scale(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    assert np.array_equal(found.residual, (v - found.location) / found.scale)
    assert np.all(found.scale > 0)


@given(seed=seeds, n=st.integers(10, 300))
def test_curve_at_the_own_rows_is_location_and_scale(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    location, scale = curve_at(found, u)
    assert np.array_equal(location, found.location)
    assert np.array_equal(scale, found.scale)


def test_beyond_the_rows_the_end_value_holds() -> None:
    u, v = wavy(2, 200)
    found = fit_curve(u, v)
    location, scale = curve_at(found, np.array([u[0] - 5, u[0], u[-1], u[-1] + 5]))
    assert location[0] == location[1] and location[2] == location[3]
    assert scale[0] == scale[1] and scale[2] == scale[3]


@given(seed=seeds, n=st.integers(10, 400), frequency=st.floats(0.5, 8.0))
def test_the_fit_settles(seed: int, n: int, frequency: float) -> None:
    found = fit_curve(*wavy(seed, n, frequency))
    assert found.converged
    assert found.message == ""


def test_a_fit_that_stopped_short_says_so() -> None:
    short = fit_curve(*wavy(0, 100))._replace(gain=1.0)
    assert not short.converged
    assert short.message


def test_the_curve_follows_location_and_scale_of_many_rows() -> None:
    rng = np.random.default_rng(4)
    u = np.linspace(-1.7, 1.7, 4000)
    sd = 0.3 + 0.2 * u**2
    v = np.sin(2 * u) + sd * rng.normal(size=4000)
    found = fit_curve(u, v)
    assert np.mean((found.location - np.sin(2 * u)) ** 2) < 0.01 * np.var(np.sin(2 * u))
    assert np.mean((np.log(found.scale) - np.log(sd)) ** 2) < 0.01


def drawn_noise(rng: np.random.Generator, n: int) -> FloatArray:
    """Exponential, mean 0 and standard deviation 1."""
    return rng.exponential(size=n) - 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_law_of_the_noise_finds_little_to_add(seed: int) -> None:
    """At the optimum, a shift and a stretch along the cause gain next to nothing under the residual's own law."""
    rng = np.random.default_rng(seed)
    u = np.sort(rng.normal(size=1000))
    u, v = standardise(u), standardise(np.sin(1.5 * u) + 0.4 * drawn_noise(rng, 1000))
    found = fit_curve(u, v)
    mixture = fit_mixture(found.residual)

    def like(shift: FloatArray, stretch: FloatArray) -> float:
        logs = np.log(found.scale) + stretch
        return float(np.sum(log_density(mixture, (v - found.location - shift) / np.exp(logs)) - logs))

    here, none = like(0 * u, 0 * u), 0 * u
    for step in (-0.02, 0.02):
        for shape in (u, u**2 - 1):
            assert like(step * shape * found.scale, none) < here + 3.0
            assert like(none, step * shape) < here + 3.0


def rejected(noise: str, n: int, repetitions: int) -> float:
    """Share of p < 0.05 of the residual in the true direction."""
    count = 0
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, n])
        x = rng.normal(size=n)
        e = {"exponential": drawn_noise, "uniform": lambda g, n: g.uniform(-(3**0.5), 3**0.5, n)}[noise](rng, n)
        count += fit_direction(x, np.sin(1.5 * x) + 0.4 * e).test.p_value < 0.05
    return count / repetitions


@pytest.mark.parametrize(("noise", "n"), [("exponential", 1000), ("exponential", 3000), ("uniform", 3000)])
def test_the_residual_test_keeps_its_level_in_the_true_direction(noise: str, n: int) -> None:
    """One basis for both natural parameters, normal likelihood: 0.5 and more. `benchmarks/levels.py` has all cells."""
    assert rejected(noise, n, 60) <= 0.15
