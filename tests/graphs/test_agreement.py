"""`graph.agreement`: graphs of subsets beside what is left of the whole."""

from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import chain

import causewise
from causewise.errors import InputError
from causewise.graphs.agreement import draw_subsets, project, summarise_agreement

NAMES = "abcdef"
PAIRS = list(combinations(NAMES, 2))
dags = st.lists(st.booleans(), min_size=len(PAIRS), max_size=len(PAIRS)).map(
    lambda kept: {pair: "->" for pair, has in zip(PAIRS, kept, strict=True) if has}
)
kept_names = st.sets(st.sampled_from(NAMES), min_size=2, max_size=5)


def by_paths(marks, kept):
    """The latent projection by its definition: paths whose inner columns are all hidden."""
    graph = nx.DiGraph(list(marks))
    graph.add_nodes_from(NAMES)
    hidden = set(NAMES) - set(kept)
    found = {}
    for a, b in combinations(sorted(kept), 2):
        ways = {(x, y): nx.has_path(graph.subgraph(hidden | {x, y}), x, y) for x, y in ((a, b), (b, a))}
        if ways[a, b] or ways[b, a]:
            found[(a, b) if ways[a, b] else (b, a)] = "->"
        elif any(
            nx.has_path(graph.subgraph(hidden | {a}), h, a) and nx.has_path(graph.subgraph(hidden | {b}), h, b)
            for h in hidden
        ):
            found[a, b] = "<->"
    return found


@given(dags, kept_names)
def test_the_projection_is_that_of_its_definition(marks, kept):
    assert project(marks, kept) == by_paths(marks, kept)


@given(dags)
def test_all_columns_leave_a_graph_as_it_is_and_hiding_in_steps_is_hiding_at_once(marks):
    assert project(marks, NAMES) == dict(sorted(marks.items()))
    once = project(marks, "abc")
    twice = project(project(marks, "abcd"), "abc")
    # An arrow beside a common cause is kept as an arrow, so that steps may lose the latter.
    assert {frozenset(ends) for ends in twice} <= {frozenset(ends) for ends in once}


def test_edges_without_a_direction_stay_open():
    assert project({("a", "h"): "--", ("h", "b"): "->"}, "ab") == {("a", "b"): "--"}
    assert project({("a", "h"): "->", ("b", "h"): "->"}, "ab") == {}
    assert project({("a", "h"): "<->", ("h", "b"): "->"}, "ab") == {("a", "b"): "<->"}


@given(dags, st.integers(0, 99))
def test_graphs_of_subsets_that_are_projections_agree_fully(marks, seed):
    rng = np.random.default_rng(seed)
    parts = [(names, project(marks, names)) for names in draw_subsets(NAMES, 6, 3, rng)]
    found = summarise_agreement(marks, parts, 3, 0, rng)
    if any(part for _, part in parts):
        assert found.score == 1.0 and found.chance is not None and found.chance <= 1.0
        assert set(found.edges.values()) <= {1.0, None}
    else:
        assert found.score is None
    turned = [(names, {ends[::-1]: mark for ends, mark in part.items() if mark == "->"}) for names, part in parts]
    if any(part for _, part in turned):
        assert summarise_agreement(marks, turned, 3, 0, rng).score == 0.0


def test_subsets_differ_and_are_all_where_there_are_no_more():
    rng = np.random.default_rng(0)
    found = draw_subsets(NAMES, 10, 3, rng)
    assert len(set(found)) == 10 and all(len(set(names)) == 3 for names in found)
    assert draw_subsets("abc", 10, 2, rng) == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.fixture(scope="module")
def found() -> causewise.CausalGraph:
    return causewise.graph(chain(), bootstrap=0, engine=causewise.Engine(jobs=1))


def test_a_clear_table_agrees_with_its_subsets_more_than_by_chance(found):
    seen = []
    agreement = found.agreement(engine=causewise.Engine(jobs=1, on_progress=lambda *told: seen.append(told)))
    assert (agreement.subsets, agreement.size, agreement.skipped) == (4, 3, 0)
    assert agreement.score > agreement.chance + 0.2
    assert seen[-1] == ("comparing", 4, 4)
    assert f"Graphs of 4 subsets of 3 columns agree by {agreement.score:.0%}"[:-1] in str(agreement).replace(" %", "")
    assert agreement.to_dict()["edges"][0]["agreement"] == next(iter(agreement.edges.values()))
    assert found.agreement(engine=causewise.Engine(jobs=1)) == agreement


def test_knowledge_holds_for_subsets_too():
    table = chain() | {"sex": np.random.default_rng(0).integers(0, 2, 500).astype(float)}
    graph = causewise.graph(table, knowledge={"first": ["sex"], "required": [["d", "c"]]}, bootstrap=0)
    agreement = graph.agreement(subsets=3, size=4)
    assert agreement.subsets == 3 and agreement.edges["d", "c"] in (1.0, None)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"subsets": 0}, "subsets"), ({"size": 4}, "size"), ({"size": 1}, "size"), ({"seed": -1}, "seed")],
)
def test_what_cannot_be_is_refused(found, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        found.agreement(**settings)


def test_a_graph_without_its_columns_or_with_two_is_refused(found):
    with pytest.raises(InputError, match="without its columns"):
        replace(found, values={}).agreement()
    with pytest.raises(InputError, match="at least 3"):
        replace(found, order=("a", "b"), edges=()).agreement()
