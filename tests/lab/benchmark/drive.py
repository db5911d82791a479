"""A run on toy sets in a process of its own, to be killed: python drive.py STORE [METHOD …]."""

import sys
from collections.abc import Sequence
from pathlib import Path

import toys
import typer

from causewise.cli.bench import do_pairs
from causewise.cli.streams import resumable_job
from causewise.lab.benchmark.runner import Limits, plan
from causewise.lab.benchmark.sets import contenders
from causewise.lab.benchmark.store import Store

PAIRS = 12
METHODS = ("toys:slow", "toys:batched", "toys:some_raise")
TOTAL = 2 * len(METHODS) * PAIRS


def main(path: Path, methods: Sequence[str]) -> None:
    with resumable_job(), Store.open(path) as store:
        sets = [toys.collection(name, PAIRS) for name in ("one", "other")]
        do_pairs(plan(contenders(methods or METHODS, [0]), sets, store.keys(), 2), store, 2, Limits())


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2:])
    except typer.Exit as ended:
        sys.exit(ended.exit_code)
