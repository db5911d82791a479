"""The shortened form of `make fuzz`: the whole hostile corpus and a few drawn examples of every subject."""

import pytest
import subjects  # noqa: F401  # entering the subjects is what it is imported for
from harness import SUBJECTS, Subject, Tally, fuzz, table, try_corpus, try_drawn
from hypothesis import strategies as st


@pytest.mark.parametrize("name", SUBJECTS)
def test_nothing_fails(name: str) -> None:
    tally = Tally()
    try_corpus(SUBJECTS[name], tally)
    try_drawn(SUBJECTS[name], tally, examples=8, number=0)
    assert not tally.failures
    assert tally.tried >= 8


def test_a_failure_is_found_counted_and_shown() -> None:
    def fragile(value: int) -> None:
        assert value < 5

    weak, tally = Subject("fragile", fragile, st.integers(0, 100), lambda: (1, 7)), Tally()
    try_corpus(weak, tally)
    assert (tally.tried, len(tally.failures)) == (2, 1)
    try_drawn(weak, tally, examples=50, number=0)
    assert tally.failures[1].startswith("[5]:")
    assert "| fragile |" in table({"fragile": tally})


def test_the_same_seed_tries_the_same_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = [[], []]
    for heard in seen:
        monkeypatch.setitem(SUBJECTS, "heard", Subject("heard", heard.append, st.integers(), lambda: (1,)))
        fuzz(["heard"], seconds=0, number=3)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > 5
