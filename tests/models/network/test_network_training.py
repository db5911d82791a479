"""The settings of training, Adam in one place, the canonical form of two columns, and many fits as rectangles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.models.network.heads import ADDITIVE, LOCATION_SCALE, STUDENT, initial_parameters, size
from causewise.models.network.training import (
    BETA_1,
    BETA_2,
    EPSILON,
    Training,
    adam_bias,
    adam_direction,
    adam_moments,
    batch_size,
    bucket,
    canonicalise,
    needed_bytes,
    plan,
    problem,
    stack_group,
)

GRADIENTS = np.random.default_rng(0).normal(size=(6, 4))
RNG = np.random.default_rng(3)
CAUSE, EFFECT = RNG.normal(size=200), RNG.exponential(size=200)


def test_rates_fall_from_the_first_to_the_last_along_a_cosine():
    rates = Training(steps=1000, first_rate=0.1, last_rate=0.001).rates()
    assert rates[0] == 0.1
    assert rates[500] == pytest.approx((0.1 + 0.001) / 2)
    assert rates[-1] == pytest.approx(0.001, rel=1e-3)
    assert np.all(np.diff(rates) < 0)


def test_adam_is_the_ratio_of_weighted_means_of_the_gradients():
    """Kingma & Ba's recursion, solved: after t steps gradient i has the weight βᵗ⁻ⁱ, and the weights sum to one."""
    m, s = np.zeros(4), np.zeros(4)
    for g in GRADIENTS:
        m, s = adam_moments(m, s, g)
    t = len(GRADIENTS)
    bias_m, bias_s = adam_bias(t)
    mean, mean_square = (
        np.average(values, axis=0, weights=beta ** np.arange(t - 1, -1, -1))
        for values, beta in ((GRADIENTS, BETA_1), (GRADIENTS**2, BETA_2))
    )
    expected = mean / (np.sqrt(mean_square) + EPSILON)
    np.testing.assert_allclose(adam_direction(m / bias_m, s / bias_s, np.sqrt), expected, rtol=1e-12)


def test_canonical_form_ignores_row_order_and_units():
    order = RNG.permutation(200)
    first, second = canonicalise(CAUSE, EFFECT), canonicalise(CAUSE[order] * 2.54 + 1e3, EFFECT[order] / 7.0)
    assert first.digest == second.digest
    assert np.array_equal(first.cause, second.cause)
    assert np.array_equal(first.effect, second.effect)


def test_canonical_form_of_the_exchanged_columns_has_the_same_numbers():
    there, back = canonicalise(CAUSE, EFFECT), canonicalise(EFFECT, CAUSE)
    assert there.pair_digest == back.pair_digest
    assert there.digest != back.digest
    assert np.array_equal(np.sort(there.cause), np.sort(back.effect))


def test_order_leads_from_the_columns_to_their_canonical_form():
    columns = canonicalise(CAUSE, EFFECT)
    assert np.array_equal(np.argsort(CAUSE), columns.order)
    assert np.array_equal(np.argsort(EFFECT[columns.order]), np.argsort(columns.effect))


def test_starts_differ_between_seeds_and_restarts_and_nothing_else():
    there, other = canonicalise(CAUSE, EFFECT), canonicalise(CAUSE[:50], EFFECT[:50])
    start = problem(there, LOCATION_SCALE, 5, seed=1).theta
    assert np.array_equal(start, problem(other, LOCATION_SCALE, 5, seed=1).theta)
    assert not np.array_equal(start, problem(there, LOCATION_SCALE, 5, seed=2).theta)
    assert not np.array_equal(start, problem(there, LOCATION_SCALE, 5, seed=1, restart=1).theta)


@pytest.mark.parametrize("head", [LOCATION_SCALE, ADDITIVE, STUDENT], ids=lambda head: head.name)
def test_starts_are_uniform_within_the_bounds_of_their_layer(head):
    hidden, k = 400, head.outputs
    theta = initial_parameters(head, hidden)
    assert len(theta) == size(head, hidden)
    for part, bound in ((theta[: 2 * hidden], 1.0), (theta[2 * hidden : (2 + k) * hidden], 0.05)):
        assert bound * 0.98 < np.max(np.abs(part)) <= bound * (1 + 1e-6)
        assert np.std(part) == pytest.approx(bound / np.sqrt(3), rel=0.1)
    assert (theta[-k:] == 1.0).all() if not head.free_scales else (theta[1 - k :] == 0).all()


@given(st.integers(65, 10**6))
def test_a_bucket_holds_its_rows_and_wastes_at_most_a_third(n):
    assert n <= bucket(n) < 1.5 * n


@given(st.integers(1, 10**4))
def test_a_padded_batch_holds_its_fits_and_wastes_at_most_a_fifth(fits):
    assert fits <= batch_size(fits) <= 1.25 * fits


@settings(max_examples=50)
@given(st.lists(st.integers(94, 16382), min_size=1, max_size=80), st.sampled_from([4, 8]))
def test_a_mixed_batch_wastes_under_half_keeps_every_fit_once_and_stays_within_memory(lengths, itemsize):
    memory = 1 << 30
    groups = plan(lengths, 100, itemsize, memory)
    assert sorted(i for group in groups for i in group.members) == list(range(len(lengths)))
    assert sum(group.fits * group.rows for group in groups) < 2 * sum(lengths)
    steady = plan(lengths, 100, itemsize, memory, steady=True)
    assert sorted(i for group in steady for i in group.members) == list(range(len(lengths)))
    assert all(needed_bytes(group.fits, group.rows, 100, itemsize) <= memory for group in (*groups, *steady))


def test_few_programs_serve_every_length():
    assert len({bucket(n) for n in range(94, 16383)}) <= 16


def test_padding_has_no_weight_and_repeats_real_rows():
    problems = [problem(canonicalise(CAUSE[:n], EFFECT[:n]), LOCATION_SCALE, 5, seed=0) for n in (70, 90)]
    (group,) = plan([70, 90], 5, 8, 1 << 30)
    cause, _, weight, _ = stack_group(problems, group)
    assert group.rows == 96
    assert weight.sum(axis=1) == pytest.approx(1.0)
    assert (weight[0, 70:] == 0).all()
    assert (cause[0, 70:] == problems[0].columns.cause[-1]).all()
