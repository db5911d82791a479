"""`name:rows=N`: a seeded sample of the rows, for every method, with the properties of a method on all rows."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.catalogue import CATALOGUE, DEFAULT, LAWS, LINEAR, accepts, expected_seconds, method, sample_hint
from causewise.errors import InputError
from causewise.numerics.row_sampling import sample_rows
from causewise.pair import Pair
from causewise.protocol import Subsample
from causewise.report.provenance import specification

CHEAP = ["igci", "resit", "lingam", "heci", "loci-h", "mdl"]
OTHERS = [entry.name for entry in CATALOGUE if entry.name != DEFAULT]


def curved(n=900, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.tanh(2 * x) + (0.2 + 0.2 * np.abs(x)) * rng.normal(size=n)


def score(x, y, spec):
    return causewise.infer(x, y, method=spec).score


@pytest.mark.parametrize("name", CHEAP)
def test_neither_the_order_of_rows_or_columns_nor_units_choose_the_rows(name):
    x, y = curved()
    spec, mixed = f"{name}:rows=150:seed=5", np.random.default_rng(1).permutation(len(x))
    found = score(x, y, spec)
    assert score(y, x, spec) == -found
    assert score(x[mixed], y[mixed], spec) == found
    assert score(1024 * x, y / 8, spec) == pytest.approx(found, rel=1e-9)
    assert found != score(x, y, name)
    assert found != score(x, y, f"{name}:rows=150:seed=6")


@given(st.integers(10, 60), st.integers(0, 2**63 - 1), st.booleans())
def test_rows_are_drawn_without_replacement_and_as_many_as_asked_for(rows, seed, coarse):
    x, y = curved(80, 3)
    if coarse:
        x, y = np.round(x), np.round(y)
    kept = sample_rows(x, y, rows, seed)
    assert len(set(kept)) == len(kept)
    assert rows <= len(kept) < rows + 8  # rows that are alike but for reflections and exchange have one key
    np.testing.assert_array_equal(kept, sample_rows(-x, y, rows, seed))


def test_every_row_is_drawn_as_often_as_any_other():
    x, y = curved(40, 2)
    drawn = np.bincount(np.concatenate([sample_rows(x, y, 10, seed) for seed in range(2000)]), minlength=40)
    assert np.max(np.abs(drawn / 2000 - 0.25)) < 0.05  # five standard errors


def test_what_is_said_of_it():
    x, y = curved()
    decision = causewise.infer(x, y, method="resit", rows=150, seed=4)
    assert (decision.pair.n, decision.rows_judged, decision.settings["rows"], decision.seed) == (900, 150, 150, 4)
    assert "scored on 150 of 900 rows" in str(decision)
    assert any("150 of 900 rows (rows=150), drawn with seed 4" in text for text in decision.warnings)
    assert specification(decision) == "resit:rows=150:seed=4"
    assert decision.forward.residual is None
    assert score(x, y, specification(decision)) == decision.score
    assert decision.stability(draws=4) == causewise.infer(x, y, method="resit:rows=150:seed=4").stability(draws=4)


def test_a_short_pair_is_decided_as_ever():
    x, y = curved(100)
    plain, sampled = (causewise.infer(x, y, method=spec) for spec in ("loci-h", "loci-h:rows=100"))
    assert (sampled.score, sampled.warnings) == (plain.score, plain.warnings)
    np.testing.assert_array_equal(sampled.forward.residual, plain.forward.residual)


def test_a_sample_that_is_no_pair_is_a_failure_with_a_sentence():
    x = np.zeros(1000)
    x[:3] = 1.0
    constant = Pair.of(x, np.arange(1000.0))
    fine = Pair.of(*curved())
    sampled = method("igci", rows=10)
    failed, decided = sampled.decide_many([constant, fine])
    assert "Of the 10 rows drawn: Column 'x' is constant" in failed.reason
    assert decided == sampled.decide_many([fine])[0]


@pytest.mark.parametrize("name", OTHERS)
def test_every_method_takes_rows_and_with_them_a_seed(name):
    assert accepts(name, "rows")
    assert accepts(f"{name}:rows=50", "seed")
    for bad in (0, 3, -1, 10**30, 2.5, True, "many"):
        if name != "cgnn" or bad != 3:
            with pytest.raises(InputError, match="Got rows="):
                method(name, rows=bad)
    with pytest.raises(InputError, match="Got seed=-1"):
        method(f"{name}:rows=50:seed=-1")


def test_the_default_method_has_its_own_name_for_it():
    with pytest.raises(InputError, match="it takes: direct, fold, max_rows, neither, recording, threshold"):
        method(f"{DEFAULT}:rows=100")
    with pytest.raises(InputError, match="Got the setting 'seed'"):
        method("igci:seed=3")


def test_what_a_method_has_beside_is_found_through_the_sample():
    class Batched:
        name, batch_size = "toy", 7

        def with_progress(self, progress):
            made = Batched()
            made.progress = progress
            return made

    sampled = Subsample(Batched(), 50, 3)
    assert sampled.batch_size == 7
    told = sampled.with_progress(print)
    assert (told.rows, told.seed, told.method.progress) == (50, 3, print)
    assert not hasattr(sampled, "missing")
    assert pickle.loads(pickle.dumps(method("igci:rows=50"))).rows == 50


def test_every_law_is_one_of_those_known_and_a_steep_one_offers_a_sample():
    for entry in CATALOGUE:
        assert {entry.time, entry.memory} <= set(LAWS)
        assert {entry.time, entry.memory} <= set(LINEAR) or accepts(entry.name, "rows")


@pytest.mark.parametrize("law", LAWS.values())
def test_a_law_grows(law):
    assert all(law(b) > law(a) for a, b in itertools.pairwise((2, 10, 10**3, 10**7)))


def test_hours_are_foreseen_and_the_setting_is_named():
    assert sample_hint("igci", 10**7) == ""
    assert "nn-loci-h:rows=2000 decides by 2,000 of them" in sample_hint("nn-loci-h", 10**7)
    assert "h on 10,000,000 rows, since its time grows like n;" in sample_hint("nn-loci-h", 10**7)
    assert sample_hint("nn-loci-h:rows=2000", 10**7) == ""
    assert sample_hint("cgnn", 10**7) == ""  # which draws by itself
    assert sample_hint("igci", 10**7, pairs=10**6)
    assert expected_seconds("resit", 10**6) == pytest.approx(2000 * expected_seconds("resit", 1000), rel=1e-9)
