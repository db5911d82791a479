"""Cross-fitting, and the options of loci-h that rest on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.models.spline import fit_crosswise, fit_location_scale, halves
from causewise.pair import Pair, standardise


def pair(seed=0, n=240):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair.of(x, np.tanh(1.5 * x) + (0.2 + 0.2 * np.abs(x)) * rng.normal(size=n))


@given(n=st.integers(10, 500), seed=st.integers(0, 100))
def test_of_two_neighbours_one_is_in_either_half(n, seed):
    first = halves(n, seed)
    assert len(first) == n
    even = n - n % 2
    assert np.all(first[:even:2] != first[1:even:2])
    np.testing.assert_array_equal(first, halves(n, seed))


def test_every_row_is_judged_by_a_fit_that_has_not_seen_it():
    p = pair()
    order = np.argsort(p.x)
    u, v = standardise(p.x[order]), standardise(p.y[order])
    plain = fit_crosswise(u, v)
    seen = halves(len(u), 0)
    moved = v.copy()
    moved[np.flatnonzero(seen)[5]] += 0.5
    other = fit_crosswise(u, moved)
    np.testing.assert_array_equal(other.location[seen], plain.location[seen])
    assert np.any(other.location[~seen] != plain.location[~seen])
    half = fit_location_scale(u[seen], v[seen])
    assert half.log_likelihood > plain.log_likelihood  # unseen rows are harder


@pytest.mark.parametrize(
    "spec", ["loci-h:split=true", "loci-h:decide_by=p-value", "loci-h:split=true:decide_by=p-value"]
)
@given(seed=st.integers(0, 10**6))
def test_columns_and_rows_in_any_order(spec, seed):
    p, method = pair(seed, 80), causewise.method(spec)
    order = np.random.default_rng(seed).permutation(80)
    (there,), (back,) = method.decide_many([p]), method.decide_many([p.swap()])
    (mixed,) = method.decide_many([Pair.of(p.x[order], p.y[order])])
    assert there.score == -back.score
    assert there.score == mixed.score


def test_the_p_value_decides_when_asked_to():
    decision = causewise.infer(*_columns(), method="loci-h", decide_by="p-value")
    assert decision.score == decision.forward.log_p_value - decision.backward.log_p_value
    assert decision.settings["decide_by"] == "p-value"
    with pytest.raises(causewise.InputError, match="one of: statistic, p-value"):
        causewise.method("loci-h:decide_by=luck")


def test_the_default_is_what_it_was():
    assert dict(causewise.method("loci-h").settings) == {"n_knots": 25, "degree": 5, "delta": 1e-5, "max_iter": 500}
    split = causewise.method("loci-h:split=true:split_seed=3")
    assert split.settings["split"]
    assert split.settings["split_seed"] == 3


def test_another_split_seed_is_another_split():
    a, b = (causewise.infer(*_columns(), method=f"loci-h:split=true:split_seed={seed}").score for seed in (0, 1))
    assert a != b


def test_a_half_without_spread_has_no_answer_but_a_reason():
    x = np.zeros(12)
    x[-1] = 1.0
    decision = causewise.infer(x, np.arange(12.0) ** 2, method="loci-h:split=true")
    assert decision.failed


def _columns():
    p = pair()
    return p.x, p.y
