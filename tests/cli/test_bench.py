"""`causewise bench` from the outside: files in, files out, sentences and exit codes."""

import csv
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from causewise.cli import bench
from causewise.errors import InputError
from causewise.lab.benchmark import sets
from causewise.lab.benchmark.published import paper_sets
from causewise.lab.datasets import Collection, LabelledPair, load

TOYS = Path(__file__).parents[1] / "lab" / "benchmark"
sys.path.insert(0, str(TOYS))
import toys  # noqa: E402  # found by the line above


@pytest.fixture(autouse=True)
def toy_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets AN and LS are toys; all others are not at hand."""

    def toy(name: str, data_dir: object = None, limit: int | None = None) -> Collection:
        if name not in ("AN", "LS"):
            raise InputError(f"The data set {name} is not there; fetch it.")
        made = toys.collection(name, pairs=6).pairs[:limit]
        return Collection(name, [LabelledPair(name, int(p.pair_id), p.pair, p.truth, p.weight) for p in made])

    monkeypatch.setattr("causewise.lab.benchmark.sets.load", toy)


def call(*words: object, code: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(bench.app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def run(store: Path, *more: object, methods: str = "toys:oracle,toys:middling", code: int = 0) -> str:
    where = ("--datasets", "AN,LS", "--store", store, "--jobs", 1)
    return call("run", *where, "--methods", methods, *more, code=code)[1]


def test_run_says_what_is_to_do_and_resumes(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    assert "8 pairs to do" in run(store, "--limit", 2)
    said = run(store)
    assert "16 pairs to do, 8 are already in" in said.replace("\n", " ")
    assert "16 pairs done" in said
    assert "0 pairs to do" in run(store)


def test_export_has_one_line_per_pair_and_method_in_file_orientation(tmp_path: Path) -> None:
    run(tmp_path / "s.sqlite")
    call("export", "--store", tmp_path / "s.sqlite", "--out", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 24
    assert list(rows[0])[:8] == ["dataset", "pair_id", "method", "score", "truth", "correct", "seconds", "status"]
    assert all((float(row["score"]) * int(row["truth"]) > 0) == (row["correct"] == "1") for row in rows)
    assert all(row["correct"] == "1" for row in rows if row["method"] == "oracle")


def test_table_in_every_format_and_to_a_file(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run(store)
    plain = call("table", "--store", store, "--metric", "audrc", "--intervals", "--compare", "paper")[0]
    assert "| oracle | **100.0**† [100–100]" in plain
    assert plain.endswith("\n- AN: 6 of 100 pairs; LS: 6 of 100 pairs.\n")
    parsed = json.loads(call("table", "--store", store, "--format", "json", "--datasets", "LS")[0])
    assert parsed["sets"] == ["LS"]
    call("table", "--store", store, "--format", "latex", "--out", tmp_path / "t.tex")
    assert (tmp_path / "t.tex").read_text().startswith("%")
    assert "seconds per pair" in call("table", "--store", store, "--cost")[0]


def test_failures_are_listed_and_can_be_tried_again(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    assert "12 failed" in run(store, methods="toys:raises", code=1).replace("\n", " ")
    assert "the toy is broken" in call("status", "--store", store)[0]
    assert "raises failed on 6 of 6 pairs of AN" in call("table", "--store", store)[0]
    assert "0 pairs to do" in run(store, methods="toys:raises")
    assert "12 pairs to do" in run(store, "--retry-failed", methods="toys:raises", code=1)


def test_compare_two_methods(tmp_path: Path) -> None:
    run(tmp_path / "s.sqlite")
    assert "oracle − middling" in call("compare", "oracle", "middling", "--store", tmp_path / "s.sqlite")[0]


def test_figures_without_the_example_say_why(tmp_path: Path) -> None:
    run(tmp_path / "s.sqlite")
    listed, said = call("figures", "--store", tmp_path / "s.sqlite", "--out", tmp_path / "figures", "--formats", "svg")
    assert "example figure is left out" in said
    assert all(Path(path).is_file() for path in listed.split())
    assert (tmp_path / "figures" / "leaderboard.html").is_file()


def test_reproduce_writes_everything_and_a_second_call_does_nothing_again(tmp_path: Path) -> None:
    words = ("reproduce", "--out", tmp_path / "out", "--methods", "toys:oracle,toys:middling,nobody", "--jobs", 1)
    _, said = call(*words, "--dry-run")
    assert "will take about" in said
    assert "nobody is left out" in said
    listed, _ = call(*words, "--formats", "svg")
    names = {Path(path).name for path in listed.split()}
    assert {"accuracy.md", "audrc.tex", "auroc.csv", "accuracy.json", "rows.csv", "leaderboard.html"} <= names
    before = (tmp_path / "out" / "rows.csv").read_text()
    assert "0 pairs to do, 24 are already" in call(*words, "--formats", "svg")[1].replace("\n", " ")
    assert (tmp_path / "out" / "rows.csv").read_text() == before


def test_reproduce_without_data_is_one_sentence_that_names_the_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("causewise.lab.benchmark.sets.load", load)
    said = call("reproduce", "--out", tmp_path / "out", "--data", tmp_path, code=2)[1]
    names = paper_sets()
    assert said.startswith(f"The data sets {', '.join(names)} are not in {tmp_path}; run `causewise data fetch all`")
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_single_set_that_is_absent_is_told_with_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("causewise.lab.benchmark.sets.load", load)
    monkeypatch.setattr(sets, "paper_sets", lambda: ["Tue"])
    (said,) = sets.load_present(tmp_path)[1]
    assert "expected the files of" in said
    assert "causewise data fetch Tue`" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "--datasets", "XX", "--methods", "toys:oracle", "--store", "s.sqlite"], "XX is not there"),
        (["run", "--datasets", "AN", "--methods", "no-such", "--store", "s.sqlite"], "does not have"),
        (["run", "--datasets", "AN", "--methods", "toys:oracle", "--store", "no/s.sqlite"], "no folder"),
        (["run", "--datasets", ",", "--methods", "toys:oracle", "--store", "s.sqlite"], "empty list"),
        (["run", "--datasets", "AN", "--methods", "toys:oracle", "--store", "s.sqlite", "--seed", "a"], "whole number"),
        (
            ["run", "--datasets", "gen:LS:colour=3", "--methods", "toys:oracle", "--store", "s.sqlite"],
            "seed, pairs or n",
        ),
        (["table", "--store", "none.sqlite"], "no store"),
        (["export", "--store", "none.sqlite", "--out", "x.csv"], "no store"),
    ],
)
def test_a_fault_in_the_input_is_one_sentence_and_code_two(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = call(*words, code=2)[1]
    assert says in said
    assert said.count("\n") == 1
