"""The fit of the constants: the method's own formulas for arrays, and a file that holds what was found."""

import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from training import fit, world
from training.table import Table, read_all, row, table
from whence.combined import constants as module
from whence.combined.constants import TERMS, WEIGHT, Term, WeightConstants
from whence.combined.method import terms_of, weighing, weight_in
from whence.combined.weight import weight_of
from whence.pair import FloatArray, Pair

SHIPPED = Path(module.__file__).with_name("constants.toml")


def made_up(rng: np.random.Generator, n: int, **columns: FloatArray) -> Table:
    """A table of random readings, some columns of it given."""
    drawn: dict[str, Any] = {name: np.zeros((n, 1)) for name in Table._fields} | {
        "contrasts": rng.normal(size=(n, len(TERMS))) * [8.0, 8.0, 2.0],
        "effective_rows": np.exp(rng.uniform(1, 9, n)),
        "distinct": rng.integers(2, 500, n).astype(float),
        "better_log_p": -rng.exponential(5.0, n),
        "left": rng.uniform(0, 0.05, n),
        "relation_log_p": np.full(n, -50.0),
        "truth": rng.choice([-1.0, 1.0], n),
        "family": np.full(n, "made up"),
    }
    return Table(**(drawn | columns))


def labelled(rng: np.random.Generator, n: int, terms: dict[str, Term], rows: float) -> Table:
    """A table whose labels follow a known law."""
    found = made_up(rng, n)
    odds = fit.weights(found, fit.constants(np.log(rows))) * fit.sums(found.contrasts, terms)
    return found._replace(truth=np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), 1.0, -1.0))


@given(st.integers(0, 10**6))
def test_the_weights_of_a_table_are_those_of_the_method(seed: int) -> None:
    found = made_up(np.random.default_rng(seed), 50)
    readings = zip(found.effective_rows, found.distinct, found.better_log_p, found.left, strict=True)
    expected = [weight_of(rows, int(values), log_p, left).product for rows, values, log_p, left in readings]
    np.testing.assert_allclose(fit.weights(found, WEIGHT), expected, rtol=1e-12)


@given(st.integers(0, 10**6))
def test_the_sums_of_a_table_are_those_of_the_method(seed: int) -> None:
    contrasts = 10 * np.random.default_rng(seed).normal(size=(50, len(TERMS)))
    expected = [sum(terms_of(dict(zip(TERMS, line, strict=True))).values()) for line in contrasts]
    np.testing.assert_allclose(fit.sums(contrasts, TERMS), expected, rtol=1e-9)


def test_a_row_of_the_table_holds_what_the_method_weighs() -> None:
    pairs = [world.pair(index, 2) for index in range(4)]
    found = table(map(row, pairs))
    score = fit.weights(found, WEIGHT) * fit.sums(found.contrasts, TERMS)
    for k, pair in enumerate(pairs):
        weighed = weighing(Pair.of(pair.x, pair.y))
        assert score[k] == pytest.approx(weight_in(weighed).product * sum(terms_of(weighed.contrasts).values()))
        assert found.truth[k] == pair.truth and found.family[k] == pair.family
        assert found.relation_log_p[k] == weighed.relation_log_p


def test_readings_are_kept_in_a_file_and_read_from_it(tmp_path: Path) -> None:
    kept = tmp_path / "some" / "readings.npz"
    first = read_all(partial(world.pair, seed=2), 3, 1, kept)
    again = read_all(partial(world.pair, seed=99), 3, 1, kept)
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one, other)
    assert list(first.family) == [world.pair(index, 2).family for index in range(3)]


def test_the_shipped_constants_come_back_from_their_text() -> None:
    text = fit.constants_text(TERMS, WEIGHT)
    assert tomllib.loads(text) == tomllib.loads(SHIPPED.read_text(encoding="utf-8"))


numbers = st.floats(1e-3, 1e3).map(lambda value: float(f"{value:.3g}"))


@given(st.lists(numbers, min_size=6, max_size=6), st.lists(numbers, min_size=4, max_size=4))
def test_constants_come_back_from_their_text(curves: list[float], weight: list[float]) -> None:
    terms = {name: Term(*curves[2 * k : 2 * k + 2]) for k, name in enumerate(TERMS)}
    found = tomllib.loads(fit.constants_text(terms, WeightConstants(*weight)))
    assert {name: Term(**values) for name, values in found["terms"].items()} == terms
    assert WeightConstants(**found["weight"]) == WeightConstants(*weight)


def test_what_was_set_by_hand_is_what_is_shipped() -> None:
    assert WEIGHT[1:] == (fit.VALUES, fit.REFUSAL, fit.FLOOR)
    assert fit.TARGET.resolve() == SHIPPED.resolve()


def test_the_curves_find_the_law_that_made_the_labels() -> None:
    true = {name: Term(h, w) for name, h, w in zip(TERMS, (3.0, 0.5, 2.0), (8.0, 8.0, 2.0), strict=True)}
    found = labelled(np.random.default_rng(0), 6000, true, 30.0)
    fitted = fit.fit_terms(found, found.contrasts, list(TERMS))
    assert list(fitted) == list(TERMS)
    grid = np.linspace(-2, 2, 21)
    for name, (height, width) in true.items():
        again = fitted[name].height * np.tanh(grid * width / fitted[name].width)
        assert np.max(np.abs(again - height * np.tanh(grid))) < 0.5


def test_a_term_that_tells_nothing_gets_no_height() -> None:
    true = {name: Term(h, w) for name, h, w in zip(TERMS, (3.0, 0.0, 2.0), (8.0, 8.0, 2.0), strict=True)}
    found = labelled(np.random.default_rng(1), 4000, true, 30.0)
    heights = {name: term.height for name, term in fit.fit_terms(found, found.contrasts, list(TERMS)).items()}
    assert heights["independence"] < 0.3 * min(heights["description"], heights["shape"])


def test_the_size_shrinks_where_other_worlds_disagree() -> None:
    rng = np.random.default_rng(2)
    true = {name: Term(h, w) for name, h, w in zip(TERMS, (3.0, 0.5, 2.0), (8.0, 8.0, 2.0), strict=True)}
    first, alike = (labelled(rng, 2000, true, 30.0) for _ in range(2))
    silent = made_up(rng, 500, contrasts=np.zeros((500, len(TERMS))))
    loud, tossed = made_up(rng, 500), made_up(rng, 2000)
    sizes = [fit.fit_size(worlds, true)[0] for worlds in ((first, alike, silent), (first, alike, loud))]
    assert sizes[0] == pytest.approx(1.0, abs=0.15)
    assert sizes[1] < 0.8 * sizes[0]
    assert fit.fit_size((first, tossed, silent), true)[0] < 0.8 * sizes[0]


def test_the_rows_of_lambda_are_found_again() -> None:
    rng = np.random.default_rng(3)
    true = {name: Term(h, w) for name, h, w in zip(TERMS, (6.0, 0.5, 4.0), (8.0, 8.0, 2.0), strict=True)}
    silent = made_up(rng, 500, contrasts=np.zeros((500, len(TERMS))))
    few, many = (
        fit.fit_size((*(labelled(rng, 4000, true, rows) for _ in range(2)), silent), true)[1].rows for rows in (10, 200)
    )
    assert 5 < few < 20 and 100 < many < 400
