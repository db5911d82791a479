"""Tables: the same bytes for the same rows, true numbers, notes on what failed."""

import csv
import io
import json
import math
import random
import re
from dataclasses import replace

import made_up
import numpy as np
import pytest

from causewise.errors import InputError
from causewise.lab.benchmark import rendering
from causewise.lab.benchmark.publish import leaderboard
from causewise.lab.benchmark.published import PAPER, published_number
from causewise.lab.benchmark.rendering import comparison_table, store_contents
from causewise.lab.benchmark.scores import MEAN, summarise
from causewise.lab.benchmark.store import Row

FULL = rendering.Look(intervals=True, against="paper")


@pytest.mark.parametrize("form", rendering.FORMS)
@pytest.mark.parametrize("metric", ["accuracy", "audrc", "auroc"])
def test_the_order_of_the_rows_changes_no_byte(form: str, metric: str) -> None:
    rows = made_up.rows(failed=2)
    shuffled = random.Random(1).sample(rows, len(rows))
    slower = [replace(row, seconds=row.seconds * 3) for row in shuffled]
    there, back = (rendering.render(summarise(each, metric), form, FULL) for each in (rows, slower))
    assert there == back


def test_markdown_has_a_line_per_method_and_the_best_in_bold() -> None:
    summary = summarise(made_up.rows(pairs=100))
    head, _, *lines = rendering.render(summary).strip().split("\n")
    assert [cell.strip() for cell in head.strip("|").split("|")][1:] == ["AN", "LS", "mean"]
    assert [line.split("|")[1].strip() for line in lines] == list(summary.methods)
    for column, name in enumerate(("AN", "LS", MEAN), start=2):
        bold = [line.split("|")[1].strip() for line in lines if "**" in line.split("|")[column]]
        best = max(summary.value(method, name) for method in summary.methods)
        assert bold == [method for method in summary.methods if round(summary.value(method, name), 1) == round(best, 1)]


def test_accuracy_is_the_share_of_correct_rows() -> None:
    rows = made_up.rows(failed=3)
    summary = summarise(rows)
    for method in summary.methods:
        for name in summary.sets:
            right = [row.correct for row in rows if (row.method, row.dataset) == (method, name)]
            assert summary.value(method, name) == pytest.approx(100 * np.mean(right))
        assert summary.value(method, MEAN) == pytest.approx(np.mean([summary.value(method, s) for s in summary.sets]))


def test_sets_and_methods_stand_in_the_papers_order_and_others_after_them() -> None:
    summary = summarise(made_up.rows(sets=("own", "LS", "AN"), methods=("zeta", "anm-m", "loci-m")), intervals=False)
    assert summary.sets == ("AN", "LS", "own")
    assert summary.methods == ("loci-m", "anm-m", "zeta")


def test_difference_from_the_paper() -> None:
    summary = summarise(made_up.rows(methods=("loci-m", "cam:published=true", "mine")))
    table = json.loads(rendering.render(summary, "json", FULL))
    for row in table["rows"]:
        printed = published_number("accuracy", row["method"], ["LS"], PAPER)
        expected = None if printed is None else pytest.approx(row["LS"]["value"] - printed.value, abs=1e-3)
        assert row["LS"]["minus_paper"] == expected
        assert row["LS"]["low"] <= row["LS"]["value"] <= row["LS"]["high"]
    assert [row["LS"]["minus_paper"] is None for row in table["rows"]] == [False, False, True]


def test_csv_can_be_read_back() -> None:
    summary = summarise(made_up.rows(failed=1))
    read = list(csv.DictReader(io.StringIO(rendering.render(summary, "csv", FULL))))
    assert {row["method"]: float(row["mean"]) for row in read} == pytest.approx(
        {method: summary.value(method, MEAN) for method in summary.methods}, abs=1e-4
    )
    assert sum(int(row["failed"]) for row in read) == 2


def test_latex_escapes_names_and_balances() -> None:
    text = rendering.render(summarise(made_up.rows(methods=("my_method", "loci-m"))), "latex", FULL)
    assert r"my\_method" in text
    assert text.count(r"\begin") == text.count(r"\end") == 1
    assert r"\textbf{" in text


def test_failed_and_missing_pairs_are_named() -> None:
    rows = made_up.rows(failed=2)
    less = [row for row in rows if not (row.method == "grci" and row.dataset == "LS" and int(row.pair_id) > 15)]
    text = rendering.render(summarise(less))
    assert "mine failed on 2 of 20 pairs of AN" in text
    assert "grci has 15 of the 20 pairs of LS" in text


@pytest.mark.parametrize(("name", "count"), [("AN", "20 of 100"), ("gen:LS:pairs=30", "20 of 30"), ("own", "20")])
def test_a_part_of_a_set_is_not_shown_as_the_whole(name: str, count: str) -> None:
    rows = made_up.rows(sets=(name,), methods=("loci-m", "grci"))
    summary = summarise(rows)
    table, *rest = rendering.render(summary, "md", FULL).split("\n\n")
    assert rest == [f"- {name}: {count} pairs.\n"]
    marked = " of " in count
    assert table.count("†") == (3 if marked else 0)  # two numbers and the heading that explains the mark
    assert rendering.render(summary, "latex", FULL).count(r"$^\dagger$") == (2 if marked else 0)
    assert ("_pairs" in rendering.render(summary, "csv", FULL)) == marked
    assert json.loads(rendering.render(summary, "json", FULL))["notes"] == [f"{name}: {count} pairs"]
    assert f"| {name} | {count} |" in comparison_table(rows, "loci-m", "grci", "accuracy")
    assert f"<small>{count} pairs</small>" in leaderboard(rows)


@pytest.mark.parametrize("form", rendering.FORMS)
def test_nothing_is_said_of_whole_sets_and_their_mean(form: str) -> None:
    rows = made_up.rows(sets=("AN", "gen:LS:pairs=100"), pairs=100, methods=("loci-m",))
    seeds = [*rows, *(replace(row, seed=1) for row in rows)]
    text = rendering.render(summarise(seeds), form, FULL)
    assert all(mark not in text for mark in ("†", "dagger", "100 pairs", "_pairs", " of "))
    assert {"csv": "_pairs"}.get(form, "199 of 200 pairs") in rendering.render(summarise(seeds[:-1]), form, FULL)


def test_a_method_not_run_on_every_set_has_no_mean() -> None:
    rows = [row for row in made_up.rows() if (row.method, row.dataset) != ("grci", "LS")]
    summary = summarise(rows)
    assert math.isnan(summary.value("grci", MEAN))
    line = next(line for line in rendering.render(summary, "md", FULL).split("\n") if line.startswith("| grci"))
    assert line.count("–") >= 2
    assert "nan" not in line


def test_the_newest_version_counts_and_settings_are_kept_apart() -> None:
    old = [replace(row, version="0.0.9", correct=False, score=-row.score) for row in made_up.rows(methods=("loci-m",))]
    new = [replace(row, version="0.0.10") for row in made_up.rows(methods=("loci-m",))]
    assert rendering.render(summarise(old + new)) == rendering.render(summarise(new))
    other = [replace(row, settings_hash="1") for row in new]
    assert summarise(new + other, intervals=False).methods == ("loci-m [0]", "loci-m [1]")


def test_seeds_are_averaged() -> None:
    first = made_up.rows(methods=("loci-m",))
    second = [replace(row, seed=1, correct=not row.correct, score=-row.score) for row in first]
    assert summarise(first + second, intervals=False).value("loci-m", "AN") == pytest.approx(50)


def test_wrong_words_are_sentences() -> None:
    rows = made_up.rows()
    with pytest.raises(InputError, match="accuracy, audrc, auroc"):
        summarise(rows, "luck")
    with pytest.raises(InputError, match="md, csv"):
        rendering.render(summarise(rows), "word")
    with pytest.raises(InputError, match="no rows"):
        rendering.render(summarise([]))
    with pytest.raises(InputError, match="the store has"):
        comparison_table(rows, "loci-m", "nobody", "accuracy")


def test_versus_and_status_list_what_there_is() -> None:
    rows = made_up.rows(failed=1)
    assert comparison_table(rows, "loci-m", "anm-h", "accuracy").count("\n") == 4
    text = store_contents(rows)
    assert "pair 1: it broke" in text
    assert text.count("\n") == 2 + 12


def test_cost_is_kept_out_of_the_main_table() -> None:
    summary = summarise(made_up.rows(), intervals=False)
    assert "seconds" in rendering.cost(summary)
    assert all("seconds" not in rendering.render(summary, form, FULL) for form in rendering.FORMS)


@pytest.mark.parametrize("form", rendering.FORMS)
def test_every_table_with_values_that_cannot_be_verified_says_so(form: str) -> None:
    rows = made_up.rows(sets=("AN", "Cha", "gen:Multi", "Net"))
    sure = made_up.rows(sets=("AN", "gen:Multi"))
    assert re.search("Cha,? Net", rendering.render(summarise(rows), form))
    assert "erified" not in rendering.render(summarise(sure), form)


def test_cost_comparison_status_and_page_say_it_too() -> None:
    rows, sure = made_up.rows(sets=("AN", "Cha")), made_up.rows()
    for text in (lambda given: rendering.cost(summarise(given)), store_contents, leaderboard, _compared):
        assert "Cha: the values cannot be verified" in text(rows)
        assert "be verified" not in text(sure)
    assert leaderboard(rows).count("values unverified") == 1


def _compared(rows: list[Row]) -> str:
    return comparison_table(rows, "loci-m", "anm-m", "accuracy")
