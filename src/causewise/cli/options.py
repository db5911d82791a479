"""Options and checks that several commands share, each decided once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from causewise.formatting import shell_word


class Decimal(StrEnum):
    """What stands before decimals."""

    POINT = "."
    COMMA = ","


FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, Parquet, Arrow, spreadsheet, Stata, SPSS or SAS file; - reads standard input."
    ),
]
ColumnsOption = Annotated[
    str | None, typer.Option(metavar="A,B,…", help="Only these columns, by name or number from 1.")
]
ExcludeOption = Annotated[
    str | None, typer.Option(metavar="A,B,…", help="All columns but these, by name or number from 1.")
]
KnownOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Background knowledge: tiers, edges, odds (YAML or CSV).")
]
FirstOption = Annotated[
    str | None, typer.Option(metavar="A,B,…", help="Columns that no other column causes, such as age and sex.")
]
LastOption = Annotated[str | None, typer.Option(metavar="A,B,…", help="Columns that cause no other, as an outcome.")]

# How a table is read.
DecimalOption = Annotated[
    Decimal | None, typer.Option(help="Decimal mark of a text table; found out unless given.", show_default=False)
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether its first line holds names; found out unless given."),
]
SepOption = Annotated[
    str | None,
    typer.Option(metavar="MARK", help="What separates its cells: , ; | tab or blank; found out unless given."),
]
SheetOption = Annotated[
    str | None,
    typer.Option(metavar="NAME|N", help="Sheet of a workbook, by name or number; the first with a table unless given."),
]
BytesOption = Annotated[
    int, typer.Option(metavar="N", min=1, help="Refuse a table that is longer, unpacked, than this.")
]
RowsOption = Annotated[int, typer.Option(metavar="N", min=1, help="Refuse a table of more rows.")]

# What the default method is given beforehand.
ThresholdOption = Annotated[
    float | None, typer.Option(metavar="0.8", help="Confidence an answer needs; below it a pair is undecided.")
]
NeitherOption = Annotated[
    float | None,
    typer.Option(
        metavar="0.3",
        help="Prior probability that two related columns like these have no direction.",
        show_default=False,
    ),
]
DirectOption = Annotated[bool, typer.Option("--direct", help="One of the two surely causes the other: --neither 0.")]
RecordingOption = Annotated[
    bool, typer.Option("--no-recording", help="Leave out how coarsely the columns are recorded.")
]


def reading_options(
    decimal: Decimal | None, header: bool | None, sep: str | None, sheet: str | None, max_bytes: int, max_rows: int
) -> dict[str, Any]:
    """The options that say how a table is read, as Python names them."""
    mark = {"tab": "\t", "\\t": "\t", "blank": " "}.get(sep or "", sep)
    said = {"decimal": decimal and decimal.value, "header": header, "sep": mark, "sheet": sheet}
    return said | {"max_bytes": max_bytes, "max_lines": max_rows}


def split_names(columns: str | None) -> list[str] | None:
    """Names with a comma between."""
    return None if columns is None else [each.strip() for each in columns.split(",")]


def split_methods(methods: str) -> list[str]:
    """The methods asked for: names with a comma between."""
    from causewise.errors import InputError

    names = [name.strip() for name in methods.split(",")] if "," in methods else [methods]
    if len(names) > 1 and ("" in names or len(set(names)) < len(names)):
        raise InputError(
            f"Got --method {methods!r}; expected different names with a comma between, for instance "
            "causewise,mdl,loci-h."
        )
    return names


def knowledge_options(known: Path | None, first: str | None, last: str | None) -> Any:
    """The background knowledge that these options are: a file, and what is stated beside it."""
    ends = {name: split_names(value) for name, value in (("first", first), ("last", last)) if value is not None}
    if known is None or not ends:
        return ends or known
    from causewise.knowledge.knowledge_file import add_statements, read_knowledge_file

    return add_statements(read_knowledge_file(known), ends)


def method_options(
    methods: Sequence[str],
    threshold: float | None = None,
    neither: float | None = None,
    direct: bool = False,
    no_recording: bool = False,
) -> dict[str, dict[str, Any]]:
    """Of each method, the settings that these options are; one that no method takes is refused."""
    from causewise.catalogue import stated_settings
    from causewise.errors import InputError

    if direct and neither is not None:
        raise InputError(
            f"Got --neither {neither:g} and --direct; expected one of them: --direct says that one of the two columns "
            "causes the other, which is --neither 0."
        )
    options = {
        "threshold": (threshold, f"--threshold {threshold}"),
        "neither": (neither, f"--neither {neither}"),
        "direct": (direct or None, "--direct"),
        "recording": (False if no_recording else None, "--no-recording"),
    }
    stated = {name: value for name, (value, _) in options.items() if value is not None}
    return stated_settings(methods, stated, {name: text for name, (_, text) in options.items()})


def check_targets(report: Path | None, plot: Path | None) -> None:
    """Refuse a file name that cannot be written to before any time is spent on the answer."""
    from causewise.errors import InputError

    for target in filter(None, (report, plot)):
        check_folder(target)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"Got {str(report)!r} for the page; expected a name that ends in .html.")
    if plot is not None:
        from causewise.report.canvas import check_format

        check_format(plot)


def check_folder(target: Path) -> None:
    """Refuse a place where no file can be."""
    from causewise.errors import InputError

    if target.is_dir() or not target.parent.is_dir():
        there = "a folder of that name" if target.is_dir() else f"no folder {str(target.parent)!r}"
        raise InputError(f"Cannot write {str(target)!r}: there is {there}; expected the name of a new file.")


def check_output(target: Path | None, formats: Any) -> None:
    """Refuse a place where no file can be, or an ending that none of the formats has."""
    from causewise.scanning.graph_files import check_ending

    if target is not None:
        check_ending(target, formats)
        check_folder(target)


@contextmanager
def hint_at_options() -> Iterator[None]:
    """What a table leaves open is given by arguments in Python and by options here."""
    from causewise.errors import InputError, UnclearError

    try:
        yield
    except UnclearError as problem:
        ways = " or ".join(" ".join(map(shell_word, answer)) for answer in problem.answers)
        raise InputError(f"{problem} On the command line: {ways}.") from None
    except InputError as problem:
        raise InputError(str(problem).replace("nan_policy='omit'", "--nan-policy omit")) from None
