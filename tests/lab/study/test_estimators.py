"""The estimator study's own parts; the claims at full size are marked slow."""

import numpy as np
import pytest

from causewise.lab.study import estimators
from causewise.lab.study.running import Scale, run


def test_sizes_are_those_of_the_paper():
    assert estimators.SIZES == (100, 158, 251, 398, 630, 1000, 1584, 2511, 3981, 6309, 10000)


def test_divergence_is_zero_at_the_truth_and_positive_elsewhere():
    x = np.linspace(-estimators.EDGE, estimators.EDGE, 100)
    mean, sd = estimators.truth(x)
    assert estimators.divergence(x, mean, sd) == pytest.approx(0, abs=1e-12)
    assert estimators.divergence(x, mean + 0.1, sd) > 0
    assert estimators.divergence(x, mean, 1.1 * sd) > 0


def test_the_gradient_of_the_dense_criterion():
    from scipy.optimize import check_grad

    rng = np.random.default_rng(0)
    features, y = rng.uniform(size=(30, 4)), rng.normal(size=30)
    w = np.concatenate([rng.normal(size=4), rng.uniform(0.5, 1, 4)])
    value, gradient = (lambda v, i=i: estimators._objective(v, features, y)[i] for i in (0, 1))
    assert check_grad(value, gradient, w) < 1e-5


def test_another_algorithm_ends_at_the_same_optimum():
    (row,) = estimators.measure({"part": "starts", "seed": 0})
    assert row["start_gap"] > 0.1
    assert abs(row["end_gap"]) < 1e-8


def test_with_few_rows_the_concave_estimator_is_far_ahead():
    rows = [estimators.measure({"part": "appendix", "knots": "tenth", "n": 398, "seed": seed})[0] for seed in range(5)]
    concave, ifgls = (np.median([row[f"{name}_kl"] for row in rows]) for name in ("concave", "ifgls"))
    assert all(row["concave_converged"] for row in rows)
    assert concave < 0.3
    assert ifgls > 10 * concave


@pytest.mark.slow
def test_the_claims_of_the_study(tmp_path):
    rows = run(estimators, Scale(seeds=100), tmp_path)
    divergence, errors, _ = estimators.tables(rows)
    for knots, n, _, concave, _, _, ifgls, *_ in divergence.rows:
        if knots == "sqrt" and n <= 1000:
            assert concave < ifgls
        if knots == "sqrt" and n == 10_000:
            assert 0.9 < concave / ifgls < 1.05
        if knots == "tenth" and n >= 1000:
            assert 10 * concave < ifgls
    assert estimators.slope(rows) == pytest.approx(-0.5, abs=0.05)
    (at,) = [row for row in errors.rows if row[0] == 2000]
    assert 93 <= at[3] <= 97
    assert 93 <= at[4] <= 97
