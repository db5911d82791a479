import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.numerics.hsic import median_sq_distance


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
