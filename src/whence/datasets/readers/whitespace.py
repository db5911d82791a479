"""`pair0001.txt`: columns separated by blanks or tabs; `pairmeta.txt`: id, cause columns, effect columns, weight."""

from functools import partial
from pathlib import Path

from whence.datasets.collection import Label
from whence.datasets.readers.numbers import bad_label, parse_table, read_bytes, read_lines
from whence.datasets.registry import Entry
from whence.pair import Pair

_TRUTH = {"1 1 2 2": 1, "2 2 1 1": -1}


def read(folder: Path, entry: Entry) -> list[Label]:
    """Labels of the pairs that are not excluded."""
    left_out = {exclusion.pair_id for exclusion in entry.exclusions}
    path = folder / entry.labels
    rows = [(line, line.split()) for line in read_lines(path)]
    return [_label(folder, path, line, cells) for line, cells in rows if _number(path, line, cells) not in left_out]


def read_pair(path: Path) -> Pair:
    """The first two columns; some files carry a third with quality flags."""
    text = read_bytes(path)
    columns = len(text.partition(b"\n")[0].split())
    table = parse_table(text, columns, path, least=2)
    return Pair.of(table[:, 0], table[:, 1])


def _number(path: Path, line: str, cells: list[str]) -> int:
    if len(cells) != 6 or not cells[0].isdigit():
        raise bad_label(path, line, "a number, two cause columns, two effect columns and a weight")
    return int(cells[0])


def _label(folder: Path, path: Path, line: str, cells: list[str]) -> Label:
    truth = _TRUTH.get(" ".join(cells[1:5]))
    if truth is None:
        raise bad_label(path, line, "one cause column and one effect column among the first two")
    return Label(int(cells[0]), truth, float(cells[5]), partial(read_pair, folder / f"pair{cells[0]}.txt"))
