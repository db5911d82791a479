"""Ordered regression: its laws against SciPy's, its optimum against a general optimiser and by its gradient."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

from causewise.methods.baselines.thresholds import (
    LARGEST,
    LEAST,
    LOGISTIC,
    NORMAL,
    RIDGE,
    SCALE_RIDGE,
    NoiseLaw,
    fit_ordered,
)

THEIRS = {
    "normal": (NORMAL, stats.norm),
    "logistic": (LOGISTIC, stats.logistic),
    "least": (LEAST, stats.gumbel_l),
    "largest": (LARGEST, stats.gumbel_r),
}
every_law = pytest.mark.parametrize(("ours", "theirs"), THEIRS.values(), ids=list(THEIRS))


def drawn(seed: int, levels: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A cause, and levels of a latent value whose place and scale it moves."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    latent = np.sin(u) + np.exp(0.4 * u) * rng.logistic(size=n)
    return u, np.digitize(latent, np.quantile(latent, np.arange(1, levels) / levels))


def powers(u: np.ndarray, most: int) -> np.ndarray:
    columns = u[:, None] ** np.arange(1, most + 1)
    return columns - columns.mean(axis=0)


def penalised(theta: np.ndarray, law: NoiseLaw, level: np.ndarray, place: np.ndarray, scale: np.ndarray) -> float:
    """Written down anew, by distribution functions."""
    cuts, f, g = np.split(theta, [level.max(), level.max() + place.shape[1]])
    ends = (np.r_[-np.inf, cuts, np.inf] - (place @ f)[:, None]) * np.exp(-(scale @ g))[:, None]
    theirs = next(each for ours, each in THEIRS.values() if ours is law)
    rows = np.arange(len(level))
    mass = theirs.cdf(ends[rows, level + 1]) - theirs.cdf(ends[rows, level])
    return float(np.sum(np.log(np.maximum(mass, 1e-300)))) - 0.5 * (RIDGE * f @ f + SCALE_RIDGE * g @ g)


@every_law
@given(low=st.floats(-8, 8), width=st.floats(1e-6, 10))
@settings(max_examples=50, deadline=None)
def test_the_laws_are_scipys(ours: NoiseLaw, theirs: object, low: float, width: float) -> None:
    a, b = np.array([low]), np.array([low + width])
    # From the end with the smaller tail, of which the difference has lost fewer digits.
    whole, rest = min((theirs.sf(a)[0], theirs.sf(b)[0]), (theirs.cdf(b)[0], theirs.cdf(a)[0]))
    if whole - rest > max(1e-8 * whole, 1e-300):
        assert ours.mass(a, b)[0] == pytest.approx(np.log(whole - rest), rel=1e-6, abs=1e-6)
    assert ours.log_density(a)[0] == pytest.approx(theirs.logpdf(a)[0], rel=1e-9, abs=1e-12)
    step = 1e-5
    slope = (ours.log_density(a + step) - ours.log_density(a - step)) / (2 * step)
    assert ours.slope(a)[0] == pytest.approx(slope[0], rel=1e-5, abs=1e-5)
    share = theirs.cdf(a)
    if 1e-8 < share[0] < 1 - 1e-8:
        assert ours.quantile(share)[0] == pytest.approx(low, rel=1e-6, abs=1e-6)


@every_law
@pytest.mark.parametrize(("levels", "places", "scales"), [(2, 3, 0), (3, 2, 0), (4, 2, 1), (6, 3, 2)])
def test_no_general_optimiser_finds_more(ours: NoiseLaw, theirs: object, levels: int, places: int, scales: int) -> None:
    u, level = drawn(levels, levels)
    place, scale = powers(u, places), powers(u, scales)
    fit = fit_ordered(level, np.ones(len(u)), place, scale, ours)
    theta, (f, g) = fit.coefficients, np.split(fit.coefficients[levels - 1 :], [places])
    found = penalised(theta, ours, level, place, scale)
    again = minimize(lambda t: -penalised(t, ours, level, place, scale), theta + 0.01, method="BFGS")
    assert -again.fun <= found + 1e-6
    assert fit.log_mass.sum() - 0.5 * (RIDGE * f @ f + SCALE_RIDGE * g @ g) == pytest.approx(found, abs=1e-6)


def test_without_a_cause_the_levels_have_their_shares() -> None:
    _, level = drawn(3, 5)
    level = np.minimum(level, 3)
    nothing = np.zeros((len(level), 0))
    fit = fit_ordered(level, np.ones(len(level)), nothing, nothing)
    np.testing.assert_allclose(np.exp(fit.log_mass), np.bincount(level)[level] / len(level), rtol=1e-9)


def test_weights_stand_for_equal_rows() -> None:
    rng = np.random.default_rng(5)
    u, level = drawn(5, 3, 60)
    weight = rng.integers(1, 5, 60)
    place = powers(u, 2)
    one = fit_ordered(level, weight.astype(float), place, place[:, :1])
    many = fit_ordered(*(np.repeat(each, weight, axis=0) for each in (level, np.ones(60), place, place[:, :1])))
    np.testing.assert_allclose(one.coefficients, many.coefficients, rtol=1e-7)


def test_levels_that_do_not_overlap_still_have_a_fit() -> None:
    u = np.linspace(-1, 1, 60)
    level = np.digitize(u, [-0.4, 0.3])
    for law in (NORMAL, LOGISTIC, LEAST, LARGEST):
        fit = fit_ordered(level, np.ones(60), powers(u, 3), powers(u, 1), law)
        assert np.all(np.isfinite(fit.log_mass))
        assert fit.log_mass.sum() > -6


def test_thresholds_and_curves_come_back() -> None:
    """Enough rows of a known law."""
    rng = np.random.default_rng(0)
    u = rng.uniform(-1, 1, 40_000)
    level = np.digitize(2 * u + np.exp(0.5 * u) * rng.normal(size=len(u)), [-1.0, 0.0, 1.5])
    place = u[:, None] - u.mean()
    fit = fit_ordered(level, np.ones(len(u)), place, place)
    *thresholds, slope, log_scale_slope = fit.coefficients
    np.testing.assert_allclose(thresholds, [-1.0, 0.0, 1.5], atol=0.06)
    assert slope == pytest.approx(2.0, rel=0.05)
    assert log_scale_slope == pytest.approx(0.5, rel=0.08)
