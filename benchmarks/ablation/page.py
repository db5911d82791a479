"""The page `docs/whence-ablation.md`: every number on it comes from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

from ablation import aims, bending, confidence, controls, cost, spline_or_network
from ablation.board import METRICS, Board, by_axis, by_set, markdown, overview
from ablation.controls import Below
from ablation.cost import Costs
from ablation.rows import SHIPPED
from ablation.sets import AGAIN, PAIRS, SEED, SHORT
from ablation.store import NETWORKS
from ablation.warps import MECHANISMS, ROWS
from whence.evidence.doubt import LOW

COMMAND = """    python benchmarks/whence_networks.py              (some networks; a quarter of an hour on one core)
    python benchmarks/whence_ablation.py --jobs 2     (everything else)"""

INTRO = f"""\
# What `whence` reaches, and what each channel is worth

{COMMAND}

write this page and its pictures; what is computed is kept under `out/ablation`, and only what has changed is computed
again. Recorded sets are read where WHENCE_DATA is set. Generated pairs have the seed {SEED}, which no training and no
choice has seen.

Accuracy and AUDRC in per cent. In brackets: 95 % intervals over 2000 resamples of the pairs (cells of one axis of the
grid together, since their pairs start from the same random numbers; sets one by one); a set without an error has an
interval of no width, for which 97 … 100 is the honest reading at 100 pairs. Differences are taken pair by pair; bold
where the interval leaves out zero. No answer counts as wrong, as that of control-distinct where no value repeats. Worst
tenth: the 9 cells with the lowest accuracy, chosen by the same pairs, so rather too low.

`{SHIPPED}` is the method as shipped. *only* and *without* are the combination fitted anew with some channels silent, on
generated training pairs only.
"""


COST = (
    "CPU time of one decision on one thread, the fastest of three after one that compiles; five pairs, from five cells "
    "of the grid, for every number of rows. Taken on a shared machine: only ratios travel."
)
SETS = {"recorded": "Recorded sets", "alike": "Look-alikes"}


@dataclass(frozen=True)
class Findings:
    """All that the page shows."""

    boards: Mapping[str, Board]
    """grid, alike, warps and, where there are data, recorded."""
    tests: Sequence[Below]
    networks: Board | None
    costs: Costs
    training: int


def pools(boards: Mapping[str, Board]) -> dict[str, Board]:
    """Kinds of data over which confidence is judged."""
    found = {"grid": boards["grid"], "look-alikes": boards["alike"]}
    if "recorded" in boards:
        recorded = boards["recorded"]
        found["recorded sets"] = recorded
        found["Tübingen alone"] = Board([g for g in recorded.sets if g.name == "Tue"], recorded.scores)
    return found


def page(found: Findings) -> str:
    """The whole page."""
    parts = [INTRO, f"Training pairs: {found.training}.", "", "## Aims", ""]
    parts += aims.table(found.boards, pools(found.boards), found.networks, found.tests, found.costs)
    parts += _sets(found.boards, list(SETS)) + _grid(found) + _warps(found.boards["warps"])
    parts += _networks(found) + _confidence(found.boards) + ["", "## Cost", "", *_wrapped(COST), ""]
    parts += [*cost.table(found.costs), "", "## In detail", *_detail(found.boards)]
    return "\n".join(parts) + "\n"


def _grid(found: Findings) -> list[str]:
    board = found.boards["grid"]
    pairs = len(board.sets[0])
    lines = ["", f"## Robustness grid: {len(board.sets)} cells, {pairs} pairs each", "", *overview(board, True)]
    lines += ["", "![Accuracy of every method in every cell](pictures/whence-grid.png)", ""]
    lines += ["### Cells and marginal-only controls", ""]
    for paragraph in (controls.__doc__ or "").split("\n\n")[1:]:
        lines += [paragraph.strip(), ""]
    return [*lines, f"Fresh pairs: seed {AGAIN}.", "", *controls.table(found.tests, board)]


def _sets(boards: Mapping[str, Board], kinds: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for kind in kinds:
        if kind in boards:
            board = boards[kind]
            lines += ["", f"## {SETS[kind]}: mean of {len(board.sets)} sets", "", *overview(board, False)]
    return lines


def _detail(boards: Mapping[str, Board]) -> list[str]:
    lines: list[str] = []
    for metric, name in METRICS.items():
        lines += ["", f"### Grid, axis by axis (number of cells): {name}", "", *by_axis(boards["grid"], metric)]
    for kind in (kind for kind in SETS if kind in boards):
        for metric, name in METRICS.items():
            lines += ["", f"### {SETS[kind]}: {name}", "", *by_set(boards[kind], metric)]
    return lines


def _warps(board: Board) -> list[str]:
    about = (
        "Laws and increasing maps that the training did not contain (`benchmarks/ablation/warps.py`); mechanisms "
        f"{', '.join(MECHANISMS)}; {ROWS} rows; {len(board.sets[0])} pairs for each kind of map. *ingredients*: cause "
        "and noise are bent before the mechanism acts. *columns*: what is recorded is bent, which takes away whatever "
        "only a particular scale shows. The three conditions of a pair share all random numbers."
    )
    return [
        "",
        "## Warped causes, noises and columns: accuracy",
        "",
        *_wrapped(about),
        "",
        *bending.table(board, board.rows),
    ]


def _networks(found: Findings) -> list[str]:
    lines = ["", "## Spline or network", ""]
    if found.networks is None:
        return [*lines, "Not run: `benchmarks/whence_networks.py` has left no networks."]
    board = found.networks
    about = (
        f"{len(board.sets[0])} pairs, {PAIRS['small']} of each cell of the grid whose rows are no matter or few, with "
        f"{SHORT} rows where the cell does not say; networks in single precision, otherwise as published. Readings "
        "rest on splines (knots by BIC) or on networks; the combinations of the last two lines are fitted crosswise on "
        "these few pairs, so they say which regression serves better, not how good the combination can be."
    )
    beside = "On the same pairs, beside `whence` (cgnn takes minutes a pair on a CPU and was not run):"
    rows = [row for row in (SHIPPED, *NETWORKS) if row in board.rows]
    lines += [*_wrapped(about), "", *spline_or_network.table(board), "", beside, ""]
    return lines + markdown(["", "accuracy", f"`{SHIPPED}` − row"], [_beside(board, row) for row in rows])


def _wrapped(text: str) -> list[str]:
    return fill(text, 118).split("\n")


def _beside(board: Board, row: str) -> list[str]:
    return [row, board.over(row, "accuracy").text(1), board.ahead(row, "accuracy").text(1, sign=True)]


def _confidence(boards: Mapping[str, Board]) -> list[str]:
    found = pools(boards)
    about = (
        "Calibration error: ten bins of equal width on [½, 1]. It cannot be 0 on few pairs: *by chance alone* is what "
        "a confidence that is exactly right would show on as many, in the mean and at most in 19 cases of 20. Where "
        "confidence − right is below zero, answers are right more often than they promise. Below "
        f"{100 * LOW:.0f} % confidence no answer is given; accuracies in all other tables count the leaning."
    )
    lines = [
        "",
        "## Confidence",
        "",
        *_wrapped(about),
        "",
        *confidence.calibration(found),
        "",
        *confidence.risk(found),
        "",
    ]
    return [*lines, "![Risk against coverage](pictures/whence-risk.png)"]
