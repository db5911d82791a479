"""`whence demo`: a tour of twenty seconds, one pair whose direction is known and one that life has to offer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from whence.datasets.exhibits import Exhibit
    from whence.pair import Pair


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the tables and pictures.")] = Path("whence-demo"),
    seed: Annotated[int, typer.Option(help="Of the generated pair.")] = 0,
) -> None:
    """A tour of twenty seconds: one pair of known direction, one real table, a picture of each."""
    from whence.cli.streams import terminal
    from whence.datasets.exhibits import generated, measured
    from whence.safe import shell_word

    folder = _folder(out)
    console = terminal()
    for number, exhibit in enumerate((generated(seed), measured()), start=1):
        _present(console, number, exhibit, folder)
    console.rule(style="dim")
    console.print("What to type next", style="bold")
    for line, purpose in (
        (f"whence infer {shell_word(folder / 'generated.csv')}", "the first answer in full"),
        ("whence infer TABLE.csv -x COLUMN -y COLUMN --report page.html", "a table of your own, with a page to keep"),
        ("whence methods", "the other methods, and what each assumes"),
    ):
        console.print(f"  {line}\n      {purpose}", soft_wrap=True)


def _present(console: "Console", number: int, exhibit: "Exhibit", folder: Path) -> None:
    from whence.catalogue import DEFAULT
    from whence.cli.answer import explanation, headline, numbers
    from whence.cli.infer import decide
    from whence.cli.streams import paragraph
    from whence.report.picture import draw
    from whence.report.wording import level_of
    from whence.safe import visible

    decision = decide(exhibit.pair, DEFAULT, seed=0)
    _write_table(exhibit.pair, folder / f"{exhibit.stem}.csv")
    picture = folder / f"{exhibit.stem}.png"
    draw(decision, picture)
    console.rule(f"{number}. {exhibit.title}", align="left", style="dim")
    paragraph(console, exhibit.story)
    console.print()
    console.print(f"whence says: {headline(decision)}", style="bold", soft_wrap=True)
    paragraph(console, explanation(decision))
    console.print()
    numbers(console, decision)
    console.print()
    console.print(_judged(decision.cause, exhibit), style="bold")
    if decision.cause != exhibit.truth:
        paragraph(console, exhibit.lesson)
    for warning in decision.warnings:
        paragraph(console, f"Warning ({level_of(warning)}): {warning}")
    console.print(f"Picture: {visible(picture)}\n", soft_wrap=True)


def _judged(cause: str | None, exhibit: "Exhibit") -> str:
    if cause is None:
        return f"Undecided; the accepted cause is {exhibit.truth}."
    return f"{'Right' if cause == exhibit.truth else 'Wrong'}: the accepted cause is {exhibit.truth}."


def _folder(out: Path) -> Path:
    from whence.pair import InputError

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            f"Cannot make the folder {str(out)!r} ({problem.strerror}); expected a place to write to: "
            "choose another with --out."
        ) from None
    return out


def _write_table(pair: "Pair", path: Path) -> None:
    from whence.report.files import replace_with
    from whence.safe import csv_text

    rows = zip(pair.x.tolist(), pair.y.tolist(), strict=True)
    replace_with(path, csv_text([(pair.x_name, pair.y_name), *rows]).encode())
