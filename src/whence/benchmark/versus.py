"""Two methods against each other, and what a store holds, as Markdown."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from whence.benchmark.intervals import compare
from whence.benchmark.row import Row, Status
from whence.benchmark.sets import counted
from whence.benchmark.summary import grouped, scored
from whence.pair import InputError


def versus(rows: Sequence[Row], a: str, b: str, metric: str) -> str:
    """One line per set: A − B in points, its 95 % interval, who alone is right how often, the exact sign test."""
    groups = grouped(rows)
    known = sorted({method for method, _ in groups})
    if missing := [method for method in (a, b) if method not in known]:
        raise InputError(f"Got the method {missing[0]!r}; the store has: {', '.join(known)}.")
    sets = [name for method, name in groups if method == a and (b, name) in groups]
    lines = [
        f"| {metric}: {a} − {b} | pairs | difference | 95 % interval | only {a} right | only {b} right | p |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in sets:
        first, second = _shared(groups[a, name], groups[b, name])
        if not first:
            continue
        result = compare(scored(first), scored(second), metric, name)
        bounds = f"{100 * result.low:+.1f} … {100 * result.high:+.1f}"
        pairs = counted(name, result.pairs, len({row.seed for row in first}))
        numbers = (pairs, f"{100 * result.difference:+.1f}", bounds, result.only_a, result.only_b)
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} | {result.p_value:.2g} |")
    return "\n".join(lines) + "\n"


def contents(rows: Sequence[Row]) -> str:
    """One line per method and set: rows by status, seconds, and a sample of what went wrong."""
    lines = ["| method | set | pairs | status | seconds per pair | first failure |", "|---|---|---:|---|---:|---|"]
    for (method, name), group in sorted(grouped(rows).items()):
        counts = Counter(row.status for row in group)
        said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        kept = sum(row.withheld for row in group)
        said += f"; {kept} withheld" if kept else ""
        failed = next((row for row in group if Status(row.status).broken), None)
        why = "" if failed is None else f"pair {failed.pair_id}: {failed.message}".replace("|", "/")
        seconds = float(np.median([row.seconds for row in group]))
        lines.append(f"| {method} | {name} | {len(group)} | {said} | {seconds:.3g} | {why} |")
    return "\n".join(lines) + "\n"


def _shared(a: Sequence[Row], b: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of the pairs (and seeds) both have, in the same order."""
    theirs = {(row.seed, row.pair_id): row for row in b}
    first = [row for row in a if (row.seed, row.pair_id) in theirs]
    return first, [theirs[row.seed, row.pair_id] for row in first]
