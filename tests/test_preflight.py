"""Silent on clean pairs, and a warning for every defect put in; units and the order of the columns do not matter."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whence.pair import Pair
from whence.preflight import CHECKS, check

SEEDS = st.integers(0, 2**32 - 1)


def clean(seed: int, n: int = 600) -> Pair:
    """A location-scale pair with a curved mean, a changing scale and one of several causes."""
    rng = np.random.default_rng(seed)
    cause = [rng.normal(size=n), rng.uniform(-2, 2, size=n), rng.gamma(3, size=n) - 3][rng.integers(3)]
    bend, size = rng.uniform(0.5, 2, size=2)
    mean = [np.tanh(2 * cause) + 0.1 * cause, bend * np.sin(2 * cause) + cause, np.abs(cause) ** 1.5][rng.integers(3)]
    noise = [rng.normal(size=n), rng.uniform(-1.7, 1.7, size=n), rng.laplace(size=n) / 1.4][rng.integers(3)]
    return Pair.of(cause, mean + size * (0.2 + 0.4 / (1 + np.exp(-2 * cause))) * noise)


def fired(pair: Pair) -> set[str]:
    return {test.__name__ for test in CHECKS if any(test(pair))}


def changed(pair: Pair, x=None, y=None) -> Pair:
    return Pair.of(pair.x if x is None else x, pair.y if y is None else y)


def test_clean_pairs_pass_in_silence() -> None:
    alarms = [bool(check(clean(seed))) for seed in range(400)]
    assert np.mean(alarms) < 0.02


def test_clean_pairs_of_a_hundred_rows() -> None:
    assert np.mean([bool(check(clean(seed, 100))) for seed in range(200)]) < 0.03


DEFECTS: dict[str, Callable[[Pair, np.random.Generator], Pair]] = {
    "few_rows": lambda p, rng: Pair.of(p.x[:60], p.y[:60]),
    "ties": lambda p, rng: changed(p, x=np.round(p.x)),
    "repeated_rows": lambda p, rng: Pair.of(np.append(p.x, p.x[:100]), np.append(p.y, p.y[:100])),
    "outliers": lambda p, rng: changed(p, y=np.append(p.y[:-1], 200.0)),
    "row_order": lambda p, rng: Pair.of(np.cumsum(rng.normal(size=p.n)), p.y),
    "nearly_deterministic": lambda p, rng: changed(p, y=np.tanh(p.x) + 0.003 * rng.normal(size=p.n)),
    "linear_gaussian": lambda p, rng: Pair.of(g := rng.normal(size=p.n), rng.uniform(-3, 3) * g + rng.normal(size=p.n)),
    "missing_rows": lambda p, rng: Pair.of(np.append(p.x, np.nan), np.append(p.y, 1.0), nan_policy="omit"),
}


def test_every_check_has_a_defect() -> None:
    assert set(DEFECTS) == {test.__name__ for test in CHECKS}


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_is_found(defect: str) -> None:
    found = [defect in fired(DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))) for seed in range(60)]
    assert np.mean(found) > 0.95


@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_units_and_column_order_do_not_matter(defect: str, seed: int) -> None:
    pair = DEFECTS[defect](clean(seed), np.random.default_rng(seed + 1))
    rescaled = Pair(pair.x * 2.0**40, pair.y * -(2.0**-40), dropped=pair.dropped)
    assert fired(pair) == fired(rescaled)
    # The moments behind this one are taken after removing x from y, and only nearly the same the other way round.
    assert fired(pair) - {"linear_gaussian"} == fired(pair.swapped()) - {"linear_gaussian"}


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_only_the_row_order_check_looks_at_the_row_order(seed: int) -> None:
    pair = DEFECTS["row_order"](clean(seed), np.random.default_rng(seed))
    order = np.random.default_rng(seed).permutation(pair.n)
    shuffled = Pair(pair.x[order], pair.y[order])
    assert fired(pair) - {"row_order"} == fired(shuffled) - {"row_order"}
    assert "row_order" not in fired(shuffled)


@given(
    st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=10, max_size=60),
)
@settings(max_examples=150, deadline=None)
def test_any_pair_gets_sentences_and_no_failure(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        return
    for sentence in check(Pair(x, y, "rain", "river")):
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert ":" in sentence or ";" in sentence  # what was seen, then what it does and what to do


def test_sentences_name_the_column_and_the_numbers() -> None:
    pair = clean(3)
    ages = Pair.of(np.round(pair.x * 3), pair.y, x_name="age", y_name="pressure")
    (sentence,) = (s for s in check(ages) if "distinct" in s)
    assert sentence.startswith(f"'age' takes only {len(set(ages.x))} distinct values in 600 rows")


@pytest.mark.parametrize("size", [1e4, 1e9, 1e20, 1e290])
def test_an_outlier_is_found_however_far_it_is(size: float) -> None:
    pair = clean(1)
    far = changed(pair, x=np.append(pair.x[1:], size))
    assert any("1 extreme value, up to" in sentence for sentence in check(far))


def test_sorted_rows_are_told_from_a_time_series() -> None:
    pair = clean(5)
    order = np.argsort(pair.x)
    (sentence,) = check(Pair(pair.x[order], pair.y[order]))
    assert "merely sorted" in sentence


def test_a_constant_stretch_is_a_heap() -> None:
    pair = clean(7)
    assert any("has the value -0.5 in" in s for s in check(changed(pair, x=np.maximum(pair.x, -0.5))))


def test_unrelated_gaussian_columns_are_not_called_a_line() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    (unrelated,) = check(Pair.of(x, y))
    assert "unrelated" in unrelated
    (line,) = check(Pair.of(x, x + y))
    assert "straight line" in line
