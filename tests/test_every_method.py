"""One table, every method of the catalogue: what each must hold, whoever wrote it. A new method inherits all of it."""

import json
import math
from functools import cache
from importlib import import_module
from inspect import signature
from itertools import product

import numpy as np
import pytest

import causewise
from causewise.catalogue import CATALOGUE, cost, method
from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.models.network import fitting
from causewise.pair import Pair
from causewise.protocol import Method

NETWORK = {"hidden": 5, "steps": 30, "device": "cpu"}
CHEAP = dict.fromkeys(("nn-loci-h", "nn-loci-m", "nn-anm-h", "nn-anm-m", "roche"), NETWORK) | {
    "cgnn": {"hidden": 3, "runs": 2, "epochs": 2, "test_epochs": 2, "batch": 120, "device": "cpu"},
    "entropic": {"bins": 8},  # or it refuses whatever is continuous
    "gpi": {"max_iter": 3},
    "anm-mm": {"max_iter": 3},
    "cure": {"levels": 8, "max_iter": 3},
}
"""Settings that make the expensive ones quick; the properties hold at any."""
METHODS = [entry.name for entry in CATALOGUE]
ONLY_LEVELS = {"discrete", "ordinal"}
"""Methods that refuse continuous columns; they are held to the tied ones."""


def samples() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 120))
    cauchy, heavy = rng.standard_cauchy(size=(2, 120))
    return {
        "curved": (x, np.tanh(2 * x) + (0.2 + 0.2 * np.abs(x)) * noise),
        "tied": (np.round(2 * x), np.round(2 * np.sin(x) + noise)),
        "tiny": (x[:10], x[:10] ** 2 + 0.3 * noise[:10]),
        "heavy-tailed": (cauchy, cauchy**2 + heavy),
        "two values": ((x > 0).astype(float), x + noise),
        "noiseless": (x, np.exp(x)),
    }


SAMPLES = samples()
UNITS = [(1.0, 100.0), (1e6, 0.0), (1e-6, 0.0), (25.4, -273.15)]
every_method = pytest.mark.parametrize("name", METHODS)


def variants() -> dict[tuple[str, object], Pair]:
    """Every sample as it is, turned round and with its rows mixed; two of them also in other units."""
    made: dict[tuple[str, object], Pair] = {}
    for sample, (x, y) in SAMPLES.items():
        order = np.random.default_rng(0).permutation(len(x))
        made[sample, "plain"] = Pair.of(x, y)
        made[sample, "turned"] = Pair.of(y, x)
        made[sample, "mixed"] = Pair.of(x[order], y[order])
    for sample in ("curved", "tied"):
        x, y = SAMPLES[sample]
        for slope, shift in UNITS:
            made[f"{sample} x", (slope, shift)] = Pair.of(slope * x + shift, y)
            made[f"{sample} y", (slope, shift)] = Pair.of(x, slope * y + shift)
    return made


def usual(name: str) -> str:
    """A sample that the method takes."""
    return "tied" if name in ONLY_LEVELS else "curved"


@cache
def decisions(name: str) -> dict[tuple[str, object], Decision]:
    """All variants decided in one call: methods that train networks compile once."""
    made = variants()
    return dict(zip(made, built(name).decide_many(list(made.values())), strict=True))


def built(name: str) -> Method:
    fitting._cache.clear()  # or a second call would repeat the first by heart
    return method(name, **CHEAP.get(name, {}))


def decide(name: str, x: np.ndarray, y: np.ndarray) -> Decision:
    return built(name).decide_many([Pair.of(x, y)])[0]


@every_method
def test_answers_with_a_number_or_refuses_with_a_sentence(name: str) -> None:
    for sample in SAMPLES:
        decision = decisions(name)[sample, "plain"]
        if decision.failed:
            assert decision.direction is Direction.UNDECIDED, sample
            assert decision.reason.endswith("."), sample
            assert decision.to_dict()["score"] is None, sample
        else:
            assert math.isfinite(decision.score), sample
        json.dumps(decision.to_dict(), allow_nan=False)


@every_method
def test_exchanging_the_columns_negates_the_score_exactly(name: str) -> None:
    for sample in SAMPLES:
        there, back = decisions(name)[sample, "plain"], decisions(name)[sample, "turned"]
        assert bool(there.failed) == bool(back.failed), sample
        assert there.failed or there.score == -back.score, sample


@every_method
def test_the_order_of_the_rows_does_not_change_a_bit(name: str) -> None:
    for sample in SAMPLES:
        plain, mixed = decisions(name)[sample, "plain"], decisions(name)[sample, "mixed"]
        assert plain.reason == mixed.reason, sample
        assert plain.failed or plain.score == mixed.score, sample


@every_method
def test_units_change_nothing(name: str) -> None:
    plain = decisions(name)[usual(name), "plain"]
    assert not plain.failed
    for units, column in product(UNITS, "xy"):
        other = decisions(name)[f"{usual(name)} {column}", units]
        assert other.direction is plain.direction, (units, column)
        assert other.score == pytest.approx(plain.score, rel=1e-5, abs=1e-8), (units, column)


@every_method
def test_the_same_seed_gives_the_same_bytes_and_other_pairs_change_nothing(name: str) -> None:
    one, other = (decide(name, *SAMPLES[usual(name)]) for _ in range(2))
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    together = decisions(name)[usual(name), "plain"]
    assert together.score == pytest.approx(one.score, rel=1e-4)


@every_method
def test_columns_that_are_no_pair_are_refused_with_a_sentence(name: str) -> None:
    x, y = SAMPLES["curved"]
    for no_column, words in (
        (np.ones_like(y), "is constant"),
        (np.where(y > y[0], np.nan, y), "missing"),
        (np.append(y[:-1], np.inf), "infinite"),
        (y[:-1], "equal length"),
    ):
        with pytest.raises(InputError, match=words):
            causewise.infer(x, no_column, method=name)


@every_method
def test_the_decision_names_its_method_and_a_seed_where_there_is_one(name: str) -> None:
    decision = decisions(name)["curved", "plain"]
    assert decision.method == name
    assert decision.seed == getattr(built(name), "seed", None)


@every_method
def test_its_cost_was_measured(name: str) -> None:
    price = cost(name)
    assert price is not None, f"run: python benchmarks/baselines.py costs --only loci-h,{name}"
    assert price.seconds > 0


@pytest.mark.parametrize("name", ["anm-h", "resit"])
@pytest.mark.parametrize("seed", range(5))
def test_the_textbook_cubic_pair(name: str, seed: int) -> None:
    """Other packages answer −1.8e-15 or an empty graph here, or change their mind with a shift or a sort."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=300)
    y = x**3 + rng.normal(size=300)
    plain = decide(name, x, y)
    assert plain.direction is Direction.FORWARD
    assert plain.forward.p_value is not None and plain.backward.p_value is not None
    assert plain.forward.p_value > 0.01 > plain.backward.p_value
    shifted = decide(name, x + 100, y)
    assert shifted.score == pytest.approx(plain.score, rel=1e-6)
    assert shifted.forward.p_value == pytest.approx(plain.forward.p_value, rel=1e-6)
    for column in (x, y):
        order = np.argsort(column)
        assert decide(name, x[order], y[order]).score == plain.score


def numeric_settings() -> list[tuple[str, str]]:
    found = []
    for entry in CATALOGUE:
        module, function = entry.build.split(":")
        parameters = signature(getattr(import_module(module), function)).parameters
        found += [(entry.name, key) for key, setting in parameters.items() if type(setting.default) in (int, float)]
    return found


@pytest.mark.parametrize(("name", "setting"), numeric_settings())
def test_numbers_out_of_range_are_refused_with_a_sentence_or_do_no_harm(name: str, setting: str) -> None:
    x, y = SAMPLES["curved"]
    for value in (-1, 0, math.nan):
        try:
            decision = method(name, **CHEAP.get(name, {}) | {setting: value}).decide_many([Pair.of(x[:60], y[:60])])[0]
        except InputError as refusal:
            assert f"Got {setting}=" in str(refusal)
            assert str(refusal).endswith(".")
        else:
            assert value == 0
            assert math.isfinite(decision.score)
