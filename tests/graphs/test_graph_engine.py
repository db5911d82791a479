"""Who finds the parts of a graph, and when, changes nothing: processes, a cluster, a journal to go on from."""

import os

import pytest
from worlds import chain

import causewise
from causewise.graphs import finder, row_parts
from causewise.worker_pool import WorkerError

PARTS = 4


@pytest.fixture(scope="module")
def table():
    return {name: column for name, column in chain(200).items() if name != "d"}


@pytest.fixture(scope="module")
def quiet(table):
    return causewise.graph(table, bootstrap=PARTS, engine=causewise.Engine(jobs=1)).to_dict()


def graph(table, place=None, parts=PARTS, on_progress=lambda *told: None, jobs=1, **settings):
    engine = causewise.Engine(jobs=jobs, journal=place, on_progress=on_progress)
    return causewise.graph(table, bootstrap=parts, engine=engine, **settings)


def stop_at(parts):
    def stop(what, done, of):
        if what == "drawing" and done == parts:
            raise KeyboardInterrupt

    return stop


def kept(table, place):
    """A journal of two parts, as an interrupted graph leaves it."""
    with pytest.raises(KeyboardInterrupt):
        graph(table, place, on_progress=stop_at(2))
    return place.read_bytes()


def test_a_cluster_says_what_one_process_says(table, quiet):
    pytest.importorskip("distributed")
    seen = []
    engine = causewise.Engine(jobs=2, dask="local", on_progress=lambda *told: seen.append(told))
    assert causewise.graph(table, bootstrap=PARTS, engine=engine).to_dict() == quiet
    assert [told for told in seen if told[0] == "drawing"] == [("drawing", k, PARTS) for k in range(PARTS + 1)]


def test_a_cluster_that_does_not_answer_is_refused_before_the_search(table, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("causewise.scanning.on_dask._PATIENCE", 0.5)
    monkeypatch.setattr(finder, "search_graph", None)
    with pytest.raises(causewise.InputError, match="no scheduler answers there"):
        causewise.graph(table, engine=causewise.Engine(dask="tcp://127.0.0.1:9"))


def test_an_interrupted_graph_goes_on_where_it_stopped(table, quiet, tmp_path, monkeypatch):
    place, drawn, find = tmp_path / "part", [], row_parts.Draws.find
    kept(table, place)
    monkeypatch.setattr(row_parts.Draws, "find", lambda self, k, arrows: drawn.append(k) or find(self, k, arrows))
    whole = graph(table, place)
    assert whole.to_dict() == quiet
    assert drawn == [2, 3]
    graph(table, place, PARTS + 1)  # more parts go on from fewer
    assert drawn == [2, 3, 4]
    assert place.exists()
    whole.write(tmp_path / "g.json")
    assert not place.exists()
    assert whole.effect("a", "b").to_dict() == graph(table).effect("a", "b").to_dict()


def test_processes_go_on_from_a_line_that_was_cut_short(table, quiet, tmp_path):
    place = tmp_path / "part"
    place.write_bytes(kept(table, place)[:-3])
    seen = []
    found = graph(table, place, on_progress=lambda *told: seen.append(told), jobs=2)
    assert found.to_dict() == quiet
    assert next(told for told in seen if told[0] == "drawing") == ("drawing", 1, PARTS)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": 1}, "parts of another graph (with the seed 0);"),
        ({"alpha": 0.01}, "parts of another graph (with other settings);"),
        ({"knowledge": {"first": ["a"]}}, "parts of another graph (with other settings);"),
        ({"columns": ["a", "b"]}, "parts of another graph (of another table"),
    ],
)
def test_another_graphs_parts_are_left_as_they_are(table, settings, words, tmp_path, monkeypatch):
    place = tmp_path / "part"
    before = kept(table, place)
    monkeypatch.setattr(finder, "search_graph", None)  # refused before any work
    with pytest.raises(causewise.InputError) as refusal:
        graph(table, place, **settings)
    assert words in str(refusal.value)
    assert "this graph left: finish that graph first" in str(refusal.value)
    assert place.read_bytes() == before


def test_a_scans_pairs_and_a_graphs_parts_are_not_mistaken(table, tmp_path):
    place = tmp_path / "part"
    causewise.scan(table, method="igci", engine=causewise.Engine(jobs=1, journal=place))
    with pytest.raises(
        causewise.InputError, match=r"the finished pairs of a scan; .* that this graph left: finish that s"
    ):
        graph(table, place)
    place.unlink()
    kept(table, place)
    with pytest.raises(
        causewise.InputError, match=r"the finished parts of a graph; .* that this scan left: finish that g"
    ):
        causewise.scan(table, method="igci", engine=causewise.Engine(jobs=1, journal=place))
    place.write_text("precious\n")
    with pytest.raises(causewise.InputError, match=r"of something else, .* where a graph keeps its finished parts"):
        graph(table, place)
    assert place.read_text() == "precious\n"


def _deadly(draws, tasks):
    if [number for number, _ in tasks] == [1]:
        os._exit(9)
    return [draws.find(number, arrows) for number, arrows in tasks]


def test_a_part_that_kills_its_worker_is_a_sentence(table, monkeypatch):
    monkeypatch.setattr(row_parts, "_find_parts", _deadly)
    with pytest.raises(WorkerError, match="The graph of part 2 of the rows could not be found"):
        graph(table, parts=2, jobs=2)
