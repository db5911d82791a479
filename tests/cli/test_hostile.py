"""Names and messages that would command a terminal, a shell or a spreadsheet: each is shown, none of them acts."""

import csv
import io
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from trial import run

from causewise.cli import infer
from causewise.cli.streams import paragraph, say, terminal
from causewise.formatting import visible
from causewise.lab.benchmark.store import Store
from test_formatting import HOSTILE, acts

sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "benchmark"))
import made_up


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of two columns of numbers and one of words."""
    path = tmp_path_factory.mktemp("hostile") / "table [red].csv"
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=120)
    y = x**2 + 0.2 * rng.normal(size=120)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([[HOSTILE, "=cmd", "z" + HOSTILE], *zip(x, y, rng.normal(size=120), strict=True)])
    return path


def harmless(result) -> str:
    assert not acts(result.stdout, keep="\n"), result.stdout
    assert not acts(result.stderr, keep="\n"), result.stderr
    return result.stdout + result.stderr


@pytest.mark.parametrize("extra", [[], ["--json"], ["--method", "loci-h"], ["--method", "igci"]])
def test_an_answer_shows_hostile_names_escaped(hostile: Path, extra: list[str]) -> None:
    result = run("infer", hostile, "-x", 1, "-y", 2, *extra)
    assert result.exit_code == 0, result.output
    assert r"\x" in harmless(result) or "\\u001b" in result.stdout
    if "--json" in extra:
        assert json.loads(result.stdout)["x"] == HOSTILE.replace("\r\n", "\n")  # as Python reads text


@pytest.mark.parametrize(
    "arguments",
    [[], ["-x", HOSTILE], ["-x", "no" + HOSTILE, "-y", "1"], ["-x", "1", "-y", "1"], ["--method", "loci-h:" + HOSTILE]],
)
def test_a_refusal_is_one_harmless_line(hostile: Path, arguments: list[str]) -> None:
    result = run("infer", hostile, *arguments)
    assert result.exit_code == 2
    assert harmless(result).count("\n") == 1


def test_a_suggested_command_is_quoted_for_the_shell(tmp_path: Path) -> None:
    names = ["a';touch pwned;'", "$(touch pwned)", "`touch pwned`"]
    path = tmp_path / "table.csv"
    rows = np.random.default_rng(0).normal(size=(20, 3))
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows.tolist()])
    told = run("infer", path).stderr.split("On the command line: ")[1].removesuffix(".\n")
    assert shlex.split(told) == ["-x", names[0], "-y", names[1]]


@pytest.mark.parametrize("command", [["bench", "status"], ["bench", "table"]])
def test_suggested_paths_are_quoted_for_the_shell(tmp_path: Path, command: list[str]) -> None:
    place = tmp_path / "a';touch pwned;'.sqlite"
    told = run(*command, "--store", place).stderr.split("make one with: ")[1]
    assert shlex.split(told)[:5] == ["causewise", "bench", "run", "--store", str(place)]


def test_paths_are_printed_as_they_are(hostile: Path, tmp_path: Path) -> None:
    report, plot = tmp_path / "[red]page.html", tmp_path / "a\x1b[31m\n.png"
    result = run("infer", hostile, "-x", 1, "-y", 2, "--report", report, "--plot", plot)
    assert result.exit_code == 0 and report.exists() and plot.exists()
    assert str(report) in harmless(result) and visible(plot) in result.stdout


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "rows.sqlite"
    rows = [
        replace(row, pair_id=f"={row.pair_id}{HOSTILE}", dataset=row.dataset + HOSTILE, message="|" + HOSTILE)
        for row in made_up.rows(methods=("loci-m", "mine" + HOSTILE), pairs=4, failed=2)
    ]
    with Store.open(path) as opened:
        opened.add(rows)
    return path


@pytest.mark.parametrize(
    "words",
    [["status"], ["compare", "loci-m", "mine" + HOSTILE], ["table", "--cost"]]
    + [["table", "--format", form] for form in ("md", "csv", "latex", "json")],
)
def test_what_a_store_says_is_shown_escaped(store: Path, words: list[str]) -> None:
    result = run("bench", *words, "--store", store)
    assert result.exit_code == 0, result.output
    assert r"\x9b" in harmless(result) or "\\u009b" in result.stdout


@pytest.mark.parametrize("raw", [False, True])
def test_an_export_guards_what_a_spreadsheet_would_run(store: Path, tmp_path: Path, raw: bool) -> None:
    out = tmp_path / "rows.csv"
    assert run("bench", "export", "--store", store, "--out", out, *["--raw"][: int(raw)]).exit_code == 0
    with out.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert all(row["pair_id"].startswith("=" if raw else "'=") for row in rows)
    assert any(row["score"].startswith("-") for row in rows)


def test_a_console_shows_what_it_is_given_and_obeys_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.table import Table

    out = io.StringIO()
    console = terminal(out)
    table = Table("[red]")
    table.add_row(HOSTILE)
    for printed in (HOSTILE, table):
        console.print(printed)
    console.rule(HOSTILE)
    paragraph(console, HOSTILE)
    monkeypatch.setattr(sys, "stderr", out)
    say(HOSTILE)
    assert not acts(out.getvalue(), keep="\n")
    assert out.getvalue().count(r"\x1b]0;owned\x07") >= 4


@pytest.mark.parametrize("tells", [False, True])
def test_a_sign_of_life_takes_markup_and_orders_for_words(monkeypatch: pytest.MonkeyPatch, tells: bool) -> None:
    from causewise.catalogue import method

    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    built = infer.Stepwise(method("loci-m")) if tells else method("loci-m")
    with infer._sign_of_life(f"[red]{HOSTILE}", built, slow=True, quiet=False):
        pass
    assert "[red]" in out.getvalue()
    assert not any(order in out.getvalue() for order in ("\x1b]0", "\x07", "\x9b", "\x7f", "\u202e"))


@pytest.mark.parametrize("form", ["md", "latex", "json"])
def test_a_table_in_a_file_has_no_line_that_a_name_made(store: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "table"
    assert run("bench", "table", "--format", form, "--store", store, "--out", out).exit_code == 0
    assert not acts(out.read_text(encoding="utf-8"), keep="\n")
    assert not any(line.startswith("b") for line in out.read_text(encoding="utf-8").split("\n"))
