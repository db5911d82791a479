"""The neural methods: the properties every method has, and what belongs to training in batches."""

import sys

import numpy as np
import pytest

from causewise.catalogue import accepts, method, seeded_method
from causewise.decision import Direction
from causewise.errors import InputError
from causewise.models.network import fitting
from causewise.pair import Pair

NAMES = ("nn-loci-h", "nn-loci-m", "nn-anm-h", "nn-anm-m")
QUICK = {"hidden": 10, "steps": 150, "device": "cpu"}


def pair(n=200, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair.of(x, np.tanh(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=n))


def decide(name, *pairs, **settings):
    return method(name, **(QUICK | settings)).decide_many(pairs)


@pytest.mark.parametrize("name", NAMES)
def test_exchanging_the_columns_negates_the_score_bit_for_bit(name):
    there, back = decide(name, pair(), pair().swap())
    assert there.score == -back.score
    assert there.forward.log_likelihood == back.backward.log_likelihood


@pytest.mark.parametrize("name", NAMES)
def test_row_order_and_units_change_nothing(name):
    one = pair()
    order = np.random.default_rng(1).permutation(one.n)
    other = Pair.of(one.x[order] * 2.54 - 3.0, one.y[order] * 1e-3)
    first, second = decide(name, one, other)
    assert abs(first.forward.log_likelihood - second.forward.log_likelihood) < 1e-9
    assert first.score == pytest.approx(second.score, rel=1e-9)
    assert np.allclose(first.forward.residual[order], second.forward.residual, atol=1e-9)


def test_location_and_scale_are_in_the_effects_units():
    one = pair()
    small, large = decide("nn-loci-h", one, Pair.of(one.x, 100.0 * one.y))
    assert np.allclose(100.0 * small.forward.location, large.forward.location, atol=1e-7)
    assert np.allclose(100.0 * small.forward.scale, large.forward.scale, atol=1e-7)
    residual = (one.y - small.forward.location) / small.forward.scale
    assert np.allclose(residual, small.forward.residual, atol=1e-9)


def test_the_two_criteria_share_their_training(monkeypatch):
    decide("nn-loci-m", pair(seed=5))
    monkeypatch.setattr(fitting, "train", lambda problems, *rest: [] if not problems else pytest.fail("trained"))
    assert np.isfinite(decide("nn-loci-h", pair(seed=5))[0].score)


def test_the_memory_of_trained_networks_is_bounded(monkeypatch):
    monkeypatch.setattr(fitting, "CACHE_SIZE", 3)
    decide("nn-anm-m", *(pair(seed=seed, n=50) for seed in range(4)), steps=2)
    assert len(fitting._cache) == 3


def test_a_seed_changes_the_start_and_the_same_seed_gives_the_same_bytes():
    fitting._cache.clear()
    first = decide("nn-loci-m", pair(), seed=1)[0]
    fitting._cache.clear()
    assert decide("nn-loci-m", pair(), seed=1)[0].score == first.score
    assert decide("nn-loci-m", pair(), seed=2)[0].score != first.score


def test_more_restarts_never_lower_the_likelihood():
    one, three = (decide("nn-loci-m", pair(), restarts=restarts)[0] for restarts in (1, 3))
    assert three.forward.log_likelihood >= one.forward.log_likelihood


def test_divergence_is_told(monkeypatch):
    (decision,) = decide("nn-loci-m", pair(), first_rate=1e9, last_rate=1e9)
    assert not decision.forward.converged
    assert any("diverged" in warning for warning in decision.warnings)


def test_a_seeded_method_of_the_catalogue_that_handles_batches():
    assert all(accepts(name, "seed") for name in NAMES)
    assert method("nn-loci-h:steps=10:device=cpu").batch_size > 1
    with pytest.raises(InputError, match="it takes"):
        method("nn-loci-h:epochs=10")


def test_without_jax_the_error_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(InputError, match=r'pip install "\.\[nn\]"'):
        method("nn-loci-h", steps=1).decide_many([pair(seed=9)])


def test_short_tied_and_heavy_tailed_pairs_get_an_answer_or_a_sentence():
    rng = np.random.default_rng(0)
    cases = [
        Pair.of(rng.normal(size=10), rng.normal(size=10)),
        Pair.of(rng.integers(0, 3, 100), rng.integers(0, 2, 100)),
        Pair.of(rng.standard_cauchy(300), rng.standard_cauchy(300)),
    ]
    for decision in decide("nn-loci-h", *cases):
        assert np.isfinite(decision.score) or decision.failed


@pytest.mark.slow
def test_the_papers_setting_finds_a_clear_direction():
    decisions = method("nn-loci-h", device="cpu").decide_many([pair(500, seed) for seed in range(4)])
    assert [decision.direction for decision in decisions] == [Direction.FORWARD] * 4


@pytest.mark.parametrize(("spec", "seed"), [("nn-loci-h", 3), ("nn-loci-h:seed=5", 5)])
def test_a_seed_in_the_specification_wins(spec, seed):
    assert seeded_method(spec, 3).seed == seed
