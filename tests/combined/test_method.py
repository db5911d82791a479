"""The default method as a sum: what is shown is what decides, whatever the units and however odd the table."""

import json
import math

import numpy as np
import pytest
from drawn import Columns, decide, related, seeds, some
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import whence
from whence.catalogue import method
from whence.combined.constants import TERMS
from whence.combined.method import terms_of, weighing
from whence.pair import InputError, Pair

# The sum.


@some
@given(seeds, st.integers(10, 200))
def test_the_score_is_the_weight_times_the_sum_of_the_terms(seed: int, n: int) -> None:
    found = decide(*related(seed, n))
    assert found.weight is not None and 0 < found.weight <= 1
    assert found.score == pytest.approx(found.weight * sum(found.contributions.values()), rel=1e-12)
    assert found.weight == pytest.approx(math.prod(found.weight_parts.values()), rel=1e-12)
    assert found.score == found.forward.score - found.backward.score


@some
@given(seeds)
def test_exchanging_the_columns_negates_every_term_exactly(seed: int) -> None:
    x, y = related(seed)
    one, two = decide(x, y), decide(y, x)
    assert one.contributions == {name: -value for name, value in two.contributions.items()}
    assert one.score == -two.score
    assert one.confidence == two.confidence and one.weight_parts == two.weight_parts
    assert one.forward.to_dict() == two.backward.to_dict()
    assert one.relation_p_value == two.relation_p_value and one.unrelated == two.unrelated


@given(st.dictionaries(st.sampled_from(list(TERMS)), st.floats(-1e9, 1e9), min_size=len(TERMS)))
def test_a_term_is_odd_rising_and_never_higher_than_its_height(contrasts: dict[str, float]) -> None:
    terms, against = terms_of(contrasts), terms_of({k: -v for k, v in contrasts.items()})
    more = terms_of({k: v + 0.1 * TERMS[k].width for k, v in contrasts.items()})
    for name, term in terms.items():
        assert abs(term) <= TERMS[name].height
        assert term == -against[name]
        assert more[name] >= term
        assert term * contrasts[name] >= 0


@some
@given(seeds)
def test_the_terms_are_those_of_the_contrasts(seed: int) -> None:
    x, y = related(seed)
    contrasts = weighing(Pair.of(x, y)).contrasts
    for name, term in decide(x, y).contributions.items():
        height, width = TERMS[name]
        assert term == pytest.approx(height * np.tanh(contrasts[name] / width), rel=1e-12)


@some
@given(seeds)
def test_confidence_is_the_logistic_of_the_size_of_the_score(seed: int) -> None:
    found = decide(*related(seed))
    assert found.confidence == pytest.approx(expit(abs(found.score)), rel=1e-12)


@pytest.mark.parametrize("max_rows", [100, 20_000])
@some
@given(seed=seeds)
def test_the_order_of_the_rows_changes_no_bit_of_the_record(max_rows: int, seed: int) -> None:
    x, y = related(seed, 300)
    order = np.random.default_rng(seed).permutation(300)
    one, two = decide(x, y, max_rows=max_rows), decide(x[order], y[order], max_rows=max_rows)
    assert one.to_dict() == two.to_dict()


# Odd tables.


def odd_tables() -> dict[str, Columns]:
    x, y = related(1, 100)
    lone = np.append(np.zeros(99), 1.0)
    return {
        "ten rows": (x[:10], y[:10]),
        "two values": ((x > 0).astype(float), y),
        "two values twice": ((x > 0).astype(float), (y > 0).astype(float)),
        "no noise": (x, np.exp(x)),
        "no noise, ten rows": (x[:10], x[:10] ** 3),
        "a line": (x, 3 * x + 1),
        "huge units": (1e300 * x, y),
        "tiny units": (x, 1e-300 * y),
        "no units left": (1e-310 * x, 1e-310 * y),
        "one row apart": (x, lone),
        "one row far away": (np.where(lone > 0, 1e20, x), y),
    }


@pytest.mark.parametrize("name", odd_tables())
def test_odd_tables_get_an_answer_or_a_sentence(name: str) -> None:
    found = whence.infer(*odd_tables()[name])
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.explanation
    if not found.failure:
        assert math.isfinite(found.score)
        assert found.confidence is not None and 0.5 <= found.confidence < 1


@pytest.mark.parametrize("power", [-300, -40, 40, 300])
def test_units_change_no_score(power: int) -> None:
    x, y = related(2)
    assert decide(2.0**power * x, y).score == pytest.approx(decide(x, y).score, rel=1e-9)
    assert decide(x, 2.0**power * y).score == pytest.approx(decide(x, y).score, rel=1e-9)


def test_a_breakdown_becomes_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise FloatingPointError("no spread")

    monkeypatch.setattr("whence.combined.method.weighing", broken)
    found = decide(*related(1))
    assert found.status == "failed" and "no spread" in found.failure and math.isnan(found.score)


BAD = [("max_rows", 3), ("max_rows", 49), ("max_rows", 100.0), ("max_rows", "all")]
BAD += [("threshold", value) for value in (1, 1.0, 0.2, 0.499, -1.0, math.nan, math.inf)]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_settings_are_refused_with_a_sentence(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"Got {name}=.* for whence; expected .+\."):
        whence.infer(*related(1), **{name: value})
    with pytest.raises(InputError, match=name):
        method("whence", **{name: value})
