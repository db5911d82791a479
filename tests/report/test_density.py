"""Hexagons: every row is counted once, in the cell whose centre is the nearest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from causewise.report.density import LEVELS, hexagons

ROWS = st.integers(1, 400)


def cells(n: int, seed: int, across: float, down: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 2)) * (3.0, 100.0)
    box = (-20.0, 20.0), (-600.0, 600.0)
    shades, most = hexagons(rows[:, 0], rows[:, 1], *box, across, down)
    centres = np.concatenate([np.column_stack([shade.x, shade.y]) for shade in shades])
    levels = np.concatenate([np.full(len(shade.x), shade.level) for shade in shades])
    # In distances of two neighbours, in which the cells are regular.
    unit = np.array([across / 40, down / 1200])
    return rows * unit, centres * unit, levels, most


@given(ROWS, st.integers(0, 99), st.floats(5, 60), st.floats(5, 60))
def test_rows_lie_in_their_nearest_cell(n: int, seed: int, across: float, down: float) -> None:
    rows, centres, _, most = cells(n, seed, across, down)
    tree = cKDTree(centres)
    distance, nearest = tree.query(rows)
    assert distance.max() <= 1 / math.sqrt(3) + 1e-9  # no row is further than a corner from its centre
    assert set(nearest) == set(range(len(centres)))  # and no cell is empty
    assert abs(np.bincount(nearest).max() - most) <= 1  # but for a row on an edge


@pytest.mark.parametrize("seed", [0, 1])
def test_neighbours_are_one_apart_and_darker_cells_hold_more(seed: int) -> None:
    rows, centres, levels, _ = cells(5000, seed, 40.0, 30.0)
    apart = cKDTree(centres).query(centres, 2)[0][:, 1]
    np.testing.assert_allclose(apart[apart < 1.5], 1.0, rtol=1e-9)
    held = np.bincount(cKDTree(centres).query(rows)[1], minlength=len(centres))
    assert {1, LEVELS} <= set(levels.tolist())
    means = [held[levels == level].mean() for level in np.unique(levels)]
    assert means == sorted(means)
