"""The fit of the constants: the method's own formulas for arrays, and a file that holds what was found."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from causewise.methods.combined import terms as module
from causewise.methods.combined.method import THRESHOLD, gather_evidence
from causewise.methods.combined.outcomes import NEITHER, WEIGHT, probabilities, weigh_rows
from causewise.methods.combined.terms import FOLDS as SHIPPED_FOLDS
from causewise.methods.combined.terms import TERMS, Term, compute_terms, fold_of
from causewise.pair import FloatArray, Pair
from training import fit, sets, simulator_a
from training.recorded import FOLD_OF, FOLDS, SOURCES, Case
from training.table import Table, read, row, table

SHIPPED = Path(module.__file__).with_name("constants.toml")


def made_up(rng: np.random.Generator, n: int, **columns: FloatArray) -> Table:
    """A table of random contrasts, some columns of it given."""
    drawn: dict[str, Any] = {
        "contrasts": rng.normal(size=(n, len(TERMS))) * [4.0, 2.0, 2.0, 0.7],
        "recorded": rng.choice([0.0, 0.3, 0.95], n),
        "effective_rows": np.exp(rng.uniform(1, 9, n)),
        "distinct": rng.integers(2, 500, n).astype(float),
        "left": rng.uniform(0, 0.05, n),
        "relation_log_p": np.full(n, -50.0),
        "truth": rng.choice([-1.0, 1.0], n),
        "share": np.ones(n),
        "family": np.full(n, "made up"),
        "fold": np.arange(n) % FOLDS,
    }
    return Table(**(drawn | columns))


def labelled(rng: np.random.Generator, n: int, terms: dict[str, Term]) -> Table:
    """A table whose labels follow a known law."""
    found = made_up(rng, n)
    odds = fit.scores(found, terms, WEIGHT)
    return found._replace(truth=np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), 1.0, -1.0))


TRUE = {
    "description": Term(1.5, 4.0),
    "shape": Term(3.0, 2.5),
    "recording": Term(0.6, 2.0),
    "regression": Term(3.0, 0.8),
}


@given(st.integers(0, 10**6))
def test_the_scores_of_a_table_are_those_of_the_method(seed: int) -> None:
    found = made_up(np.random.default_rng(seed), 30)
    for k, score in enumerate(fit.scores(found, TERMS, WEIGHT)):
        terms = compute_terms(dict(zip(TERMS, found.contrasts[k], strict=True)), float(found.recorded[k]))
        weight = weigh_rows(float(found.effective_rows[k]), int(found.distinct[k]))
        assert score == pytest.approx(weight.product * sum(terms.values()), rel=1e-9)


def test_a_row_of_the_table_holds_what_the_method_weighs() -> None:
    drawn = [simulator_a.pair(index, 2) for index in range(6)]
    cases = [Case(pair.x, pair.y, pair.truth, 1.0, pair.family) for pair in drawn]
    found = table(map(row, cases))
    score = fit.scores(found, TERMS, WEIGHT)
    for k, case in enumerate(cases):
        weighed = gather_evidence(Pair.of(case.x, case.y))
        terms = compute_terms(weighed.contrasts, weighed.recording.share)
        assert score[k] == pytest.approx(weighed.weight.product * sum(terms.values()))
        assert (found.truth[k], found.family[k], found.left[k]) == (case.truth, case.family, weighed.left)


def test_tables_are_kept_in_a_file_and_read_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [simulator_a.pair(index, 2) for index in range(3)]
    cases = [Case(pair.x, pair.y, pair.truth, 1.0, pair.family) for pair in drawn]
    monkeypatch.setitem(sets.SETS, "some", lambda: cases)
    first = read("some", tmp_path, 1)
    monkeypatch.setitem(sets.SETS, "some", list)
    for one, other in zip(first, read("some", tmp_path, 1), strict=True):
        assert np.array_equal(one, other)
    assert list(first.family) == [pair.family for pair in drawn]


def test_constants_come_back_from_their_text() -> None:
    rng = np.random.default_rng(0)
    fitted = fit.Fitted(
        [labelled(rng, 200, TRUE), labelled(rng, 200, TRUE)], made_up(rng, 200), labelled(rng, 60, TRUE)
    )
    stored = tomllib.loads(fitted.text)
    for name, term in {**fitted.smooth, **fitted.recorded}.items():
        assert Term(**stored["terms"][name]) == pytest.approx(term, rel=1e-2)
    assert list(stored["terms"]) == list(TERMS) and len(stored["folds"]) == FOLDS
    assert sorted(pair for fold in stored["folds"] for pair in fold["tuebingen"]) == sorted(FOLD_OF)
    shipped = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))
    assert [fold["tuebingen"] for fold in shipped["folds"]] == [fold["tuebingen"] for fold in stored["folds"]]


def test_every_pair_of_a_source_lies_in_one_fold() -> None:
    for pairs in SOURCES.values():
        assert len({fold_of("Tue", str(pair)) for pair in pairs}) == 1
    assert fold_of("AN", "1") is None
    assert {fold_of("Tue", str(pair)) for pair in FOLD_OF} == set(range(FOLDS)) == set(range(len(SHIPPED_FOLDS)))


def test_what_was_set_by_hand_is_what_is_shipped() -> None:
    assert WEIGHT.values == fit.VALUES
    assert NEITHER.smallest == fit.SMALLEST_LEFT
    assert fit.TARGET.resolve() == SHIPPED.resolve()


def test_recording_never_gives_an_answer_alone() -> None:
    for curves in (TERMS, *SHIPPED_FOLDS):
        alone = probabilities(curves["recording"].height, 0.0, 0.0, prior=0.0)
        assert max(alone.values()) < THRESHOLD
    assert max(probabilities(fit.HIGHEST, 0.0, 0.0, prior=0.0).values()) < THRESHOLD


def curve(term: Term, contrasts: FloatArray) -> FloatArray:
    return np.asarray(term.height * np.tanh(contrasts / term.width))


def test_the_curves_find_the_law_that_made_the_labels() -> None:
    rng = np.random.default_rng(0)
    found = labelled(rng, 8000, TRUE)
    smooth, weight = fit.fit_smooth([(found.where(found.recorded == 0), 1.0)])
    recorded = fit.fit_recorded([(found, 1.0)], smooth, weight)
    for name, term in {**smooth, **recorded}.items():
        grid = np.linspace(-1.5, 1.5, 21) * TRUE[name].width
        assert np.max(np.abs(curve(term, grid) - curve(TRUE[name], grid))) < 0.6


def test_a_cue_that_tells_nothing_gets_no_height() -> None:
    rng = np.random.default_rng(1)
    silent = TRUE | {"recording": Term(0.0, 2.0), "regression": Term(1e-9, 0.8)}
    found = labelled(rng, 6000, silent)
    recorded = fit.fit_recorded([(found, 1.0)], {name: TRUE[name] for name in fit.SMOOTH}, WEIGHT)
    assert np.max(np.abs(curve(recorded["recording"], np.linspace(-4, 4, 9)))) < 0.4
    assert np.max(np.abs(curve(recorded["regression"], np.linspace(-1, 1, 9)))) < 0.8


def test_neither_is_likelier_where_more_of_the_relation_is_left() -> None:
    rng = np.random.default_rng(2)
    without = made_up(rng, 3000, left=rng.uniform(0.1, 1.0, 3000))
    oriented = made_up(rng, 3000, left=rng.uniform(0.0, 0.2, 3000))
    found = fit.fit_neither(without, [oriented], TRUE, WEIGHT)
    assert found.left > 0.5
    assert abs(found.score) < 0.2  # the scores of both have one law
