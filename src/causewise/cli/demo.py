"""`causewise demo`: a tour of three pairs, one made, one recorded and answered, one rightly left open."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from causewise.examples import ExamplePair
    from causewise.pair import Pair

PICKED = (
    "The recorded pairs were picked for what they show. On recorded tables most pairs stay undecided, and an answer "
    "that comes with a warning deserves a second look; the README says how often the answers are right."
)


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the tables, pictures and pages.")] = Path(
        "causewise-demo"
    ),
    seed: Annotated[int, typer.Option(help="Of the generated pair.")] = 0,
) -> None:
    """A tour of some seconds: a pair of known direction, a recorded one that is answered, and one that is not."""
    from causewise.cli.streams import paragraph, terminal
    from causewise.examples import load_cars, load_tumours, make_dose_response
    from causewise.formatting import shell_word

    examples = (make_dose_response(seed), load_cars(), load_tumours())
    folder = _folder(out)
    console = terminal()
    for number, example in enumerate(examples, start=1):
        _present(console, number, example, folder)
    console.rule(style="dim")
    paragraph(console, PICKED)
    console.print("\nWhat to type next", style="bold")
    for line, purpose in (
        (
            f"causewise infer {shell_word(folder / 'cars.csv')} --stability",
            "the cars again, also on halves of the rows",
        ),
        (
            "causewise infer TABLE.csv -x COLUMN -y COLUMN --report page.html",
            "a table of your own, with a page to keep",
        ),
        ("causewise scan TABLE.csv", "every pair of a table"),
        ("causewise methods", "the other methods, and what each assumes"),
    ):
        console.print(f"  {line}\n      {purpose}", soft_wrap=True)


def _present(console: "Console", number: int, example: "ExamplePair", folder: Path) -> None:
    from causewise.catalogue import DEFAULT, seeded_method
    from causewise.cli.answer import explanation, headline, numbers, outcomes
    from causewise.cli.infer import decide, write_files
    from causewise.cli.streams import paragraph
    from causewise.formatting import visible
    from causewise.report.decision_wording import severity

    decision = decide(example.pair, DEFAULT, seeded_method(DEFAULT, 0), 0, not sys.stderr.isatty())
    _write_table(example.pair, folder / f"{example.stem}.csv")
    picture, page = (folder / f"{example.stem}.{kind}" for kind in ("png", "html"))
    write_files(decision, page, picture)
    console.rule(f"{number}. {example.title}", align="left", style="dim")
    paragraph(console, example.story)
    console.print()
    console.print(f"causewise says: {headline(decision)}", style="bold", soft_wrap=True)
    paragraph(console, explanation(decision))
    console.print()
    outcomes(console, decision)
    numbers(console, decision)
    console.print()
    console.print(_compare_with_truth(decision.cause, example.truth), style="bold")
    paragraph(console, example.lesson)
    for warning in decision.warnings:
        paragraph(console, f"Warning ({severity(warning)}): {warning}")
    console.print(f"Picture: {visible(picture)}\nPage: {visible(page)}\n", soft_wrap=True)


def _compare_with_truth(cause: str | None, truth: str | None) -> str:
    if truth is None:
        return f"{'Rightly left open' if cause is None else 'Wrong'}: neither causes the other."
    if cause is None:
        return f"Undecided; the accepted cause is {truth}."
    return f"{'Right' if cause == truth else 'Wrong'}: the accepted cause is {truth}."


def _folder(out: Path) -> Path:
    from causewise.errors import InputError

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            f"Cannot make the folder {str(out)!r} ({problem.strerror}); expected a place to write to: "
            "choose another with --out."
        ) from None
    return out


def _write_table(pair: "Pair", path: Path) -> None:
    from causewise.files import replace_with
    from causewise.formatting import csv_text

    rows = zip(pair.x.tolist(), pair.y.tolist(), strict=True)
    replace_with(path, csv_text([(pair.x_name, pair.y_name), *rows]).encode())
