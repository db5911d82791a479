"""Which pairs of columns are asked about, and in which order they are worked on."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from causewise.errors import InputError
from causewise.scanning.table import ScanTable

Pairs = list[tuple[int, int]]

MANY = 1_000_000
"""Pairs that are not begun without being asked for by `pairs` or `target`: days of work, more often than not a slip."""
BLOCK = 16
"""Columns a side of a tile: what is known about a tile's columns stays at hand while its pairs are judged."""
MOST = 64
"""Pairs of a tile: half a second of work, so that no process waits long for the last one, and little is done twice."""


def choose_pairs(table: ScanTable, pairs: Any = None) -> Pairs:
    """All pairs, those with one column, or those of a list or a CSV file; the table's earlier column first."""
    if isinstance(pairs, str | int):
        t = table.place(pairs)
        return [(min(k, t), max(k, t)) for k in range(len(table.names)) if k != t]
    if pairs is not None:
        return _listed_pairs(table, pairs)
    columns = len(table.names)
    count = columns * (columns - 1) // 2
    if count > MANY:
        raise InputError(
            f"Got {columns} columns, which are {count:,} pairs; expected at most {MANY:,}: choose columns, a target "
            "or a list of pairs."
        )
    return [(i, j) for i in range(columns) for j in range(i + 1, columns)]


def _listed_pairs(table: ScanTable, pairs: Any) -> Pairs:
    lines = _lines_of(pairs) if isinstance(pairs, Path) else [tuple(each) for each in pairs]
    found: dict[tuple[int, int], None] = {}
    for line in lines:
        if len(line) != 2:
            raise InputError(
                f"Got {', '.join(map(repr, line))} as a pair; expected two columns: write one pair a line, as in a,b."
            )
        i, j = sorted(table.place(each) for each in line)
        if i == j:
            raise InputError(f"Got the pair {line[0]!r}, {line[1]!r}; expected two different columns.")
        found[i, j] = None
    if not found:
        raise InputError("Got no pairs; expected at least one: write one pair a line, as in a,b.")
    return sorted(found)


def _lines_of(path: Path) -> list[tuple[str, ...]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"Could not read the pairs in {str(path)!r} ({reason}); expected a CSV file.") from None
    rows = [tuple(cell.strip() for cell in row) for row in csv.reader(io.StringIO(text)) if any(row)]
    return rows[1:] if rows and tuple(cell.lower() for cell in rows[0]) in (("x", "y"), ("cause", "effect")) else rows


def tiles(pairs: Pairs, most: int = MOST) -> Iterator[Pairs]:
    """The pairs in parts that share columns: those between one block of columns and another, `most` at a time."""
    by_tile: dict[tuple[int, int], Pairs] = {}
    for i, j in pairs:
        by_tile.setdefault((i // BLOCK, j // BLOCK), []).append((i, j))
    for tile in by_tile.values():
        yield from (tile[k : k + most] for k in range(0, len(tile), most))
