"""`CE-*_pairs.csv`: a row per pair, each cell a blank separated list of numbers; `CE-*_targets.csv`: ±1 per pair.

The archive that holds the originals serves the same tables with tabs and quotes (`.tab`); both are read.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from whence.datasets.collection import Label, PairId
from whence.datasets.readers.numbers import bad_label, parse_table, read_bytes
from whence.datasets.registry import Entry
from whence.pair import InputError, Pair


def read(folder: Path, entry: Entry) -> list[Label]:
    """Labels in the order of the targets; the cells are parsed when a pair is asked for."""
    targets_path = folder / entry.labels
    pairs_path = _pairs_path(targets_path)
    columns = {name: (first, second) for name, first, second in _rows(pairs_path, 3)}
    return [_label(name, target, columns, targets_path) for name, target in _rows(targets_path, 2)]


def parse_cells(first: str, second: str, path: Path) -> Pair:
    """Two cells -> a pair."""
    a, b = (parse_table(cell.encode(), 1, path)[:, 0] for cell in (first, second))
    return Pair.of(a, b)


def _label(name: str, target: str, columns: dict[str, tuple[str, str]], path: Path) -> Label:
    truth = {"1": 1, "1.0": 1, "-1": -1, "-1.0": -1}.get(target)
    if truth is None:
        raise bad_label(path, f"{name},{target}", "the target 1 or -1")
    if name not in columns:
        raise InputError(f"Got a target for {name!r} in {path} but no such pair beside it; expected the two to match.")
    return Label(_pair_id(name), truth, 1.0, partial(parse_cells, *columns[name], path))


def _pair_id(name: str) -> PairId:
    """`pair12` is 12, as in the published score files; any other name is kept."""
    number = name.removeprefix("pair")
    return int(number) if number.isdigit() else name


def _pairs_path(targets: Path) -> Path:
    stem = targets.name.replace("_targets.csv", "_pairs")
    tab = targets.with_name(stem + ".tab")
    return tab if tab.is_file() else targets.with_name(stem + ".csv")


def _rows(path: Path, width: int) -> Iterator[tuple[str, ...]]:
    # No field holds the delimiter, and the csv module refuses cells above 128 KiB: splitting the line is enough.
    lines = [line for line in read_bytes(path).decode("utf-8-sig", "replace").splitlines() if line.strip()]
    delimiter = "\t" if path.suffix == ".tab" else ","
    for line in lines[1:]:
        cells = tuple(cell.strip().strip('"').strip() for cell in line.split(delimiter))
        if len(cells) != width:
            raise bad_label(path, line[:60], f"{width} cells to a row")
        yield cells
