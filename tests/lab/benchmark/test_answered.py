"""What is withheld: kept from the method to the page, with true shares; methods that answer everything show nothing."""

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
import toys
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import causewise
from causewise.decision import Decision, Evidence
from causewise.lab.benchmark import rendering
from causewise.lab.benchmark.metrics import wilson
from causewise.lab.benchmark.publish import leaderboard
from causewise.lab.benchmark.rendering import store_contents
from causewise.lab.benchmark.runner import decide, plan, run
from causewise.lab.benchmark.scores import MEAN, answer_rate, summarise
from causewise.lab.benchmark.sets import contenders
from causewise.lab.benchmark.store import Row, Status, Store, export_rows, outcome_of
from causewise.pair import Pair

PAIR = Pair.of(*np.random.default_rng(0).normal(size=(2, 12)))


def made(method: str, path: Path) -> list[Row]:
    with Store.open(path) as store:
        work = plan(contenders([f"toys:{method}"], [0]), [toys.collection(pairs=12)], store.keys())
        run(work, store)
        return store.rows()


def test_confidence_and_withholding_reach_the_store_and_the_export(tmp_path: Path) -> None:
    rows = made("hesitant", tmp_path / "s.sqlite")
    assert {row.withheld for row in rows} == {True, False} == {row.flipped for row in rows}
    for row in rows:
        assert row.confidence == 1 / (1 + math.exp(-abs(row.score)))
        assert row.withheld == (row.confidence < toys.SURE) == bool(row.message) != row.answered
        assert row.correct
        assert row.status == "ok"
    read = list(csv.DictReader(io.StringIO(export_rows(rows))))
    assert [float(each["confidence"]) for each in read] == [row.confidence for row in rows]
    assert [each["withheld"] == "1" for each in read] == [row.withheld for row in rows]


def test_a_second_run_exports_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        export_rows([replace(row, seconds=0.0) for row in made("hesitant", tmp_path / f"{name}.sqlite")])
        for name in "ab"
    )
    assert first == second


@pytest.mark.parametrize("method", ["oracle", "raises", "ties"])
def test_a_method_without_a_confidence_has_an_empty_cell(method: str, tmp_path: Path) -> None:
    rows = made(method, tmp_path / "s.sqlite")
    assert all(math.isnan(row.confidence) and not row.withheld for row in rows)
    assert {each["confidence"] for each in csv.DictReader(io.StringIO(export_rows(rows)))} == {""}


def test_rows_are_ranked_by_the_confidence_they_carry() -> None:
    rows = made_up.rows(sets=("AN",), methods=("mine",))
    sure = [replace(row, confidence=0.9 if row.correct else 0.6) for row in rows]
    right = np.sort([row.correct for row in rows])[::-1]
    expected = 100 * np.mean(np.cumsum(right) / np.arange(1, len(rows) + 1))
    assert summarise(sure, "audrc", intervals=False).value("mine", "AN") == pytest.approx(expected)
    assert summarise(rows, "audrc", intervals=False).value("mine", "AN") < expected


@pytest.mark.parametrize("converged", [True, False])
def test_a_fit_that_stopped_short_hides_no_withheld_answer(converged: bool) -> None:
    side = Evidence(score=0.1, converged=converged, message="" if converged else "It stopped at its limit.")
    outcome = outcome_of(Decision("m", PAIR, 0.1, side, side, confidence=0.52, reason="Too unsure."), 0.0)
    assert outcome.status is (Status.OK if converged else Status.NOT_CONVERGED)
    assert outcome.message == ("Too unsure." if converged else "Too unsure. It stopped at its limit.")
    assert outcome.withheld


def test_the_lean_of_a_stopped_pair_is_counted_and_its_answer_withheld() -> None:
    x = np.random.default_rng(0).normal(size=200)
    (outcome,) = decide(causewise.method("causewise"), [Pair.of(x, 1.0 * (x + np.sin(9 * x) > 0))])
    assert outcome.withheld
    assert math.isfinite(outcome.score) and math.isfinite(outcome.confidence)


def test_a_failure_is_not_called_withheld() -> None:
    side = Evidence(score=math.nan)
    decision = Decision("m", PAIR, math.nan, side, side, failed=True, reason="It broke.")
    assert not outcome_of(decision, 0.0).withheld


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_wilson_is_that_of_scipy(counts: tuple[int, int]) -> None:
    total, right = counts
    low, high = wilson(right / total, total)
    expected = stats.binomtest(right, total).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_shares_are_those_counted_by_hand() -> None:
    rows = [
        replace(row, weight=1.0 + int(row.pair_id) % 3)
        for row in made_up.rows(sets=("AN", "LS"), methods=("loci-h", "mine"), withheld=7)
    ]
    summary = summarise(rows, intervals=False)
    assert summary.withholding == ["loci-h"]
    for name in ("AN", "LS"):
        mine = [row for row in rows if (row.method, row.dataset) == ("loci-h", name)]
        given_ = [row for row in mine if not row.withheld]
        assert len(given_) == 13
        found = summary.answer_rates["loci-h", name]
        weight = sum(row.weight for row in given_)
        assert found.share == pytest.approx(100 * weight / sum(row.weight for row in mine))
        assert found.accuracy == pytest.approx(100 * sum(row.weight for row in given_ if row.correct) / weight)
        assert found.low < found.accuracy <= found.high
    parts, mean = [summary.answer_rates["loci-h", name] for name in ("AN", "LS")], summary.answer_rates["loci-h", MEAN]
    assert mean.share == pytest.approx(np.mean([part.share for part in parts]))
    assert mean.accuracy == pytest.approx(
        sum(part.share * part.accuracy for part in parts) / sum(part.share for part in parts)
    )
    assert mean.high - mean.low < min(part.high - part.low for part in parts)


def test_failures_and_ties_are_not_answers() -> None:
    rows = made_up.rows(sets=("AN",), methods=("loci-h",), withheld=4)
    sure = [row for row in rows if not row.withheld]
    broken = replace(sure[0], status="failed", correct=False, score=math.nan, confidence=math.nan)
    tied = replace(sure[1], status="undecided", correct=False, score=0.0)
    changed = [{sure[0]: broken, sure[1]: tied}.get(row, row) for row in rows]
    assert answer_rate(changed).share == pytest.approx(100 * 14 / 20)
    assert answer_rate(changed).accuracy == pytest.approx(100 * np.mean([row.correct for row in sure[2:]]))


def test_nothing_answered_has_no_accuracy() -> None:
    rows = [replace(row, withheld=True, correct=True, score=row.truth) for row in made_up.rows(methods=("loci-h",))]
    text = rendering.render(summarise(rows, intervals=False))
    assert "nan" not in text
    (line,) = [line for line in text.split("\n") if line.startswith("| AN")]
    assert [cell.strip() for cell in line.split("|")][3:5] == ["0.0", "–"]
    assert 'data-numbers="[100.0, 0.0, null]" data-interval="–"' in leaderboard(rows)


def test_the_same_answers_under_another_seed_add_no_certainty() -> None:
    rows = made_up.rows(sets=("AN",), methods=("loci-h",), withheld=7)
    twice = rows + [replace(row, seed=1) for row in rows]
    assert answer_rate(twice) == answer_rate(rows)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_covers_about_as_often_as_it_says(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    row = made_up.rows(sets=("AN",), methods=("loci-h",), pairs=1)[0]
    hits = 0
    for _ in range(400):
        weight = rng.choice([0.2, 1.0], 60) if weighted else np.ones(60)
        right, kept = rng.random(60) < 0.85, rng.random(60) < 0.4
        drawn = [
            replace(row, pair_id=str(i), weight=weight[i], correct=bool(right[i]), withheld=bool(kept[i]))
            for i in range(60)
        ]
        found = answer_rate(drawn)
        hits += found.low <= 85 <= found.high
    assert 0.92 <= hits / 400 <= 0.985


@pytest.mark.parametrize("form", rendering.FORMS)
def test_methods_that_answer_everything_leave_no_trace(form: str) -> None:
    rows = made_up.rows(failed=2)
    text = rendering.render(summarise(rows), form, rendering.Look(True, True))
    sure = [replace(row, confidence=0.9) for row in rows]
    assert rendering.render(summarise(sure), form, rendering.Look(True, True)) == text
    assert "answered" not in text


@pytest.mark.parametrize("form", rendering.FORMS)
def test_the_main_table_is_the_same_whether_or_not_answers_are_withheld(form: str) -> None:
    given_, kept = (made_up.rows(withheld=count) for count in (0, 6))
    plain, more = (rendering.render(summarise(rows), form) for rows in (given_, kept))
    if form == "json":
        lines = json.loads(more)["rows"]
        shares = [line["AN"].pop("answered") for line in lines if "answered" in line["AN"]]
        assert [share["share"] for share in shares] == [70.0]
        assert set(shares[0]) == {"share", "accuracy", "low", "high"}
        assert {line["method"]: line["AN"] for line in lines} == {
            line["method"]: line["AN"] for line in json.loads(plain)["rows"]
        }
    elif form == "csv":
        first, second = (list(csv.reader(io.StringIO(text))) for text in (plain, more))
        assert [line[: len(first[0])] for line in second] == first
        assert second[0][len(first[0])] == "AN_answered"
        assert [line[len(first[0])] for line in second[1:]] == ["70.0000", "", "", "", "", ""]
    else:
        end = r"\bottomrule" if form == "latex" else "\n\n"
        assert more.startswith(plain.split(end)[0].rstrip())
        assert "answered" in more


def test_only_accuracy_is_a_matter_of_answers_given() -> None:
    rows = made_up.rows(withheld=6)
    assert all("answered" not in rendering.render(summarise(rows, "audrc"), form) for form in rendering.FORMS)


def test_the_narrow_table_is_aligned_and_fits_a_terminal() -> None:
    lines = rendering.withheld_table(summarise(made_up.rows(withheld=6), intervals=False), "loci-m").strip().split("\n")
    assert len(lines) == 2 + 3
    assert len({len(line) for line in lines}) == 1
    assert len(lines[0]) <= 79
    places = {tuple(index for index, letter in enumerate(line) if letter == "|") for line in lines}
    assert len(places) == 1


def test_a_method_not_run_on_every_set_has_no_mean_there_either() -> None:
    rows = [row for row in made_up.rows(withheld=6) if (row.method, row.dataset) != ("loci-m", "LS")]
    text = rendering.render(summarise(rows))
    assert "nan" not in text
    assert leaderboard(rows).count('<tr data-set="') == 1


def test_the_page_and_the_status_tell_of_withheld_answers() -> None:
    rows = made_up.rows(withheld=6)
    summary, text = summarise(rows, intervals=False), leaderboard(rows)
    for name in ("AN", "LS", MEAN):
        found = summary.answer_rates["loci-m", name]
        numbers = [summary.value("loci-m", name), found.share, found.accuracy]
        assert f'data-set="{name}" data-numbers="{json.dumps(numbers)}"' in text
        assert f"{found.low:.0f}–{found.high:.0f}" in text
    assert "Answers given" not in leaderboard(made_up.rows())
    assert "20 ok; 6 withheld" in store_contents(rows)
    assert "withheld" not in store_contents(made_up.rows())
