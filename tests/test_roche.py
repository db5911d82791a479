"""ROCHE: the network with Student's t noise."""

import numpy as np

from causewise.catalogue import method
from causewise.pair import Pair


def test_outliers_pull_less_on_the_location_than_with_normal_noise():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 300)
    y = x + 0.1 * rng.normal(size=300)
    y[np.argsort(x)[140:160:4]] += 6.0
    inner = np.abs(x) < 0.3
    errors = {}
    for name in ("roche", "nn-loci-h"):
        (decision,) = method(name, hidden=15, steps=600, device="cpu").decide_many([Pair.of(x, y)])
        errors[name] = np.mean(np.abs(decision.forward.location - x)[inner])
    assert errors["roche"] < 0.5 * errors["nn-loci-h"]


def test_the_likelihood_has_no_penalty_and_the_score_negates():
    rng = np.random.default_rng(1)
    x = rng.normal(size=150)
    pair = Pair.of(x, x**2 + rng.standard_t(3, 150))
    there, back = method("roche", hidden=8, steps=200, device="cpu").decide_many([pair, pair.swap()])
    assert there.score == -back.score
    assert there.score == there.backward.hsic - there.forward.hsic
