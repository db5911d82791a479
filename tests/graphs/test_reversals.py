"""Graphs nearby: a class of graphs that fit alike is walked through, and nothing that is known is turned."""

import numpy as np
import pytest

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import search_graph
from causewise.graphs.reversals import NEAR, explore_reversals
from causewise.knowledge.background import Knowledge

NAMES = ["a", "b", "c", "d"]


def draw_lines(n=600, seed=0):
    """A diamond of straight lines with normal noise: a before b and c, these before d."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b, c = a + 0.7 * rng.normal(size=n), -a + 0.7 * rng.normal(size=n)
    return np.array([a, b, c, b + c + 0.5 * rng.normal(size=n)])


def search(columns, **known):
    constraints = Constraints.of(Knowledge.of(known, NAMES), NAMES) if known else Constraints.none(len(columns))
    return search_graph(columns, constraints, 0.001)


def test_edges_of_a_class_cost_next_to_nothing_and_those_into_a_collider_more():
    found = search(draw_lines())
    losses = {frozenset(NAMES[k] for k in arrow): found.reversal_loss(arrow) for arrow in found.graph.arrows}
    assert losses.keys() == {frozenset(pair) for pair in ("ab", "ac", "bd", "cd")}
    free = max(losses[frozenset("ab")], losses[frozenset("ac")])
    assert free < 0.5
    assert min(losses[frozenset("bd")], losses[frozenset("cd")]) > free  # which need an edge more
    assert found.graph.order.index(3) == 3


def test_a_reversal_is_no_further_away_than_one_column_moved():
    for seed in range(3):
        found = search(draw_lines(300, seed))
        for parent, child in found.graph.arrows:
            alone = found.search.reversal_loss(found.graph.order, parent, child) * 300
            assert found.reversal_loss((parent, child)) <= alone
            assert found.reversal_loss((child, parent)) == -found.reversal_loss((parent, child))


def test_curves_are_not_turned_nearby():
    rng = np.random.default_rng(1)
    a = rng.uniform(-2, 2, 600)
    b = np.sin(2 * a) + 0.3 * rng.normal(size=600)
    c = b**2 + a + 0.3 * rng.normal(size=600)
    found = search(np.array([a, b, c]))
    assert found.graph.arrows == {(0, 1), (0, 2), (1, 2)}
    assert all(loss > 5 * NEAR for loss in found.turned.values())


@pytest.mark.parametrize("known", [{"before": [["a", "b"]]}, {"first": ["a"]}, {"required": [["a", "c"]]}])
def test_what_is_given_is_never_turned(known):
    found = search(draw_lines(), **known)
    before = found.likelihoods.constraints.before
    near = explore_reversals(found.likelihoods, found.graph.order)
    assert not any(before[arrow] for arrow in near.losses)
    assert all(near.order.index(first) < near.order.index(second) for first, second in np.argwhere(before))
    assert near.losses.keys() & {(1, 3), (2, 3), (3, 1), (3, 2), (0, 2), (2, 0)}


def test_log_odds_count_as_nats():
    columns = draw_lines()
    plain = search(columns)
    [ab] = plain.graph.arrows & {(0, 1), (1, 0)}
    first, second = (NAMES[k] for k in ab)
    leaning = search(columns, soft=[[first, second, {"likely": 0.9}]])
    assert leaning.graph.arrows == plain.graph.arrows
    assert leaning.reversal_loss(ab) == pytest.approx(plain.reversal_loss(ab) + np.log(9), abs=0.5)
