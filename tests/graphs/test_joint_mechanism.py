"""Columns of several parents together: what a sum does not show is found, and can be set."""

import numpy as np
import pytest

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import search_graph
from causewise.graphs.order_search import to_bits
from causewise.graphs.row_parts import Draws, Whole
from causewise.graphs.structural_model import _World, build_model

GP = "Gaussian process"


def draw(seed=0, n=600):
    """The last column is a function of the first three of which no single one tells much, and no pair."""
    rng = np.random.default_rng(seed)
    a, b, c, other = rng.normal(size=(4, n))
    return np.array([a, b, c, other, np.sin(1.5 * a * b) * np.cos(c) + np.tanh(a * c) + 0.3 * rng.normal(size=n)])


@pytest.fixture(scope="module")
def found():
    return search_graph(draw(), Constraints.none(5), 0.001)


def test_parents_are_found_together(found):
    assert found.graph.arrows == {(0, 4), (1, 4), (2, 4)}
    assert found.graph.fits[found.graph.order.index(4)].kind == GP
    assert found.graph.order.index(4) > max(found.graph.order.index(k) for k in range(3))
    assert all(term.p < 1e-6 for term in found.graph.fits[found.graph.order.index(4)].terms)


def test_a_sum_stays_a_sum_and_lets_no_process_in():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 600))
    columns = np.array([a, b, np.sin(2 * a) + b**2 + 0.3 * rng.normal(size=600)])
    graph = search_graph(columns, Constraints.none(3), 0.001)
    assert not graph.guide.wider[GP]
    assert {fit.kind for fit in graph.graph.fits} == {"lines", "sums"}


def test_the_equation_is_the_fit(found):
    columns = draw()
    model = build_model(columns, found)
    world = _World(model)
    for column, values in enumerate(columns):
        world.assign(column, values)
    location, scale = model.equations[4].evaluate(world.block_of(4))
    process = found.graph.fits[found.graph.order.index(4)].fit
    np.testing.assert_allclose(location, process.fit.mean, atol=1e-6)
    np.testing.assert_allclose(np.log(scale) + np.zeros(600), process.fit.log_scale, atol=1e-6)
    assert model.arrows == found.graph.arrows


@pytest.mark.parametrize("signs", [[1, 1, 1, 1, -1], [-1, 1, -1, 1, 1]])
def test_turning_columns_round_changes_nothing(found, signs):
    turned = search_graph(draw() * np.array(signs)[:, None], Constraints.none(5), 0.001)
    assert turned.graph.arrows == found.graph.arrows
    assert turned.graph.log_likelihood == pytest.approx(found.graph.log_likelihood, abs=2e-3)


def test_a_required_parent_stays_and_a_forbidden_one_never_comes():
    constraints = Constraints.none(5)
    constraints.required[3, 4] = constraints.before[3, 4] = True
    constraints.barred[0, 4] = True
    arrows = search_graph(draw(), constraints, 0.001).graph.arrows
    assert (3, 4) in arrows
    assert (0, 4) not in arrows


def test_parts_try_what_all_rows_let_in(found):
    draws = Draws(draw(), Constraints.none(5), 0.001, seed=0)
    assert set(found.guide.wider[GP]) >= {0, 1, 2, 4}
    part = draws.find(0, Whole(sorted(found.graph.arrows), found.guide))
    assert {(0, 4), (1, 4), (2, 4)} <= part.arrows | {(b, a) for a, b in part.arrows}
    half = search_graph(draw()[:, ::2], Constraints.none(5), 0.01, guide=found.guide)
    assert half.guide.wider == found.guide.wider


def test_a_process_is_asked_for_once_a_question(found, monkeypatch):
    asked = []
    monkeypatch.setattr(found.likelihoods.mechanisms, "fit_wider", lambda kind, column, *_: asked.append(column) or [])
    order = found.graph.order
    assert not found.likelihoods.widen([order])
    assert not asked  # the search asked for all of these
    assert found.likelihoods.fit_once(4, to_bits(order)) is not None
