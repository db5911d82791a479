"""Which two columns are meant: by name, by number counted from 1, or because there are only two.

A whole table is scored without its text. Numbers, truth values, dates, durations and levels with an order are scored;
numbers that a frame holds as text are not: whoever keeps 01234 as text means no number. A column that is asked for by
name is read all the same, if it can be.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from causewise.errors import InputError, UnclearError
from causewise.numerics.conversion import is_day_first
from causewise.tables.cells import strip_cell

TEXT = "it holds text"
COUNTING = "it counts the rows"
UNORDERED = "it holds categories without a known order"
TIMES = "it holds times of day, after whose last comes the first"
DAY_FIRST = "its dates may begin with the day or the month: write the year first"
_LISTED = 12


class ColumnTable(Protocol):
    """What a reader offers: names, the positions of the columns that hold numbers, and any of the columns."""

    @property
    def names(self) -> tuple[str, ...]:
        """One distinct name per column."""

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the columns that can be chosen without being named."""

    @property
    def passed_over(self) -> Mapping[int, str]:
        """Positions of the columns that a whole table is scored without, each with the reason."""

    def columns(self, *positions: int) -> Iterable[ArrayLike]:
        """Some columns as numbers, missing values as NaN; those of a Parquet file are read one after the other."""

    def columns_or_errors(self, *positions: int) -> Iterable[ArrayLike | InputError]:
        """The same; in the place of a column that cannot be read, the error that says why."""

    def notes(self, *positions: int) -> tuple[str, ...]:
        """What had to be understood to read them."""


def choose(table: ColumnTable, where: str, x: str | int | None, y: str | int | None) -> tuple[int, int]:
    """Positions of the first and the second column."""
    if len(table.names) < 2:
        only = f" ({table.names[0]!r})" if table.names else ""
        raise InputError(
            f"Got {len(table.names)} column{'s' * (len(table.names) != 1)}{only} in {where}; expected at least two: "
            "give a table with one column per variable, separated by commas, semicolons, tabs or blanks."
        )
    if x is not None and y is not None:
        return find_column(table.names, x), find_column(table.names, y)
    free = table.numeric if len(table.names) > 2 else (0, 1)
    if x is None and y is None:
        return _choose_only_two(table, free, where)
    one = find_column(table.names, x if y is None else y)  # type: ignore[arg-type]  # exactly one of them is None here
    rest = [k for k in free if k != one]
    if len(rest) != 1:
        names = table.names[one], next(table.names[k] for k in rest or range(len(table.names)) if k != one)
        raise _unclear_columns(
            f"Got one column name, {table.names[one]!r}, and {len(rest)} other columns of numbers in {where}"
            f"{list_names([table.names[k] for k in rest])}; expected two names: give both x and y.",
            names if y is None else names[::-1],
        )
    return (one, rest[0]) if y is None else (rest[0], one)


def _choose_only_two(table: ColumnTable, free: Sequence[int], where: str) -> tuple[int, int]:
    if len(free) == 2:
        return free[0], free[1]
    names = [table.names[k] for k in free]
    if len(free) < 2:
        text = [name for k, name in enumerate(table.names) if k not in free]  # `free` holds one at most
        raise _unclear_columns(
            f"Got {len(free)} column{'s' * (len(free) != 1)} of numbers{list_names(names)} in {where} and {len(text)} "
            f"with text{list_names(text)}; expected two columns of numbers: convert one, or name both x and y to see "
            "what is wrong.",
            [*names, *text],
        )
    raise _unclear_columns(
        f"Got {len(free)} columns of numbers in {where}{list_names(names)}; expected two: choose them by name, for "
        f"instance x={names[0]!r}, y={names[1]!r}, or score every pair with scan.",
        names,
    )


def _unclear_columns(message: str, names: Sequence[str]) -> UnclearError:
    return UnclearError(message, ("-x", names[0], "-y", names[1]))


def find_column(names: Sequence[str], wanted: str | int) -> int:
    """Position of a column given by name or by number; a name that exists wins."""
    if hasattr(wanted, "__len__") and not isinstance(wanted, (str, tuple)):
        raise InputError(
            f"Got a {type(wanted).__name__} in the place of a column's name; expected infer(table, 'a', 'b') with two "
            "names, or infer(x, y) with two columns."
        )
    # Names before numbers: in a table with columns called 1990, 1991, …, "1990" is the year.
    text = str(wanted).strip()
    if text in names:
        return names.index(text)
    if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= len(names):
        return int(text) - 1
    import difflib

    folded = {name.casefold(): name for name in reversed(names)}
    near = [folded[key] for key in difflib.get_close_matches(text.casefold()[:200], list(folded), n=3, cutoff=0.6)]
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"the columns are{list_names(names, ' ', '')}."
    raise InputError(
        f"Got the column {text[:80]!r}, which is not in the table; expected a name or a number from 1 to {len(names)}: "
        f"{hint}"
    )


def list_names(names: Sequence[str], opening: str = " (", closing: str = ")") -> str:
    """Column names for a sentence, shortened when there are many."""
    if not names:
        return ""
    rest = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{opening}{', '.join(names[:_LISTED])}{rest}{closing}"


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Every column gets a name of its own: nameless ones their number, repeated ones their number added."""
    distinct = [str(name).strip() or f"column {k}" for k, name in enumerate(names, start=1)]
    while len(count := Counter(distinct)) < len(distinct):
        distinct = [f"{name} (column {k})" if count[name] > 1 else name for k, name in enumerate(distinct, start=1)]
    return tuple(distinct)


def explain_unreadable(problem: InputError, name: str) -> str:
    """Why a table is scored without a column, from the sentence that refuses it where it is asked for."""
    got, prefix = str(problem).partition("; expected")[0], f"Column {name!r} has "
    return f"it has {got.removeprefix(prefix)}" if got.startswith(prefix) else f"it cannot be read ({got})"


def explain_text(cells: Sequence[str]) -> str:
    """Why a table is scored without a column of such text."""
    return DAY_FIRST if cells and all(is_day_first(strip_cell(cell)) for cell in cells) else TEXT
