"""What warping cause and noise, or the recorded columns, does to accuracy."""

from collections.abc import Sequence

from ablation.board import Board, markdown
from ablation.measures import Measured, mean
from ablation.rows import SHIPPED
from ablation.warps import CONDITIONS, WARPS


def table(board: Board, rows: Sequence[str]) -> list[str]:
    """Accuracy in the three conditions, and both differences to the unwarped, pair by pair."""
    head = ["", *CONDITIONS, *(f"{name} − plain" for name in CONDITIONS[1:])]
    lines = [_line(f"{SHIPPED}, {warp}", board, SHIPPED, [warp]) for warp in WARPS]
    return markdown(head, [_line(row, board, row, list(WARPS)) for row in rows] + lines)


def change(board: Board, condition: str, row: str = SHIPPED, warps: Sequence[str] = tuple(WARPS)) -> Measured:
    """Accuracy in a condition − accuracy of the same pairs unwarped."""
    return _mean(board, row, warps, condition) - _mean(board, row, warps, CONDITIONS[0])


def _line(name: str, board: Board, row: str, warps: list[str]) -> list[str]:
    shown = [_mean(board, row, warps, condition).text(1) for condition in CONDITIONS]
    return [name, *shown, *(change(board, c, row, warps).text(1, sign=True) for c in CONDITIONS[1:])]


def _mean(board: Board, row: str, warps: Sequence[str], condition: str) -> Measured:
    wanted = {f"warps/{warp}/{condition}" for warp in warps}
    return mean([board.cell(row, group, "accuracy") for group in board.sets if group.name in wanted])
