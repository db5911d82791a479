"""Arrows as a graph, the order that contradicts them least and circles among them, by brute force and bounds."""

from dataclasses import replace
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from drawn_scans import letters, row, rows_of, scans
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.numerics import ordering
from causewise.numerics.ordering import Weights, best_order, cost_of, pack_triangles, solve_relaxation
from causewise.scanning.consistency import Order, Quality, find_order, measure_quality, to_digraph
from causewise.scanning.scan_row import ScanRow


def test_edges_run_from_cause_to_effect_and_are_told_from_the_cause() -> None:
    forward = replace(row("a", "b", 2.0), p_forward=0.4, p_backward=1e-9)
    backward = replace(row("b", "c", -1.0), p_forward=1e-3, p_backward=0.2, confidence=None)
    others = [
        row("a", "c", 0.1, threshold=0.5),
        ScanRow("a", "d", 100, 0, status="unrelated"),
        ScanRow("b", "d", 0, 100),
    ]
    found = to_digraph([forward, backward, *others], letters(4))
    assert list(found) == letters(4)
    assert dict(found.edges) == {
        ("a", "b"): {"weight": forward.confidence, "score": 2.0, "p_forward": 0.4, "p_backward": 1e-9, "n": 100},
        ("c", "b"): {"weight": 1.0, "score": 1.0, "p_forward": 0.2, "p_backward": 1e-3, "n": 100},
    }


def cost(rows: list[ScanRow], columns: tuple[str, ...]) -> float:
    return sum(abs(r.score) for r in rows if r.score and (columns.index(r.x) < columns.index(r.y)) != (r.score > 0))


@given(scans(6))
def test_no_permutation_is_better(scan: tuple[list[ScanRow], list[str]]) -> None:
    rows, columns = scan
    found = find_order(rows, columns)
    assert sorted(found.columns) == columns
    assert found.exact
    assert (
        found.cost
        == found.bound
        == cost(rows, found.columns)
        == min(cost(rows, each) for each in permutations(columns))
    )


@given(scans(5), st.data())
def test_hard_pairs_are_satisfied_and_the_rest_is_best(
    scan: tuple[list[ScanRow], list[str]], data: st.DataObject
) -> None:
    rows, columns = scan
    truth = data.draw(st.permutations(columns))
    before = [(a, b) for k, a in enumerate(truth) for b in truth[k + 1 :] if data.draw(st.booleans())]
    found = find_order(rows, columns, before)
    allowed = [each for each in permutations(columns) if all(each.index(a) < each.index(b) for a, b in before)]
    assert found.columns in allowed
    assert found.cost == min(cost(rows, each) for each in allowed)


def test_hard_pairs_are_satisfied_among_many_columns() -> None:
    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(70)]
    rows = rows_of({(i, j): rng.normal() for j in range(70) for i in range(j)}, names)
    truth = rng.permutation(names).tolist()
    chosen = [sorted(rng.choice(70, 2, replace=False)) for _ in range(300)]
    before = [(truth[a], truth[b]) for a, b in chosen]
    found = find_order(rows, names, before)
    assert all(found.columns.index(a) < found.columns.index(b) for a, b in before)
    assert found.bound <= found.cost < cost(rows, tuple(truth))


def test_what_no_order_can_satisfy_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="in a circle; expected what some order can satisfy"):
        find_order([], letters(3), [("a", "b"), ("b", "c"), ("c", "a")])


@given(scans(6))
def test_columns_move_only_for_a_reason(scan: tuple[list[ScanRow], list[str]]) -> None:
    """Neighbours that stand against the table's order do so because something asks for it."""
    rows, columns = scan
    found = find_order(rows, columns)
    for first, second in zip(found.columns, found.columns[1:], strict=False):
        leaning = [r for r in rows if {r.x, r.y} == {first, second} and r.score]
        assert first < second or leaning


def test_without_scores_the_table_keeps_its_order() -> None:
    assert find_order([], letters(30)) == Order(tuple(letters(30)), 0.0, 0.0, True, 0.0)
    assert find_order([], []) == Order((), 0.0, 0.0, True, 0.0)


def noisy(count: int, noise: float, seed: int = 0) -> Weights:
    rng = np.random.default_rng(seed)
    scores = np.triu(rng.normal(1, noise, size=(count, count)), 1)
    shuffled = rng.permutation(count)
    weights = np.maximum(scores, 0) + np.maximum(-scores, 0).T
    return np.rint(1e9 * weights[np.ix_(shuffled, shuffled)]).astype(np.int64)


@pytest.mark.parametrize("noise", [0.7, 2.0, 50.0])
def test_search_and_bounds_enclose_the_exact_cost(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(2):
        weights = noisy(12, noise, seed)
        best = best_order(weights, np.arange(len(weights)))
        assert best.cost == best.bound
        monkeypatch.setattr(ordering, "EXACT", 2)
        searched = best_order(weights, np.arange(len(weights)))
        monkeypatch.undo()
        assert pack_triangles(weights, searched.items) <= best.cost <= searched.cost
        assert solve_relaxation(weights)[1] <= best.cost
        assert searched.bound <= best.cost
        assert searched.cost <= 1.01 * best.cost


@pytest.mark.parametrize("count", [30, 80])
def test_many_columns_get_a_good_order_and_a_bound(count: int) -> None:
    weights = noisy(count, 1.0)
    found = best_order(weights, np.arange(len(weights)))
    planted = np.argsort(np.random.default_rng(0).permutation(count))
    assert sorted(found.items) == list(range(count))
    assert found.bound <= found.cost == cost_of(weights, found.items) <= cost_of(weights, planted)
    assert found.bound > 0.7 * found.cost
    assert np.array_equal(best_order(weights, np.arange(len(weights))).items, found.items)


def test_far_apart_knots_are_each_ordered_exactly() -> None:
    """Forty circles of three in a row: 120 columns, and yet nothing is left open."""
    scores = {}
    for k in range(0, 120, 3):
        scores |= {(k, k + 1): 3.0, (k + 1, k + 2): 2.0, (k, k + 2): -1.0}
        scores |= {(k + 2, k + 3): 5.0} if k + 3 < 120 else {}
    names = [f"c{k:03}" for k in range(120)]
    found = find_order(rows_of(scores, names), names)
    assert found == Order(tuple(names), 40.0, 40.0, True, found.total)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1.0, 1e300])
def test_the_scores_unit_does_not_matter(size: float) -> None:
    rows = [row("a", "b", 3.0), row("b", "c", 2.0), row("a", "c", -1.0)]
    scaled = [ScanRow(r.x, r.y, r.n, 0, score=(r.score or 0) * size, status=r.status) for r in rows]
    found = find_order(scaled, letters(3), [("a", "b")])
    assert found.columns == ("a", "b", "c")
    assert found.cost == pytest.approx(size)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Order((), 0.0, 0.0, True, 0.0), "No pair has a score, so the order is the table's own."),
        (Order((), 0.0, 0.0, True, 5.0), "The order agrees with every score."),
        (
            Order((), 1.0, 1.0, True, 8.0),
            "The order contradicts 12.5 % of the scores' sum; no order contradicts less.",
        ),
        (
            Order((), 2.0, 1.0, False, 8.0),
            "The order contradicts 25.0 % of the scores' sum; every order contradicts 12.5 % or more.",
        ),
    ],
)
def test_the_words_say_how_good_an_order_is(found: Order, words: str) -> None:
    assert found.words == words


@given(scans())
def test_contradictions_are_those_found_by_trying_everything(scan: tuple[list[ScanRow], list[str]]) -> None:
    rows, columns = scan
    found, drawn = measure_quality(rows, columns), to_digraph(rows, columns)
    circles = [c for size in range(3, 8) for c in permutations(columns, size) if nx.is_path(drawn, [*c, c[0]])]
    assert len(found.cycle) == min(map(len, circles), default=0)
    assert found.cycle in circles or not circles
    assert {name for knot in found.knots for name in knot} == {name for circle in circles for name in circle}
    leans = nx.DiGraph([(r.x, r.y) if r.score > 0 else (r.y, r.x) for r in rows if r.score])
    triples = [leans.subgraph(three) for three in combinations(columns, 3)]
    complete = [each for each in triples if each.number_of_edges() == 3]
    assert found.triples == len(complete)
    assert found.circular == sum(not nx.is_directed_acyclic_graph(each) for each in complete)


def test_knots_come_in_the_tables_order() -> None:
    scores = {(3, 4): 1.0, (4, 5): 1.0, (3, 5): -1.0, (0, 1): -1.0, (1, 2): -1.0, (0, 2): 1.0, (2, 3): 1.0}
    assert measure_quality(rows_of(scores, letters(6)), letters(6)).knots == (("a", "b", "c"), ("d", "e", "f"))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Quality(0, (), (), 0, 0), "There are no arrows. No three columns have a score for each pair"),
        (Quality(3, (), (), 1, 0), "No arrows run in a circle. 0 of 1 triples (0 %) lean in a circle"),
        (
            Quality(9, (("a", "b", "c"),), ("a", "b", "c"), 4, 1),
            "Arrows of 3 columns run in circles, for instance a → b → c → a",
        ),
    ],
)
def test_the_words_say_what_was_found(found: Quality, words: str) -> None:
    assert found.words.startswith(words)
