"""`pair_<i>.txt`: comma separated, quoted header, a row number first; `pairs_gt.txt`: 1 or 0, one line per pair."""

from functools import partial
from pathlib import Path

from whence.datasets.collection import Label
from whence.datasets.readers.numbers import bad_label, parse_table, read_bytes, read_lines
from whence.datasets.registry import Entry
from whence.pair import Pair

_TRUTH = {"1": 1, "0": -1}


def read(folder: Path, entry: Entry) -> list[Label]:
    """Labels of every pair in the folder; pair i is labelled by line i."""
    return labels(folder, folder / entry.labels)


def labels(folder: Path, path: Path) -> list[Label]:
    """The same, for a folder that is in no registry."""
    return [
        Label(number, _truth(line, path), 1.0, partial(read_pair, folder / f"pair_{number}.txt"))
        for number, line in enumerate(read_lines(path), start=1)
    ]


def read_pair(path: Path) -> Pair:
    """Columns 2 and 3. The header's names differ with the label in the published files, so they are not used."""
    header, _, body = read_bytes(path).partition(b"\n")
    columns = header.count(b",") + 1
    table = parse_table(body.replace(b'"', b"").replace(b",", b" "), columns, path, least=3)
    return Pair.of(table[:, 1], table[:, 2])


def _truth(line: str, path: Path) -> int:
    if line not in _TRUTH:
        raise bad_label(path, line, "1 (first column causes the second) or 0")
    return _TRUTH[line]
