"""Is `whence` below a marginal-only control in some cell of the grid?

Two steps, so that looking at many cells costs little power. On the first pairs every cell is named in which a control
is right more often than `whence`, by however little. On fresh pairs, each of these (cell, control) is put to an exact
one-sided sign test on the pairs where just one of the two is right (McNemar); Holm's correction keeps the chance of
even one false alarm at 5 %.

Damage to one column alone gives the label away to a rule about that very damage: where the cause is rounded, "fewer
distinct values" is right by construction, and wrong by construction in the mirror image, where the effect is. *With its
mirror image* is the accuracy over both cells, on the first pairs: what is left of the rule when nobody tells it which
column was damaged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ablation.board import Board, markdown
from ablation.rows import SHIPPED
from ablation.store import CONTROLS

LEVEL = 0.05


@dataclass(frozen=True)
class Below:
    """One cell, one control, on fresh pairs."""

    cell: str
    control: str
    pairs: int
    ours: float
    theirs: float
    only_ours: int
    only_theirs: int
    p_value: float
    corrected: float = math.nan


def suspicious(board: Board) -> list[tuple[str, str]]:
    """(cell, control) where the control has more pairs right."""
    return [
        (group.name, control)
        for group in board.sets
        for control in CONTROLS
        if _right(board, group.name, control).sum() > _right(board, group.name, SHIPPED).sum()
    ]


def looked_at_again(fresh: Board, named: Sequence[tuple[str, str]]) -> list[Below]:
    """The tests, the smallest p-value first."""
    tests = sorted((_test(fresh, cell, control) for cell, control in named), key=lambda test: test.p_value)
    corrected = holm([test.p_value for test in tests])
    return [Below(**{**vars(test), "corrected": p}) for test, p in zip(tests, corrected, strict=True)]


def one_sided(wins: int, losses: int) -> float:
    """P(at least so many losses) if either were as likely: small where the control is truly ahead."""
    total = wins + losses
    return sum(math.comb(total, k) for k in range(losses, total + 1)) / 2**total


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected p-values of an ascending list."""
    steps = [min(1.0, (len(p_values) - i) * p) for i, p in enumerate(p_values)]
    return [max(steps[: i + 1]) for i in range(len(steps))]


def mirror(cell: str) -> str | None:
    """The cell in which the other column is damaged."""
    for one, other in (("-cause", "-effect"), ("-effect", "-cause")):
        if cell.endswith(one):
            return cell.removesuffix(one) + other
    return None


def table(tests: Sequence[Below], first: Board) -> list[str]:
    """One line a test; bold where the control is ahead beyond chance. `first` holds the first pairs of every cell."""
    head = ["cell", "control", "pairs", "`whence` right", "control right", "only `whence`", "only control", "p"]
    head += ["p (Holm)", "`whence` with its mirror image"]
    rows = []
    for t in tests:
        p = f"{t.corrected:.2g}"
        shares = (f"{100 * t.ours:.0f} %", f"{100 * t.theirs:.0f} %")
        counts = (str(t.only_ours), str(t.only_theirs))
        name = t.cell.removeprefix("grid/")
        rows.append([name, t.control.removeprefix("control-"), str(t.pairs), *shares, *counts, f"{t.p_value:.2g}"])
        rows[-1] += [f"**{p}**" if t.corrected < LEVEL else p, _with_mirror(first, t)]
    return markdown(head, rows)


def _with_mirror(first: Board, test: Below) -> str:
    other = mirror(test.cell)
    if other not in first.scores:
        return ""
    means = [
        np.mean([_right(first, cell, row).mean() for cell in (test.cell, other)]) for row in (SHIPPED, test.control)
    ]
    return f"{100 * means[0]:.0f} %, control {100 * means[1]:.0f} %"


def _test(fresh: Board, cell: str, control: str) -> Below:
    ours, theirs = (_right(fresh, cell, row) for row in (SHIPPED, control))
    wins, losses = int(np.sum(ours & ~theirs)), int(np.sum(theirs & ~ours))
    means = (float(ours.mean()), float(theirs.mean()))
    return Below(cell, control, len(ours), *means, wins, losses, one_sided(wins, losses))


def _right(board: Board, cell: str, row: str) -> NDArray[np.bool_]:
    group = next(group for group in board.sets if group.name == cell)
    return np.asarray(board.scores[cell][row] * group.truth > 0)
