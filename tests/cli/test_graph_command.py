"""`causewise graph` as it is typed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from trial import run

from causewise.graphs.finder import PARTS, THRESHOLD


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 400)
    response = np.sin(2 * dose) + 0.3 * np.exp(0.4 * dose) * rng.normal(size=400)
    cost = np.tanh(2 * response) + 0.3 * rng.uniform(-1, 1, 400)
    path = tmp_path_factory.mktemp("graph") / "wide.csv"
    rows = np.column_stack([cost, dose, response, rng.integers(2, size=400)])
    np.savetxt(path, rows, delimiter=",", header="cost,dose,response,group", comments="", fmt="%.17g")
    return path


def test_the_order_and_every_edge_are_printed(wide):
    result = run("graph", wide, "--bootstrap", 2, "--jobs", 1)
    assert result.exit_code == 0, result.output
    first, head, *edges = result.stdout.splitlines()
    assert first == "2 edges between 3 columns of 400 rows; causes first: dose, response, cost."
    assert head.split("   ")[-1] == "in halves" and "direction" in head
    assert edges[0].startswith("  dose → response   mean and spread   < 1e-9   9")
    assert edges[1].startswith("  response → cost   mean              < 1e-9   9")
    assert "in any order" in result.stderr and "open below" not in result.stderr
    assert "group (" in result.stderr


def test_defaults_told_by_the_help_are_those_of_python():
    told = " ".join(run("graph", "--help").stdout.replace("│", " ").split())
    assert f"{THRESHOLD:g} unless told" in told and f"{PARTS} unless told" in told


def test_agreement_is_said_in_words_and_in_json(wide):
    options = ("graph", wide, "--exclude", "group", "--bootstrap", 0, "--jobs", 1, "--agreement")
    *_, last = run(*options).stdout.splitlines()
    assert last.startswith("Graphs of 3 subsets of 2 columns agree by ")
    record = json.loads(run(*options, "--json").stdout)["agreement"]
    assert (record["subsets"], record["size"]) == (3, 2) and len(record["edges"]) == 2


def test_a_page_is_written(wide, tmp_path):
    page = tmp_path / "g.html"
    result = run("graph", wide, "--bootstrap", 0, "--report", page)
    assert f"Page: {page}" in result.stdout and "<h1>2 edges between 3 columns</h1>" in page.read_text(encoding="utf-8")
    assert "ends in .html" in run("graph", wide, "--report", tmp_path / "g.txt").stderr


def test_columns_without_an_edge_have_no_order_to_print(tmp_path):
    path = tmp_path / "noise.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(200, 2)), delimiter=",", header="a,b", comments="")
    result = run("graph", path)
    assert result.stdout == "0 edges between 2 columns of 200 rows: no column is seen to move another.\n"


def test_json_is_all_that_standard_output_holds(wide, tmp_path):
    out, plot = tmp_path / "g.json", tmp_path / "g.svg"
    result = run("graph", wide, "--json", "--out", out, "--plot", plot)
    record = json.loads(result.stdout)
    assert record == json.loads(out.read_text())
    assert record["order"] == ["dose", "response", "cost"]
    assert [(edge["parent"], edge["child"]) for edge in record["edges"]] == [("dose", "response"), ("response", "cost")]
    assert record["edges"][0]["direction"] == "->"
    assert b"<svg" in plot.read_bytes()


def test_what_is_known_is_obeyed(wide, tmp_path):
    known = tmp_path / "known.yaml"
    known.write_text("tiers: [[cost], [response], [dose]]\n")
    result = run("graph", wide, "--known", known, "--columns", "cost,dose,response")
    assert "causes first: cost, response, dose." in result.stdout
    assert "! The noise of" in result.stdout
    first, *lines = result.stdout.splitlines()
    edges = [line for line in lines if line.startswith("  ") and "→" in line]
    assert edges and first.startswith(f"0 edges found and {len(edges)} given ")
    assert all(", given " in line for line in edges)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "g.xlsx"], "expected one that ends in .json, .graphml, .dot"),
        (["--plot", "g.txt"], "expected .png, .svg or .pdf"),
        (["--columns", "dose,group"], "too coarse for a graph"),
        (["--columns", "dose,nobody"], "nobody"),
        (["--alpha", "7"], "Got alpha=7"),
        (["--known", "nothing.yaml"], "nothing.yaml"),
        (["--seed", "-1"], "seed=-1"),
    ],
)
def test_what_cannot_be_is_one_sentence(wide, arguments, sentence):
    result = run("graph", wide, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_ctrl_c_ends_it_and_its_processes(wide):
    command = [sys.executable, "-m", "causewise", "graph", str(wide), "--bootstrap", "5000", "--jobs", "2"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and len(workers := children.read_text().split()) < 3:  # with multiprocessing's tracker
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert said.splitlines()[-1] == "Stopped before the answer was ready."
    patience = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < patience:
        time.sleep(0.01)
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_graph_goes_on_and_leaves_one_file(number, wide, tmp_path):
    quiet, out, part = tmp_path / "quiet.json", tmp_path / "g.json", tmp_path / "g.json.part"
    command = ["graph", str(wide), "--bootstrap", "12", "--jobs", "1", "--out"]
    process = subprocess.Popen(
        [sys.executable, "-m", "causewise", *command, str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and not (part.exists() and part.read_bytes().count(b"\n") > 2):
        time.sleep(0.01)
    os.killpg(process.pid, number)
    told, said = process.communicate()
    assert (told, out.exists()) == ("", False)
    if number == signal.SIGINT:
        last = f"Stopped; what is finished is kept in {part}, and the same command carries on from there."
        assert (process.returncode, said.splitlines()[-1]) == (130, last)
    assert run(*command, out).exit_code == run(*command, quiet).exit_code == 0
    assert out.read_bytes() == quiet.read_bytes()
    assert not part.exists()


@pytest.mark.parametrize("command", ["graph", "scan"])
def test_columns_are_excluded_by_name_or_number(wide, command):
    result = run(command, wide, "--exclude", "group, 1")
    assert result.exit_code == 0, result.output
    assert "between 2 columns" in result.stdout or "of 2 columns" in result.stdout
    assert "Left out: cost (it is excluded); group (it is excluded)." in result.stderr


@pytest.mark.parametrize("command", ["graph", "scan"])
def test_a_bad_cell_costs_its_column_and_not_the_table(wide, tmp_path, command):
    lines = wide.read_text().splitlines()
    lines[57] = ",".join([*lines[57].split(",")[:3], "rotary"])
    table = tmp_path / "bad.csv"
    table.write_text("\n".join(lines))
    result = run(command, table)
    assert result.exit_code == 0, result.output
    assert "Left out: group (it has the text 'rotary' in line 58)." in result.stderr
    assert "Column 'group' has the text 'rotary'" in run(command, table, "--columns", "dose,group").stderr


def test_first_and_last_give_a_place_beside_a_file_of_knowledge(wide, tmp_path):
    known = tmp_path / "known.yaml"
    known.write_text("before: [[dose, response]]\n")
    result = run("graph", wide, "--first", "group", "--last", "cost", "--known", known)
    assert result.exit_code == 0, result.output
    order = result.stdout.splitlines()[0]
    assert order.endswith("causes first: group, dose, response, cost.") and "Left out" not in result.stderr
    refused = run("graph", wide, "--first", "nobody")
    assert refused.exit_code == 2 and "'nobody'" in refused.stderr


def test_effects_are_printed_with_bounds_and_refused_with_a_reason(wide):
    result = run("graph", wide, "--effect", "dose:cost", "--effect", "cost:dose", "--at", "0,1,9", "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert "Setting dose from " in result.stdout
    assert "beyond the rows" in result.stdout
    assert "! 9 lies beyond the observed values of 'dose'" in result.stdout
    assert "setting 'cost' leaves 'dose' as it is" in result.stdout
    record = json.loads(run("graph", wide, "--effect", "dose:response", "--effect", "cost:dose", "--json").stdout)
    answered, refused = record["effects"]
    assert answered["low"][0] < answered["mean"][0] < answered["high"][0]
    assert refused.keys() == {"cause", "effect", "reason", "observed", "beyond"}


def test_effects_stand_in_the_file_and_come_first_in_the_page(wide, tmp_path):
    out, page = tmp_path / "g.json", tmp_path / "g.html"
    asked = ("--effect", "dose:cost", "--effect", "cost:dose", "--at", "0,99")
    result = run("graph", wide, *asked, "--bootstrap", 2, "--out", out, "--report", page, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(out.read_text())
    assert record == json.loads(result.stdout)
    assert record["effects"][0]["beyond"] == record["effects"][1]["beyond"] == [99.0]
    assert "99 lies beyond the observed values of 'cost'" in record["effects"][1]["reason"]
    text = page.read_text(encoding="utf-8")
    assert text.index("Setting dose from") < text.index("The strongest effects")
    assert "effects" not in json.loads(run("graph", wide, "--bootstrap", 0, "--json").stdout)


def test_a_misspelt_effect_does_not_cost_the_graph(wide, tmp_path):
    out = tmp_path / "g.json"
    asked = ("--effect", "dose:nothing", "--effect", "dose:cost", "--effect", "dose:group")
    result = run("graph", wide, *asked, "--bootstrap", 0, "--out", out)
    assert result.exit_code == 2 and "expected two columns of the graph" in result.stderr.splitlines()[-1]
    assert [each["effect"] for each in json.loads(out.read_text())["effects"]] == ["cost"]
    assert "'group' is left out: it takes only 2 values" in run("graph", wide, "--effect", "group:dose").stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--at", "1"], "Got --at without --effect"),
        (["--effect", "dose:cost", "--at", "low"], "expected finite numbers with commas"),
        (["--effect", "dose:cost", "--at", ""], "expected finite numbers with commas"),
        (["--effect", "dose:cost", "--at", "1,nan"], "expected finite numbers with commas"),
        (["--effect", "dose:dose"], "expected two columns with a colon"),
        (["--effect", ""], "expected two columns with a colon"),
        (["--effect", "dose:nothing"], "expected two columns of the graph, A:B, of 'dose'"),
        (["--effect", "dose"], "expected two columns with a colon"),
    ],
)
def test_effects_that_cannot_be_asked_for_are_refused(wide, arguments, sentence):
    result = run("graph", wide, "--bootstrap", 0, *arguments)
    assert result.exit_code != 0
    assert sentence in result.output.replace("\n", " ")
