"""What `whence` was to reach, and how far it got: every aim a number with its interval."""

from collections.abc import Mapping, Sequence

from ablation.bending import change
from ablation.board import Board, markdown
from ablation.confidence import half, pooled
from ablation.controls import LEVEL, Below, mirror
from ablation.cost import Costs
from ablation.measures import Measured, worst
from ablation.rows import SHIPPED
from ablation.store import NETWORKS, SINGLE
from whence.evidence.doubt import LOW

Line = list[str]


def table(
    boards: Mapping[str, Board],
    pools: Mapping[str, Board],
    networks: Board | None,
    tests: Sequence[Below],
    costs: Costs,
) -> list[str]:
    """One line an aim."""
    lines = _recorded(boards["recorded"]) if "recorded" in boards else []
    lines.append(_above("every single method", boards["grid"], SINGLE))
    lines += [_above("every network", networks, NETWORKS)] if networks else []
    lines += [_worst(boards["grid"]), _controls(tests, len(boards["grid"].sets))]
    lines += [_warped(boards["warps"]), *_confidence(pools), *_costs(costs)]
    return markdown(["aim", "reached, with 95 % interval", "holds"], lines)


def _recorded(board: Board) -> list[Line]:
    tue = [group for group in board.sets if group.name == "Tue"]
    classic = [group for group in board.sets if group.name in ("AN", "ANs", "LS", "LSs", "MNU")]
    least = min((board.cell(SHIPPED, group, "accuracy") for group in classic), key=lambda cell: cell.value)
    return [
        _at_least("mean of the ten recorded sets, accuracy", 93, board.over(SHIPPED, "accuracy")),
        _at_least("mean of the ten recorded sets, AUDRC", 97, board.over(SHIPPED, "audrc")),
        _at_least("Tübingen, accuracy", 78, board.over(SHIPPED, "accuracy", sets=tue)),
        _at_least("Tübingen, AUDRC", 88, board.over(SHIPPED, "audrc", sets=tue)),
        _at_least("AN, ANs, LS, LSs, MNU: the lowest accuracy", 99.5, least),
    ]


def _above(whom: str, board: Board, rows: Sequence[str]) -> Line:
    means = {row: board.over(row, "accuracy") for row in rows if row in board.rows}
    best = max(means, key=lambda row: means[row].value)
    ahead = board.ahead(best, "accuracy")
    return [
        f"grid: mean accuracy above {whom} (best: {best}, {means[best].value:.1f})",
        f"{board.over(SHIPPED, 'accuracy').text(1)}; ahead by {ahead.text(1, sign=True)}",
        _verdict(ahead.value > 0, ahead.bounds[0] > 0),
    ]


def _worst(board: Board) -> Line:
    return _at_least("grid: worst tenth of the cells, accuracy", 60, board.over(SHIPPED, "accuracy", worst))


def _controls(tests: Sequence[Below], cells: int) -> Line:
    found = [t for t in tests if t.corrected < LEVEL]
    given_away = [t for t in found if mirror(t.cell)]
    reached = f"{_named([t for t in found if t not in given_away])}; {len({t.cell for t in tests})} of {cells} cells "
    reached += f"were looked at again; where damage to one column gives the label away: {_named(given_away)}"
    return ["grid: no cell below a marginal-only control beyond noise", reached, "no" if found else "yes"]


def _named(tests: Sequence[Below]) -> str:
    return ", ".join(f"{t.cell.removeprefix('grid/')} ({t.control.removeprefix('control-')})" for t in tests) or "none"


def _warped(board: Board) -> Line:
    fall = change(board, "ingredients")
    holds = _verdict(fall.value >= 0, fall.bounds[1] >= 0)
    return ["accuracy does not fall when cause and noise are warped, points", fall.text(1, sign=True), holds]


def _confidence(pools: Mapping[str, Board]) -> list[Line]:
    lines = []
    for name, board in pools.items():
        pool = pooled(board)
        title = f"{name}: calibration error over the answered (confidence ≥ {100 * LOW:.0f} %) at most"
        lines.append(_at_most(title, 0.05, pool.calibration_error(LOW), 3))
    for name, board in pools.items():
        lines.append(_at_most(f"{name}: error at 80 % coverage over that at 100 %, below", 0.5, half(pooled(board)), 2))
    return lines


def _costs(costs: Costs) -> list[Line]:
    found, growth = costs.median(SHIPPED, 1000), costs.median(SHIPPED, 16000) / costs.median(SHIPPED, 4000)
    return [
        ["CPU time at 1000 rows, median of five pairs, ms ≤ 60", f"{found:.0f}", _verdict(found <= 60, True)],
        ["CPU time at most linear: 16 000 rows over 4000 rows ≤ 4", f"{growth:.1f}", _verdict(growth <= 4, True)],
        ["two processes give the same bytes", "yes" if costs.same else "no", _verdict(costs.same, True)],
    ]


def _at_least(title: str, aim: float, found: Measured) -> Line:
    return [f"{title} ≥ {aim:g}", found.text(1), _verdict(found.value >= aim, found.bounds[0] >= aim)]


def _at_most(title: str, aim: float, found: Measured, digits: int) -> Line:
    return [f"{title} {aim:g}", found.text(digits), _verdict(found.value <= aim, found.bounds[1] <= aim)]


def _verdict(value: bool, bound: bool) -> str:
    return "yes" if value and bound else "yes, the interval reaches further" if value else "no"
