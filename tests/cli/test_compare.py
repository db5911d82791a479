"""`causewise infer --method A,B,C`: a row each, one line for all of them, and every record as it is alone."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trial import infer, run

import causewise
from causewise.cli.answer import show_all
from causewise.cli.options import split_methods
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Decision, Direction, Evidence
from causewise.errors import InputError
from causewise.inference import Answer, consensus
from causewise.pair import Pair
from causewise.protocol import record_failure

PAIR = Pair.of(np.arange(20), np.arange(20) ** 2, x_name="rain", y_name="river")
THREE = "causewise,loci-h:n_knots=5,igci"


def answer(name: str, score: float = 1.0, **facts: Any) -> Answer:
    return Answer(name, Decision(name, PAIR, score, Evidence(score / 2), Evidence(-score / 2), **facts), 0.1)


KINDS = {
    "rain → river": lambda name: answer(name, 1.0),
    "river → rain": lambda name: answer(name, -1.0),
    "undecided": lambda name: answer(name, 1.0, reason="Undecided: too weak."),
    "unrelated": lambda name: answer(name, 1.0, unrelated=True),
    "no answer": lambda name: Answer(name, record_failure(PAIR, name, "It broke down."), 0.1),
}


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_every_method_has_a_row_and_one_line_counts_them(table: Path) -> None:
    result = infer(table, "--method", THREE)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    rows = {line.split()[0]: line for line in lines[2:5]}
    assert list(rows) == THREE.split(",")
    assert all("dose → response" in row for row in rows.values())
    assert re.search(r"\d\d %", rows["causewise"])
    assert "3 of 3 methods: dose → response." in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("width", [40, 59, 60, 200])
def test_any_width_will_do(table: Path, width: int) -> None:
    result = infer(table, "--method", THREE, "--stability", COLUMNS=str(width))
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= width
    assert "3 of 3 methods: dose → response." in squeezed(result.stdout)


def test_json_holds_the_record_of_each_as_it_is_alone(table: Path) -> None:
    result = infer(table, "--method", THREE, "--json")
    found = json.loads(result.stdout)
    assert set(found) == {"methods", "consensus"}
    assert found["methods"] == [json.loads(infer(table, "--method", m, "--json").stdout) for m in THREE.split(",")]
    assert found["consensus"] == {
        "direction": "x->y",
        "cause": "dose",
        "effect": "response",
        "status": "oriented",
        "agree": THREE.split(","),
        "of": 3,
        "sentence": "3 of 3 methods: dose → response.",
    }
    assert infer(table, "--method", THREE, "--json").stdout == result.stdout


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=7))
def test_the_consensus_is_what_more_than_half_say(kinds: list[str]) -> None:
    answers = [KINDS[kind](f"m{k}") for k, kind in enumerate(kinds)]
    found = consensus(answers)
    above = [kind for kind, n in Counter(kinds).items() if n > len(kinds) / 2]
    assert found.of == len(kinds)
    each = [f"m{k}: {kind}" for k, kind in enumerate(kinds) if kind not in above]
    if not above:
        assert (found.direction, found.cause, found.effect, found.status) == ("undecided", None, None, "undecided")
        assert found.agree == ()
        assert found.sentence == f"No consensus: {'; '.join(each)}."
        return
    assert found.agree == tuple(f"m{k}" for k, kind in enumerate(kinds) if kind == above[0])
    assert found.sentence == "; ".join([f"{len(found.agree)} of {len(kinds)} methods: {above[0]}", *each]) + "."
    one = KINDS[above[0]]("m").decision
    assert (found.status, found.direction) == (one.status, one.direction.value)
    assert (found.cause, found.effect) == (one.cause, one.effect)


def test_those_without_a_direction_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    show_all([KINDS[kind](f"m{k}") for k, kind in enumerate(sorted(KINDS))])
    shown = squeezed(capsys.readouterr().out)
    assert "Undecided: too weak." in shown
    assert "It broke down." in shown
    assert "nan" not in shown


def test_a_warning_is_told_once_and_by_name_where_not_all_give_it(capsys: pytest.CaptureFixture[str]) -> None:
    few, slow = DataWarning("Few rows.", Severity.LOWERS, "few_rows"), "Slow."
    show_all([answer("one", warnings=(few,)), answer("two", warnings=(few, slow))])
    listed = capsys.readouterr().out.split("Warnings\n")[1].split("\n\n")[0].splitlines()
    assert [line.strip(" -") for line in listed] == ["lowers confidence", "Few rows.", "note", "two: Slow."]


def test_names_are_fit_to_print(capsys: pytest.CaptureFixture[str]) -> None:
    pair = Pair.of(PAIR.x, PAIR.y, x_name="a\x1b[2J\nb", y_name="y")
    show_all([Answer(name, causewise.infer(pair, method=name), 0.0) for name in ("igci", "mdl")])
    assert "\x1b" not in capsys.readouterr().out


def test_one_name_is_one_method_and_several_are_told_apart() -> None:
    assert split_methods("loci-h") == ["loci-h"]
    assert split_methods("causewise, loci-h:n_knots=5,loci-h") == ["causewise", "loci-h:n_knots=5", "loci-h"]
    for wrong in ("causewise,", ",", "causewise,,mdl", "mdl,causewise,mdl"):
        with pytest.raises(InputError, match="expected different names with a comma between"):
            split_methods(wrong)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--method", "causewise,mdll"], "'mdll', which causewise does not have"),
        (["--method", "causewise,causewise"], "different names"),
        (["--method", "mdl,igci", "--threshold", "0.9"], "--threshold 0.9 for mdl, igci, which do not take it"),
        (["--method", "mdl", "--neither", "0.3"], "--neither 0.3 for mdl, which does not take it"),
        (["--method", "mdl", "--direct"], "--direct for mdl, which does not take it"),
        (["--method", "mdl", "--no-recording"], "--no-recording for mdl, which does not take it"),
        (["--neither", "0.3", "--direct"], "Got --neither 0.3 and --direct; expected one of them"),
        (["--neither", "1.5"], "Got neither=1.5 for causewise"),
        (["--neither", "nan"], "Got neither=nan for causewise"),
        (["--method", "causewise,loci-h:n_knots=-1"], "n_knots"),
    ],
)
def test_what_cannot_be_is_a_sentence(table: Path, arguments: list[str], sentence: str) -> None:
    result = infer(table, *arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert sentence in result.stderr


def test_a_threshold_is_for_those_that_have_a_confidence(table: Path) -> None:
    result = infer(table, "--method", "causewise,loci-h,igci", "--threshold", "0.999", "--json")
    found = json.loads(result.stdout)
    assert [each["status"] for each in found["methods"]] == ["undecided", "oriented", "oriented"]
    assert found["consensus"]["sentence"] == "2 of 3 methods: dose → response; causewise: undecided."
    assert found["consensus"]["agree"] == ["loci-h", "igci"]


def test_halves_are_decided_by_every_method(table: Path) -> None:
    found = json.loads(infer(table, "--method", "causewise,igci", "--stability", "--seed", "3", "--json").stdout)
    for record in found["methods"]:
        alone = json.loads(infer(table, "--method", record["method"], "--stability", "--seed", "3", "--json").stdout)
        assert record["stability"] == alone["stability"]
    assert "halves" in infer(table, "--method", "causewise,igci", "--stability").stdout
    assert "halves" not in infer(table, "--method", "causewise,igci").stdout


def test_the_page_and_the_picture_are_the_first_methods(table: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    result = infer(table, "--method", "loci-h,causewise", "--report", page, "--plot", picture)
    assert "What the other methods say" in page.read_text(encoding="utf-8")
    assert result.stdout.splitlines()[-2:] == [f"Picture of loci-h: {picture}", f"Report of loci-h: {page}"]
    assert picture.exists()
    assert "loci-h" in page.read_text()
    quiet = infer(table, "--method", "loci-h,causewise", "--json", "--report", page)
    assert quiet.stderr == f"Report of loci-h: {page}\n"
    assert json.loads(quiet.stdout)["consensus"]["direction"] == Direction.FORWARD.value


def test_the_help_says_that_methods_can_be_compared() -> None:
    assert "several are compared" in squeezed(run("infer", "--help", COLUMNS="200").stdout)
