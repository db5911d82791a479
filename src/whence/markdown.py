"""Tables in Markdown: the only home of their pipes and rules."""

from collections.abc import Sequence


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
    widths = [max(map(len, column)) if padded else 0 for column in zip(head, *rows, strict=True)]
    # An unpadded rule is `---` or `---:`, which every Markdown reader knows; a padded one fills its column.
    dashes = [width + 1 if padded else 3 - (side == "l") for side, width in zip(sides, widths, strict=True)]
    rule = "|".join("-" * count + ("-" if side == "l" else ":") for side, count in zip(sides, dashes, strict=True))
    return "\n".join([_line(head, sides, widths), f"|{rule}|", *(_line(row, sides, widths) for row in rows)])


def _line(cells: Sequence[str], sides: str, widths: Sequence[int]) -> str:
    placed = (
        cell.ljust(width) if side == "l" else cell.rjust(width)
        for cell, side, width in zip(cells, sides, widths, strict=True)
    )
    return f"| {' | '.join(placed)} |"
