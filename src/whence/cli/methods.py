"""`whence methods`: every method by name, with what it assumes, when it fails and what it costs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from whence.costs import Cost


def methods(as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue as JSON.")] = False) -> None:
    """Every method by name, with what it assumes, when it fails and what it costs."""
    if as_json:
        from whence.cli.infer import as_text

        print(as_text(_records()))  # noqa: T201  # the command line is where answers are printed
        return
    _show()


def _records() -> list[dict[str, Any]]:
    from whence.catalogue import CATALOGUE
    from whence.costs import cost

    priced = [(entry, cost(entry.name)) for entry in CATALOGUE]
    return [asdict(entry) | {"cost": asdict(price) if price else None} for entry, price in priced]


def _show() -> None:
    from rich import box
    from rich.table import Table

    from whence.catalogue import CATALOGUE, DEFAULT
    from whence.cli.streams import terminal
    from whence.costs import UNIT, cost

    console = terminal()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("method", style="bold", no_wrap=True)
    table.add_column("assumes", ratio=1)
    table.add_column("fails with", ratio=1)
    table.add_column("cost", no_wrap=True, justify="right")
    for entry in CATALOGUE:
        extra = f" (needs whence[{entry.extra}])" if entry.extra else ""
        table.add_row(entry.name, entry.assumes + extra, entry.fails, _price(cost(entry.name)))
        table.add_row()
    console.print(table)
    console.print(
        f"Cost: one decision on 1000 rows, one core, as measured on one machine; below it in decisions of {UNIT}, "
        "which is about the same on any. Networks are measured without a GPU."
    )
    console.print(
        f"The default is {DEFAULT}. Use another with: whence infer FILE --method NAME, with settings as NAME:key=value."
    )


def _price(price: "Cost | None") -> str:
    return f"{_duration(price.seconds)}\n{_times(price.relative)}" if price else "not measured"


def _duration(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.{_digits(1e3 * seconds)}f} ms"


def _times(ratio: float) -> str:
    return f"× {float(f'{ratio:.2g}'):.{_digits(ratio)}f}"


def _digits(value: float) -> int:
    """Decimals that show two digits of a number."""
    return 0 if value >= 10 else 1 if value >= 1 else 2 if value >= 0.1 else 3
