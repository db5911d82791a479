"""Labelled pairs, a collection of them, and one reader per file format; a pair is read or drawn only when asked for.

A reader makes of the file of labels the labels with a way to read each pair, which lies beside it:

indexed-csv   `pair_<i>.txt`: comma separated, quoted header, row number first
              `pairs_gt.txt`: 1 or 0, one line per pair
whitespace    `pair0001.txt`: columns separated by blanks or tabs
              `pairmeta.txt`: id, first and last cause column, first and last effect column, weight
cells         `CE-*_pairs.csv`: a row per pair, each cell a blank separated list of numbers
              `CE-*_targets.csv`: name and ±1, one line per pair

All are tolerant of trailing blanks and empty lines, and strict about everything else.
"""

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, overload

import numpy as np

from causewise.errors import InputError
from causewise.pair import FloatArray, Pair

PairId = int | str


@dataclass(frozen=True, eq=False)
class LabelledPair:
    """Two columns in the order of the file, and which of them is the cause.

    Examples
    --------
    >>> import causewise
    >>> from causewise.lab.datasets import LabelledPair
    >>> pair = causewise.Pair.of(range(12), [k**2 for k in range(12)])
    >>> LabelledPair("squares", 1, pair, truth=+1).weight
    1.0
    """

    dataset: str
    pair_id: PairId
    """The id in the published files."""
    pair: Pair = field(repr=False)
    truth: int
    """+1 when the first column of the file causes the second, −1 when it is the other way round."""
    weight: float = 1.0


@dataclass(frozen=True)
class Label:
    """What is known of a pair before its numbers are read, and how to read them."""

    pair_id: PairId
    truth: int
    weight: float
    read: Callable[[], Pair] = field(repr=False, compare=False)


class LazyPairs(Sequence[LabelledPair]):
    """A sequence that reads a pair on first access and keeps it; it can be sent to another process."""

    def __init__(self, dataset: str, labels: Sequence[Label]) -> None:
        self.dataset = dataset
        self.labels = tuple(labels)
        self._kept: dict[int, LabelledPair] = {}

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> LabelledPair: ...
    @overload
    def __getitem__(self, index: slice) -> "LazyPairs": ...
    def __getitem__(self, index: int | slice) -> "LabelledPair | LazyPairs":
        if isinstance(index, slice):
            return LazyPairs(self.dataset, self.labels[index])
        place = range(len(self))[index]  # a negative index counts from the end, one too far is an IndexError
        if place not in self._kept:
            label = self.labels[place]
            try:
                pair = label.read()
            except InputError as problem:
                # A reader knows the file at most; the sentence must also say which pair of which set.
                raise InputError(f"Pair {label.pair_id} of {self.dataset} cannot be used: {problem}") from None
            self._kept[place] = LabelledPair(self.dataset, label.pair_id, pair, label.truth, label.weight)
        return self._kept[place]

    def __getstate__(self) -> dict[str, Any]:
        # The numbers stay behind: the other process reads or draws the pairs it needs, from labels of a few bytes.
        return {"dataset": self.dataset, "labels": self.labels, "_kept": {}}

    def __repr__(self) -> str:
        return f"<{len(self)} labelled pairs of {self.dataset}>"


@dataclass(frozen=True)
class Exclusion:
    """A published pair that is left out, and why.

    Examples
    --------
    >>> from causewise.lab.datasets import Exclusion
    >>> Exclusion(52, "more than two columns").reason
    'more than two columns'
    """

    pair_id: PairId
    reason: str


@dataclass(frozen=True, eq=False)
class Collection:
    """A named set of labelled pairs with what one needs to cite it.

    Examples
    --------
    >>> from causewise.lab.datasets import generate
    >>> drawn = generate("LS", pairs=3, n=100)
    >>> len(drawn), drawn.pairs[0].pair.n
    (3, 100)
    """

    name: str
    pairs: Sequence[LabelledPair]
    title: str = ""
    citation: str = ""
    exclusions: tuple[Exclusion, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)


# ---- one reader per file format


Reader = Callable[[Path, Container[PairId]], list[Label]]
"""From the file of labels, and the pairs to be left out."""

# ---- indexed-csv


def read_indexed_csv(path: Path, excluded: Container[PairId] = ()) -> list[Label]:
    """Pair i is labelled by line i."""
    labels = []
    for number, line in enumerate(_read_lines(path), start=1):
        truth = {"1": 1, "0": -1}.get(line)
        if truth is None:
            raise _bad_label(path, line, "1 (first column causes the second) or 0")
        if number not in excluded:
            read = partial(indexed_csv_pair, path.with_name(f"pair_{number}.txt"))
            labels.append(Label(number, truth, 1.0, read))
    return labels


def indexed_csv_pair(path: Path) -> Pair:
    """Columns 2 and 3 of one file."""
    # The names in the header (x_pa, x_child) differ with the label in the published files: they would give it away.
    header, _, body = _read_bytes(path).partition(b"\n")
    columns = header.count(b",") + 1
    table = _parse_table(body.replace(b'"', b"").replace(b",", b" "), columns, path, least=3)
    return Pair.of(table[:, 1], table[:, 2])


# ---- whitespace


def read_whitespace(path: Path, excluded: Container[PairId] = ()) -> list[Label]:
    """The file has a line for every pair, those of several columns as well."""
    labels = []
    for line in _read_lines(path):
        cells = line.split()
        if len(cells) != 6 or not cells[0].isdecimal():
            raise _bad_label(path, line, "a number, two cause columns, two effect columns and a weight")
        # Before anything else: rows of multivariate pairs have other columns and would be refused below.
        if int(cells[0]) in excluded:
            continue
        # First and last column of the cause, first and last column of the effect, counted from 1.
        truth = {"1 1 2 2": 1, "2 2 1 1": -1}.get(" ".join(cells[1:5]))
        if truth is None:
            raise _bad_label(path, line, "one cause column and one effect column among the first two")
        try:
            weight = float(cells[5])
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise _bad_label(path, line, "a weight of 0 or more in the last column")
        read = partial(whitespace_pair, path.with_name(f"pair{cells[0]}.txt"))
        labels.append(Label(int(cells[0]), truth, weight, read))
    return labels


def whitespace_pair(path: Path) -> Pair:
    """The first two columns of one file."""
    # Some Tübingen files have a third column with quality flags, NaN among them; it is parsed and dropped.
    text = _read_bytes(path)
    columns = len(text.partition(b"\n")[0].split())
    table = _parse_table(text, columns, path, least=2)
    return Pair.of(table[:, 0], table[:, 1])


# ---- cells


def read_cells(path: Path, excluded: Container[PairId] = ()) -> list[Label]:
    """Labels in the order of the targets; the cells are parsed when a pair is asked for."""
    # Dataverse serves the same tables either as uploaded (.csv) or converted to tabs and quotes (.tab).
    stem = path.name.replace("_targets.csv", "_pairs")
    tab = path.with_name(stem + ".tab")
    pairs_path = tab if tab.is_file() else path.with_name(stem + ".csv")
    columns = {name: (first, second) for name, first, second in _cell_rows(pairs_path, 3)}
    labels = []
    for name, truth in read_targets(path):
        if name not in columns:
            raise InputError(
                f"Got a target for {name!r} in {path} but no such pair beside it; expected the two to match."
            )
        # `pair12` is 12, as in the published score files; any other name is kept.
        number = name.removeprefix("pair")
        pair_id = int(number) if number.isdecimal() else name
        if pair_id not in excluded:
            labels.append(Label(pair_id, truth, 1.0, partial(cell_pair, *columns[name], path)))
    return labels


def read_targets(path: Path) -> Iterator[tuple[str, int]]:
    """Name and truth of every pair."""
    for name, target in _cell_rows(path, 2):
        truth = {"1": 1, "1.0": 1, "-1": -1, "-1.0": -1}.get(target)
        if truth is None:
            raise _bad_label(path, f"{name},{target}", "the target 1 or -1")
        yield name, truth


def cell_pair(first: str, second: str, path: Path) -> Pair:
    """Two cells -> a pair."""
    a, b = (_parse_table(cell.encode(), 1, path)[:, 0] for cell in (first, second))
    return Pair.of(a, b)


def _cell_rows(path: Path, width: int) -> Iterator[tuple[str, ...]]:
    # No field holds the delimiter, and the csv module refuses cells above 128 KiB: splitting the line is enough.
    lines = [line for line in _read_bytes(path).decode("utf-8-sig", "replace").splitlines() if line.strip()]
    delimiter = "\t" if path.suffix == ".tab" else ","
    for line in lines[1:]:
        cells = tuple(cell.strip().strip('"').strip() for cell in line.split(delimiter))
        if len(cells) != width:
            raise _bad_label(path, line[:60], f"{width} cells to a row")
        yield cells


FORMATS: dict[str, Reader] = {
    "indexed-csv": read_indexed_csv,
    "whitespace": read_whitespace,
    "cells": read_cells,
}

# ---- text and numbers, for all formats


def _parse_table(text: bytes, columns: int, path: Path, least: int = 1) -> FloatArray:
    """Numbers separated by white space, `columns` to a row, which must be at least `least`."""
    try:
        if columns < least:
            raise ValueError("too few columns")
        # Splitting the bytes and converting them at once is ten times faster than a CSV parser on these small files.
        return np.array(text.split(), dtype=np.float64).reshape(-1, columns)
    except ValueError:
        raise InputError(
            f"Could not read {path} as a table of numbers with {max(columns, least)} columns; expected the file as "
            "published: fetch or copy it again."
        ) from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise InputError(
            f"Could not read {path} ({reason}); expected a readable file of the data set: fetch or copy it again."
        ) from None


def _read_lines(path: Path) -> list[str]:
    """Lines that are not empty, without the blanks around them."""
    return [line.strip() for line in _read_bytes(path).decode("utf-8", "replace").splitlines() if line.strip()]


def _bad_label(path: Path, line: str, expected: str) -> InputError:
    return InputError(f"Got the line {line!r} in {path}; expected {expected}: fetch or copy the file again.")
