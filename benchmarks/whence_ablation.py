"""What `whence` reaches and what each channel is worth, with intervals.

    python benchmarks/whence_networks.py        (optional: the networks of "spline or network")
    python benchmarks/whence_ablation.py --jobs 2

Readings and scores are computed where they are missing and kept under `--store`; then every table and picture is made
from them. `--readings` holds the training pairs' readings, to which the variants of the ablation are fitted.
"""

import argparse
from pathlib import Path

from ablation import cost, spline_or_network
from ablation.board import Board
from ablation.controls import Below, looked_at_again, suspicious
from ablation.networks import Learnt
from ablation.page import Findings, page, pools
from ablation.pictures import draw_grid, draw_risk
from ablation.rows import Variants, scores
from ablation.sets import AGAIN, KINDS, PAIRS, Set, grid, small
from ablation.store import CONTROLS, SINGLE, Store, fill, forget_changed
from whence.evidence.training import load_chunks


def say(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, flush=True)


def boards_of(store: Store, variants: Variants, jobs: int, without: list[str]) -> dict[str, Board]:
    """All kinds of sets with the scores of every row."""
    found = {}
    forget_changed(store, grid(), (*SINGLE, *CONTROLS), say)
    for kind, make in KINDS.items():
        sets = [] if kind in without else make()
        if sets:
            fill(store, sets, (*SINGLE, *CONTROLS), jobs, say)
            found[kind] = Board(sets, {group.name: scores(store, variants, group) for group in sets})
            say(f"{kind}: {len(sets)} sets")
    return found


def again(store: Store, board: Board, jobs: int) -> list[Below]:
    """Suspicious cells on fresh pairs."""
    named = suspicious(board)
    sets: list[Set] = grid(PAIRS["again"], AGAIN, list(dict.fromkeys(cell for cell, _ in named)))
    fill(store, sets, CONTROLS, jobs, say)
    return looked_at_again(Board(sets, {group.name: scores(store, None, group) for group in sets}), named)


def networks(store: Store, jobs: int) -> Board | None:
    """Spline or network, where networks have been trained."""
    learnt, group = Learnt.of(store.folder / "networks"), small()
    if learnt is None:
        return None
    fill(store, [group], (*SINGLE, *CONTROLS), jobs, say)
    return spline_or_network.compared(learnt, group, store)


def main() -> None:
    """Command line of this folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, default=Path("out/whence"))
    parser.add_argument("--store", type=Path, default=Path("out/ablation"))
    parser.add_argument("--out", type=Path, default=Path("docs/whence-ablation.md"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--without", nargs="*", default=[], choices=tuple(KINDS), help="kinds of sets to leave out")
    given = parser.parse_args()
    store, training = Store(given.store), load_chunks(given.readings)
    boards = boards_of(store, Variants(training, given.store / "variants"), given.jobs, given.without)
    tests = again(store, boards["grid"], given.jobs)
    found = Findings(boards, tests, networks(store, given.jobs), cost.measured(), len(training.truth))
    pictures = given.out.parent / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    draw_grid(boards["grid"], pictures)
    draw_risk(pools(boards), pictures)
    given.out.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
