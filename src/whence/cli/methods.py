"""`whence methods`: every method by name, with what it assumes, when it fails and what it costs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from whence.costs import Cost

_TABLE_WIDTH = 72
"""Below this, words do not fit into the columns of the table."""


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One method, with its settings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue, or its one method, as JSON.")] = False,
) -> None:
    """Every method by name, with what it assumes, when it fails and what it costs."""
    if as_json:
        from whence.cli.infer import as_text

        print(as_text(_record(name) if name else _records()))  # noqa: T201  # the place where answers are printed
    elif name:
        _show_one(name)
    else:
        _show()


def _records() -> list[dict[str, Any]]:
    from whence.catalogue import CATALOGUE
    from whence.costs import cost

    priced = [(entry, cost(entry.name)) for entry in CATALOGUE]
    return [asdict(entry) | {"cost": asdict(price) if price else None} for entry, price in priced]


def _record(name: str) -> dict[str, Any]:
    from whence.catalogue import defaults, entry

    known = entry(name).name
    return next(record for record in _records() if record["name"] == known) | {"settings": defaults(known)}


def _show_one(name: str) -> None:
    from whence.catalogue import defaults
    from whence.cli.streams import paragraph, terminal

    console = terminal()
    _tell(console, name)
    settings = [f"{key}={value}" for key, value in defaults(name).items()]
    paragraph(console, f"Settings: {', '.join(settings) or 'none'}.")


def _tell(console: "Console", name: str) -> None:
    from whence.catalogue import entry
    from whence.cli.streams import paragraph
    from whence.costs import UNIT, cost

    told, price = entry(name), cost(name)
    console.print(told.name, style="bold")
    paragraph(console, f"Assumes {told.assumes}.")
    paragraph(console, f"Fails with {told.fails}.")
    if price:
        cores = f"Costs {_duration(price.seconds)} on 1000 rows and one core"
        paragraph(console, f"{cores}, {_ratio(price.relative)} times a decision of {UNIT}.")
    if told.extra:
        paragraph(console, f'Needs: pip install "whence[{told.extra}]"')


def _show() -> None:
    from whence.catalogue import CATALOGUE, DEFAULT
    from whence.cli.streams import terminal
    from whence.costs import UNIT

    console = terminal()
    if console.width >= _TABLE_WIDTH:
        console.print(_table())
    else:
        for entry in CATALOGUE:
            _tell(console, entry.name)
            console.print()
    console.print(
        f"Cost: one decision on 1000 rows, one core, as measured on one machine; below it in decisions of {UNIT}, "
        "which is about the same on any. Networks are measured without a GPU."
    )
    console.print(
        f"The default is {DEFAULT}. Use another with: whence infer FILE --method NAME, with settings as NAME:key=value "
        "(whence methods NAME lists them)."
    )


def _table() -> "Table":
    from rich import box
    from rich.table import Table

    from whence.catalogue import CATALOGUE
    from whence.costs import cost

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("method", style="bold", no_wrap=True)
    table.add_column("assumes", ratio=1)
    table.add_column("fails with", ratio=1)
    table.add_column("cost", no_wrap=True, justify="right")
    for entry in CATALOGUE:
        extra = f" (needs whence[{entry.extra}])" if entry.extra else ""
        table.add_row(entry.name, entry.assumes + extra, entry.fails, _price(cost(entry.name)))
        table.add_row()
    return table


def _price(price: "Cost | None") -> str:
    return f"{_duration(price.seconds)}\n× {_ratio(price.relative)}" if price else "not measured"


def _duration(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.{_digits(1e3 * seconds)}f} ms"


def _ratio(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):.{_digits(ratio)}f}"


def _digits(value: float) -> int:
    """Decimals that show two digits of a number."""
    return 0 if value >= 10 else 1 if value >= 1 else 2 if value >= 0.1 else 3
