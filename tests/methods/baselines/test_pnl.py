"""PNL: additive noise behind an increasing distortion."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines import pnl
from causewise.methods.baselines.pnl import score

SENSORS = {"cube": lambda z: z**3, "exp": np.exp, "root": np.cbrt, "saturating": lambda z: 1 / (1 + np.exp(-z))}


def distorted(sensor: str, seed: int = 0, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.7, 1.7, n)
    return x, SENSORS[sensor](np.sin(1.5 * x) + x / 2 + 0.4 * rng.laplace(size=n))


@pytest.mark.parametrize("sensor", SENSORS)
def test_distorted_additive_noise_is_decided_rightly(sensor: str) -> None:
    decision = causewise.infer(*distorted(sensor), method="pnl")
    assert decision.direction is Direction.FORWARD
    assert decision.forward.converged and decision.backward.converged
    assert decision.forward.p_value > 0.01


@pytest.mark.parametrize("sensor", ["cube", "exp"])
def test_the_fit_undoes_the_distortion(sensor: str) -> None:
    x, plain = distorted("root")
    plain = plain**3
    straight, bent = score(x, plain), score(x, SENSORS[sensor](plain))
    assert bent.hsic == pytest.approx(straight.hsic, rel=0.5)


def test_blocks_of_rows_change_nothing_but_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = score(*distorted("exp"))
    monkeypatch.setattr(pnl, "BLOCK", 130)
    assert score(*distorted("exp")).score == pytest.approx(whole.score, rel=1e-6)


@pytest.mark.slow
def test_it_is_right_on_most_distorted_pairs() -> None:
    right = [
        causewise.infer(*distorted(sensor, seed), method="pnl").direction is Direction.FORWARD
        for sensor in SENSORS
        for seed in range(25)
    ]
    assert np.mean(right) > 0.9
