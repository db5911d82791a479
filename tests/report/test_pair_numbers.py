"""What is drawn in a page is finite, small, and what the decision says."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import SPECIMENS, decided, pair

from causewise.pair import Pair
from causewise.report.pair_numbers import STEPS, pair_numbers, round_to_pixels


def floats(record: Any) -> Iterator[float]:
    if isinstance(record, dict | list):
        for each in record.values() if isinstance(record, dict) else record:
            yield from floats(each)
    elif isinstance(record, float):
        yield record


@pytest.mark.parametrize("name", SPECIMENS)
def test_every_kind_of_decision_is_json_with_finite_numbers(name: str) -> None:
    numbers = pair_numbers(SPECIMENS[name], points=50)
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert all(map(math.isfinite, floats(numbers)))
    for side in numbers["sides"]:
        assert side["residual"] is None or len(side["residual"]) == len(numbers["dots"][0])


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20),
    st.floats(-1e300, 1e300),
    st.floats(1e-300, 1e300),
)
def test_rounding_moves_a_value_by_less_than_is_seen(values: list[float], low: float, width: float) -> None:
    found = round_to_pixels(np.array(values), (low, low + width))
    # Half of the last decimal, which is within √10 of a step; and what the float itself cannot hold.
    allowed = 0.5 * 3.17 * (low + width - low) / STEPS
    assert all(abs(a - b) <= allowed + 4 * np.spacing(abs(b)) for a, b in zip(found, values, strict=True))


def test_the_curve_ends_where_the_rows_do() -> None:
    rng = np.random.default_rng(1)
    cause = np.concatenate([rng.uniform(0, 3, 300), rng.uniform(8, 10, 200), [40.0]])
    rows = Pair.of(cause, np.tanh(cause) + 0.1 * rng.normal(size=501))
    forward = pair_numbers(decided(rows))["sides"][0]
    assert [len(piece["cause"]) > 1 for piece in forward["curve"]] == [True, True]
    drawn = [(piece["cause"][0], piece["cause"][-1]) for piece in forward["curve"]]
    assert drawn[0][0] < 0.5 and 2.5 < drawn[0][1] < 4 and drawn[1][0] > 7 and drawn[1][1] < 12
    assert forward["across"][1] == 40.0


def test_pieces_of_the_curve_lie_on_the_fit() -> None:
    decision = decided(pair(400))
    order = np.argsort(decision.pair.x)
    fitted = np.interp
    forward = pair_numbers(decision)["sides"][0]
    for piece in forward["curve"]:
        true = fitted(piece["cause"], decision.pair.x[order], decision.forward.location[order])
        assert np.allclose(piece["mean"], true, atol=0.02 * np.ptp(decision.pair.y))
        assert np.all(np.array(piece["low"]) < piece["mean"]) and np.all(np.array(piece["mean"]) < piece["high"])


@pytest.mark.parametrize("name", [name for name, each in SPECIMENS.items() if each.contributions])
def test_the_terms_add_up_in_the_digits_shown(name: str) -> None:
    found = pair_numbers(SPECIMENS[name])["sum"]
    if found is None:
        return
    value = {key: float(found[key].replace("−", "-")) for key in ("total", "weight", "score")}
    assert math.isclose(sum(term["value"] for term in found["terms"]), value["total"], abs_tol=1e-9)
    assert math.isclose(value["total"] * value["weight"], value["score"], abs_tol=0.00501)


def test_names_that_act_are_spelt_out() -> None:
    hostile = replace(decided(pair(30)), pair=replace(pair(30), x_name="\u202ea\x00", y_name="b\n"))
    text = json.dumps(pair_numbers(hostile), ensure_ascii=False)
    assert "\u202e" not in text and "\\u0000" not in text
