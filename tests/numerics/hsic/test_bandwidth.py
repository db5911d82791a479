import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics.hsic import bandwidth, median_sq_distance


def brute_force(column: np.ndarray, zeros: bool) -> float:
    upper = np.triu_indices(len(column), 1)
    squared = ((column[:, None] - column[None, :]) ** 2)[upper]
    counted = squared if zeros else squared[squared > 0]
    return float(np.median(counted)) if len(counted) else 0.0


@given(st.lists(st.floats(-1e6, 1e6).map(lambda v: v + 0.0), min_size=2, max_size=60), st.booleans())
def test_equals_a_sort_of_all_pairs(values, zeros):
    column = np.array(values)
    # Distances whose square underflows are zero to the brute force but not to us.
    gaps = np.abs(column[:, None] - column[None, :])
    if np.any((gaps > 0) & (gaps < 1e-150)):
        return
    assert median_sq_distance(column, zeros) == brute_force(column, zeros)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("law", ["normal", "poisson", "two values", "heavy"])
def test_equals_a_sort_of_all_pairs_on_typical_laws(law, zeros):
    rng = np.random.default_rng(1)
    column = {
        "normal": rng.normal(size=501),
        "poisson": rng.poisson(2.0, size=400).astype(float),
        "two values": rng.integers(0, 2, size=300) * 3.5,
        "heavy": rng.standard_cauchy(size=350),
    }[law]
    assert median_sq_distance(column, zeros) == brute_force(column, zeros)


def test_no_pair_to_count_gives_zero():
    assert median_sq_distance(np.ones(5)) == 0.0


def test_fewer_than_two_rows_have_no_distance():
    assert median_sq_distance(np.ones(1)) == 0.0
    assert median_sq_distance(np.empty(0), zeros=True) == 0.0


@given(st.integers(1, 90), st.integers(1, 60), st.integers(0, 2**31))
def test_distances_are_counted_and_listed_as_in_the_whole_matrix(n, levels, seed):
    rng = np.random.default_rng(seed)
    s = np.sort(rng.integers(0, levels, size=n) / 7.0 + (rng.normal(size=n) if seed % 2 else 0.0))
    every = np.sort((s[:, None] - s[None, :])[np.tril_indices(n, -1)])
    low, high = sorted(rng.choice(np.append(every, [0.0, 1.5]), size=2))
    assert bandwidth._pairs_within(s, n, low) == np.sum(every <= low)
    between = every[(every > low) & (every <= high)]
    found = np.empty(len(between))
    bandwidth._distances_between(s, n, low, high, found)
    np.testing.assert_array_equal(np.sort(found), between)
    assert bandwidth._next_distance(s, n, low) == min(every[every > low], default=np.inf)


@given(st.integers(2, 300), st.integers(1, 400), st.booleans(), st.integers(0, 2**31))
def test_a_bracket_narrowed_in_many_passes_holds_the_same_median(n, levels, zeros, seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, levels, size=n) / 8.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bandwidth, "_ROWS_AT_ONCE", 0)
        patch.setattr(bandwidth, "_ENOUGH", 1)
        assert median_sq_distance(column, zeros) == brute_force(column, zeros)
