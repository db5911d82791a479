"""The two figures: the grid as a heat map, and risk against coverage."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ablation.board import Board
from ablation.measures import Pooled, worst
from ablation.rows import SHIPPED
from ablation.store import CONTROLS, SINGLE
from whence.benchmark.figures.heat import heat_map
from whence.benchmark.figures.risk import risk_coverage
from whence.benchmark.figures.style import look, save
from whence.benchmark.metrics import Scored

DRAWN = (SHIPPED, "mdl", "loci-h", "grci")
"""Lines of the risk–coverage figure."""


def draw_grid(board: Board, folder: Path) -> None:
    """`whence-grid.png`: `whence`, then single methods by their mean, then controls."""
    means = {row: board.over(row, "accuracy").value for row in board.rows}
    single = sorted((row for row in SINGLE if row in means), key=lambda row: -means[row])
    rows = [SHIPPED, *single, *CONTROLS]
    values = np.array([[board.cell(row, group, "accuracy").value for row in rows] for group in board.sets])
    above = {
        "mean of all cells": np.array([means[row] for row in rows]),
        "worst tenth of cells": np.array([board.over(row, "accuracy", worst).value for row in rows]),
    }
    cells = [group.name.removeprefix("grid/") for group in board.sets]
    with look():
        lighten(*save(heat_map(values, cells, rows, above), folder, "whence-grid", ("png",)))


def draw_risk(pools: Mapping[str, Board], folder: Path) -> None:
    """`whence-risk.png`: a panel a kind of data."""
    drawn, resamples = {}, {}
    for name, board in pools.items():
        found = {row: Pooled.of([board.scores[g.name][row] for g in board.sets], board.sets) for row in DRAWN}
        drawn[name] = {row: Scored.of(pool.score, pool.truth, pool.weight) for row, pool in found.items()}
        resamples[name] = found[SHIPPED].indices[:400]
    with look():
        lighten(*save(risk_coverage(drawn, resamples), folder, "whence-risk", ("png",)))


def lighten(path: Path) -> None:
    """128 colours are enough for these, at a fifth of the bytes."""
    from PIL import Image

    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
