"""The generated pairs: each depends on its seed and number alone, labels are fair, units are kept."""

import ast
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

import causewise
from causewise.pair import FloatArray, Pair
from training import simulator_a, simulator_b
from training.simulator_a import Labelled

WORLDS = pytest.mark.parametrize("module", [simulator_a, simulator_b])
PACKAGE = Path(causewise.__file__).parent


def same(one: Labelled, other: Labelled) -> bool:
    columns = np.array_equal(one.x, other.x) and np.array_equal(one.y, other.y)
    return columns and one[2:] == other[2:]


@WORLDS
def test_a_pair_depends_on_seed_and_number_alone(module: ModuleType) -> None:
    in_order = [module.pair(index, 3) for index in range(8)]
    backwards = [module.pair(index, 3) for index in reversed(range(8))][::-1]
    np.random.default_rng(0).normal(size=10)
    assert all(map(same, in_order, backwards))
    assert not any(same(in_order[index], module.pair(index, 4)) for index in range(8))
    assert not any(same(one, other) for one, other in pairwise(in_order))


@WORLDS
def test_columns_are_usable_and_as_long_as_promised(module: ModuleType) -> None:
    for index in range(60):
        pair = module.pair(index, 5)
        Pair.of(pair.x, pair.y)
        assert module.ROWS[0] - 1 <= len(pair.x) <= module.ROWS[1]
        assert min(len(np.unique(pair.x)), len(np.unique(pair.y))) >= 5


def marked(*_: object) -> tuple[FloatArray, FloatArray]:
    """A cause and an effect that can be told apart."""
    return np.arange(60.0), -np.arange(60.0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both simulators with columns that cost nothing."""
    for family in simulator_a.DRAWS:
        monkeypatch.setitem(simulator_a.DRAWS, family, marked)
    monkeypatch.setattr(simulator_b, "_draw", marked)


@WORLDS
@pytest.mark.usefixtures("quick")
def test_the_label_says_whether_the_first_column_is_the_cause(module: ModuleType) -> None:
    for index in range(50):
        pair = module.pair(index, 1)
        cause, effect = (pair.x, pair.y) if pair.truth == 1 else (pair.y, pair.x)
        assert pair.truth in (1, -1)
        assert cause[-1] == 59 and effect[-1] == -59


@WORLDS
@pytest.mark.usefixtures("quick")
def test_labels_are_balanced(module: ModuleType) -> None:
    truth = np.array([module.pair(index, 1).truth for index in range(2000)])
    assert abs(truth.mean()) < 4 / np.sqrt(len(truth))
    assert abs(np.mean(truth[1:] * truth[:-1])) < 4 / np.sqrt(len(truth))


@pytest.mark.usefixtures("quick")
def test_a_fifth_of_the_pairs_have_no_direction_and_all_families_occur() -> None:
    pairs = [simulator_a.pair(index, 1) for index in range(2000)]
    tossed = np.array([pair.family in simulator_a.DOUBTS for pair in pairs])
    assert (
        {pair.family for pair in pairs}
        == set(simulator_a.DRAWS)
        == set(simulator_a.DOUBTS) | set(simulator_a.MECHANISMS)
    )
    assert abs(tossed.mean() - simulator_a.DOUBTFUL) < 4 * 0.4 / np.sqrt(len(pairs))
    truth = np.array([pair.truth for pair in pairs])
    assert abs(truth[tossed].mean()) < 4 / np.sqrt(tossed.sum())


@pytest.mark.usefixtures("quick")
def test_the_mechanisms_of_simulator_b_take_turns() -> None:
    families = [simulator_b.pair(index, 1).family for index in range(2 * len(simulator_b.MECHANISMS))]
    assert families == 2 * list(simulator_b.MECHANISMS)


def test_units_are_kept_in_most_pairs() -> None:
    assert 0 < simulator_a.BENT_AFTER <= 0.2


def test_as_few_effects_are_bent_afterwards_as_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    bent = []
    monkeypatch.setattr(simulator_a, "_bent", lambda rng, v: bent.append(1) or v)
    monkeypatch.setitem(simulator_a.MECHANISMS, "additive", (1.0, lambda rng, u, e: u + e))
    draw = simulator_a._oriented("additive")
    for seed in range(1000):
        draw(np.random.default_rng(seed), 20)
    assert abs(len(bent) / 1000 - simulator_a.BENT_AFTER) < 4 * np.sqrt(simulator_a.BENT_AFTER / 1000)


@pytest.mark.parametrize("law", [simulator_a.law, simulator_b.law])
def test_laws_have_mean_zero_and_variance_one(law: Callable[[np.random.Generator, int], FloatArray]) -> None:
    for seed in range(40):
        column = law(np.random.default_rng(seed), 200)
        assert abs(column.mean()) < 1e-9 and column.std() == pytest.approx(1.0)


def test_recording_rounds_a_quarter_of_the_columns_to_between_ten_and_a_hundred_steps() -> None:
    column = np.random.default_rng(0).normal(size=500)
    found = [simulator_a.recorded(np.random.default_rng(seed), column) for seed in range(400)]
    rounded = [each for each in found if not np.array_equal(each, column)]
    assert abs(len(rounded) / 400 - simulator_a.ROUNDED) < 4 * np.sqrt(simulator_a.ROUNDED / 400)
    low, high = np.quantile(column, (0.01, 0.99))
    for each in rounded:
        step = np.diff(np.unique(each)).min()
        assert simulator_a.STEPS[0] - 1e-6 <= (high - low) / step <= simulator_a.STEPS[1] + 1e-6
        assert np.max(np.abs(each - column)) <= step / 2 + 1e-12


def test_series_keep_their_memory_and_size_from_the_first_row_on() -> None:
    many = np.array([simulator_a._series(np.random.default_rng(seed), 60, 0.9) for seed in range(2000)])
    assert many[:, 0].std() == pytest.approx(1.0, rel=0.1)
    assert many[:, -1].std() == pytest.approx(1.0, rel=0.1)
    assert np.mean(many[:, 1:] * many[:, :-1]) == pytest.approx(0.9, abs=0.05)


def test_nothing_that_is_installed_imports_training() -> None:
    importing = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            importing += [str(path) for name in names if name.split(".")[0] == "training"]
    assert not importing
