"""lingam beside causewise: both import, and its pairwise measure is another implementation of ours."""

import numpy as np
import pytest

import causewise

lingam = pytest.importorskip("lingam", reason="lingam is not installed here: make bridges has an environment for it")


@pytest.mark.parametrize("seed", range(8))
def test_direct_lingam_and_ours_point_the_same_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, 500)
    pair = np.column_stack([x, 0.8 * x + 0.6 * rng.uniform(-1, 1, 500)])
    if seed % 2:
        pair = pair[:, ::-1]
    first = lingam.DirectLiNGAM(measure="pwling").fit(pair).causal_order_[0]
    assert causewise.infer(pair[:, 0], pair[:, 1], method="lingam").direction.value == ("x->y", "y->x")[first]


def test_what_lingam_finds_is_a_graph_to_orient() -> None:
    """Its matrix has the effects as rows; as a graph without arrows it is one to orient."""
    import networkx as nx

    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 500)
    table = {"a": a, "b": a + np.sin(3 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500)}
    found = lingam.DirectLiNGAM().fit(np.column_stack(list(table.values()))).adjacency_matrix_
    graph = nx.relabel_nodes(nx.Graph(found != 0), dict(enumerate(table)))
    assert set(causewise.orient(graph, table).graph.edges) == {("a", "b")}
