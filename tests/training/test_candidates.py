"""What is tried as a fourth term: contrasts that negate with the columns, and files a candidate of its own."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from training import sets, tried
from training.candidates import CANDIDATES, FROM_FITS, METHODS, contrasts_of
from training.sets import Case
from whence.catalogue import entry, method
from whence.pair import Pair

ONE_WAY = ("slope", "heci", "grci")
"""As published they count a column from its smallest value (`test_reflection`): not to be taken in as they are."""
QUICK = tuple(name for name in CANDIDATES if name not in (*tried.SLOW, "velocity"))
"""The tests over the catalogue hold every method to these properties; here it is their forms."""


def drawn(seed: int) -> Pair:
    """A bent relation whose noise grows, one column rounded."""
    rng, n = np.random.default_rng(seed), 150
    x = np.round(rng.gamma(3.0, size=n), 1)
    return Pair.of(x, np.log1p(x) + 0.1 * (1 + x) * rng.normal(size=n))


@pytest.mark.parametrize("name", QUICK)
def test_exchanging_the_columns_negates_a_contrast(name: str) -> None:
    pair = drawn(0)
    (there,), (back,) = contrasts_of(pair, [name]), contrasts_of(Pair.of(pair.y, pair.x), [name])
    assert there == -back != 0.0


@pytest.mark.parametrize("name", QUICK)
def test_neither_units_nor_signs_nor_the_order_of_rows_matter(name: str) -> None:
    pair = drawn(1)
    mixed = np.random.default_rng(2).permutation(pair.n)
    (there,) = contrasts_of(pair, [name])
    sign = 1.0 if name in ONE_WAY else -1.0
    for x, y in ((3.0 * pair.x + 7.0, sign * pair.y), (pair.x[mixed], pair.y[mixed])):
        (again,) = contrasts_of(Pair.of(x, y), [name])
        assert again == pytest.approx(there, rel=1e-6, abs=1e-9)


def test_a_candidate_is_the_same_alone_and_among_others() -> None:
    pair = drawn(3)
    together = contrasts_of(pair, QUICK)
    assert together == [value for name in QUICK for value in contrasts_of(pair, [name])]


def test_forms_keep_the_sign_of_the_method() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    pair = Pair.of(x, np.tanh(x) + 0.3 * rng.normal(size=200))  # no ties: methods see the very columns
    for name in set(QUICK) - set(FROM_FITS):
        (decision,) = method(name).decide_many([pair])
        assert np.sign(METHODS[name](decision)) == np.sign(decision.score), name


def test_a_method_that_refuses_a_pair_says_nothing() -> None:
    rng = np.random.default_rng(5)
    few = Pair.of(rng.normal(size=20), rng.normal(size=20))  # no bin of cds holds enough rows
    assert method("cds").decide_many([few])[0].failure
    assert contrasts_of(few, ["cds"]) == [0.0]


def test_candidates_are_methods_of_the_catalogue() -> None:
    assert {entry(name).name for name in METHODS} == set(METHODS)
    assert set(tried.SLOW) <= set(METHODS) and all(set(part) <= set(sets.SETS) for part in tried.SLOW.values())


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    cases = [Case(pair.x, pair.y, 1, 1.0, "drawn") for pair in map(drawn, range(7))]
    monkeypatch.setitem(sets.SETS, "first", lambda: cases)
    return cases


def test_a_candidate_is_added_without_reading_the_others_anew(tmp_path: Path, few_cases: list[Case]) -> None:
    one = tried.read(tmp_path, "first", ["slope"], 1)
    kept = tried.file_of(tmp_path, "first", "slope")
    before = kept.read_bytes(), kept.stat().st_mtime_ns
    both = tried.read(tmp_path, "first", ["igci", "slope"], 1)
    assert (kept.read_bytes(), kept.stat().st_mtime_ns) == before
    assert np.array_equal(both[:, 1:], one)
    assert both[2].tolist() == contrasts_of(Pair.of(few_cases[2].x, few_cases[2].y), ["igci", "slope"])


def test_a_slow_candidate_reads_every_so_many_pairs(
    tmp_path: Path, few_cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tried, "SLOW", {"reci": {"first": 3}})
    found = tried.read(tmp_path, "first", ["igci", "reci"], 1)
    assert len(found) == len(few_cases)
    assert np.flatnonzero(~np.isnan(found[:, 1])).tolist() == [0, 3, 6]
    assert not np.isnan(found[:, 0]).any()
    monkeypatch.setitem(tried.SLOW, "reci", {"first": 0})
    assert np.isnan(tried.read(tmp_path / "none", "first", ["reci"], 1)).all()


def test_shuffled_pairs_keep_their_columns_and_lose_their_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sets.COUNT, "foreign", 2)
    kept = 0
    for there, shuffled in zip(sets.foreign_pairs(), sets.shuffled_pairs(), strict=True):
        assert np.array_equal(there.x, shuffled.x) and np.array_equal(np.sort(there.y), np.sort(shuffled.y))
        assert (there.truth, there.family) == (shuffled.truth, shuffled.family)
        kept += abs(np.corrcoef(shuffled.x, shuffled.y)[0, 1]) > 0.3
    assert kept == 0
