"""The type of a column, and what happens to a pair of each: the table of docs/guide/kinds.md, line by line."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.column_types import FEWEST_LEVELS, ColumnType, classify_column, find_times, is_identifier, tally
from causewise.decision import Decision, Direction
from causewise.graphs.graph_columns import read_graph_columns
from causewise.pair import Pair

ROOT = Path(__file__).parents[1]
SEEDS = st.integers(0, 2**32 - 1)


def loaded(name: str) -> ModuleType:
    """A script of benchmarks/, whose laws these tests share."""
    place = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert place and place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


BENCHMARK = loaded("column_types")


def column(kind: ColumnType, rng: np.random.Generator, n: int = 400) -> np.ndarray:
    """Some column of a type, in units of its own where that is no matter."""
    fine = rng.gamma(rng.uniform(1, 5), size=n) if rng.random() < 0.5 else rng.normal(size=n)
    unit, shift = np.exp(rng.normal()), rng.normal()
    match kind:
        case ColumnType.CONSTANT:
            return np.full(n, shift)
        case ColumnType.BINARY:
            return shift + unit * np.append([0, 1], rng.integers(2, size=n - 2))
        case ColumnType.LEVELS:
            return np.append([0, 1, 2], rng.integers(3 + rng.integers(2), size=n - 3)) * unit
        case ColumnType.POINT_MASS:
            return np.where(rng.random(n) < rng.uniform(0.15, 0.8), shift, unit * fine)
        case ColumnType.COUNT:
            return np.append([0.0], rng.poisson(rng.uniform(4, 12), n - 1))
        case ColumnType.ROUNDED:
            return 0.37 * np.round(fine * rng.uniform(4, 8))
        case ColumnType.IDENTIFIER:
            return np.cumsum(rng.integers(1, 4, n)) * float(rng.choice([-1, 1]))
        case ColumnType.CONTINUOUS:
            return shift + unit * fine


# The type of a column


@pytest.mark.parametrize("kind", ColumnType)
def test_each_type_is_recognised(kind: ColumnType) -> None:
    found = [classify_column(column(kind, np.random.default_rng(seed))) for seed in range(100)]
    assert found.count(kind) >= 97


@pytest.mark.parametrize("kind", [kind for kind in ColumnType if kind not in (ColumnType.COUNT, ColumnType.IDENTIFIER)])
@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_neither_units_nor_signs_nor_the_order_of_rows_matter(kind: ColumnType, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = column(kind, rng)
    there = classify_column(values)
    assert classify_column(rng.permutation(values)) is there
    if there is not ColumnType.COUNT:
        assert {classify_column(-values), classify_column(2 * values + 0.25)} <= {there}


@given(SEEDS, st.floats(0.2, 30), st.integers(100, 3000))
@settings(max_examples=30, deadline=None)
def test_no_poisson_or_geometric_count_has_a_point_mass(seed: int, mean: float, n: int) -> None:
    rng = np.random.default_rng(seed)
    for drawn in (rng.poisson(mean, n), rng.geometric(1 / (1 + mean), n)):
        assert classify_column(drawn.astype(float)) is not ColumnType.POINT_MASS


@given(SEEDS, st.integers(10, 200))
@settings(max_examples=30, deadline=None)
def test_no_rounding_alone_has_a_point_mass(seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    for fine in (rng.normal(size=1000), rng.uniform(size=1000), rng.gamma(2, size=1000)):
        assert classify_column(np.round(fine / np.ptp(fine) * steps)) is not ColumnType.POINT_MASS


@given(SEEDS, st.floats(0.15, 0.9))
@settings(max_examples=24, deadline=None)
def test_the_point_mass_is_found_wherever_it_lies(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    fine = rng.normal(size=800)
    value = float(np.round(rng.choice(np.quantile(fine, [0, 0.2, 0.5, 1.0])), 3))
    found = tally(np.where(rng.random(800) < share, value, fine))
    assert found.column_type is ColumnType.POINT_MASS
    assert found.mass_value == value
    assert found.mass_rows >= 0.5 * share * 800


def test_a_ratio_that_is_mostly_whole_numbers_has_point_masses() -> None:
    """As the ratio s4 of scikit-learn's diabetes table, which the default once named the cause of age."""
    from sklearn.datasets import load_diabetes

    table = dict(zip(("age", *[""] * 6, "s4"), load_diabetes(scaled=False).data.T, strict=False))
    assert classify_column(table["s4"]) is ColumnType.POINT_MASS
    decision = causewise.infer(table, "age", "s4")
    assert decision.direction is Direction.UNDECIDED
    assert any("'s4' is 3 in 29 % of rows" in text for text in decision.warnings)


# Row identifiers and time


@given(SEEDS, st.integers(40, 600), st.integers(1, 5), st.booleans())
@settings(max_examples=24, deadline=None)
def test_numbers_that_follow_the_rows_with_gaps_are_identifiers(seed: int, n: int, gap: int, falling: bool) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, gap + 1, n)
    steps[:2] = (1, 2)  # in equal steps they would be time
    numbers = np.cumsum(steps) + float(rng.integers(3000, 10**6))
    if n * (n - 1) < 14 * np.ptp(numbers) + 14:
        return
    assert is_identifier(numbers[::-1] if falling else numbers)
    assert not is_identifier(rng.permutation(numbers))
    assert not is_identifier(numbers + 0.5)


@pytest.mark.parametrize("first", [0, 1])
def test_the_number_of_the_row_is_an_identifier_and_years_are_not(first: int) -> None:
    assert is_identifier(np.arange(first, first + 200.0))
    for years in (np.arange(1900.0, 2000), np.delete(np.arange(1850.0, 2000), [3, 40, 41]), np.arange(5000.0, 5200)):
        assert not is_identifier(years)
        assert find_times(Pair.of(years, np.sin(years))) == ("x",)


@given(SEEDS, st.integers(20, 400))
@settings(max_examples=30, deadline=None)
def test_sorted_measurements_are_no_identifiers(seed: int, n: int) -> None:
    """Ages repeat, lengths are no whole numbers, and populations leave wide gaps."""
    rng = np.random.default_rng(seed)
    ages, lengths = np.sort(rng.integers(18, 90, n)).astype(float), np.sort(rng.normal(170, 9, n))
    populations = np.sort(np.round(np.exp(rng.normal(11, 1.5, n))))[::-1]
    for column_ in (ages, lengths, populations):
        assert classify_column(column_) is not ColumnType.IDENTIFIER
        assert not find_times(Pair.of(column_, rng.normal(size=n)))


@given(SEEDS, st.integers(15, 200), st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_whole_numbers_that_happen_to_be_sorted_are_hardly_ever_identifiers(seed: int, n: int, wide: int) -> None:
    drawn = np.sort(np.random.default_rng(seed).integers(0, wide * n, n)).astype(float)
    assert not is_identifier(drawn)


def test_an_identifier_is_stopped_with_the_reason_and_left_out_of_scans_and_graphs() -> None:
    rng = np.random.default_rng(0)
    patient = np.cumsum(rng.integers(1, 4, 400)).astype(float)
    dose = rng.uniform(0, 2, 400) + patient / 400
    response = np.sin(2 * dose) + 0.2 * rng.normal(size=400)
    found = causewise.infer({"patient": patient, "dose": dose})
    assert found.stopped and "'patient' numbers the rows" in found.explanation
    assert found.to_dict()["kinds"] == {"x": "row identifier", "y": "continuous"}
    table = {"patient": patient, "dose": dose, "response": response}
    assert causewise.scan(table).left_out == read_graph_columns(table).left_out == {"patient": "it numbers the rows"}


def test_dates_with_gaps_are_no_identifiers_and_stand_in_scans_and_graphs() -> None:
    rng = np.random.default_rng(1)
    day = np.datetime64("2020-01-01") + np.cumsum(rng.integers(1, 4, 300))
    trend = np.linspace(0, 3, 300) + rng.normal(size=300)
    table = {"day": day, "price": trend, "volume": trend**2 + rng.normal(size=300)}
    assert causewise.infer(table, "day", "price").to_dict()["kinds"] == {"x": "continuous", "y": "continuous"}
    assert "day" not in causewise.scan(table).left_out
    assert "day" not in read_graph_columns(table).left_out


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_time_is_never_an_effect(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = np.arange(300)
    column_ = np.sin(steps / rng.uniform(10, 100)) * rng.normal() + rng.exponential(size=300) * rng.uniform(0.1, 2)
    for time in (np.datetime64("2020-01-01") + steps, steps + 1700.0, 2.0 * steps):
        for method in ("causewise", "loci-h", "igci"):
            one = causewise.infer({"t": time, "v": column_}, method=method)
            other = causewise.infer({"v": column_, "t": time}, method=method)
            assert one.effect != "t" and other.effect != "t"
            assert one.status == other.status


# What happens

ANSWERED = [
    "continuous",
    "rounded to 30 steps, effect",
    "rounded to 10 steps, effect",
    "count, effect",
    "rating, cause",
]
WITHHELD = [
    "3 ordered levels, cause",
    "3 ordered levels, effect",
    "two values, cause",
    "two values, effect",
    "60 % rounded to 5 steps, effect",
    "86 % rounded to 10 steps, effect",
]
STOPPING = "point mass|distinct values, too few|straight line"
BESIDE_POINT_MASS = [
    "zero-inflated by 20 %, cause",
    "zero-inflated by 20 %, effect",
    "zero-inflated by 60 %, effect",
    "hurdle, effect",
    "floor at the 30 % quantile, effect",
]


def decided(law: str, pairs: int, **settings: str) -> list[Decision]:
    return [causewise.infer(pair, **settings) for pair in BENCHMARK.drawn(law, pairs)]


@pytest.mark.parametrize("law", ANSWERED)
def test_answers_on_rounded_and_counted_columns_are_right(law: str) -> None:
    found = [decision.direction for decision in decided(law, 16)]
    assert Direction.FORWARD in found
    assert Direction.BACKWARD not in found


@pytest.mark.parametrize("law", WITHHELD)
def test_no_answer_is_given_on_several_point_masses_and_few_levels_and_the_reason_is(law: str) -> None:
    for pair in BENCHMARK.drawn(law, 8):
        decision = causewise.infer(pair)
        assert decision.direction is Direction.UNDECIDED
        if (
            not decision.unrelated and decision.pair.n == pair.n
        ):  # of several point masses one alone may be large enough
            assert re.search(STOPPING, decision.explanation)


@pytest.mark.parametrize("law", BESIDE_POINT_MASS)
def test_beside_a_point_mass_the_other_rows_are_scored_and_no_answer_is_wrong(law: str) -> None:
    pairs = BENCHMARK.drawn(law, 10)
    found = [causewise.infer(pair) for pair in pairs]
    assert Direction.BACKWARD not in [decision.direction for decision in found]
    for pair, decision in zip(pairs, found, strict=True):
        if not decision.unrelated and decision.pair.n < pair.n:
            said = f"only the other {decision.pair.n} of {pair.n} rows are scored"
            assert any(said in text for text in decision.warnings)


def test_methods_for_levels_are_named_where_they_can_answer() -> None:
    both, one = (causewise.infer(BENCHMARK.drawn(f"3 ordered levels, {where}", 1)[0]) for where in ("both", "cause"))
    assert any("the method ordinal or discrete" in warning for warning in both.warnings)
    assert any(warning.endswith("or the method ordinal.") for warning in one.warnings)
    for pair, name in ((both.pair, "discrete"), (both.pair, "ordinal"), (one.pair, "ordinal")):
        assert not causewise.infer(pair, method=name).failed


def test_a_method_that_is_asked_for_by_name_answers_beside_the_warning() -> None:
    for decision in decided("zero-inflated by 60 %, effect", 4, method="loci-h"):
        assert decision.direction is not Direction.UNDECIDED
        assert any("of rows, a point mass: score the other" in warning for warning in decision.warnings)


def test_methods_for_levels_are_not_warned_of_levels() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, size=400)
    growth = group + (0.3 + 0.2 * group) * rng.exponential(size=400)
    assert any("distinct values" in text for text in causewise.infer(group, growth, method="loci-h").warnings)
    assert not causewise.infer(group, growth, method="ordinal").warnings


def test_zeros_in_the_effect_would_be_taken_for_its_cause() -> None:
    """Why point masses withhold an answer: without the data checks nearly every lean is the wrong way."""
    method = causewise.method("causewise")
    leans = [method.decide_many([pair])[0].score for pair in BENCHMARK.drawn("hurdle, effect", 12)]
    assert np.mean(np.array(leans) < 0) > 0.8


def test_levels_under_the_model_of_discrete_are_answered_by_it() -> None:
    found = [decision.direction for decision in decided("steps added to 3 levels, both", 24, method="discrete")]
    assert found.count(Direction.FORWARD) > 10
    assert found.count(Direction.BACKWARD) <= 1
    assert FEWEST_LEVELS > 3


# The guide

PAGE = (ROOT / "docs" / "guide" / "kinds.md").read_text(encoding="utf-8")


def guide_lines() -> list[list[str]]:
    """The cells of the first table, without its head."""
    table = next(part for part in PAGE.split("\n\n") if "| column type |" in part)
    lines = table[table.index("| column type |") :].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_guide_names_every_type_and_every_law_of_the_benchmark() -> None:
    assert not [kind for kind in ColumnType if f"**{kind}**" not in PAGE]
    measured = (ROOT / "docs" / "studies" / "column-types.md").read_text(encoding="utf-8")
    assert not [law for law in BENCHMARK.LAWS if law not in measured]


def test_every_line_of_the_guide_names_a_test_that_exists() -> None:
    files = list((ROOT / "tests").rglob("test_*.py"))
    tests = "\n".join(path.read_text(encoding="utf-8") for path in files)
    there = {path.name for path in files}.union(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    for kind, *_, last in guide_lines():
        names = re.findall("`([^`]+)`", last)
        assert names, kind
        laws = {name for name in names if any(law.startswith(name) for law in BENCHMARK.LAWS)}
        assert set(names) <= there | laws, kind


def test_every_line_of_the_guide_says_what_happens_to_pairs_and_to_graphs() -> None:
    assert len(guide_lines()) >= 13
    for kind, _, pairs, graphs, _ in guide_lines():
        assert pairs and graphs, kind
