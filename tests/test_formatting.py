"""Text from elsewhere: nothing in it acts on a terminal, a shell or a spreadsheet, and nothing harmless changes."""

import csv
import io
import json
import math
import shlex
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.errors import InputError
from causewise.formatting import (
    csv_text,
    format_extreme,
    format_number,
    format_signed,
    json_text,
    markdown_table,
    shell_word,
    shorten,
    single_line,
    text_width,
    visible,
    visible_lines,
)

HOSTILE = "\x1b]0;owned\x07\x9b31m\x7f\u202ea';touch pwned;'[red]\r\nb"
ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
anything = st.text(st.characters(codec=None) | st.sampled_from(HOSTILE), max_size=40)


def acts(text: str, keep: str = "") -> list[str]:
    return [letter for letter in text if letter not in keep and unicodedata.category(letter) in ACTING]


@given(anything)
def test_what_is_shown_neither_acts_nor_hides(text: str) -> None:
    assert not acts(visible(text))
    assert not acts(visible_lines(text), keep="\n")
    assert visible(visible(text)) == visible(text)
    assert visible(text) == text or acts(text)


def test_what_acts_is_spelt_out() -> None:
    assert visible(HOSTILE) == r"\x1b]0;owned\x07\x9b31m\x7f\u202ea';touch pwned;'[red]\r\nb"
    assert single_line("Größe → 数\n(cm)") == r"Größe → 数\n(cm)"


@given(st.recursive(anything, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3)))
def test_json_reads_back_and_holds_nothing_that_acts(record: object) -> None:
    text = json_text(record)
    assert json.loads(text) == record
    assert not acts(text, keep="\n")


@given(anything)
def test_a_word_for_the_shell_is_one_word(text: str) -> None:
    assert shlex.split(shell_word(text)) == [visible(text)]


cells = st.lists(
    st.lists(st.sampled_from(["=1+1", "-2+3", "+x", "@x", "\tx", "\rx", "\nx", "-1.5", "+2e-3", "a,b"]) | anything,
             min_size=2, max_size=4),
    max_size=4,
)  # fmt: skip


@given(cells)
def test_no_cell_runs_in_a_spreadsheet_and_programs_get_every_cell_as_it_is(lines: list[list[str]]) -> None:
    assert read_csv(csv_text(lines, raw=True)) == lines
    guarded = read_csv(csv_text(lines))
    assert [[cell.removeprefix("'") for cell in line] for line in guarded] == [
        [cell.removeprefix("'") for cell in line] for line in lines
    ]
    for cell in (cell for line in guarded for cell in line if cell.startswith(tuple("=+-@\t\r\n"))):
        float(cell)


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_numbers_are_never_guarded() -> None:
    assert csv_text([[-1.5, "-1.5", "+2e-3", -3]]) == "-1.5,-1.5,+2e-3,-3\n"


@given(st.lists(st.lists(anything, min_size=2, max_size=2), min_size=1, max_size=4), st.booleans())
def test_a_table_has_one_line_a_row_whatever_its_cells_say(rows: list[list[str]], padded: bool) -> None:
    lines = markdown_table(("a", "b"), rows, padded=padded).split("\n")
    assert len(lines) == 2 + len(rows)
    assert {line.replace(r"\|", "").count("|") for line in lines} == {3}


def test_sentences_and_decisions_show_hostile_names_escaped() -> None:
    x = [float(k * k % 17) for k in range(40)]
    y = [float(k % 13) for k in range(40)]
    with pytest.raises(InputError) as refused:
        raise InputError(f"Got {HOSTILE}.")
    assert not acts(str(refused.value))
    decision = causewise.infer({HOSTILE: x, "y": y}, method="loci-m")
    assert decision.pair.x_name != visible(decision.pair.x_name)
    assert not acts(str(decision), keep="") and not acts(repr(decision))


_DIGITS = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def read_back(text: str) -> float:
    return float(text.translate(_DIGITS).replace("×10", "e").replace("\u202f", ""))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), st.integers(2, 6))
def test_a_number_reads_back_to_its_digits(value: float, digits: int) -> None:
    assert math.isclose(
        read_back(format_number(value, digits)), value, rel_tol=0.51 * 10.0 ** (1 - digits), abs_tol=5e-324
    )


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_an_extreme_is_never_rounded_where_it_is_shorten(value: float) -> None:
    assert math.isclose(read_back(format_extreme(value)), value, rel_tol=0.51e-5, abs_tol=5e-324)
    short_value = float(f"{value:.5g}")
    assert read_back(format_extreme(short_value)) == short_value


def test_the_largest_is_the_largest() -> None:
    assert (format_extreme(18823.0), format_number(18823.0)) == ("18\u202f823", "18\u202f820")


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_no_number_is_a_dash(value: float | None) -> None:
    assert format_number(value) == format_signed(value) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (123456.0, "123\u202f500"), (-0.00021, "−0.00021"), (2.1e-9, "2.1×10⁻⁹"), (1e20, "1×10²⁰")],
)
def test_numbers_by_hand(value: float, text: str) -> None:
    assert format_number(value) == text


@given(st.text())
def test_names_on_one_line_are_printable_and_stable(name: str) -> None:
    line = single_line(name)
    assert line.isprintable()
    assert line == single_line(line) != ""
    line.encode("utf-8")


@given(st.text(max_size=60), st.integers(5, 30))
def test_short_names_keep_both_ends(name: str, width: int) -> None:
    cut = shorten(name, width)
    assert text_width(cut) <= width
    assert cut == name or (name.startswith(cut.split("…")[0]) and name.endswith(cut.rsplit("…", 1)[1]))
