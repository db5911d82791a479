"""ANM-MM: its objective against differences, HSIC against the dense formula, and mixtures of the paper's kind."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.errors import InputError
from causewise.methods.baselines.anm_mm import START, TEST_SINES, Dependence, dependence, mechanisms, objective
from causewise.methods.baselines.gpi import MARGIN, REACH, LatentProcess, first_guess, sines
from causewise.pair import standardise

MECHANISMS = {
    "power": lambda x, t: 2 * x ** (t - 0.25),
    "decay": lambda x, t: np.exp(-t * x),
    "saturation": lambda x, t: np.tanh(t * x),
}


def mixed(name: str, seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two mechanisms of one family, half of the rows each, and which of them every row follows."""
    rng = np.random.default_rng(seed)
    x, which = rng.uniform(0, 1, n), rng.integers(0, 2, n)
    t = np.where(which == 0, rng.uniform(1, 1.1, n), rng.uniform(3, 3.3, n))
    return x, MECHANISMS[name](x, t) + 0.05 * rng.normal(size=n), which


def test_the_gradient_of_the_objective_is_that_of_differences() -> None:
    from scipy.optimize import approx_fprime

    rng = np.random.default_rng(0)
    x = standardise(rng.normal(size=30))
    y = standardise(np.tanh(2 * x) + 0.3 * rng.normal(size=30))
    process, test = LatentProcess.of(x, y), Dependence.on(x)
    place = np.concatenate([first_guess(process), START])
    _, ours = objective(place, process, test, 0.1)
    away = approx_fprime(place, lambda at: objective(at, process, test, 0.1)[0], 1e-6)
    np.testing.assert_allclose(ours, away, atol=1e-3)


def test_hsic_by_sines_is_that_of_the_kernels() -> None:
    rng = np.random.default_rng(1)
    x = standardise(rng.uniform(-1, 1, 80))
    theta = np.clip(x**2 + 0.3 * rng.normal(size=80), -2, 2)
    k, m = (np.exp(-0.5 * np.subtract.outer(v, v) ** 2) for v in (x, theta))
    centre = np.eye(80) - 1 / 80
    exact = np.trace(k @ centre @ m @ centre) / 80**2
    found, _ = Dependence.on(x).of(sines(theta, MARGIN * REACH, TEST_SINES))
    assert found == pytest.approx(exact, rel=0.1)


def test_the_size_of_theta_has_no_say() -> None:
    x, theta = np.random.default_rng(2).normal(size=(2, 100))
    x = standardise(x)
    assert dependence(x, 0.01 * theta + 3) == pytest.approx(dependence(x, theta), rel=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_rows_are_told_apart_by_their_mechanism(name: str) -> None:
    x, y, which = mixed(name, 0)
    found = mechanisms(x, y)
    assert max(np.mean(found == which), np.mean(found != which)) > 0.85


def test_mechanisms_are_counted_from_one_to_the_rows() -> None:
    x, y, _ = mixed("decay", 0, 20)
    assert set(mechanisms(x, y, 1, max_iter=3)) == {0}
    with pytest.raises(InputError, match="Got count=0"):
        mechanisms(x, y, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_mixtures_are_decided_rightly_more_often_than_not(name: str) -> None:
    right = [
        causewise.infer(*mixed(name, seed)[:2], method="anm-mm").direction is Direction.FORWARD for seed in range(30)
    ]
    assert np.mean(right) > 0.7
