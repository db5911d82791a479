"""CGNN: the loss against brute force, its gradient against automatic differentiation, and a method's properties."""

import sys

import numpy as np
import pytest

from causewise.catalogue import method
from causewise.errors import InputError
from causewise.methods.baselines.cgnn import CgnnTraining, measure_distances, mmd, mmd_gradient
from causewise.models.network import jax_runtime
from causewise.models.network.training import canonicalise
from causewise.pair import Pair

QUICK = {"runs": 2, "epochs": 4, "test_epochs": 4, "batch": 40, "hidden": 5, "device": "cpu"}


def pair(n=100, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair.of(x, np.tanh(2 * x) + 0.2 * rng.normal(size=n))


def columns(n=12):
    rng = np.random.default_rng(4)
    u, fake, real = rng.normal(size=(3, n))
    return (u[:, None] - u[None, :]) ** 2, fake, real, u


def test_mmd_is_the_v_statistic_of_its_definition():
    dx, fake, real, u = columns()
    p, q = np.stack([u, fake], 1), np.stack([u, real], 1)

    def mean_kernel(a, b, gamma):
        return np.mean([[np.exp(-gamma * np.sum((r - s) ** 2)) for s in b] for r in a])

    expected = sum(
        mean_kernel(p, p, g) + mean_kernel(q, q, g) - 2 * mean_kernel(p, q, g) for g in (0.01, 0.1, 1, 10, 100)
    )
    with jax_runtime.precision_scope("float64"):
        assert float(mmd(dx, fake, real, np.full(12, 1 / 12))) == pytest.approx(expected, abs=1e-12)


def test_gradient_equals_automatic_differentiation():
    dx, fake, real, _ = columns()
    weight = np.random.default_rng(0).dirichlet(np.ones(12))
    with jax_runtime.precision_scope("float64"):
        expected = jax_runtime.jax().grad(lambda f: mmd(dx, f, real, weight))(fake)
        assert np.max(np.abs(np.asarray(mmd_gradient(dx, fake, real, weight)) - expected)) < 1e-12


def test_swap_row_order_and_batch_mates():
    one = pair()
    order = np.random.default_rng(1).permutation(one.n)
    shuffled = Pair.of(one.x[order] * 3.0 - 1.0, one.y[order])
    built = method("cgnn", **QUICK)
    first, back, again, _ = built.decide_many([one, one.swap(), shuffled, pair(30, seed=3)])
    assert first.score == -back.score
    assert again.score == pytest.approx(first.score, rel=1e-6)
    assert built.decide_many([one])[0].score == pytest.approx(first.score, rel=1e-4)


def test_training_brings_the_generated_rows_nearer_to_the_data():
    direction = canonicalise(pair(200).x, pair(200).y)
    early, late = (
        measure_distances([(direction, 0)], CgnnTraining(epochs=epochs, test_epochs=5, batch=50, device="cpu"))[0]
        for epochs in (1, 40)
    )
    assert late < 0.5 * early


def test_long_pairs_are_thinned_and_progress_reaches_its_end():
    heard = []
    built = method("cgnn", **QUICK, rows=80).with_progress(lambda *told: heard.append(told))
    (decision,) = built.decide_many([pair(300)])
    assert np.isfinite(decision.score)
    assert heard[-1][0] == heard[-1][1]


def test_without_jax_the_error_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(InputError, match=r'pip install "\.\[nn\]"'):
        method("cgnn", **QUICK).decide_many([pair()])
