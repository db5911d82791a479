"""The benchmark of graphs: what order error and distance are, how an edge without a direction counts, who is parent."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PEERS = BENCHMARKS.parent / "out" / "peers" / "bin" / "python"
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "peers"), str(BENCHMARKS.parent / "docs" / "benchmarks")]

# The folders must be known before what lies in them.
from graph_worker import extension  # noqa: E402

import graph_rows  # noqa: E402
from graph_worlds import (  # noqa: E402
    SETTINGS,
    WORLDS,
    Setting,
    Table,
    r2_sortability,
    simulated,
    sortability,
    variance_sortability,
)
from graphs import CHAMBER, TUNNEL, Outside, order_topologically, ours, read_tunnel, score_answer, start_worker, theirs  # noqa: E402

CHAIN = {(0, 1), (1, 2)}


def score(edges, order=None, truth=CHAIN, hidden=(), columns=3, **more):
    answer = {"order": order, "edges": edges, "seconds": 0.0} | more
    return score_answer(answer, Table(np.zeros((1, columns)), truth, {frozenset(pair) for pair in hidden}))


def test_the_truth_has_no_error_and_its_mirror_has_all():
    right, mirror = score(CHAIN), score([(2, 1), (1, 0)])
    assert [right[name] for name in ("error", "distance", "f1", "right", "turned")] == [0, 0, 1, 2, 0]
    assert [mirror[name] for name in ("error", "distance", "f1", "right", "turned")] == [1, 2, 0, 0, 2]


def test_an_edge_without_a_direction_is_half_right():
    assert score([(0, 1)], [0, 1, 2], undirected=[(1, 2)])["distance"] == 0.5
    assert score(CHAIN, [0, 1, 2], undirected=[(0, 2)])["distance"] == 1.0
    assert score([])["distance"] == 2.0
    assert score([(0, 1), (1, 0)])["error"] is None


def test_a_two_headed_edge_is_right_where_a_cause_is_hidden():
    """Half right where the pair has an edge as well, and wrong elsewhere."""
    assert score(CHAIN, hidden=[(0, 2)], two_headed=[(2, 0)])["distance"] == 0
    assert score(CHAIN, hidden=[(0, 2)], two_headed=[(2, 0)])["f1"] == 1
    assert score(CHAIN, hidden=[(0, 2)])["distance"] == 1
    assert score(CHAIN, hidden=[(0, 1)])["distance"] == 0
    assert score([(1, 2)], hidden=[(0, 1)], two_headed=[(0, 1)])["distance"] == 0.5
    assert score([(1, 2)], two_headed=[(0, 1)])["distance"] == 1
    assert score(CHAIN, hidden=[(0, 2)], two_headed=[(2, 0)])["hidden_found"] == 1


def test_probabilities_are_of_true_neighbours_and_say_who_was_right():
    probabilities = [(0, 1, 0.9), (2, 1, 0.7), (0, 2, 0.8)]
    assert score(CHAIN, probabilities=probabilities)["probabilities"] == "0.900+ 0.700-"


def test_our_answer_has_the_truth_of_a_clear_chain():
    """Whatever else an edge may say of its direction."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = np.tanh(2 * a) + 0.3 * rng.normal(size=400)
    answer = ours(np.column_stack([a, b]))
    assert sorted(map(sorted, answer["edges"] + answer["undirected"] + answer["two_headed"])) == [[0, 1]]
    assert sorted(answer["order"]) == [0, 1]


@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_an_extension_keeps_directions_and_colliders(columns, seed, loosened):
    """Of a graph whose edges lost their direction in part, and one is found whenever it has one."""
    rng = np.random.default_rng(seed)
    truth = np.triu(rng.random((columns, columns)) < 0.5, 1)
    found = truth | (truth & (rng.random((columns, columns)) < loosened)).T
    order = extension(found)
    directed = {(i, j) for i, j in np.argwhere(found & ~found.T)}
    if order is not None:
        assert sorted(order) == list(range(columns))
        assert all(order.index(i) < order.index(j) for i, j in directed)
    assert order_topologically(directed, columns) is not None
    assert extension(truth) is not None


def test_a_chain_without_directions_has_an_extension_without_a_collider():
    found = np.zeros((3, 3), dtype=bool)
    for i, j in CHAIN:
        found[i, j] = found[j, i] = True
    order = extension(found)
    assert order is not None
    assert order.index(1) < 2  # last, the middle would be a collider


@pytest.mark.parametrize("world", WORLDS)
def test_tables_of_every_world_are_standardised_acyclic_and_repeat(world):
    setting = Setting(5, 200, 1.5, world)
    table = simulated(setting, 3)
    assert np.allclose(table.rows.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(table.rows.std(axis=0), 1)
    assert order_topologically(table.edges, 5) is not None
    assert bool(table.hidden) == bool(WORLDS[world].hidden)
    again, other = simulated(setting, 3), simulated(setting, 4)
    assert np.array_equal(table.rows, again.rows)
    assert table.edges == again.edges
    assert not np.array_equal(table.rows, other.rows)
    assert any(each.world == world for each in SETTINGS)


@pytest.mark.parametrize("world", [name for name, world in WORLDS.items() if not (world.error or world.hidden)])
def test_a_column_depends_on_its_parents_and_not_on_what_stands_apart_from_it(world):
    """Over tables of three columns; by ranks, their distances from the middle, and waves of them."""
    linked, apart = [], []
    for seed in range(12):
        table = simulated(Setting(3, 400, 0.4, world), seed)
        ranks = rankdata(table.rows, axis=0) / 400 - 0.5
        seen = np.stack([ranks, np.abs(ranks), np.sin(2 * np.pi * ranks), np.cos(4 * np.pi * ranks)])
        for i, j in ((0, 1), (0, 2), (1, 2)):
            strength = max(abs(np.corrcoef(a, b)[0, 1]) for a in seen[:, :, i] for b in seen[:, :, j])
            if {(i, j), (j, i)} & table.edges:
                linked.append(strength)
            elif not any({a, b} & {i, j} for a, b in table.edges):
                apart.append(strength)
    assert np.median(linked) > 0.25
    assert not apart or np.median(apart) < 0.2


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_sortability_is_whole_where_values_rise_along_the_order_and_a_half_where_they_tie(columns, seed):
    rng = np.random.default_rng(seed)
    edges = {(i, j) for i in range(columns) for j in range(i + 1, columns) if rng.random() < 0.6}
    rising = np.sort(rng.normal(size=columns))
    if not edges:
        assert np.isnan(sortability(edges, rising))
        return
    assert sortability(edges, rising) == 1
    assert sortability(edges, -rising) == 0
    assert sortability(edges, np.ones(columns)) == 0.5


def test_variance_tells_the_order_of_raw_lines_and_nothing_of_standardised_ones():
    table = simulated(Setting(10, 500, 2.0, "linear, normal"), 0)
    assert variance_sortability(table.rows, table.edges) == 0.5
    assert r2_sortability(table.rows, table.edges) == pytest.approx(
        r2_sortability(table.rows * np.arange(1, 11), table.edges)
    )
    rng = np.random.default_rng(0)
    first = rng.normal(size=500)
    second = 2 * first + rng.normal(size=500)
    chain = np.column_stack([first, second, 2 * second + rng.normal(size=500)])
    assert variance_sortability(chain, CHAIN) == 1


@pytest.mark.skipif(not CHAMBER.exists(), reason="the light tunnel is not in CAUSEWISE_DATA")
def test_the_light_tunnel_has_its_usual_columns_and_edges():
    table = read_tunnel(TUNNEL.rows, 0)
    assert table.rows.shape == (1000, 20)
    assert len(table.edges) == 39
    assert order_topologically(table.edges, 20) is not None


def row(method, seed, error, **more):
    made = {"family": "fitted", "world": "homoscedastic", "columns": 10, "rows": 1000, "parents": 2.0}
    made |= {"method": method, "seed": seed, "error": error, "r2_sortability": 0.5, "distance": 1.0, "f1": 0.9}
    made |= {"right": 3, "turned": 1, "undirected": 0, "two_headed": 0, "found": 5, "edges": 4, "hidden": 0}
    return made | {"hidden_found": 0, "seconds": 0.5, "probabilities": "0.900+ 0.960-", "failed": None} | more


def test_kept_rows_read_back_and_tables_say_who_wins(tmp_path):
    kept = ("family", "world", "method", "seed", "error")
    stopped = dict.fromkeys(name for name in row("", 0, 0) if name not in kept)
    stopped |= {"columns": 20, "rows": 500, "parents": 2.0, "failed": "stopped after 9 s"}
    mine = [row("causewise", seed, error) for seed, error in enumerate((0.0, 0.5, 0.25))]
    rows = [*mine, row("RESIT", 1, 0.25), row("GES", 1, 0.75), row("RESIT", 0, None, **stopped)]
    graph_rows.keep(rows, tmp_path / "graphs.csv")
    read = graph_rows.read_kept(tmp_path / "graphs.csv")
    assert sorted(map(repr, read)) == sorted(map(repr, ({name: r[name] for name in graph_rows.COLUMNS} for r in rows)))
    mean, directed, turned = (graph_rows.with_bounds(*some.split()) for some in ("25 0 50", "100 76 100", "25 9 53"))
    assert f"| {mean} | {directed} | {turned} |" in graph_rows.tabulate_ours(read, "fitted")
    assert f"| **{mean}** | **25** | 75 |" in graph_rows.tabulate_methods(read, graph_rows.order_error)
    assert "| homoscedastic, 20 × 500 |  | stopped |" in graph_rows.tabulate_methods(read, graph_rows.order_error)
    assert "RESIT 25, ours 50 (1 table)" in graph_rows.tabulate_wins(read), "on the table that both have"
    assert (
        f"| fitted | 0.83–1.00 | 6 | 93 | {graph_rows.with_bounds('50', '19', '81')} |"
        in graph_rows.tabulate_calibration(read)
    )
    assert graph_rows.summarise(read)


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.exists(), reason="the packages are not installed in out/peers")
@pytest.mark.parametrize("peer", ["RESIT", "CAM-UV", "DAGMA"])
def test_a_package_tells_a_clear_chain_the_right_way_round(peer):
    """So that lines are parents in what the worker reads from each."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=500)
    b /= b.std()
    c = np.exp(b) + 0.3 * rng.normal(size=500)
    rows = np.column_stack([c / c.std(), a, b])
    outside = Outside(str(PEERS), "", 100.0)
    with start_worker(peer, outside):
        answer = theirs(peer, rows, outside)
    if "No module" in answer.get("failed", ""):
        pytest.skip(answer["failed"])
    assert [edge for edge in sorted(answer["edges"]) if edge != [1, 0]] == [[1, 2], [2, 0]]


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.exists(), reason="the packages are not installed in out/peers")
def test_a_package_is_stopped_after_its_time_and_answers_the_next_table():
    rows, outside = np.random.default_rng(0).normal(size=(1000, 8)), Outside(str(PEERS), "", 1.0)
    with start_worker("RESIT", outside):
        assert theirs("RESIT", rows, outside) == {"failed": "stopped after 1 s"}
        assert theirs("RESIT", rows[:30, :2], outside)["order"] is not None
