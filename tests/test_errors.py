"""Every number that can be set has two ends, and beyond them comes a sentence: never hours, memory or an overflow."""

import math
from inspect import signature

import numpy as np
import pytest

from causewise.catalogue import CATALOGUE, defaults, method, seeded_method
from causewise.errors import SEEDS, InputError
from causewise.inference import infer
from causewise.lab.datasets.generators import generate
from causewise.methods.baselines.cam import BASIS_SIZES
from causewise.models.estimator import LocationScaleRegressor
from causewise.models.network.training import Training
from causewise.pair import Pair

NUMBERS = [
    (entry.name, setting, default)
    for entry in CATALOGUE
    for setting, default in defaults(entry.name).items()
    if isinstance(default, int | float) and not isinstance(default, bool)
]
BEYOND = {int: (-1, 10**18 * 10**12), float: (-1.0, 1e300, math.inf, -math.inf, math.nan)}


@pytest.mark.parametrize(("name", "setting", "default"), NUMBERS)
def test_an_absurd_setting_gets_its_range(name: str, setting: str, default: float) -> None:
    method(name, **{setting: default})
    for value in BEYOND[type(default)]:
        with pytest.raises(InputError, match=rf"^Got {setting}=.*; expected [^.]*"):
            method(name, **{setting: value})


def test_training_settings_have_their_range_whoever_trains() -> None:
    for setting, parameter in signature(Training).parameters.items():
        for value in BEYOND.get(type(parameter.default), ("?",)):
            with pytest.raises(InputError, match=f"Got {setting}="):
                Training(**{setting: value})


@pytest.mark.parametrize("settings", [{"delta": 1e300}, {"max_iter": 10**12}, {"n_knots": 10**9}, {"degree": 10**9}])
def test_an_estimator_has_the_same_ranges(settings: dict) -> None:
    with pytest.raises(ValueError, match="must be"):
        LocationScaleRegressor(**settings).fit(np.arange(20.0)[:, None], np.arange(20.0) ** 2)


@pytest.mark.parametrize("seed", [-1, SEEDS[1] + 1, 10**30, 0.5, True])
def test_a_seed_beyond_its_range_is_the_callers_fault(seed: int) -> None:
    x = np.random.default_rng(0).normal(size=50)
    for call in (
        lambda: infer(x, x**2, method="loci-m", seed=seed),
        lambda: seeded_method("igci", seed),
        lambda: generate("LS", 1, seed=seed),
    ):
        with pytest.raises(InputError, match="Got seed="):
            call()


@pytest.mark.parametrize(
    "spec", ["n_knots=" + "9" * 5000, "n_knots=1e999", "n_knots=" + "(" * 5000, "n_knots=" + "-" * 100_000 + "1"]
)
def test_a_specification_beyond_reading_is_the_callers_fault(spec: str) -> None:
    with pytest.raises(InputError, match="expected a whole number"):
        method(f"loci-h:{spec}")


@pytest.mark.parametrize("rows", [90, 130])
def test_as_many_basis_functions_as_values_are_few_enough(rows: int) -> None:
    x, noise = np.random.default_rng(0).normal(size=(2, rows))
    (decision,) = method("cam", basis_size=BASIS_SIZES[1]).decide_many([Pair.of(x, np.tanh(x) + 0.3 * noise)])
    assert not decision.failed
