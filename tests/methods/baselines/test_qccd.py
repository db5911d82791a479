import numpy as np
import pytest
from golden_scores import agreement, needs_golden
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.methods.baselines.qccd import InFileOrder, comes_first, random_tie_ranks, uniforms
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def bent(seed, n=400):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.sin(2 * x) + 0.2 * rng.normal(size=n)


def test_a_bent_relation_with_noise_is_found():
    assert [decide("qccd", *bent(seed)).cause for seed in range(5)] == ["x"] * 5


@pytest.mark.parametrize("spec", ["qccd", "qccd:published=true"])
def test_only_ranks_matter(spec):
    x, y = bent(0)
    assert decide(spec, np.exp(x), y**3).score == decide(spec, x, y).score


def test_the_default_is_close_to_the_published_score_where_nothing_is_tied():
    pairs = [bent(seed) for seed in range(5)]
    ours, theirs = ([decide(spec, *pair).score for pair in pairs] for spec in ("qccd", "qccd:published=true"))
    assert ours == pytest.approx(theirs, abs=5e-3)


def test_the_published_score_depends_on_the_order_of_the_columns_and_the_default_does_not():
    x, y = bent(1)
    assert decide("qccd:published=true", x, y).score != -decide("qccd:published=true", y, x).score
    assert decide("qccd", x, y).score == -decide("qccd", y, x).score


def test_the_published_score_depends_on_the_stream_for_ties_and_the_default_has_none():
    x, y = (np.round(column, 1) for column in bent(2))
    published = {decide(f"qccd:published=true:tie_seed={seed}", x, y).score for seed in range(3)}
    assert len(published) == 3
    assert len({decide(f"qccd:tie_seed={seed}", x, y).score for seed in range(3)}) == 1


def test_few_rows_use_the_median_only():
    x, y = bent(3, n=199)
    assert decide("qccd", x, y).score == decide("qccd:quantiles=1", x, y).score
    assert decide("qccd:few_rows=0", x, y).score == decide("qccd:few_rows=0:quantiles=3", x, y).score
    assert decide("qccd:few_rows=0", x, y).score != decide("qccd", x, y).score


def test_data_that_look_the_same_both_ways_are_undecided():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 100))
    assert decide("qccd", np.concatenate([a, b]), np.concatenate([b, a])).score == 0


def test_the_parts_are_fractions_of_the_marginal_code_length():
    decision = decide("qccd", *bent(5))
    assert decision.score == decision.forward.score - decision.backward.score
    assert -2 < decision.forward.score < 0


def test_a_published_score_is_computed_in_the_order_of_the_file():
    x, y = (np.round(column, 1) for column in bent(6))
    method = causewise.method("qccd:published=true")
    assert isinstance(method, InFileOrder)
    as_filed = method.decide_many([Pair.of(x, y)])[0]
    pair = Pair.of(y, x)
    object.__setattr__(pair, "turned", True)
    [turned] = method.decide_many([pair])
    assert turned.score == -as_filed.score
    assert turned.pair is pair
    assert (turned.forward.score, turned.backward.score) == (as_filed.backward.score, as_filed.forward.score)


@needs_golden
@pytest.mark.parametrize(("dataset", "limit"), [("AN", 40), ("LS", 40), ("SIM", 40), ("Tue", 40)])
def test_published_scores(dataset, limit):
    found = agreement("qccd:published=true", "QCCD", dataset, limit)
    assert found.largest_gap < 1e-9


@needs_golden
@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["AN", "LS", "SIM", "Tue"])
def test_every_published_score(dataset):
    assert agreement("qccd:published=true", "QCCD", dataset).largest_gap < 1e-9


TIED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("seed", "printed"),
    [(0, [0.8966972, 0.2655087, 0.3721239]), (1, [0.2655087, 0.3721239, 0.5728534]), (42, [0.9148060, 0.9370754])],
)
def test_the_stream_is_the_one_r_prints(seed, printed):
    assert uniforms(seed, len(printed)) == pytest.approx(printed, abs=5e-8)


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
