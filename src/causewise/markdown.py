"""Tables in Markdown: the only home of their pipes and rules."""

from collections.abc import Sequence

from causewise.safe import visible


def markdown_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None, *, padded: bool = False
) -> str:
    """A table without a final line break.

    Parameters
    ----------
    head
        Names of the columns.
    rows
        Cells as text, one sequence for each line.
    align
        `l` or `r` for every column; by default the first is left-aligned and the others, usually numbers, right.
    padded
        Columns of equal width, to be read in a terminal as well as on a page.

    Examples
    --------
    >>> print(markdown_table(("set", "accuracy"), [("AN", "98.5"), ("LSs", "100.0")]))
    | set | accuracy |
    |---|---:|
    | AN | 98.5 |
    | LSs | 100.0 |
    >>> print(markdown_table(("set", "accuracy"), [("AN", "98.5"), ("LSs", "100.0")], padded=True))
    | set | accuracy |
    |-----|---------:|
    | AN  |     98.5 |
    | LSs |    100.0 |
    """
    sides = align or "l" + "r" * (len(head) - 1)
    lines = [[_cell(text) for text in line] for line in (head, *rows)]
    widths = [max(map(len, column)) if padded else 0 for column in zip(*lines, strict=True)]
    # An unpadded rule is `---` or `---:`, which every Markdown reader knows; a padded one fills its column.
    dashes = [width + 1 if padded else 3 - (side == "l") for side, width in zip(sides, widths, strict=True)]
    rule = "|".join("-" * count + ("-" if side == "l" else ":") for side, count in zip(sides, dashes, strict=True))
    first, *others = (_line(line, sides, widths) for line in lines)
    return "\n".join([first, f"|{rule}|", *others])


def _cell(text: str) -> str:
    """On one line, and without a pipe that would end it."""
    return visible(text).replace("|", r"\|")


def _line(cells: Sequence[str], sides: str, widths: Sequence[int]) -> str:
    placed = (
        cell.ljust(width) if side == "l" else cell.rjust(width)
        for cell, side, width in zip(cells, sides, widths, strict=True)
    )
    return f"| {' | '.join(placed)} |"
