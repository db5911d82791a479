"""Silent on clean pairs, a short notice for every defect; units, signs and the order inside ties do not matter."""

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from whence.diagnostics import noise_share
from whence.pair import Pair
from whence.preflight import CHECKS, Level, Notice, check

SEEDS = st.integers(0, 2**32 - 1)
ORDERED = {"sorted_rows", "dependent_rows", "alternating_rows"}
Shape = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def clean(seed: int, n: int = 600) -> Pair:
    """A location-scale pair with a curved mean, a changing scale and one of several causes."""
    rng = np.random.default_rng(seed)
    cause = [rng.normal(size=n), rng.uniform(-2, 2, size=n), rng.gamma(3, size=n) - 3][rng.integers(3)]
    bend, size = rng.uniform(0.5, 2, size=2)
    mean = [np.tanh(2 * cause) + 0.1 * cause, bend * np.sin(2 * cause) + cause, np.abs(cause) ** 1.5][rng.integers(3)]
    noise = [rng.normal(size=n), rng.uniform(-1.7, 1.7, size=n), rng.laplace(size=n) / 1.4][rng.integers(3)]
    return Pair.of(cause, mean + size * (0.2 + 0.4 / (1 + np.exp(-2 * cause))) * noise)


def kinds(pair: Pair) -> dict[str, Level]:
    return {notice.kind: notice.level for notice in check(pair)}


def changed(pair: Pair, x=None, y=None) -> Pair:
    return Pair.of(pair.x if x is None else x, pair.y if y is None else y)


def rows(pair: Pair, order: np.ndarray) -> Pair:
    return replace(pair, x=pair.x[order], y=pair.y[order])


def one(pair: Pair, kind: str) -> Notice:
    (notice,) = (notice for notice in check(pair) if notice.kind == kind)
    return notice


def words(notice: str) -> int:
    return len(notice.split())


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
    for seed in range(50):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=300)
        assert not set(kinds(Pair.of(x, SHAPES[shape](x, rng))).values()) & {Level.STOPS, Level.LOWERS}


def test_clean_pairs_pass_in_silence() -> None:
    assert np.mean([bool(check(clean(seed))) for seed in range(400)]) < 0.02


def test_clean_pairs_of_a_hundred_rows() -> None:
    assert np.mean([bool(check(clean(seed, 100))) for seed in range(200)]) < 0.03


# A notice for every defect

DEFECTS: dict[str, Callable[[Pair, np.random.Generator], Pair]] = {
    "exact_line": lambda p, rng: changed(p, y=1.8 * p.x + 32),
    "linear_gaussian": lambda p, rng: Pair.of(g := rng.normal(size=p.n), rng.uniform(-3, 3) * g + rng.normal(size=p.n)),
    "few_levels": lambda p, rng: changed(p, x=np.digitize(p.x, np.quantile(p.x, [0.3, 0.6]))),
    "heaps": lambda p, rng: changed(p, x=np.maximum(p.x, np.quantile(p.x, 0.3))),
    "few_rows": lambda p, rng: Pair.of(p.x[:60], p.y[:60]),
    "ties": lambda p, rng: changed(p, x=np.round(3 * p.x)),
    "outliers": lambda p, rng: changed(p, y=np.append(p.y[:-1], 200.0)),
    "repeated_rows": lambda p, rng: Pair.of(np.append(p.x, p.x[:100]), np.append(p.y, p.y[:100])),
    "dependent_rows": lambda p, rng: Pair.of(np.cumsum(rng.normal(size=p.n)), p.y),
    "nearly_deterministic": lambda p, rng: changed(p, y=np.tanh(p.x) + 0.003 * rng.normal(size=p.n)),
    "alternating_rows": lambda p, rng: Pair.of(np.diff(rng.uniform(size=p.n + 1)), p.y),
    "sorted_rows": lambda p, rng: rows(p, np.argsort(p.x)),
    "missing_rows": lambda p, rng: Pair.of(np.append(p.x, np.nan), np.append(p.y, 1.0), nan_policy="omit"),
    "understood": lambda p, rng: Pair.of([2**60 + int(1e9 * value) for value in p.x], p.y),
}
BOTH_COLUMNS: dict[str, Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "few_levels": lambda rng: rng.integers(3, size=(2, 500)).astype(float),
    "ties": lambda rng: np.round(3 * rng.normal(size=(2, 500))),
    "heaps": lambda rng: np.maximum(rng.normal(size=(2, 500)), -0.123456),
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
    notice = one(Pair.of(*BOTH_COLUMNS[kind](np.random.default_rng(0)), x_name="rain", y_name="flow"), kind)
    assert "'rain'" in notice and "'flow'" in notice
    assert words(notice) <= 25


# What a notice is


def sound(found: tuple[Notice, ...]) -> None:
    for notice in found:
        assert words(notice) <= 25
        assert re.fullmatch(r"[^\n]+\.", notice)
        assert "--" not in notice
    assert len({notice.kind for notice in found}) == len(found)
    order = [list(Level).index(notice.level) for notice in found]
    assert order == sorted(order)


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_sentences_are_short_and_sorted_by_weight(defect: str, seed: int) -> None:
    sound(check(DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))))


@given(seed=SEEDS, picked=st.lists(st.sampled_from(sorted(set(DEFECTS) - {"missing_rows"})), max_size=4))
@settings(max_examples=40, deadline=None)
def test_defects_together_give_one_sentence_each(seed: int, picked: list[str]) -> None:
    pair, rng = clean(seed, 300), np.random.default_rng(seed)
    for defect in picked:
        pair = DEFECTS[defect](pair, rng)
    sound(check(pair))


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=10, max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_pair_gets_sentences_and_no_failure(cells: list[tuple[float, float]]) -> None:
    x, y = np.array(cells).T
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    sound(check(Pair(x, y, "rain", "river")))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_notice_survives_pickling(protocol: int) -> None:
    notice = Notice("Few rows.", Level.LOWERS, "few_rows")
    for twin in (pickle.loads(pickle.dumps(notice, protocol)), copy.copy(notice), copy.deepcopy(notice)):
        assert type(twin) is Notice
        assert (twin, twin.level, twin.kind) == ("Few rows.", Level.LOWERS, "few_rows")


def test_a_notice_is_its_text_and_cannot_be_changed() -> None:
    notice = Notice("Few rows.", Level.LOWERS, "few_rows")
    assert notice == "Few rows." and hash(notice) == hash("Few rows.") and {notice} == {"Few rows."}
    with pytest.raises(AttributeError):
        notice.kind = "ties"  # type: ignore[misc]  # it has no setter
    with pytest.raises(AttributeError):
        del notice.kind
    assert notice.level == "lowers confidence"


# What must not matter


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS, sizes=st.tuples(*[st.sampled_from([-1.0, 25.4, -(2.0**40), 2.0**-40])] * 2))
@settings(max_examples=10, deadline=None)
def test_units_signs_and_column_order_do_not_matter(defect: str, seed: int, sizes: tuple[float, float]) -> None:
    pair = DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))
    assert kinds(pair) == kinds(Pair(pair.x * sizes[0], pair.y * sizes[1], dropped=pair.dropped, notes=pair.notes))
    assert kinds(pair) == kinds(pair.swapped())


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_only_the_checks_of_the_row_order_look_at_it(defect: str, seed: int) -> None:
    pair = DEFECTS[defect](clean(seed), np.random.default_rng(seed))
    shuffled = rows(pair, np.random.default_rng(seed).permutation(pair.n))
    assert {n for n in check(pair) if n.kind not in ORDERED} == {n for n in check(shuffled) if n.kind not in ORDERED}
    assert not ORDERED & set(kinds(shuffled))


@given(seed=SEEDS, digits=st.integers(-1, 2), tied_effect=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_order_inside_ties_changes_nothing(seed: int, digits: int, tied_effect: bool) -> None:
    rng, pair = np.random.default_rng(seed), clean(seed)
    pair = Pair.of(np.round(3 * pair.x, digits), np.round(pair.y, 1) if tied_effect else pair.y)
    results = {check(rows(pair, np.lexsort((rng.uniform(size=pair.n), pair.x)))) for _ in range(3)}
    assert len(results) == 1


# How much noise there is


def diamonds(n: int = 5000) -> Pair:
    """Weights to two decimals, prices in whole dollars."""
    rng = np.random.default_rng(0)
    carat = np.maximum(np.round(np.exp(rng.normal(-0.4, 0.55, size=n)), 2), 0.2)
    return Pair.of(carat, np.round(4000 * carat**1.7 * np.exp(0.3 * rng.normal(size=n))), x_name="carat")


@given(seed=SEEDS, digits=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_the_noise_does_not_depend_on_the_row_order(seed: int, digits: int) -> None:
    pair = clean(seed)
    x, order = np.round(pair.x, digits), np.random.default_rng(seed).permutation(pair.n)
    assert noise_share(x, pair.y) == noise_share(x[order], pair.y[order])
    assert noise_share(pair.y, x) == noise_share(pair.y[order], x[order])


@pytest.mark.parametrize("order", ["as drawn", "by price", "by carat and price"])
def test_ties_sorted_by_the_effect_are_still_noise(order: str) -> None:
    pair = diamonds()
    keys = {"as drawn": np.arange(pair.n), "by price": pair.y, "by carat and price": pair.x + 1j * pair.y}
    ordered = rows(pair, np.argsort(keys[order], kind="stable"))
    assert not {"nearly_deterministic", "repeated_rows"} & set(kinds(ordered))
    assert noise_share(ordered.x, ordered.y) == noise_share(pair.x, pair.y) > 0.05


@pytest.mark.parametrize("step", [0.0, 0.001, 0.02, 0.1, 0.5])
@pytest.mark.parametrize("size", [0.02, 0.1, 0.5])
def test_the_noise_share_is_right_with_and_without_ties(step: float, size: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, size=4000)
    x = np.round(x / step) * step if step else x
    y = x + size * rng.normal(size=4000)
    spread = np.subtract(*np.quantile(y, [0.75, 0.25])) / 1.349
    kept = 0.76  # of a Gaussian's variance, when the largest twentieth of the squares is left out
    assert noise_share(x, y) == pytest.approx(kept * (size / spread) ** 2, rel=0.1)


@pytest.mark.parametrize("digits", [0, 1, 2, 12])
@pytest.mark.parametrize("curve", [np.tanh, np.exp, np.square, lambda x: np.sin(2 * x) + x])
def test_a_function_is_found_with_and_without_ties(digits: int, curve: Callable[[np.ndarray], np.ndarray]) -> None:
    x = np.round(np.random.default_rng(2).normal(size=600), digits)
    for order in (np.arange(600), np.argsort(x)):
        assert "nearly_deterministic" in kinds(Pair.of(x[order], curve(x[order])))


def test_a_table_pasted_twice_is_no_function() -> None:
    pair = clean(4)
    twice = Pair.of(np.tile(pair.x, 2), np.tile(pair.y, 2))
    assert list(kinds(twice)) == ["repeated_rows"]


def test_a_function_beside_a_far_row() -> None:
    x = np.append(np.random.default_rng(3).normal(size=400), 0.5)
    pair = Pair.of(x, np.append(np.tanh(x[:-1]), 1e20))
    assert list(kinds(pair)) == ["outliers", "nearly_deterministic"]


# Lines


@pytest.mark.parametrize("slope", [-1e12, -1.0, 1e-9, 1.8])
@pytest.mark.parametrize("digits", [0, 3, 12])
def test_a_change_of_units_stops(slope: float, digits: int) -> None:
    x = np.round(5 * np.random.default_rng(4).gamma(2, size=300), digits)
    found = kinds(Pair.of(x, slope * x + 32 * slope))
    assert found["exact_line"] is Level.STOPS
    assert not {"nearly_deterministic", "linear_gaussian"} & set(found)


def test_a_far_row_makes_no_line() -> None:
    rng = np.random.default_rng(5)
    x, y = np.append(rng.normal(size=(2, 300)), [[1e20], [1e20]], axis=1)
    assert set(kinds(Pair.of(x, y))) == {"outliers"}


def test_a_curve_is_no_line() -> None:
    x = np.random.default_rng(6).uniform(1, 2, size=300)
    assert "exact_line" not in kinds(Pair.of(x, np.log(x)))


def test_gaussian_lines_are_found_and_unrelated_columns_are_not() -> None:
    lines, unrelated = 0, 0
    for seed in range(100):
        x, y = np.random.default_rng(seed).normal(size=(2, 500))
        lines += "linear_gaussian" in kinds(Pair.of(x, x + y))
        unrelated += bool(check(Pair.of(x, y)))
    assert lines >= 90
    assert unrelated <= 3


# Trifles, names and numbers


def test_six_equal_values_are_no_heap() -> None:
    pair = clean(8, 116)
    assert not check(changed(pair, x=np.where(np.arange(116) < 6, 0.25, pair.x)))
    assert not check(changed(pair, x=np.where(np.arange(116) < 11, 0.25, pair.x)))
    assert "heaps" in kinds(changed(pair, x=np.where(np.arange(116) < 12, 0.25, pair.x)))


def test_rounded_rows_that_meet_by_chance_are_no_repeats() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=2000)
    pair = Pair.of(np.round(x, 2), np.round(np.tanh(x) + 0.05 * rng.normal(size=2000), 2))
    assert len(set(zip(pair.x, pair.y, strict=True))) < 1800
    assert "repeated_rows" not in kinds(pair)


def test_sorted_rows_are_told_from_a_time_series() -> None:
    pair = clean(5)
    (notice,) = check(rows(pair, np.argsort(-pair.x)))
    assert notice.level is Level.NOTE
    assert notice.startswith("The rows are sorted by 'x'")


def test_alternating_rows_do_not_resemble_each_other() -> None:
    (notice,) = check(DEFECTS["alternating_rows"](clean(6), np.random.default_rng(6)))
    assert notice.level is Level.NOTE
    assert notice.startswith("Neighbouring rows alternate (autocorrelation -0.4")


def test_sentences_name_the_column_and_the_numbers() -> None:
    pair = clean(3)
    ages = Pair.of(np.round(pair.x * 3), pair.y, x_name="age", y_name="pressure")
    assert one(ages, "ties").startswith(f"'age' takes only {len(set(ages.x))} distinct values")
    censored = changed(pair, x=np.maximum(pair.x, -0.5))
    assert one(censored, "heaps").startswith(f"'x' is -0.5 in {100 * np.mean(censored.x == -0.5):.2g} % of rows")


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
    kinds = {notice.kind for notice in check(DEFECTS[kind](clean(6), np.random.default_rng(6)))}
    assert kind in kinds
    assert other not in kinds
