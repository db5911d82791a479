"""Which parents natural parameters need, and that a set of them is fitted once."""

import numpy as np
import pytest

from causewise.models import natural_search
from causewise.models.natural import Targets, climb, stack_lines, start_flat
from causewise.models.natural_search import NaturalSearch

COST = 2.0


def draw(rng, n=800, functions=1):
    """Two parents of a column and two that are none, with some functions each."""
    u = rng.normal(size=(n, 4))
    rates = np.exp(0.5 + u[:, 0] - 0.8 * u[:, 1])
    v = (1.0 + 2.0 * u[:, 0] + u[:, 1]) / rates + rng.normal(size=n) / np.sqrt(rates)
    return [np.column_stack([u[:, k], rng.normal(size=(n, functions - 1))]) for k in range(4)], v


def search_of(blocks, v):
    return NaturalSearch(blocks, v, COST, lambda fit: ("normal", fit.log_likelihood / len(v)))


def begin(search, parents, v):
    return search.begin(parents, 1, np.zeros(len(v)), np.zeros(len(v)))


@pytest.mark.parametrize("start", [(0,), (2, 3), (0, 1, 2, 3)])
def test_the_parents_are_found_wherever_the_search_begins(start):
    blocks, v = draw(np.random.default_rng(3))
    search = search_of(blocks, v)
    begin(search, start, v)
    assert search.select(start, 1, range(4)) == (0, 1)


def test_what_is_required_stays_and_what_is_not_offered_stays_out():
    blocks, v = draw(np.random.default_rng(3))
    search = search_of(blocks, v)
    begin(search, (3,), v)
    assert search.select((3,), 1, range(4), required={3}) == (0, 1, 3)
    assert {0} <= set(search.select((3,), 1, [0, 3])) <= {0, 3}


def test_a_column_that_nothing_moves_has_no_parents_and_may_have_some_again():
    rng = np.random.default_rng(4)
    blocks, v = draw(rng)
    search = search_of(blocks, rng.normal(size=len(v)))
    begin(search, (0,), v)
    assert search.select((0,), 1, [0]) == ()
    assert search.select((), 1, range(4)) == ()


def test_a_set_is_fitted_once(monkeypatch):
    blocks, v = draw(np.random.default_rng(3))
    search, climbs = search_of(blocks, v), []
    monkeypatch.setattr(natural_search, "climb", lambda *given: climbs.append(given) or climb(*given))
    for _ in range(2):
        begin(search, (2, 3), v)
        assert search.select((2, 3), 1, range(4)) == (0, 1)
        search.widen((0, 1), 1, 3)
        sets = len(climbs)
    assert sets == len(climbs) < 20


def test_what_is_reached_nearby_is_what_is_reached_from_scratch():
    blocks, v = draw(np.random.default_rng(5))
    search, targets = search_of(blocks, v), Targets.of(v)
    for parents in ((0,), (0, 1), (0, 1, 2), (1, 2)):
        lines = stack_lines([blocks[k].T for k in parents])
        flat = climb(lines, targets, start_flat(lines, targets))
        assert begin(search, parents, v) == pytest.approx(flat.log_likelihood, abs=0.3)


def test_more_functions_begin_where_fewer_ended():
    blocks, v = draw(np.random.default_rng(5), functions=3)
    blocks[1] = blocks[1][:, :1]
    search = search_of(blocks, v)
    begin(search, (0, 1), v)
    search.widen((0, 1), 1, 3)
    few, more = (search.describe((0, 1), functions) for functions in (1, 3))
    assert (len(few.location), len(more.location)) == (3, 5)
    assert few.log_likelihood <= more.log_likelihood < few.log_likelihood + 20
    np.testing.assert_allclose(more.location[[0, 1, 4]], few.location, atol=0.3)


def test_no_more_parents_than_rows_carry():
    blocks, v = draw(np.random.default_rng(3), n=40)
    search = search_of(blocks, v)
    assert search.has_room((0,), 1)
    assert not search.has_room((0, 1), 1)
    begin(search, (0,), v)
    assert len(search.select((0,), 1, range(4))) <= 1
