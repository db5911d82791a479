"""Silent on clean pairs, a short warning for every defect; units, signs and the order inside ties do not matter."""

import copy
import pickle
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from causewise.data_checks import CHECKS, DataWarning, Severity, check
from causewise.pair import Pair
from defects import DEFECTS, SEEDS, changed, clean, kinds, one, rows

ORDERED = {"row_identifiers", "sorted_rows", "dependent_rows", "alternating_rows"}
Shape = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def words(warning: str) -> int:
    return len(warning.split())


# Silence on clean pairs

SHAPES: dict[str, Shape] = {
    "tanh": lambda x, rng: np.tanh(2 * x) + 0.3 * rng.normal(size=len(x)),
    "sine": lambda x, rng: np.sin(2 * x) + x + 0.5 * rng.normal(size=len(x)),
    "square": lambda x, rng: x**2 + 0.5 * rng.normal(size=len(x)),
    "exponential": lambda x, rng: np.exp(0.7 * x) + 0.3 * rng.normal(size=len(x)),
    "uneven noise": lambda x, rng: x + (0.2 + np.abs(x)) * rng.normal(size=len(x)),
    "product": lambda x, rng: (x + 4) * rng.uniform(0.2, 1, size=len(x)),
    "line with uniform noise": lambda x, rng: x + rng.uniform(-1.7, 1.7, size=len(x)),
    "line with skewed noise": lambda x, rng: x + rng.exponential(size=len(x)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_clean_pairs_of_each_shape_lose_nothing(shape: str) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=300)
        assert not set(kinds(Pair.of(x, SHAPES[shape](x, rng))).values()) & {Severity.STOPS, Severity.LOWERS}


def test_clean_pairs_pass_in_silence() -> None:
    assert np.mean([bool(check(clean(seed))) for seed in range(200)]) < 0.02


def test_clean_pairs_of_a_hundred_rows() -> None:
    assert np.mean([bool(check(clean(seed, 100))) for seed in range(200)]) < 0.03


# A warning for every defect

BOTH_COLUMNS: dict[str, Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "few_levels": lambda rng: rng.integers(3, size=(2, 500)).astype(float),
    "ties": lambda rng: np.round(3 * rng.normal(size=(2, 500))),
    "point_mass": lambda rng: np.maximum(rng.normal(size=(2, 500)), -0.123456),
    "outliers": lambda rng: np.append(rng.normal(size=(2, 500)), [[1e3, 1e4], [-1e3, 1e3]], axis=1),
    "dependent_rows": lambda rng: np.cumsum(rng.normal(size=(2, 500)), axis=1),
    "alternating_rows": lambda rng: np.diff(rng.normal(size=(2, 500)), axis=1),
    "sorted_rows": lambda rng: np.sort(rng.normal(size=(2, 500)), axis=1),
}


def test_every_check_has_a_defect() -> None:
    assert list(DEFECTS) == [test.__name__ for test in CHECKS]


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_is_found(defect: str) -> None:
    found = [defect in kinds(DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))) for seed in range(60)]
    assert np.mean(found) > 0.9


@pytest.mark.parametrize("kind", BOTH_COLUMNS)
def test_two_columns_share_one_sentence(kind: str) -> None:
    warning = one(Pair.of(*BOTH_COLUMNS[kind](np.random.default_rng(0)), x_name="rain", y_name="flow"), kind)
    assert "'rain'" in warning and "'flow'" in warning
    assert words(warning) <= 25


# What a warning is


def sound(found: tuple[DataWarning, ...]) -> None:
    for warning in found:
        assert words(warning) <= 25
        assert re.fullmatch(r"[^\n]+\.", warning)
        assert "--" not in warning
    assert len({warning.kind for warning in found}) == len(found)
    order = [list(Severity).index(warning.severity) for warning in found]
    assert order == sorted(order)


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_sentences_are_short_and_sorted_by_weight(defect: str, seed: int) -> None:
    sound(check(DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))))


@given(seed=SEEDS, picked=st.lists(st.sampled_from(sorted(set(DEFECTS) - {"missing_rows"})), max_size=4))
@settings(max_examples=24, deadline=None)
def test_defects_together_give_one_sentence_each(seed: int, picked: list[str]) -> None:
    pair, rng = clean(seed, 300), np.random.default_rng(seed)
    for defect in picked:
        pair = DEFECTS[defect](pair, rng)
    sound(check(pair))


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=10, max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_pair_gets_sentences_and_no_failure(cells: list[tuple[float, float]]) -> None:
    x, y = np.array(cells).T
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    sound(check(Pair(x, y, "rain", "river")))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_notice_survives_pickling(protocol: int) -> None:
    warning = DataWarning("Few rows.", Severity.LOWERS, "few_rows")
    for twin in (pickle.loads(pickle.dumps(warning, protocol)), copy.copy(warning), copy.deepcopy(warning)):
        assert type(twin) is DataWarning
        assert (twin, twin.severity, twin.kind) == ("Few rows.", Severity.LOWERS, "few_rows")


def test_a_notice_is_its_text_and_cannot_be_changed() -> None:
    warning = DataWarning("Few rows.", Severity.LOWERS, "few_rows")
    assert warning == "Few rows." and hash(warning) == hash("Few rows.") and {warning} == {"Few rows."}
    with pytest.raises(AttributeError):
        warning.kind = "ties"  # type: ignore[misc]  # it has no setter
    with pytest.raises(AttributeError):
        del warning.kind
    assert warning.severity == "lowers confidence"


# What must not matter


@pytest.mark.parametrize("defect", [defect for defect in DEFECTS if defect != "row_identifiers"])
@given(seed=SEEDS, sizes=st.tuples(*[st.sampled_from([-1.0, 25.4, -(2.0**40), 2.0**-40])] * 2))
@settings(max_examples=10, deadline=None)
def test_units_signs_and_column_order_do_not_matter(defect: str, seed: int, sizes: tuple[float, float]) -> None:
    pair = DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))
    assert kinds(pair) == kinds(Pair(pair.x * sizes[0], pair.y * sizes[1], dropped=pair.dropped, notes=pair.notes))
    assert kinds(pair) == kinds(pair.swap())


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_only_the_checks_of_the_row_order_look_at_it(defect: str, seed: int) -> None:
    pair = DEFECTS[defect](clean(seed), np.random.default_rng(seed))
    shuffled = rows(pair, np.random.default_rng(seed).permutation(pair.n))
    assert {n for n in check(pair) if n.kind not in ORDERED} == {n for n in check(shuffled) if n.kind not in ORDERED}
    assert not ORDERED & set(kinds(shuffled))


@given(seed=SEEDS, digits=st.integers(-1, 2), tied_effect=st.booleans())
@settings(max_examples=24, deadline=None)
def test_the_order_inside_ties_changes_nothing(seed: int, digits: int, tied_effect: bool) -> None:
    rng, pair = np.random.default_rng(seed), clean(seed)
    pair = Pair.of(np.round(3 * pair.x, digits), np.round(pair.y, 1) if tied_effect else pair.y)
    results = {check(rows(pair, np.lexsort((rng.uniform(size=pair.n), pair.x)))) for _ in range(3)}
    assert len(results) == 1


# Trifles, names and numbers


def test_six_equal_values_are_no_point_mass() -> None:
    pair = clean(8, 116)
    assert not check(changed(pair, x=np.where(np.arange(116) < 6, 0.25, pair.x)))
    assert not check(changed(pair, x=np.where(np.arange(116) < 11, 0.25, pair.x)))
    assert "point_mass" in kinds(changed(pair, x=np.where(np.arange(116) < 12, 0.25, pair.x)))


def test_rounded_rows_that_meet_by_chance_are_no_repeats() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=2000)
    pair = Pair.of(np.round(x, 2), np.round(np.tanh(x) + 0.05 * rng.normal(size=2000), 2))
    assert len(set(zip(pair.x, pair.y, strict=True))) < 1800
    assert "repeated_rows" not in kinds(pair)


def test_sorted_rows_are_told_from_a_time_series() -> None:
    pair = clean(5)
    (warning,) = check(rows(pair, np.argsort(-pair.x)))
    assert warning.severity is Severity.NOTE
    assert warning.startswith("The rows are sorted by 'x'")


def test_alternating_rows_do_not_resemble_each_other() -> None:
    (warning,) = check(DEFECTS["alternating_rows"](clean(6), np.random.default_rng(6)))
    assert warning.severity is Severity.NOTE
    assert warning.startswith("Neighbouring rows alternate (autocorrelation -0.4")


def test_sentences_name_the_column_and_the_numbers() -> None:
    pair = clean(3)
    ages = Pair.of(np.round(pair.x * 3), pair.y, x_name="age", y_name="pressure")
    assert one(ages, "ties").startswith(f"'age' takes only {len(set(ages.x))} distinct values")
    censored = changed(pair, x=np.maximum(pair.x, -0.5))
    assert one(censored, "point_mass").startswith(f"'x' is -0.5 in {100 * np.mean(censored.x == -0.5):.2g} % of rows")


@pytest.mark.parametrize(("dropped", "said"), [(1, "1 row (0.17 %)"), (30, "30 rows (4.8 %)"), (10**6, "100 %")])
def test_shares_are_written_plainly(dropped: int, said: str) -> None:
    pair = clean(2)
    assert said in one(Pair(pair.x, pair.y, dropped=dropped), "missing_rows")


def test_the_noise_of_a_function_is_written_plainly() -> None:
    x = clean(2).x
    assert "'y' is almost a function of 'x' (noise <0.01 %)" in one(Pair.of(x, np.square(x)), "nearly_deterministic")


@pytest.mark.parametrize("size", [1e4, 1e9, 1e20, 1e290])
def test_an_outlier_is_found_however_far_it_is(size: float) -> None:
    pair = clean(1)
    assert "'x' has 1 extreme value" in one(changed(pair, x=np.append(pair.x[1:], size)), "outliers")


@pytest.mark.parametrize(
    ("kind", "other"), [("dependent_rows", "alternating_rows"), ("alternating_rows", "dependent_rows")]
)
def test_rows_resemble_their_neighbours_or_avoid_them_and_never_both(kind: str, other: str) -> None:
    kinds = {warning.kind for warning in check(DEFECTS[kind](clean(6), np.random.default_rng(6)))}
    assert kind in kinds
    assert other not in kinds
