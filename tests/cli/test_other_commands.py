"""The other commands, and real processes: what they import, what they do with a closed pipe."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from trial import run

import causewise
from causewise.catalogue import CATALOGUE, Entry
from causewise.cli.other_commands import _compare_with_truth as compare


def test_version_help_and_no_command() -> None:
    assert run("--version").stdout == f"causewise {causewise.__version__}\n"
    for arguments in ((), ("--help",), ("-h",)):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "infer" in result.stdout
        assert "demo" in result.stdout
    assert {"--nan-policy", "--threshold", "--stability"} <= set(run("infer", "--help").stdout.split())


def test_methods() -> None:
    shown = run("methods")
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 55, "one screen"
    for entry in CATALOGUE:
        (line,) = [line for line in lines if line.split()[:1] == [entry.name]]
        assert line.endswith((" ms", " s", " min")) and "…" not in line
    records = json.loads(run("methods", "--json").stdout)
    assert [record["name"] for record in records] == [entry.name for entry in CATALOGUE]
    narrow = run("methods", COLUMNS="40").stdout
    assert max(map(len, narrow.splitlines())) <= 40
    assert all(f"  {entry.name} " in narrow for entry in CATALOGUE)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_one_method_is_shown_in_full(entry: Entry) -> None:
    shown = " ".join(run("methods", entry.name).stdout.split())
    assert shown.startswith(entry.name)
    for words in (entry.assumes, entry.fails, "Cost: ", *([".[nn]"] if entry.extra else [])):
        assert words in shown
    assert ("Paper: " in shown) == (entry.family != "control")
    record = json.loads(run("methods", entry.name, "--json").stdout)
    assert all(f"{key}=" in shown for key in record["settings"])


def test_an_unknown_method_gets_a_sentence() -> None:
    result = run("methods", "locih")
    assert result.exit_code == 2 and "did you mean loci-h" in result.stderr


def test_demo(tmp_path: Path) -> None:
    run("demo", "--out", tmp_path / "tour")
    result = run("demo", "--out", tmp_path / "tour")  # over its own files
    assert result.exit_code == 0, result.stderr
    for words in ("Right: the accepted cause is", "Rightly left open", "were picked", "What to type next"):
        assert words in result.stdout
    for stem in ("generated", "cars", "tumours"):
        assert (tmp_path / "tour" / f"{stem}.png").read_bytes()[:4] == b"\x89PNG"
        assert (tmp_path / "tour" / f"{stem}.html").read_text().startswith("<!doctype html>")
        again = run("infer", tmp_path / "tour" / f"{stem}.csv").stdout.splitlines()[0]
        assert f"causewise says: {again}" in result.stdout


@pytest.mark.parametrize("name", ["cars.csv", "tumours.html"])
def test_the_demo_overwrites_nobodys_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("precious\n")
    result = run("demo", "--out", tmp_path)
    assert result.exit_code == 2 and name in result.stderr and "choose another with --out" in result.stderr
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(name, "precious\n")]


def test_the_demo_says_right_wrong_and_left_open() -> None:
    assert compare("a", "a").startswith("Right: ") and compare("b", "a").startswith("Wrong: ")
    assert compare("a", None).startswith("Wrong: ") and compare(None, None).startswith("Rightly left open")
    assert compare(None, "a") == "Undecided; the accepted cause is a."


HEAVY = ("pandas", "polars", "pyarrow", "sklearn", "matplotlib", "jinja2", "jax", "scipy.stats", "narwhals", "sqlite3")
GROUPS = ("causewise.cli.bench", "causewise.cli.data")
PROBE = """
import sys
from causewise.cli.app import app
try:
    app(["infer", sys.argv[1], "-x", "1", "-y", "2", *sys.argv[3:]])
except SystemExit as end:
    print(end.code, *(name for name in sys.argv[2].split(",") if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_infer_imports_nothing_it_does_not_need(table: Path, extra: list[str]) -> None:
    unwanted = (*HEAVY, *GROUPS, *(["rich.table", "causewise.report"] if extra else []))
    command = [sys.executable, "-c", PROBE, str(table), ",".join(unwanted), *extra]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.stderr == "0\n"


def test_a_real_process(table: Path) -> None:
    program = str(Path(sys.executable).with_name("causewise"))
    command = [program if Path(program).exists() else "causewise", "infer", str(table), "-x", "dose", "-y", "response"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("dose -> response\n")


@pytest.mark.skipif(os.name == "nt", reason="closed pipes are reported otherwise there")
def test_a_reader_who_leaves_early(table: Path) -> None:
    code = "from causewise.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
