"""What is said about a decision: its stance, its numbers, and how to repeat and cite it."""

import ast
import contextlib
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from specimens import SPECIMENS, WARNINGS, decided, pair, weighed

from causewise.catalogue import CATALOGUE, has_method
from causewise.inference import Answer, infer
from causewise.methods.combined.method import NEITHER_PRIOR
from causewise.report import provenance
from causewise.report.decision_summary import summarise
from causewise.report.decision_wording import (
    Stance,
    badge,
    confidence_or_p,
    density_note,
    group_by_severity,
    halves,
    heading,
    readings,
    sentence,
)
from causewise.report.geometry import SortedColumn
from causewise.report.measures import correlate, list_column_facts, list_measures

STANCES = {
    "clear": Stance.CLEAR,
    "backward": Stance.CLEAR,
    "both fit": Stance.BOTH,
    "neither fits": Stance.NEITHER,
    "contradicted": Stance.CONTRADICTED,
    "tie": Stance.TIE,
    "failed": Stance.FAILED,
    "score only": Stance.UNTESTED,
    "confident": Stance.WEIGHED,
    "confident backward": Stance.WEIGHED,
    "faint": Stance.FAINT,
    "confident without a reason": Stance.WEIGHED,
    "withheld": Stance.WITHHELD,
    "withheld backward": Stance.WITHHELD,
    "no usable lean": Stance.NO_LEAN,
    "stopped": Stance.STOPPED,
    "unrelated": Stance.UNRELATED,
}


@pytest.mark.parametrize("kind", STANCES)
def test_stance_joins_score_and_tests(kind: str) -> None:
    decision = SPECIMENS[kind]
    assert Stance.of(decision) is STANCES[kind]
    assert sum(cell.current for cell in readings(decision)) == (decision.reading is not None)


def test_sentences_name_cause_before_effect() -> None:
    assert "altitude as the cause of temperature" in sentence(SPECIMENS["clear"])
    assert "temperature as the cause of altitude" in sentence(SPECIMENS["backward"])
    assert "altitude as the cause of temperature" in sentence(SPECIMENS["confident without a reason"])


@pytest.mark.parametrize("kind", ["confident", "withheld", "no usable lean", "stopped", "unrelated"])
def test_where_evidence_was_weighed_the_sentence_is_the_reason(kind: str) -> None:
    decision = SPECIMENS[kind]
    assert sentence(decision).split("(")[0].split("+")[0] in decision.explanation
    assert summarise(decision, 100).explanation == ""


def test_badges_say_how_firm_an_answer_is() -> None:
    assert badge(SPECIMENS["confident"]) == "confidence 85 %"
    assert badge(SPECIMENS["unrelated"]) == "unrelated"
    assert badge(SPECIMENS["withheld"]) == "undecided, 72 % for altitude → temperature"
    assert badge(SPECIMENS["withheld backward"]) == "undecided, 71 % for temperature → altitude"
    assert badge(SPECIMENS["no usable lean"]) == "undecided, no usable lean"
    assert badge(SPECIMENS["stopped"]) == "undecided, not scored"
    assert badge(SPECIMENS["tie"]) == "undecided"
    assert not any("{" in badge(decision) for decision in SPECIMENS.values())


def test_unrelated_columns_have_no_confidence_to_show() -> None:
    summary = summarise(SPECIMENS["unrelated"], 100)
    assert (summary.confidence, summary.relation) == ("", "0.74")
    assert "confidence" not in provenance.paragraph(SPECIMENS["unrelated"])


def test_below_a_usable_lean_no_number_reads_like_one() -> None:
    decision = SPECIMENS["no usable lean"]
    summary = summarise(decision, 100)
    assert (summary.confidence, summary.leans, confidence_or_p(decision)) == ("", "", "–")
    assert "no usable lean" in summary.badge and "no usable lean" in summary.sentence
    assert "no usable lean" in str(decision) and "score" not in str(decision)
    assert "no usable lean" in provenance.paragraph(decision)


def test_a_low_threshold_does_not_make_a_coin_an_answer() -> None:
    decision = SPECIMENS["faint"]
    summary = summarise(decision, 100)
    assert decision.cause == "altitude" and summary.stance is Stance.FAINT
    assert re.fullmatch(r"5\d %, little better than a coin", summary.badge)
    assert "little better than a coin" in str(decision)
    assert "little better than a coin" in heading(decision)
    assert "little better than a coin (altitude → temperature 5" in provenance.paragraph(decision)
    assert "coin" not in str(SPECIMENS["confident"]) + str(SPECIMENS["no usable lean"])


def test_a_stopped_pair_shows_its_reason_and_no_number() -> None:
    decision = SPECIMENS["stopped"]
    summary = summarise(decision, 100)
    assert summary.sentence == decision.reason
    assert (summary.confidence, summary.leans, summary.outcomes, summary.sum, summary.bars) == (
        "",
        "",
        None,
        None,
        None,
    )
    assert (summary.measures, summary.terms, confidence_or_p(decision)) == ((), (), "–")
    assert {side.outcome for side in summary.sides} == {"not scored"}
    assert decision.reason in summary.paragraph and "score" not in summary.paragraph.split("causewise")[-1]


def test_warnings_keep_their_level_and_the_worst_comes_first() -> None:
    listed = summarise(SPECIMENS["warned"], 100).warnings
    assert [warned.level for warned in listed] == ["stops", "lowers confidence", "note"]
    assert {warned.text for warned in listed} == set(WARNINGS)
    assert group_by_severity(WARNINGS) == {warned.level: (warned.text,) for warned in listed}
    assert group_by_severity(()) == {}


def test_a_sample_of_the_rows_is_owned_up_to_everywhere() -> None:
    decision = SPECIMENS["thinned"]
    summary = summarise(decision, 100)
    scored = "20\u202f000 of 21\u202f000 rows"
    assert summary.rows == decision.thinned == f"scored on {scored}"
    assert scored in summary.paragraph
    assert summary.drawn.endswith(f"; the curves and tests rest on {scored}.")
    assert density_note(decision, 30_000) == f"The curves and tests rest on {scored}."


@pytest.mark.parametrize(("judged", "words"), [(300, "rest on all rows."), (None, "by the logarithm.")])
def test_of_rows_nothing_is_claimed_that_a_method_does_not_say(judged: int | None, words: str) -> None:
    decision = replace(weighed(pair(300)), rows_judged=judged)
    assert density_note(decision, 100).endswith(words)
    assert density_note(decision, 300) == ""


def test_halves_are_told_and_repeated() -> None:
    decision = SPECIMENS["repeated"]
    assert decision.half_samples is not None
    line = "On 20 random halves of the rows: 95 % lean the same way; score from +0.6 to +1.2."
    assert halves(decision.half_samples) == summarise(decision, 100).halves == line
    assert halves(decision.half_samples._replace(low=-0.0021, high=0.031)).endswith("from −0.0021 to +0.031.")
    assert line in provenance.paragraph(decision)
    assert provenance.command(decision).endswith("--stability")
    assert "decision.stability()" in provenance.python(decision)
    assert 'decision.report("report.html", stability=True)' in provenance.python(decision)


def test_halves_are_drawn_again_with_their_seed(tmp_path: Path) -> None:
    asked = replace(infer(pair(60), seed=3), half_samples=None)
    asked.report(tmp_path / "page.html", stability=True)
    assert "--stability --seed 3" in (tmp_path / "page.html").read_text()
    decision = replace(asked, half_samples=asked.stability(seed=3))
    script = (
        provenance.python(decision).replace('pd.read_csv("FILE.csv")', "TABLE").replace("report.html", "again.html")
    )
    with contextlib.chdir(tmp_path):
        exec(script, {"TABLE": {asked.pair.x_name: asked.pair.x, asked.pair.y_name: asked.pair.y}})
    assert (tmp_path / "again.html").read_text() == (tmp_path / "page.html").read_text()


def test_the_paragraph_says_what_came_of_the_threshold() -> None:
    assert "the answer was altitude → temperature" in provenance.paragraph(SPECIMENS["confident"])
    told = provenance.paragraph(SPECIMENS["withheld"])
    assert "a confidence of 72 %, below the 80 % asked for (altitude → temperature 72 %, " in told
    assert "neither 10 %): no direction was given" in told


def test_the_paragraph_states_the_prior_of_neither() -> None:
    prior = f"that neither causes the other had a prior of {100 * NEITHER_PRIOR:g} %"
    assert prior in provenance.paragraph(SPECIMENS["confident"])
    for kind in ("direct", "clear"):
        assert "assumes that one of the two columns causes the other" in provenance.paragraph(SPECIMENS[kind])


def test_numbers_favour_the_better_side() -> None:
    decision = SPECIMENS["clear"]
    rows = {row.name: row for row in list_measures(decision)}
    assert (rows["Score"].favours, rows["Independence test, p"].favours) == ("forward", "forward")
    assert rows["HSIC"].favours == rows["Log-likelihood"].favours == ""
    assert rows["Independence test, p"].backward == "2×10⁻⁹ (rejected)"
    less = replace(decision.backward, hsic=0.001)
    assert {row.name: row.favours for row in list_measures(replace(decision, backward=less))}["HSIC"] == "backward"


def test_methods_without_a_number_have_no_row_for_it() -> None:
    assert [row.name for row in list_measures(SPECIMENS["score only"])] == ["Score"]
    assert list_measures(SPECIMENS["failed"]) == ()


def test_variance_explained_is_the_coefficient_of_determination() -> None:
    rows = pair(400)
    decision = decided(rows)
    line = stats.linregress(rows.x, rows.y)
    fitted = line.intercept + line.slope * rows.x
    shown = {
        row.name: row.forward
        for row in list_measures(replace(decision, forward=replace(decision.forward, location=fitted)))
    }
    assert shown["Variance explained"] == f"{100 * line.rvalue**2:.3g} %"


@pytest.mark.parametrize("kind", ["clear", "tied values", "huge values"])
def test_correlations_agree_with_scipy(kind: str) -> None:
    rows = SPECIMENS[kind].pair
    shrunk = rows.x / np.abs(rows.x).max(), rows.y / np.abs(rows.y).max()
    expected = stats.pearsonr(*shrunk).statistic, stats.spearmanr(*shrunk).statistic
    np.testing.assert_allclose(correlate(rows, SortedColumn.of_both(rows)), expected, rtol=1e-10)
    assert all(fact.x and fact.y for fact in list_column_facts(rows, SortedColumn.of_both(rows)))


def test_fingerprint_tells_data_apart_and_not_names() -> None:
    assert provenance.fingerprint(pair(x="a")) == provenance.fingerprint(pair(x="b"))
    assert provenance.fingerprint(pair()) != provenance.fingerprint(pair().swap())


def test_the_command_survives_a_shell() -> None:
    words = shlex.split(provenance.command(decided(pair(x='it\'s "rain" $HOME; rm', y="river flow"))))
    assert words[words.index("-x") + 1] == 'it\'s "rain" $HOME; rm'
    assert words[words.index("-y") + 1] == "river flow"
    assert words[:2] == ["causewise", "infer"]


def test_compared_methods_are_asked_again() -> None:
    decision = SPECIMENS["confident"]
    others = [Answer("igci", SPECIMENS["score only"], 0.2), Answer("mdl:k=1", SPECIMENS["failed"], 1.5)]
    answers = [Answer("causewise", decision, 0.1), *others]
    for asked in (answers, others):
        words = shlex.split(provenance.command(decision, asked))
        assert words[words.index("--method") + 1] == "causewise,igci,mdl:k=1"
        assert "decision.report(\"report.html\", methods=['igci', 'mdl:k=1'])" in provenance.python(decision, asked)
    assert summarise(decision, 100, others).command == provenance.command(decision, others)
    assert "methods=" not in provenance.python(decision)


def test_the_paragraph_is_made_of_sentences_and_has_the_warnings() -> None:
    told = provenance.paragraph(SPECIMENS["warned"])
    assert "Warnings about these rows: The rows are few. The fit took long. On a line. " in told
    assert "roughly, and adds up description length" in told
    assert "noise, smooth f and g, and noise independent of the cause." in provenance.paragraph(SPECIMENS["clear"])
    assert provenance.paragraph(SPECIMENS["stopped"]).count("takes only 2 distinct values") == 1


def test_settings_that_differ_from_the_defaults_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "defaults", lambda name: {"n_knots": 25, "degree": 5, "seed": 0})
    decision = replace(SPECIMENS["clear"], settings={"n_knots": 15, "degree": 5, "inner": 1}, seed=3)
    assert provenance.specification(decision) == "loci-h:n_knots=15:seed=3"
    assert "method='loci-h:n_knots=15:seed=3'" in provenance.python(decision)


def test_left_out_rows_are_repeated_and_reported() -> None:
    decision = SPECIMENS["dropped rows"]
    assert provenance.command(decision).endswith("--nan-policy omit")
    assert 'nan_policy="omit"' in provenance.python(decision)
    assert "3 left out" in provenance.paragraph(decision)


def test_the_python_snippet_asks_for_the_same_decision() -> None:
    for decision in SPECIMENS.values():
        tree = ast.parse(provenance.python(decision))
        (call,) = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "causewise.infer")
        asked = [ast.literal_eval(each) for each in call.args[1:]]
        assert asked == [decision.pair.x_name, decision.pair.y_name]
        method = next(ast.unparse(word.value) for word in call.keywords if word.arg == "method")
        assert method == (repr(provenance.specification(decision)) if has_method(decision.method) else "OBJECT")


@pytest.mark.parametrize("kind", SPECIMENS)
def test_paragraph_and_bibtex_hold_for_every_kind(kind: str) -> None:
    decision = SPECIMENS[kind]
    text, entries = provenance.paragraph(decision), provenance.bibtex(decision)
    assert decision.method in text and "no hidden cause" in text and text.endswith(".")
    assert entries.count("{") == entries.count("}")
    assert entries.startswith("@software{causewise,")
    assert ("immer2023" in entries) == decision.method.startswith(("loci", "causewise"))
    assert ("gretton2007" in entries) == (decision.forward.p_value is not None)


def test_every_citation_has_its_entry_and_its_label() -> None:
    library = provenance.bibliography()
    cited = {key for entry in CATALOGUE for key in entry.cites} | {"gretton2007kernel"}
    assert cited == set(library)
    labels = {paper.label for paper in library.values()}
    assert {"Immer et al., 2023", "Hyvärinen and Smith, 2013", "Fonollosa, 2019", "Blöbaum et al., 2018"} <= labels
    assert not any(set("{}\\") & set(label) for label in labels)


def test_every_method_of_the_catalogue_is_cited() -> None:
    # The control rules are nobody's method: they exist to be beaten.
    names = [entry.name for entry in CATALOGUE if not entry.name.startswith("control-")]
    assert [name for name in names if not provenance.references(name)] == []


def test_a_method_from_elsewhere_is_summarised_too() -> None:
    summary = summarise(SPECIMENS["unknown method"], 100)
    assert summary.entry is None
    assert ("seed", "7") in summary.settings
