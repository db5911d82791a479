"""`whence methods`: every method by name, with what it assumes and when it fails."""

from dataclasses import asdict
from typing import Annotated

import typer


def methods(as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue as JSON.")] = False) -> None:
    """Every method by name, with what it assumes and when it fails."""
    from whence.catalogue import CATALOGUE

    if as_json:
        from whence.cli.infer import as_text

        print(as_text([asdict(entry) for entry in CATALOGUE]))  # noqa: T201  # the command line is where answers are printed
        return
    _show()


def _show() -> None:
    from rich import box
    from rich.table import Table

    from whence.catalogue import CATALOGUE, DEFAULT
    from whence.cli.streams import terminal

    console = terminal()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("method", style="bold", no_wrap=True)
    table.add_column("assumes", ratio=1)
    table.add_column("fails with", ratio=1)
    for entry in CATALOGUE:
        extra = f" (needs whence[{entry.extra}])" if entry.extra else ""
        table.add_row(entry.name, entry.assumes + extra, entry.fails)
        table.add_row()
    console.print(table)
    console.print(
        f"The default is {DEFAULT}. Use another with: whence infer FILE --method NAME, with settings as NAME:key=value."
    )
