"""Tables in Markdown: every line has the same cells, and padding lines them up."""

import pytest

from causewise.formatting import markdown_table

HEAD, ROWS = ("name", "n", "value"), [("a", "1", "0.25"), ("longer name", "1000", "–")]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("padded", [False, True])
def test_every_cell_is_where_it_was_put(padded):
    head, _, *rows = markdown_table(HEAD, ROWS, padded=padded).split("\n")
    assert tuple(cells(head)) == HEAD
    assert [tuple(cells(row)) for row in rows] == ROWS


def test_a_padded_table_has_its_pipes_in_line():
    lines = markdown_table(HEAD, ROWS, "lrr", padded=True).split("\n")
    assert len({tuple(i for i, letter in enumerate(line) if letter == "|") for line in lines}) == 1


def test_the_rule_says_how_columns_are_aligned():
    assert markdown_table(HEAD, ROWS).split("\n")[1] == "|---|---:|---:|"
    assert markdown_table(HEAD, ROWS, "rll").split("\n")[1] == "|---:|---|---|"


def test_a_line_with_a_cell_too_few_is_refused():
    with pytest.raises(ValueError, match="zip"):
        markdown_table(HEAD, [("a", "1")])
