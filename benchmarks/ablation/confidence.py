"""Does the confidence mean what it says, and does the error fall where `whence` is surer?"""

from collections.abc import Mapping

import numpy as np

from ablation.board import Board, markdown
from ablation.measures import Measured, Pooled
from ablation.rows import SHIPPED
from whence.evidence.doubt import LOW

COVERAGES = (1.0, 0.8, 0.5)


def pooled(board: Board, row: str = SHIPPED) -> Pooled:
    """All pairs of a board."""
    return Pooled.of([board.scores[group.name][row] for group in board.sets], board.sets)


def answered(pool: Pooled) -> float:
    """Share of the pairs that are answered without doubt, in per cent."""
    return float(100 * np.average(pool.confidence >= LOW, weights=pool.weight))


def half(pool: Pooled) -> Measured:
    """Error at 80 % coverage over that at full coverage; where the latter is 0 there is nothing to halve."""
    full, most = pool.coverage_error(1.0), pool.coverage_error(0.8)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Measured(most.value / full.value if full.value else 0.0, most.draws / full.draws)


def calibration(boards: Mapping[str, Board]) -> list[str]:
    """Calibration errors, over the pairs answered without doubt and over all."""
    head = ["", "pairs", f"answered: confidence ≥ {100 * LOW:.0f} %", "calibration error, answered", "by chance alone"]
    head += ["confidence − right, answered", "calibration error, all", "by chance alone"]
    rows = []
    for name, board in boards.items():
        pool = pooled(board)
        shown = [f"{pool.calibration_error(least).text(3)}" for least in (LOW, 0.0)]
        chance = [_chance(pool.calibration_by_chance(least)) for least in (LOW, 0.0)]
        lean = pool.overconfidence(LOW).text(3, sign=True)
        counts = [str(len(pool.score)), f"{answered(pool):.0f} %"]
        rows.append([name, *counts, shown[0], chance[0], lean, shown[1], chance[1]])
    return markdown(head, rows)


def risk(boards: Mapping[str, Board]) -> list[str]:
    """Errors at three coverages, and what is left of the error at 80 %."""
    head = ["", *(f"error at {100 * coverage:.0f} %, in %" for coverage in COVERAGES), "80 % over 100 %"]
    rows = [
        [name, *(pooled(board).coverage_error(c).text(1) for c in COVERAGES), half(pooled(board)).text(2)]
        for name, board in boards.items()
    ]
    return markdown(head, rows)


def _chance(expected: Measured) -> str:
    return f"{expected.value:.3f}, up to {np.quantile(expected.draws, 0.95):.3f}"
