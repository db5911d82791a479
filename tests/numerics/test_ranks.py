import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from whence.numerics.ranks import comes_first, mid_ranks, random_tie_ranks
from whence.numerics.rstream import uniforms

TIED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("seed", "printed"),
    [(0, [0.8966972, 0.2655087, 0.3721239]), (1, [0.2655087, 0.3721239, 0.5728534]), (42, [0.9148060, 0.9370754])],
)
def test_the_stream_is_the_one_r_prints(seed, printed):
    assert uniforms(seed, len(printed)) == pytest.approx(printed, abs=5e-8)


@given(TIED)
def test_shared_ranks_against_scipy(rows):
    column = np.array([a for a, _ in rows], float)
    assert np.array_equal(mid_ranks(column), rankdata(column))


@given(TIED, st.integers(0, 99))
def test_broken_ranks_are_a_permutation_that_respects_the_values(rows, seed):
    column = np.array([a for a, _ in rows], float)
    ranks = random_tie_ranks(column, uniforms(seed, len(column)))
    assert np.array_equal(np.sort(ranks), np.arange(1, len(column) + 1))
    assert np.all(np.diff(column[np.argsort(ranks)]) >= 0)


@given(TIED, st.randoms(use_true_random=False))
def test_which_column_comes_first_depends_on_neither_rows_nor_asker(rows, random):
    a, b = np.array(rows, float).T
    shuffled = np.array(random.sample(range(len(a)), len(a)))
    first = comes_first(a, b)
    assert comes_first(b, a) == -first
    assert comes_first(a[shuffled], b[shuffled]) == first
    exchangeable = sorted(rows) == sorted((y, x) for x, y in rows)
    assert (first == 0) == exchangeable
