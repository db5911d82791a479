"""`causewise scan` as it is typed."""

import csv
import json
import re

import numpy as np
import pytest
from trial import run

import causewise


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("scan") / "wide.csv"
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 500)
    columns = {
        "dose": a,
        "response": np.sin(2 * a) + (0.1 + 0.2 * np.abs(a)) * rng.normal(size=500),
        "noise": rng.normal(size=500),
        "site": ["A"] * 500,
    }
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return path


def test_the_answer_is_short_and_the_file_complete(table, tmp_path):
    out = tmp_path / "pairs.csv"
    result = run("scan", table, "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("3 pairs of 3 columns: 1 oriented, 0 undecided, 2 unrelated.\n")
    assert "dose → response" in result.stdout
    assert "site (it holds text)" in result.stderr
    with out.open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    wanted = ["x", "y", "n", "dependence_p", "status", "direction", "cause", "effect", "confidence", "score", "seconds"]
    assert set(wanted) <= set(lines[0])
    assert [(line["x"], line["y"], line["status"]) for line in lines] == [
        ("dose", "response", "oriented"),
        ("dose", "noise", "unrelated"),
        ("response", "noise", "unrelated"),
    ]
    assert not out.with_name("pairs.csv.part").exists()
    alone = causewise.infer(table, "dose", "response")
    assert float(lines[0]["score"]) == alone.score


def test_a_foreign_file_where_pairs_are_kept_is_left_as_it_is(table, tmp_path):
    out, part = tmp_path / "pairs.csv", tmp_path / "pairs.csv.part"
    part.write_text("precious\n")
    result = run("scan", table, "--out", out)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Got the file of something else, {str(part)!r}, where a scan keeps")
    assert (part.read_text(), out.exists()) == ("precious\n", False)


def test_undecided_pairs_are_not_left_without_a_word(table, tmp_path):
    asked = ("scan", table, "--threshold", 0.99)
    assert "1 undecided" in (plain := run(*asked)).stdout
    assert "--report scan.html" in plain.stderr
    assert "--report scan.html" not in run(*asked, "--out", tmp_path / "pairs.csv").stderr


def test_all_files_are_written(table, tmp_path):
    graph, plot, out = tmp_path / "arrows.json", tmp_path / "matrix.svg", tmp_path / "pairs.json"
    result = run("scan", table, "--graph", graph, "--plot", plot, "--out", out)
    assert result.exit_code == 0, result.output
    assert [(edge["source"], edge["target"]) for edge in json.loads(graph.read_text())["edges"]] == [
        ("dose", "response")
    ]
    assert b"<svg" in plot.read_bytes()
    assert len(json.loads(out.read_text())["rows"]) == 3


def test_what_is_known_is_obeyed(table, tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("kind,cause,effect,value\nrequired,response,dose,\n")
    result = run("scan", table, "--known", known, "--target", "dose")
    assert "1 given." in result.stdout.splitlines()[0] and "0 oriented" in result.stdout
    (line,) = (each for each in result.stdout.splitlines() if "response → dose" in each)
    assert re.search(r"given, +\d+ % by the data alone", line) and "█" not in line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "pairs.xlsx"], "expected one that ends in .csv, .parquet, .json"),
        (["--report", "page.pdf"], "expected a name that ends in .html"),
        (["--report", "/nowhere/page.html"], "there is no folder"),
        (["--graph", "arrows.png"], "expected one that ends in .json, .graphml, .dot"),
        (["--out", "/nowhere/pairs.csv"], "there is no folder"),
        (["--columns", "dose,site"], "site"),
        (["--method", "guess"], "guess"),
        (["--fdr", "7"], "Got fdr=7"),
        (["--known", "nothing.yaml"], "nothing.yaml"),
    ],
)
def test_what_cannot_be_is_one_sentence(table, arguments, sentence):
    result = run("scan", table, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr


def test_a_table_of_many_columns_is_offered_the_scan(table):
    assert "score every pair with scan" in run("infer", table).stderr


def test_the_three_outcomes_stand_in_one_bar_with_the_threshold_marked(table):
    row = causewise.scan(table).rows[0]
    lines = run("scan", table).stdout.splitlines()
    (arrow,) = [line for line in lines if line.startswith("  dose → response")]
    bar = arrow[arrow.index("█") : arrow.index("   n =")]
    assert len(bar) == 21 and bar[16] == "│"
    assert bar.count("█") == int(20 * row.confidence) and bar.count("░") == round(20 * row.neither)
    assert any("80 % needed for an answer" in line for line in lines)


def test_flags_of_the_outcomes_are_those_of_the_library(table, tmp_path):
    for flags, stated in (
        (("--neither", "0.15"), {"neither": 0.15}),
        (("--direct",), {"direct": True}),
        (("--no-recording",), {"recording": False}),
    ):
        out = tmp_path / "pairs.json"
        assert run("scan", table, *flags, "--out", out).exit_code == 0
        told, row = json.loads(out.read_text()), causewise.scan(table, **stated).rows[0]
        assert stated.items() <= told.items()
        assert (told["rows"][0]["confidence"], told["rows"][0]["neither"]) == (row.confidence, row.neither)


def test_a_threshold_of_a_half_does_not_list_a_coin_as_an_arrow(tmp_path):
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 60)
    table = {"dose": dose, "response": np.sin(2 * dose) + rng.normal(size=60)}
    np.savetxt(tmp_path / "few.csv", np.column_stack(list(table.values())), delimiter=",", header="a,b", comments="")
    result = run("scan", tmp_path / "few.csv", "--threshold", "0.5", "--fdr", "0.5")
    assert re.search(r"a → b .* 5\d % .*, little better than a coin   n = 60", result.stdout), result.stdout
    found = causewise.scan(table, threshold=0.5, fdr=0.5)
    assert "%, little better than a coin" in found._repr_html_()
    assert found.rows[0].doubt
    assert not causewise.scan(table, fdr=0.5).rows[0].doubt
