"""The robustness grid: damages, broken assumptions and variances are what their names say."""

import numpy as np
import pytest

from causewise.lab.datasets import generate, grid, simulators
from causewise.lab.datasets.collection import Collection
from causewise.lab.datasets.laws import CAUSE_LAWS, NOISE_LAWS
from causewise.lab.datasets.simulators import conditional_variance


def causal(collection: Collection) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(p.pair.x, p.pair.y) if p.truth > 0 else (p.pair.y, p.pair.x) for p in collection.pairs]


def column(n: int = 500) -> np.ndarray:
    return np.random.default_rng(0).standard_t(3, n)


@pytest.mark.parametrize("values", [100, 30, 10, 5])
def test_rounding_leaves_that_many_values(values: int) -> None:
    rounded = simulators.round_column(values, np.random.default_rng(0), column())
    assert len(np.unique(rounded)) <= values
    assert len(np.unique(rounded)) >= 0.6 * values
    assert np.corrcoef(rounded, column())[0, 1] > 0.75


def test_outliers_floor_error_and_warp_do_what_they_say() -> None:
    rng, clean = np.random.default_rng(0), column()
    assert np.count_nonzero(simulators.add_outliers(0.1, rng, clean) != clean) == 50
    assert np.count_nonzero(simulators.add_outliers(0.001, rng, clean) != clean) == 1
    floored = simulators.censor(0.2, rng, clean)
    assert np.mean(floored == floored.min()) == pytest.approx(0.2, abs=0.01)
    assert np.std(simulators.add_error(0.2, rng, clean) - clean) == pytest.approx(0.2 * clean.std(), rel=0.1)
    assert np.array_equal(np.argsort(simulators.warp(rng, clean)), np.argsort(clean))


@pytest.mark.parametrize("name", simulators.DAMAGES)
def test_damage_stays_where_it_is_said_to_be(name: str) -> None:
    cause, effect = column(), column()[::-1] ** 2
    spoilt = simulators.DAMAGES[name](np.random.default_rng(0), cause.copy(), effect.copy())
    where = name.rsplit("-", 1)[1]
    assert np.array_equal(spoilt[0], cause) == (where == "effect")
    assert np.array_equal(spoilt[1], effect) == (where == "cause")


def test_the_laws_axis_is_the_full_product() -> None:
    laws = [cell for cell in grid() if cell.name.startswith("grid/laws/")]
    assert len(laws) == len(CAUSE_LAWS) * len(NOISE_LAWS) == 35


def test_the_variance_cells_are_what_they_say() -> None:
    for name, sign in (("misleading", 1), ("helpful", -1)):
        for cause, effect in causal(generate(f"grid/variance/{name}", 10, 300)):
            assert sign * (conditional_variance(cause, effect) - conditional_variance(effect, cause)) > 0


def test_conditional_variance_of_a_known_case() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    assert conditional_variance(x, x + rng.normal(size=x.size)) == pytest.approx(0.5, abs=0.03)
    assert conditional_variance(x, x) < 0.02


def test_noise_cells_have_the_signal_to_noise_ratio_they_name() -> None:
    smallest = []
    for ratio in (0.1, 1, 10, 100):
        pairs = causal(generate(f"grid/noise/snr-{ratio:g}", 30, 1000))
        smallest.append(np.median([conditional_variance(cause, effect) for cause, effect in pairs]))
    expected = [1 / (1 + ratio) for ratio in (0.1, 1, 10)]
    assert smallest[:3] == pytest.approx(expected, rel=0.35)
    assert smallest[3] < smallest[2]


def test_every_hidden_step_adds_noise() -> None:
    unexplained = [
        np.median([conditional_variance(x, y) for x, y in causal(generate(f"grid/breaks/mediator-{steps}", 30, 500))])
        for steps in (1, 2, 3)
    ]
    assert unexplained == sorted(unexplained)


def test_selection_keeps_the_upper_half_of_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("draw_cause", "draw_noise"):
        monkeypatch.setattr(simulators, name, lambda rng, n: rng.standard_normal(n))
    monkeypatch.setattr(simulators, "location_scale", lambda rng, cause, noise, noise_sd: noise)
    cause, effect = simulators.draw_selected(np.random.default_rng(0), 4000)
    assert len(cause) == 4000
    assert (cause + effect).min() == pytest.approx(0, abs=0.06)  # the threshold, in units of the whole sample


def test_cells_of_an_axis_share_their_random_numbers_and_sets_do_not() -> None:
    low, high = (causal(generate(f"grid/noise/snr-{ratio}", 3, 50)) for ratio in ("0.1", "100"))
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(low, high, strict=True))
    an, ans = causal(generate("AN", 1, 50)), causal(generate("ANs", 1, 50))
    assert not np.array_equal(an[0][0], ans[0][0])
