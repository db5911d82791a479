"""`causewise infer`: the answer on standard output, as text or as JSON, at any width and in any encoding."""

import errno
import io
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from trial import N, infer, run

import causewise
from causewise.catalogue import DEFAULT
from causewise.cli.infer import Stepwise
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Decision, Evidence
from causewise.pair import Pair
from causewise.protocol import Method, record_failure
from causewise.report.score_bars import outcome_bar


def test_the_verdict_comes_first_and_everything_else_is_there(table: Path) -> None:
    result = infer(table)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "dose → response"
    for words in ("What speaks for dose → response", "Independence test, p", "causewise", f"{N} rows", "How to read"):
        assert words in result.stdout
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.stdout


def test_the_terms_add_up_to_the_score_that_is_printed(table: Path) -> None:
    shown = " ".join(infer(table).stdout.split())
    line = re.search(r"Towards dose → response: (.*); sum (\S+) × weight (\S+) = score (\S+);", shown)
    assert line is not None
    total, weight, score = (Fraction(text.replace("−", "-")) for text in line.groups()[1:])
    terms = [Fraction(term.split()[-1].replace("−", "-")) for term in line[1].split(",")]
    assert sum(terms) == total
    assert abs(weight * total - score) <= Fraction(1, 200)


def test_another_method_shows_its_own_numbers(table: Path) -> None:
    shown = infer(table, "--method", "loci-h").stdout
    for words in ("Log-likelihood", "HSIC", "Independence test, p", "Fit converged", "score "):
        assert words in shown
    assert "weight" not in shown


def test_a_threshold_of_a_half_does_not_sell_a_coin_as_an_answer(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 60)
    table = tmp_path / "few.csv"
    rows = np.column_stack([dose, np.sin(2 * dose) + rng.normal(size=60)])
    np.savetxt(table, rows, delimiter=",", header="dose,response", comments="")
    first = infer(table, "--threshold", "0.5").stdout.splitlines()[0]
    assert re.fullmatch(r"dose → response: 5\d %, little better than a coin", first)


def test_a_threshold_decides_how_sure_an_answer_must_be(table: Path) -> None:
    strict = json.loads(infer(table, "--threshold", "0.999", "--json").stdout)
    usual = json.loads(infer(table, "--json").stdout)
    assert (strict["status"], usual["status"]) == ("undecided", "oriented")
    assert strict["score"] == usual["score"] and strict["leaning"] == usual["direction"]
    assert strict["settings"]["threshold"] == 0.999
    assert "below the 99.9 % asked for" in " ".join(infer(table, "--threshold", "0.999").stdout.split())


def test_what_is_known_beforehand_moves_the_outcomes_and_not_the_score(table: Path) -> None:
    usual, wary, direct = (
        json.loads(infer(table, *options, "--json").stdout) for options in ((), ("--neither", "0.6"), ("--direct",))
    )
    assert usual["score"] == wary["score"] == direct["score"]
    assert (
        direct["probabilities"]["neither"] == 0 < usual["probabilities"]["neither"] < wary["probabilities"]["neither"]
    )
    assert wary["confidence"] < usual["confidence"] < direct["confidence"]
    assert (wary["settings"]["neither"], direct["settings"]["neither"]) == (0.6, 0.0)


def test_how_columns_are_recorded_can_be_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    age = np.round(rng.normal(40, 10, 300))
    path = tmp_path / "recorded.csv"
    path.write_text(
        "age,dose\n" + "".join(f"{a},{a * a / 200 + e}\n" for a, e in zip(age, rng.normal(size=300), strict=True))
    )
    usual, without = (json.loads(run("infer", path, *o, "--json").stdout) for o in ((), ("--no-recording",)))
    assert usual["contributions"]["recording"] > 0 == without["contributions"]["recording"]
    assert "recorded" in run("infer", path).stdout and "recorded" not in run("infer", path, "--no-recording").stdout


def test_one_bar_of_three_parts_in_terminal_report_and_card(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = infer(table, "--report", page).stdout
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    decision = causewise.infer(Pair.of(data[:, 0], data[:, 1], x_name="dose", y_name="response"))
    bar = outcome_bar(decision)
    assert bar is not None
    legend = "   ".join(f"{fill} {part.name} {part.text}" for fill, part in zip("█▒░", bar.parts, strict=True))
    drawn, mark, told = (shown.splitlines()[k] for k in range(*slice_of(shown, "█", 3)))
    assert [drawn.count(fill) for fill in "█▒░"] == list(bar.cells(50)) and len(drawn) == 50
    assert (mark.index("▲"), mark.strip()) == (39, "▲ 80 % needed for an answer")
    assert told == legend
    for words in (page.read_text(encoding="utf-8"), decision._repr_html_()):
        assert f'aria-label="{bar.description}"' in words
        assert all(f"{part.name} <strong>{part.text}</strong>" in words for part in bar.parts)


def slice_of(text: str, start: str, lines: int) -> tuple[int, int]:
    first = next(k for k, line in enumerate(text.splitlines()) if line.startswith(start))
    return first, first + lines


def test_halves_of_the_rows_are_decided_when_asked(table: Path, tmp_path: Path) -> None:
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    decision = causewise.infer(Pair.of(data[:, 0], data[:, 1], x_name="dose", y_name="response"))
    found = json.loads(infer(table, "--stability", "--seed", "3", "--json").stdout)["stability"]
    assert found == decision.stability(seed=3).to_dict()
    page = tmp_path / "page.html"
    shown = " ".join(infer(table, "--stability", "--report", page).stdout.split())
    assert "On 20 random halves of the rows: " in shown
    assert "On 20 random halves of the rows: " in page.read_text()
    assert "stability" not in json.loads(infer(table, "--json").stdout)


def test_an_answer_stands_where_its_halves_have_none(tmp_path: Path) -> None:
    short = tmp_path / "short.csv"
    short.write_text("x,y\n" + "".join(f"{k},{k * k}\n" for k in range(10)))
    result = run("infer", short, "--stability", "--json")
    assert result.exit_code == 0
    assert "stability" not in json.loads(result.stdout)
    assert result.stderr.startswith("--stability: ") and result.stderr.count("\n") == 1


def test_steps_are_told_and_change_nothing() -> None:
    steps: list[tuple[int, int]] = []
    plain = causewise.method("igci")
    stepwise = Stepwise(plain).with_progress(lambda done, total: steps.append((done, total)))
    pairs = [PAIR, PAIR.swap()]
    assert [d.score for d in stepwise.decide_many(pairs)] == [d.score for d in plain.decide_many(pairs)]
    assert steps == [(0, 2), (1, 2)]
    assert isinstance(stepwise, Method) and stepwise.name == "igci"


def test_warnings_stand_under_their_level(capsys: pytest.CaptureFixture[str]) -> None:
    from causewise.cli.answer import show

    warnings = (
        "Slow.",
        DataWarning("On a line.", Severity.STOPS, "exact_line"),
        DataWarning("Few.", Severity.LOWERS, "few_rows"),
    )
    show(Decision("igci", PAIR, 1.0, Evidence(2.0), Evidence(1.0), warnings=warnings))
    listed = [line.strip(" -") for line in capsys.readouterr().out.split("Warnings\n")[1].split("\n\n")[0].splitlines()]
    assert listed == ["stops", "On a line.", "lowers confidence", "Few.", "note", "Slow."]


@pytest.mark.parametrize("method", ["causewise", "loci-h", "nn-loci-m:steps=20"])
def test_json_has_the_seed_that_was_stated(table: Path, method: str) -> None:
    assert json.loads(infer(table, "--method", method, "--seed", "3", "--json").stdout)["seed"] == 3


def test_json_is_the_decision_and_nothing_else(table: Path) -> None:
    result = infer(table, "--json")
    record = json.loads(result.stdout)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    expected = causewise.infer(Pair.of(data[:, 0], data[:, 1], x_name="dose", y_name="response")).to_dict()
    assert record == json.loads(json.dumps(expected))
    assert record["direction"] == "x->y"
    assert (record["cause"], record["effect"], record["method"], record["n"]) == ("dose", "response", DEFAULT, N)
    for way in ("forward", "backward"):
        assert {"log_likelihood", "hsic", "p_value", "converged"} <= set(record[way])


def test_turning_the_columns_round_negates_the_score(table: Path) -> None:
    there = json.loads(infer(table, "--json").stdout)
    back = json.loads(run("infer", table, "-x", "2", "-y", "1", "--json").stdout)
    assert back["score"] == -there["score"]
    assert back["cause"] == there["cause"]
    assert back["direction"] == "y->x"


def test_standard_input(table: Path) -> None:
    piped = run("infer", "-", "-x", "dose", "-y", "response", "--json", stdin=table.read_bytes())
    assert piped.stdout == infer(table, "--json").stdout


def test_another_method_with_settings(table: Path) -> None:
    record = json.loads(infer(table, "--method", "anm-h:n_knots=7", "--json").stdout)
    assert record["method"].startswith("anm-h")
    assert record["settings"]["n_knots"] == 7


def test_missing_values_left_out_are_counted(table: Path, tmp_path: Path) -> None:
    holes = tmp_path / "holes.csv"
    holes.write_text(table.read_text() + "NA,1,2\n1,,2\n")
    refused = " ".join(infer(holes).stderr.split())
    assert "leave them out with --nan-policy omit, which" in refused and "nan_policy" not in refused
    record = json.loads(infer(holes, "--nan-policy", "omit", "--json").stdout)
    assert record["dropped_rows"] == 2
    assert any("2 rows" in warning for warning in record["warnings"])
    shown = infer(holes, "--nan-policy", "omit").stdout
    assert "Warnings" in shown
    assert infer(holes).exit_code == 2


def test_picture_and_page(table: Path, tmp_path: Path) -> None:
    picture, page = tmp_path / "both.png", tmp_path / "page.html"
    result = infer(table, "--plot", picture, "--report", page)
    assert result.exit_code == 0, result.stderr
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "dose" in page.read_text()
    assert str(picture) in result.stdout
    quiet = infer(table, "--plot", picture, "--json")
    assert json.loads(quiet.stdout)["cause"] == "dose"
    assert str(picture) in quiet.stderr


def test_neither_the_files_nor_the_answer_are_lost_with_the_other(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def leave(*_: object) -> None:
        raise BrokenPipeError

    with monkeypatch.context() as full:
        full.setattr(Decision, "report", fail)
        unwritten = infer(table, "--report", tmp_path / "page.html")
    assert unwritten.stdout.startswith("dose → response") and unwritten.exit_code == 1
    monkeypatch.setattr("causewise.cli.answer.show", leave)
    assert infer(table, "--report", tmp_path / "page.html").exit_code == 0
    assert "dose" in (tmp_path / "page.html").read_text()


def test_names_that_look_like_markup_are_printed_as_they_are(table: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text(table.read_text().replace("dose,response", "[bold]dose,:smile: [/]", 1))
    result = run("infer", odd, "-x", "1", "-y", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "[bold]dose → :smile: [/]"


def test_long_names_stay_within_the_terminal(table: Path, tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    names = f"{'mean_annual_temperature_' * 3},{'altitude_above_sea_level_' * 3}"
    long.write_text(table.read_text().replace("dose,response", names, 1))
    result = run("infer", long, "-x", "1", "-y", "2")
    assert max(map(len, result.stdout.splitlines()[2:])) <= 80
    narrow = run("infer", long, "-x", "1", "-y", "2", COLUMNS="40")
    assert "sum" in narrow.stdout and "in score" not in narrow.stdout


PAIR = Pair.of(np.arange(20.0) ** 2, np.arange(20.0), x_name="area", y_name="side")


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (record_failure(PAIR, "cam", "cam has no finite score on this pair."), "cam has no finite score"),
        (Decision("igci", PAIR, 1.0, Evidence(2.0), Evidence(1.0)), "area → side"),
        (Decision("tie", PAIR, 0.0, Evidence(1.0), Evidence(1.0)), "undecided between area and side"),
        (
            Decision(
                "causewise", PAIR, 0.4, Evidence(0.2), Evidence(-0.2), confidence=0.6, unrelated=True, reason="Un."
            ),
            "area and side are unrelated",
        ),
        (
            Decision("causewise", PAIR, math.nan, Evidence(math.nan), Evidence(math.nan), reason="Undecided: a line."),
            "Undecided: a line.",
        ),
        (Decision("igci", PAIR, 1.0, Evidence(2.0), Evidence(1.0), rows_judged=15), "scored on 15 of 20 rows"),
        (
            Decision("loci-h", PAIR, 1.0, Evidence(1, 0, 0, 0.0, -5000.0), Evidence(0, -1, 1, 0.0, -9000.0)),
            "3.4×10⁻²¹⁷²",
        ),
    ],
)
def test_every_kind_of_answer_can_be_shown(decision: Decision, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    from causewise.cli.answer import show

    show(decision)
    shown = capsys.readouterr().out
    assert words in shown
    assert "nan" not in shown
    assert "None" not in shown
    assert "score" not in shown or not decision.stopped


def test_a_terminal_without_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    from causewise.cli.streams import accept_any_encoding

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    accept_any_encoding()
    sys.stdout.write("a → b, p = 2×10⁻⁹, ☃")
    sys.stdout.flush()
    assert raw.getvalue() == b"a -> b, p = 2x10^-9, ?"


def test_what_was_understood_of_a_table_is_said(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(200, 2))
    path = tmp_path / "nameless.csv"
    path.write_text("0,1\n" + "".join(f"{a!r},{b!r}\n" for a, b in x.tolist()))
    said = json.loads(run("infer", path, "--method", "loci-h", "--json").stdout)["warnings"]
    assert "The first line counts the columns, and is taken for their names." in said
    shown = json.loads(run("infer", path, "--method", "loci-h", "--json", "--no-header").stdout)
    assert (shown["n"], "taken for their names" in str(shown["warnings"])) == (201, False)


@pytest.mark.parametrize("command", ["infer", "scan", "graph"])
def test_a_sheet_and_a_delimiter_are_options(table: Path, tmp_path: Path, command: str) -> None:
    rows = [line.split(",") for line in table.read_text().splitlines()]
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])
    sheet = book.create_sheet("trial")
    for row in (rows[0], *([float(cell) for cell in row] for row in rows[1:])):
        sheet.append(row)
    book.save(tmp_path / "trial.xlsx")
    (tmp_path / "trial.txt").write_text("\n".join("|".join(row) for row in rows))
    asked = ["-x", "dose", "-y", "response"] if command == "infer" else ["--columns", "dose,response"]
    asked += ["--json"] if command != "scan" else []
    expected = run(command, table, *asked)
    assert expected.exit_code == 0
    for file, *options in (("trial.xlsx",), ("trial.xlsx", "--sheet", "2"), ("trial.txt", "--sep", "|")):
        found = run(command, tmp_path / file, *asked, *options)
        assert found.exit_code == 0, found.stderr
        first, *_ = expected.stdout.splitlines()
        assert first in found.stdout
    refused = run(command, tmp_path / "trial.xlsx", "--sheet", "third", *asked)
    assert refused.exit_code == 2
    assert "the sheet 'third'" in refused.stderr
