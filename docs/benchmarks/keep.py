"""Keep of a results store what the site's tables and figures are computed from.

`python docs/benchmarks/keep.py r.sqlite` writes rows.csv.gz beside this file: the rows of the store, or of several, as
those of two machines, and what was kept before of all methods that are in none of them. One line a pair and method, six
digits a score: enough for every metric, and a tenth of the store's size.
"""

import csv
import gzip
import io
import math
import sys
from dataclasses import fields
from pathlib import Path

from causewise.lab.benchmark.store import Row, Store

KEPT = Path(__file__).with_name("rows.csv.gz")
COLUMNS = (
    "dataset",
    "pair_id",
    "method",
    "score",
    "confidence",
    "withheld",
    "truth",
    "weight",
    "status",
    "seconds",
    "n",
)
DIGITS = {"score": 6, "confidence": 6, "weight": 9, "seconds": 3}
TEXT = {"dataset", "pair_id", "method", "status"}


def keep(rows: list[Row]) -> bytes:
    """The rows as gzipped CSV; the same rows give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(name, getattr(row, name)) for name in COLUMNS] for row in rows)
    return gzip.compress(text.getvalue().encode(), mtime=0)


def kept(path: Path = KEPT) -> list[Row]:
    """Read them back; what was not kept is empty or NaN."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_row(cells) for cells in csv.DictReader(lines)]


def _cell(name: str, value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return f"{value:.{DIGITS[name]}g}" if math.isfinite(value) else ""
    return value


def _row(cells: dict[str, str]) -> Row:
    given = {name: text if name in TEXT else float(text or "nan") for name, text in cells.items()}
    score, truth = given["score"], int(given["truth"])
    right = {"correct": score * truth > 0, "withheld": bool(given["withheld"]), "truth": truth, "n": int(given["n"])}
    empty = {
        each.name: {"str": "", "int": 0, "bool": False}.get(str(_kind(each.type)), math.nan) for each in fields(Row)
    }
    return Row(**empty | given | right)


def _kind(type_: object) -> str:
    return getattr(type_, "__name__", str(type_))


def gathered(paths: list[Path]) -> list[Row]:
    """The rows of several stores, method by method; a method is in one of them only."""
    found: dict[tuple[str, ...], Row] = {}
    for path in paths:
        with Store.read(path) as store:
            for row in store.rows():
                key = (row.method, row.dataset, row.pair_id)
                if key in found:
                    sys.exit(
                        f"Got {row.method} on pair {row.pair_id} of {row.dataset} twice; name one store that has it."
                    )
                found[key] = row
    return list(found.values())


def renewed(before: list[Row], new: list[Row]) -> list[Row]:
    """The rows that were kept, those of the methods that were run anew replaced."""
    methods = {row.method for row in new}
    left = [row for row in before if row.method not in methods]
    return sorted([*left, *new], key=lambda row: (row.method, row.dataset))


if __name__ == "__main__":
    KEPT.write_bytes(keep(renewed(kept(), gathered([Path(name) for name in sys.argv[1:]]))))
