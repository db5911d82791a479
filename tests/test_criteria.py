"""The sentence of loci-m about marginals: said where the relation adds nothing, not said where it does."""

import numpy as np
import pytest

import causewise
from causewise.criteria import independence_p_value, marginal_rule, split_score
from causewise.decision import Evidence
from causewise.lab.theory.conditions import rational_gaussian


def marginal_sentences(decision):
    return [sentence for sentence in decision.warnings if "igci-g" in sentence]


def test_where_both_directions_fit_the_likelihood_is_a_rule_about_marginals():
    exponent = np.array([[0.0, 1.0, 1.0], [-0.5, -1.5, 0.4], [1.0, -0.8, 0.6]])
    x, y = rational_gaussian(exponent).sample(np.random.default_rng(0), 1000)
    (sentence,) = marginal_sentences(causewise.infer(x, y, method="loci-m"))
    assert "cannot be told apart" in sentence
    assert "loci-h" in sentence


def test_where_one_direction_fits_much_better_nothing_is_said():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 1000)
    y = x**2 + 0.2 * rng.normal(size=1000)
    assert not marginal_sentences(causewise.infer(x, y, method="loci-m"))


def test_where_the_shapes_outvote_the_relation_it_is_said():
    rng = np.random.default_rng(2)
    x = rng.uniform(-1.7, 1.7, 2000)
    y = np.tanh(x) + 1.0 * rng.normal(size=2000)  # the effect is the more Gaussian column
    decision = causewise.infer(x, y, method="loci-m")
    parts = split_score(causewise.Pair.of(x, y), decision.forward, decision.backward)
    assert parts.marginals < 0 < parts.relation
    assert parts.marginals + parts.relation == pytest.approx(decision.score)
    assert bool(marginal_sentences(decision)) == (decision.score < 0 or parts.relation < 2 * parts.error)


def test_the_sentence_knows_no_row_order_and_no_direction():
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    order = rng.permutation(400)
    plain, mixed = (causewise.infer(*c, method="loci-m") for c in ((x, y), (x[order], y[order])))
    assert marginal_sentences(plain) == marginal_sentences(mixed) != []
    assert marginal_sentences(causewise.infer(y, x, method="loci-m"))


def test_nothing_is_said_without_rows_to_judge_by():
    nothing = Evidence(score=0.0)
    pair = causewise.Pair.of(np.arange(20.0), np.arange(20.0) ** 2)
    assert marginal_rule(pair, nothing, nothing) == ()
    assert np.isnan(independence_p_value(nothing))
