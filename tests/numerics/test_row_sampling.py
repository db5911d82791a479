"""Sampled rows: about as many as asked for, a fair sample; their keys look random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics.row_sampling import sample_rows, scramble


@given(n=st.integers(10, 400), rows=st.integers(10, 400))
def test_sampling_keeps_about_the_rows_asked_for(n: int, rows: int) -> None:
    x, y = np.random.default_rng(n).normal(size=(2, n))
    kept = sample_rows(x, y, rows)
    assert min(n, rows) <= len(kept) <= min(n, rows) + 3
    assert np.array_equal(kept, np.unique(kept))


@pytest.mark.parametrize("places", [0, 1])
def test_sampling_keeps_about_the_rows_asked_for_of_rounded_columns(places: int) -> None:
    """Equal keys are those of a row and its mirror images, four at most."""
    rng = np.random.default_rng(1)
    x, y = np.round(rng.normal(size=(2, 5000)), places)
    assert 1000 <= len(sample_rows(x, y, 1000)) <= 1003


def test_short_tables_are_kept_whole() -> None:
    x, y = np.random.default_rng(2).normal(size=(2, 120))
    assert np.array_equal(sample_rows(x, y, 120), np.arange(120))


def test_the_kept_rows_are_a_fair_sample() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 8000))
    kept = sample_rows(x, y, 2000)
    for column in (x, y, x * y, x**2):
        assert abs(column[kept].mean() - column.mean()) < 4 * column.std() / np.sqrt(2000)


def test_scrambled_words_differ_and_look_random() -> None:
    words = scramble(np.arange(50_000, dtype=np.uint64))
    assert len(np.unique(words)) == len(words)
    bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert np.all(np.abs(bits.mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(len(words)))
