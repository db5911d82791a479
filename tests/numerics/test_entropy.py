import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics.entropy import log_density_at_rows, spacing_entropy, spacing_entropy_of_masses

LATTICE = st.lists(st.integers(0, 30), min_size=4, max_size=60).filter(lambda v: len(set(v)) > 1)


@given(LATTICE)
def test_against_a_loop_over_gaps(values):
    v = sorted(float(x) for x in values)
    gaps = [b - a for a, b in pairwise(v)]
    expected = sum(np.log2(gap) for gap in gaps if gap) / len(gaps) + np.log2(len(v))
    assert spacing_entropy(np.array(v)) == pytest.approx(expected, abs=1e-12)


@given(LATTICE)
def test_masses_against_a_loop_over_distinct_values(values):
    distinct = sorted(set(values))
    share = {v: values.count(v) for v in distinct}
    cells = [(b - a, (share[a] + share[b]) / 2) for a, b in pairwise(distinct)]
    total = sum(mass for _, mass in cells)
    expected = -sum(mass / total * np.log2(mass / total / gap) for gap, mass in cells)
    assert spacing_entropy_of_masses(np.sort(np.array(values, float))) == pytest.approx(expected, abs=1e-12)


@given(LATTICE, st.floats(0.01, 100))
def test_the_entropy_of_masses_moves_by_the_log_of_the_unit_even_with_ties(values, unit):
    v = np.sort(np.array(values, float))
    assert spacing_entropy_of_masses(v * unit) == pytest.approx(spacing_entropy_of_masses(v) + np.log2(unit), abs=1e-9)


def test_without_ties_the_two_differ_by_a_constant_of_the_row_count_alone():
    rng = np.random.default_rng(0)
    columns = np.sort(rng.normal(size=(5, 200)) ** 3, axis=1)
    gaps = [spacing_entropy(c) - spacing_entropy_of_masses(c) for c in columns]
    assert np.ptp(gaps) < 1e-12
    assert gaps[0] == pytest.approx(np.log2(200 / 199))


def test_a_fine_uniform_grid_has_the_entropy_of_its_interval():
    grid = np.linspace(0, 8, 1001)
    assert spacing_entropy_of_masses(grid) == pytest.approx(3.0)
    assert spacing_entropy_of_masses(np.repeat(grid, 7)) == pytest.approx(3.0, abs=1e-3)


def test_spacings_find_the_density_and_follow_the_rows():
    x = np.random.default_rng(0).normal(size=4000)
    logs = log_density_at_rows(x)
    assert abs(np.mean(logs) + 0.5 * math.log(2 * math.pi * math.e)) < 0.05
    order = np.random.default_rng(1).permutation(4000)
    np.testing.assert_array_equal(log_density_at_rows(x[order]), logs[order])
    np.testing.assert_allclose(log_density_at_rows(3 * x), logs - math.log(3))


def test_ties_without_any_distance_have_no_density():
    assert log_density_at_rows(np.repeat([0.0, 1.0], 50)) is None
