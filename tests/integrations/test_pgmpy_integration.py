"""pgmpy: its PDAG oriented, its ExpertInLoop answered, and the estimator for its pairwise slot."""

import doctest
import inspect

import numpy as np
import pytest

import causewise
import causewise.integrations.pgmpy
from causewise.errors import InputError
from causewise.integrations.pgmpy import PairwiseOrientation, orientation_fn

NAMES = ["dose", "level", "answer"]


def columns(n: int = 1000) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, n)
    b = a + np.sin(3 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=n)
    return dict(zip(NAMES, (a, b, b + rng.normal(size=n)), strict=True))


# ---- the function needs no pgmpy


def test_the_function_answers_with_cause_and_effect_in_either_order() -> None:
    ask = orientation_fn(columns())
    assert ask("dose", "level") == ask("level", "dose", extra=1) == ("dose", "level")


def test_no_answer_is_none_unless_a_leaning_is_asked_for() -> None:
    table = columns()
    assert orientation_fn(table, threshold=0.999)("level", "answer") is None
    lean = orientation_fn(table, threshold=0.999, undecided="lean")("level", "answer")
    assert lean is not None and set(lean) == {"level", "answer"}


def test_the_function_applies_knowledge_and_refuses_what_it_cannot_score() -> None:
    table = {**columns(), "word": ["x"] * 1000}
    assert orientation_fn(table, knowledge={"before": [["level", "dose"]]})("dose", "level") == ("level", "dose")
    with pytest.raises(InputError, match="holds text"):
        orientation_fn(table)("dose", "word")
    with pytest.raises(InputError, match="'skip'"):
        orientation_fn(table, undecided="guess")


def test_the_example_in_its_docstring_runs() -> None:
    assert doctest.testmod(causewise.integrations.pgmpy).failed == 0


# ---- with pgmpy


@pytest.fixture
def frame():
    pytest.importorskip("pgmpy", reason="pgmpy is not installed here: make bridges has an environment for it")
    import pandas as pd

    return pd.DataFrame(columns())


def test_a_pdag_is_turned_into_a_pdag(frame) -> None:
    from pgmpy.base import PDAG

    graph = PDAG(undirected_ebunch=[("level", "dose")], directed_ebunch=[("level", "answer")], latents=["answer"])
    found = causewise.orient(graph, frame).graph
    assert type(found) is PDAG and found.latents == {"answer"}
    assert found.directed_edges == {("dose", "level"), ("level", "answer")} and not found.undirected_edges
    assert graph.undirected_edges == {("level", "dose")}
    known = {"before": [["level", "dose"]]}
    assert ("level", "dose") in causewise.orient(graph, frame, knowledge=known).graph.directed_edges


def test_what_pgmpys_pc_leaves_undirected_is_turned(frame) -> None:
    from pgmpy.causal_discovery import PC

    graph = PC(ci_test="pearsonr", return_type="pdag", show_progress=False).fit(frame).causal_graph_
    assert graph.undirected_edges
    result = causewise.orient(graph, frame)
    assert ("dose", "level") in result.graph.directed_edges
    assert {frozenset(edge) for edge in result.graph.edges} == {frozenset(edge) for edge in graph.edges}


def test_a_dag_has_nothing_to_turn(frame) -> None:
    from pgmpy.base import DAG

    graph = DAG([("level", "dose")])
    result = causewise.orient(graph, frame)
    assert type(result.graph) is DAG and set(result.graph.edges) == {("level", "dose")} and not result.edges


def test_expert_in_loop_takes_the_function_or_the_estimator(frame) -> None:
    from pgmpy.causal_discovery import ExpertInLoop

    takes = inspect.signature(ExpertInLoop).parameters
    if "pairwise_estimator" in takes:
        expert = {"pairwise_estimator": PairwiseOrientation(undecided="lean")}
    else:
        expert = {"orientation_fn": orientation_fn(frame, undecided="lean")}
    found = ExpertInLoop(**expert, ci_test="pearsonr", show_progress=False).fit(frame).causal_graph_
    assert ("dose", "level") in found.edges
    assert {frozenset(edge) for edge in found.edges} >= {frozenset(("dose", "level")), frozenset(("level", "answer"))}


def test_expert_in_loop_takes_the_estimators_answer_as_versions_with_a_slot_read_it(frame) -> None:
    """These fit it to two columns and take the first edge of its graph, or none; here by the function of pgmpy 1.1."""
    from pgmpy.causal_discovery import ExpertInLoop

    if "orientation_fn" not in inspect.signature(ExpertInLoop).parameters:
        pytest.skip("this pgmpy has the slot itself, which another test fills")
    asked = []

    def ask(u: str, v: str) -> tuple[str, str] | None:
        asked.append((u, v))
        edges = list(estimator.fit(frame[[u, v]]).causal_graph_.edges())
        return edges[0] if edges else None

    for undecided in ("lean", "skip"):
        estimator = PairwiseOrientation(undecided=undecided)
        by_estimator = ExpertInLoop(orientation_fn=ask, ci_test="pearsonr", show_progress=False).fit(frame)
        by_function = ExpertInLoop(
            orientation_fn=orientation_fn(frame, undecided=undecided), ci_test="pearsonr", show_progress=False
        ).fit(frame)
        assert set(by_estimator.causal_graph_.edges) == set(by_function.causal_graph_.edges)
        assert ("dose", "level") in by_estimator.causal_graph_.edges
    assert asked


def test_the_estimator_has_a_graph_of_one_edge_or_none(frame) -> None:
    from sklearn.base import clone

    est = clone(PairwiseOrientation()).fit(frame[["level", "dose"]])
    assert list(est.causal_graph_.edges()) == [("dose", "level")]
    assert est.adjacency_matrix_.loc["dose", "level"] == 1 and est.adjacency_matrix_.to_numpy().sum() == 1
    assert est.decision_.cause == "dose"
    strict = PairwiseOrientation(threshold=0.999)
    assert not list(strict.fit(frame[["dose", "level"]]).causal_graph_.edges())
    assert set(strict.causal_graph_.nodes) == {"dose", "level"}
    leaning = strict.set_params(undecided="lean").fit(frame[["dose", "level"]])
    assert list(leaning.causal_graph_.edges()) == [("dose", "level")]
    nameless = PairwiseOrientation().fit(frame[["dose", "level"]].to_numpy())
    assert list(nameless.causal_graph_.edges()) == [("x0", "x1")]
    with pytest.raises(InputError, match="expected two"):
        PairwiseOrientation().fit(frame)
