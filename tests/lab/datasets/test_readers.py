"""The three file formats, on small files written here: labels, order of columns, blanks, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.lab.datasets.collection import (
    indexed_csv_pair,
    read_cells,
    read_indexed_csv,
    read_whitespace,
    whitespace_pair,
)
from causewise.lab.datasets.storage import published_set

ROWS = 12
RNG = np.random.default_rng(3)
TABLE = RNG.normal(size=(ROWS, 2))


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8", newline="")


def indexed(table: np.ndarray) -> str:
    return '"","x_pa","x_child"\n' + "".join(f'"{i}",{x!r},{y!r}\n' for i, (x, y) in enumerate(table.tolist(), 1))


def spaced(table: np.ndarray, end: str = "\n") -> str:
    return "".join("  " + " \t".join(map(repr, row)) + end for row in table.tolist())


def test_indexed_csv_keeps_file_order_and_reads_both_labels(tmp_path: Path) -> None:
    write(tmp_path, "pair_1.txt", indexed(TABLE))
    write(tmp_path, "pair_2.txt", indexed(TABLE[:, ::-1]))
    write(tmp_path, "pairs_gt.txt", "1\n0\n")
    labels = read_indexed_csv(tmp_path / "pairs_gt.txt")
    assert [(label.pair_id, label.truth, label.weight) for label in labels] == [(1, 1, 1.0), (2, -1, 1.0)]
    for label, table in zip(labels, (TABLE, TABLE[:, ::-1]), strict=True):
        pair = label.read()
        assert np.array_equal(np.column_stack([pair.x, pair.y]), table)
        assert (pair.x_name, pair.y_name) == ("x", "y")  # the published header would give the label away


@pytest.mark.parametrize("end", ["\n", "  \n", "\r\n", "\n\n"])
def test_whitespace_survives_trailing_blanks_and_empty_lines(tmp_path: Path, end: str) -> None:
    write(tmp_path, "pair0007.txt", spaced(TABLE, end) + "\n")
    write(tmp_path, "pairmeta.txt", f"0007 2 2 1 1 0.25{end}\n")
    (label,) = read_whitespace(tmp_path / "pairmeta.txt")
    assert (label.pair_id, label.truth, label.weight) == (7, -1, 0.25)
    assert np.array_equal(label.read().y, TABLE[:, 1])


def test_whitespace_ignores_a_third_column_with_missing_values(tmp_path: Path) -> None:
    lines = [f"{x!r} {y!r} {flag}\n" for (x, y), flag in zip(TABLE.tolist(), ["1", "NaN"] * 6, strict=True)]
    write(tmp_path, "pair0081.txt", "".join(lines))
    pair = whitespace_pair(tmp_path / "pair0081.txt")
    assert np.array_equal(pair.x, TABLE[:, 0])
    assert pair.n == ROWS


def test_whitespace_leaves_the_excluded_pairs_out(tmp_path: Path) -> None:
    write(tmp_path, "pairmeta.txt", "0001 1 1 2 2 1\n0047 2 2 1 1 1\n0052 5 8 1 4 0\n0106 2 2 1 1 0.5\n")
    labels = published_set("Tue").read_labels(tmp_path)
    assert [label.pair_id for label in labels] == [1, 106]


def cell(column: np.ndarray) -> str:
    return " " + " ".join(map(repr, column.tolist())) + " "


@pytest.mark.parametrize("form", ["csv", "quoted csv", "tab"])
def test_cells_read_comma_and_tab_files(tmp_path: Path, form: str) -> None:
    quote, comma = ('"' if form != "csv" else ""), ("\t" if form == "tab" else ",")
    rows = [("pair1", TABLE[:, 0], TABLE[:, 1]), ("pair2", TABLE[:, 1], TABLE[:, 0])]
    lines = [comma.join([f"{quote}{n}{quote}", *(f"{quote}{cell(c)}{quote}" for c in (a, b))]) for n, a, b in rows]
    suffix = "tab" if form == "tab" else "csv"
    write(tmp_path, f"CE-Net_pairs.{suffix}", "\n".join([comma.join(("SampleID", "A", "B")), *lines]) + "\n\n")
    write(tmp_path, "CE-Net_targets.csv", "SampleID,Target\npair1,1.0\npair2,-1.0\n")
    labels = read_cells(tmp_path / "CE-Net_targets.csv")
    assert [(label.pair_id, label.truth) for label in labels] == [(1, 1), (2, -1)]
    assert np.array_equal(labels[1].read().x, TABLE[:, 1])


def test_cells_hold_far_more_numbers_than_a_csv_module_allows(tmp_path: Path) -> None:
    column = np.random.default_rng(0).normal(size=20_000)
    write(tmp_path, "CE-Cha_pairs.csv", f"SampleID,A,B\nodd name,{cell(column)},{cell(-column + column**2)}\n")
    write(tmp_path, "CE-Cha_targets.csv", "SampleID,Target\nodd name,-1\n")
    (label,) = read_cells(tmp_path / "CE-Cha_targets.csv")
    assert label.pair_id == "odd name"
    assert np.array_equal(label.read().x, column)


@pytest.mark.parametrize(
    ("name", "labels", "text", "complaint"),
    [
        ("AN", "pairs_gt.txt", "1\n2\n", "'2'"),
        ("SIM", "pairmeta.txt", "0001 1 1 2 2\n", "0001 1 1 2 2"),
        ("SIM", "pairmeta.txt", "0001 1 2 3 3 1\n", "one cause column"),
        ("SIM", "pairmeta.txt", "²³ 1 1 2 2 1\n", "a number, two cause columns"),
        ("SIM", "pairmeta.txt", "0001 1 1 2 2 heavy\n", "a weight of 0 or more"),
        ("SIM", "pairmeta.txt", "0001 1 1 2 2 nan\n", "a weight of 0 or more"),
        ("SIM", "pairmeta.txt", "0001 1 1 2 2 -1\n", "a weight of 0 or more"),
        ("Net", "CE-Net_targets.csv", "SampleID,Target\npair1,0\n", "target 1 or -1"),
        ("Net", "CE-Net_targets.csv", "SampleID,Target\npair9,1\n", "no such pair"),
        ("Net", "CE-Net_targets.csv", "SampleID,Target\npair1\n", "2 cells"),
    ],
)
def test_a_label_that_makes_no_sense_is_refused(
    tmp_path: Path, name: str, labels: str, text: str, complaint: str
) -> None:
    write(tmp_path, labels, text)
    write(tmp_path, "CE-Net_pairs.csv", "SampleID,A,B\npair1,1 2,3 4\n")
    with pytest.raises(InputError, match=complaint):
        published_set(name).read_labels(tmp_path)


@pytest.mark.parametrize("text", ["", "1 2\n3 x\n", "1 2\n3\n", "\x00\x01"])
def test_a_damaged_pair_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    write(tmp_path, "pair0001.txt", text)
    with pytest.raises(InputError):
        whitespace_pair(tmp_path / "pair0001.txt")
    with pytest.raises(InputError):
        indexed_csv_pair(tmp_path / "pair0001.txt")
    with pytest.raises(InputError, match="No such file"):
        whitespace_pair(tmp_path / "pair0002.txt")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=10, max_size=20, unique_by=(lambda r: r[0], lambda r: r[1])
    )
)
def test_numbers_come_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]]
) -> None:
    folder = tmp_path_factory.mktemp("bits")
    table = np.array(rows) + np.array([0.0, 0.5])
    write(folder, "pair_1.txt", indexed(table))
    write(folder, "pair0001.txt", spaced(table))
    for pair in (indexed_csv_pair(folder / "pair_1.txt"), whitespace_pair(folder / "pair0001.txt")):
        assert np.array_equal(np.column_stack([pair.x, pair.y]), table)


def test_exclusions_are_the_registry_s_business(tmp_path: Path) -> None:
    write(tmp_path, "pairmeta.txt", "0047 2 2 1 1 1\n")
    assert [label.pair_id for label in read_whitespace(tmp_path / "pairmeta.txt")] == [47]
