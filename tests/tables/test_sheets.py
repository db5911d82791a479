"""Spreadsheets: known tables come back exactly, whatever stands around them, or a sentence comes."""

import io
import shutil
import subprocess
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import workbooks
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from rainfall import X, Y, assert_same, lines, save
from workbooks import ERROR, ROWS, Look, Sheet, come_back_or_are_refused, is_said, tables, write_tables

from causewise.errors import InputError
from causewise.scanning.table import read_scan_table
from causewise.tables import read_pair, read_table
from causewise.tables.workbook import write_address

PLAIN = Look(0, 0, 0, False, True, False, False, ("none", "none"), False, None, False, "", "General", False, 1900)
RNG = np.random.default_rng(0)
A, B = ([float(f"{value:.12g}") for value in RNG.normal(size=ROWS)] for _ in range(2))
DAYS = [date(2001, 5, 1) + timedelta(days=37 * k) for k in range(ROWS)]


def put(folder: Path, rows: list[list[Any]], name: str = "table.xlsx", **others: list[list[Any]]) -> Path:
    """A workbook by its rows, with other sheets by name."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for sheet, more in others.items():
        page = book.create_sheet(sheet)
        for row in more:
            page.append(row)
    book.save(folder / name)
    return folder / name


def put_ods(path: Path, rows: str, kind: str = "spreadsheet") -> Path:
    """An OpenDocument file by the rows of its only sheet."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="one">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<m/>")
    return path


def ods_row(*cells: Any, repeated: int = 1) -> str:
    texts = []
    for cell in cells:
        kind, said = ("float", "value") if isinstance(cell, float) else ("date", "date-value")
        value = "string" if isinstance(cell, str) else f'{kind}" office:{said}="{cell}'
        text = f'<table:table-cell office:value-type="{value}"><text:p>{cell}</text:p></table:table-cell>'
        texts.append(text if cell else '<table:table-cell table:number-columns-repeated="1"/>')
    return f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(texts)}</table:table-row>'


@given(tables(), st.sampled_from(["openpyxl.xlsx", "xlsxwriter.xlsx"]))
@settings(max_examples=40, deadline=None)
def test_known_tables_come_back_exactly_or_a_sentence_comes(tmp_path_factory: Any, table: Any, writer: str) -> None:
    path = tmp_path_factory.mktemp("sheets") / "table.xlsx"
    (rows,) = write_tables(path, writer, [table])
    event("read" if come_back_or_are_refused(path, rows, table[2]) else "refused")


@pytest.mark.parametrize("writer", sorted(workbooks.WRITERS))
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"below": 3, "beside": 2}, ""),
        ({"titles": 2, "gap": True}, r"Row 1 \('Measurements, part 0'\) is passed over: it stands above the names"),
        ({"units": True}, r"Row 2 \('mm', 'm³/s'\) is passed over: .* taken for units"),
        ({"labels": True, "ending": "Total"}, r"Row 26 \('Total' …\) is left out: it is taken for totals"),
        ({"ending": "sums"}, "Row 26 .* is left out: it is taken for totals"),
        ({"ending": "footnote"}, "Row 26 .* taken for a footnote"),
        ({"merged": True}, r"Merged cells \(A6:A7\) have their value in the first cell"),
        ({"text": ("all", "some")}, "'rain' has 24 numbers stored as text"),
        ({"text": ("some", "some"), "comma": True}, "'river' has 8 numbers stored as text"),
        ({"missing": "NA"}, ""),
        ({"form": "0%"}, ""),
        ({"other_sheet": True}, r"The workbook has 2 sheets \(read me, table 0\); 'table 0' is read"),
        ({"calendar": 1904}, ""),
    ],
    ids=str,
)
def test_what_stands_around_a_table_is_passed_over_and_said(
    tmp_path: Path, writer: str, change: dict[str, Any], words: str
) -> None:
    look = Look(**(vars(PLAIN) | change))
    path = tmp_path / f"table.{writer.rpartition('.')[2]}"
    for a, b in [(A, B)] if look.ending or look.text != PLAIN.text else [(A, B), (DAYS, B)]:
        (rows,) = write_tables(path, writer, [(a, b, look)])
        assert come_back_or_are_refused(path, rows, look)
        pair = read_pair(path, 1 + look.labels, 2 + look.labels, "omit")
        assert (pair.x_name, pair.y_name) == ("rain", "river")
        assert is_said(pair.notes, words) or not words
        assert words or not any(note for note in pair.notes if "day" not in note and "missing" not in note)


@pytest.mark.parametrize("writer", ["openpyxl.xlsx", "xlsxwriter.xlsx"])
def test_errors_and_formulas_that_were_never_computed_are_missing_and_named(tmp_path: Path, writer: str) -> None:
    look = Look(**(vars(PLAIN) | {"missing": ERROR}))
    (rows,) = write_tables(tmp_path / "table.xlsx", writer, [(A, B, look)])
    assert come_back_or_are_refused(tmp_path / "table.xlsx", rows, look)
    pair = read_pair(tmp_path / "table.xlsx", nan_policy="omit")
    assert is_said(pair.notes, r"'river' has 1 error \(B11\), taken for missing")
    path = put(tmp_path, [["a", "b"], *([a, b] for a, b in zip(A, B, strict=True)), [1.0, "=SUM(B2:B3)"]])
    pair = read_pair(path, nan_policy="omit")
    assert pair.dropped == 1
    assert is_said(pair.notes, r"'b' has 1 formula without a stored value \(B26\), taken for missing: open and save")


def test_a_word_is_a_total_only_where_the_numbers_say_so(tmp_path: Path) -> None:
    rows = [["who", "a", "b"], *([f"p{k}", a, b] for k, (a, b) in enumerate(zip(A, B, strict=True)))]
    assert read_pair(put(tmp_path, [*rows, ["Max", 0.5, 0.25]]), "a", "b").n == ROWS + 1
    assert read_pair(put(tmp_path, [*rows, ["Max", max(A), max(B)]]), "a", "b").n == ROWS
    assert read_pair(put(tmp_path, [*rows, ["Mean:", float(np.mean(A)), None]]), "a", "b").n == ROWS
    both = [*rows[:9], ["Subtotal", 1.0, 2.0], *rows[9:], ["Subtotal", 3.0, 4.0]]
    pair = read_pair(put(tmp_path, both), "a", "b")
    assert pair.n == ROWS + 2
    assert is_said(pair.notes, r"labelled as totals stand among the others \(rows 10, 27\)")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["n.d."], r"Column 'a' has the text 'n\.d\.' in cell A6; expected numbers only, without units"),
        (["12 %"], "the text '12 %' in cell A6"),
        ([True], "the text 'TRUE' in cell A6; expected numbers"),
        ([date(2020, 1, 2)], "the text '2020-01-02.*' in cell A6; expected numbers"),
        ([time(3, 4)], "the text '03:04:00' in cell A6; expected numbers"),
        (["3.4.2020"], "the date '3.4.2020' in cell A6, and day and month"),
    ],
)
def test_a_cell_that_is_no_number_is_refused_by_its_address(tmp_path: Path, cells: list[Any], words: str) -> None:
    rows = [["a", "b", "c"], *([a, b, a * b] for a, b in zip(A, B, strict=True))]
    rows[5][:1] = cells
    path = put(tmp_path, rows)
    with pytest.raises(InputError, match=words):
        read_pair(path, "a", "b")
    assert read_pair(path, "b", "c").n == ROWS
    table = read_scan_table(path)
    assert table.names == ("b", "c")
    assert "cell A6" in table.left_out["a"]


def test_dates_of_both_calendars_and_those_that_programs_count_differently(tmp_path: Path) -> None:
    rows = [["when", "b"], *([day, b] for day, b in zip(DAYS, B, strict=True))]
    days = [(day - date(1970, 1, 1)).days for day in DAYS]
    for calendar in (1900, 1904):
        cells = {(r, c): value for r, row in enumerate(rows) for c, value in enumerate(row)}
        workbooks.write_openpyxl(tmp_path / "days.xlsx", {"a": Sheet(cells)}, calendar)
        pair = read_pair(tmp_path / "days.xlsx")
        assert pair.x.tolist() == days
        assert is_said(pair.notes, "'when'")
    rows[3][0] = date(1900, 1, 15)
    with pytest.raises(InputError, match=r"the date 1900-01-15.* in cell A4, and programs count the days before March"):
        read_pair(put(tmp_path, rows))
    rows[3][0] = datetime(1890, 1, 1)
    ods = put_ods(
        tmp_path / "days.ods", "".join(ods_row(*row) for row in [rows[0], *([d, float(b)] for d, b in rows[1:])])
    )
    assert read_pair(ods).x[2] == (datetime(1890, 1, 1) - datetime(1970, 1, 1)).days
    rows[3][0] = time(0)
    with pytest.raises(InputError, match="'00:00:00' in cell A4; expected dates only"):
        read_pair(put(tmp_path, rows))


def test_columns_of_every_type_in_a_scan(tmp_path: Path) -> None:
    rows = [["id", "a", "took", "at", "flag", "place", "none", "b"]]
    rows += [
        [k + 1, a, timedelta(hours=30 + k * k), time(k % 24), k % 3 == 0, f"p{k % 4}", None, b]
        for k, (a, b) in enumerate(zip(A, B, strict=True))
    ]
    table, _ = read_table(put(tmp_path, rows))
    names = dict(enumerate(table.names))
    reasons = {names[k]: why for k, why in table.passed_over.items()}
    assert [names[k] for k in table.numeric] == ["a", "b"]
    assert set(reasons) == {"id", "at", "place", "none"}
    assert "times of day" in reasons["at"]
    took, flag = table.columns(2, 4)
    assert (took / np.timedelta64(1, "h")).tolist() == [30 + k * k for k in range(ROWS)]
    assert flag.tolist() == [float(k % 3 == 0) for k in range(ROWS)]


def test_names_where_they_can_be_numbers(tmp_path: Path) -> None:
    wide = [[1990, 1991], *([a, b] for a, b in zip(A, B, strict=True))]
    with pytest.raises(InputError, match="first line of whole numbers"):
        read_pair(put(tmp_path, wide))
    assert read_pair(put(tmp_path, wide), header=True).x_name == "1990"
    assert read_pair(put(tmp_path, wide), header=False).n == ROWS + 1
    twice = [["rain", "rain", "rain"], ["min", "max", "mean"], *([a, b, a + b] for a, b in zip(A, B, strict=True))]
    assert read_table(put(tmp_path, twice))[0].names == ("min", "max", "mean")


def test_a_sheet_is_chosen_by_name_or_number(tmp_path: Path) -> None:
    rows, other = [["a", "b"], *map(list, zip(A, B, strict=True))], [["c", "d"], *map(list, zip(B, A, strict=True))]
    path = put(tmp_path, rows, other=other, empty=[], **{"1": [["e", "f"], *map(list, zip(A, A[::-1], strict=True))]})
    assert read_pair(path).x_name == "a"
    assert read_pair(path, sheet="other").x_name == read_pair(path, sheet=2).x_name == "c"
    assert read_pair(path, sheet="1").x_name == "e"
    assert not is_said(read_pair(path, sheet=2).notes, "workbook")
    for wanted, words in ((9, "the sheet '9', which is not in"), ("empty", "Got 0 columns"), ("Othr", "Sheet, other")):
        with pytest.raises(InputError, match=words):
            read_pair(path, sheet=wanted)
    with pytest.raises(InputError, match="which has no sheets; expected a workbook"):
        read_pair(save(tmp_path, lines()), sheet=1)
    book = openpyxl.load_workbook(path)
    book["Sheet"].sheet_state = "hidden"
    book.save(path)
    assert read_pair(path).x_name == "c"
    assert read_pair(path, sheet="Sheet").x_name == "a"
    with pytest.raises(InputError, match="Got no table in"):
        read_pair(put(tmp_path, [["only words"]]))


def test_opendocument(tmp_path: Path) -> None:
    rows = ods_row("rain", "river") + "".join(ods_row(float(x), float(y)) for x, y in zip(X, Y, strict=True))
    end = ods_row("", repeated=1_048_000)
    assert_same(read_pair(put_ods(tmp_path / "t.ods", rows + end)))
    with pytest.raises(InputError, match="more than 33,554,432 cells"):
        read_pair(put_ods(tmp_path / "t.ods", rows + end + ods_row(*[1.0] * 40)))
    with pytest.raises(InputError, match="more than 33,554,432 cells"):
        read_pair(put_ods(tmp_path / "t.ods", ods_row(1.0, 2.0, repeated=10**9)))
    with pytest.raises(InputError, match=r"zip archive, .* which is no workbook"):
        read_pair(put_ods(tmp_path / "t.odt", rows, "text"))


def test_nothing_is_unpacked_beyond_the_limit(tmp_path: Path) -> None:
    far = openpyxl.Workbook()
    far.active["A1"], far.active["XFD1048576"] = 1.0, 2.0
    far.save(tmp_path / "far.xlsx")
    with pytest.raises(InputError, match=r"1,048,576 rows and 16,384 columns .* \(the last cell is XFD1048576\)"):
        read_pair(tmp_path / "far.xlsx")
    path = put(tmp_path, [["a", "b"], *map(list, zip(A, B, strict=True))])
    with pytest.raises(InputError, match="more than 20 rows"):
        read_pair(path, max_lines=20)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/more.xml", b" " * 10**7)
    with pytest.raises(InputError, match="more than 5,000,000 bytes"):
        read_pair(path, max_bytes=5 * 10**6)
    # A size that is a lie: what is read is no more than it says.
    content = path.read_bytes()
    lying = content.replace((10**7).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != content
    path.write_bytes(lying)
    with pytest.raises(InputError, match="as a spreadsheet"):
        read_pair(path, max_bytes=5 * 10**6)


def test_what_is_no_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, [["a", "b"], *map(list, zip(A, B, strict=True))])
    content = path.read_bytes()
    for bad in (content[:-40], b"PK\3\4" + b"\0" * 100, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 600):
        with pytest.raises(InputError, match="as a spreadsheet"):
            read_pair(save(tmp_path, bad, "bad.xls"))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.bin", b"")
    with pytest.raises(InputError, match=r"a binary workbook.* save it as \.xlsx"):
        read_pair(save(tmp_path, stream.getvalue(), "t.xlsb"))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(InputError, match=r"pip install '\.\[sheets\]'"):
        read_pair(path)


def test_addresses_of_cells() -> None:
    assert [write_address(0, k) for k in (0, 25, 26, 701, 702, 16383)] == ["A1", "Z1", "AA1", "ZZ1", "AAA1", "XFD1"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
@pytest.mark.parametrize("ending", ["ods", "xls", "xlsx"])
# LibreOffice writes twenty decimals into an .ods file.
@given(drawn=st.lists(tables(sorted(set(workbooks.COLUMNS) - {"any size"})), min_size=25, max_size=25))
@settings(max_examples=3, deadline=None, phases=(Phase.generate,))  # seconds an example
def test_what_libreoffice_writes(tmp_path_factory: Any, ending: str, drawn: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("office")
    expected = write_tables(folder / "table.xlsx", "xlsxwriter.xlsx", drawn)
    user = tmp_path_factory.getbasetemp() / "office user"
    command = ["soffice", f"-env:UserInstallation={user.as_uri()}", "--headless", "--convert-to", ending]
    subprocess.run([*command, "--outdir", folder / "out", folder / "table.xlsx"], check=True, capture_output=True)
    read = [
        come_back_or_are_refused(folder / "out" / f"table.{ending}", rows, look, sheet=f"table {k}")
        for k, (rows, (_, _, look)) in enumerate(zip(expected, drawn, strict=True))
    ]
    assert sum(read) > len(read) / 2
