"""Commands that read no table: `causewise methods`, the catalogue; `demo`, a tour of three pairs; `serve`, the page;
`mcp`, tools for assistants.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causewise.cli.streams import STOPPED, put, say

if TYPE_CHECKING:
    from rich.console import Console

    from causewise.catalogue import Cost, Entry
    from causewise.examples import ExamplePair
    from causewise.pair import Pair

_FAMILIES = {
    "default": "Several kinds of evidence, added up",
    "loci": "Effect = f(cause) + g(cause)·noise; -h compares independence, -m likelihood",
    "baseline": "Other published methods",
    "control": "Controls, which look at each column alone",
}
_NAME_WIDTH, _PHRASE_WIDTH, _COST_WIDTH = 19, 51, 9


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One method, with its settings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue, or its one method, as JSON.")] = False,
) -> None:
    """Every method in one line; with a NAME, what it assumes, when it fails, its settings, cost and papers."""
    if as_json:
        from causewise.cli.streams import as_text, put_lines
        from causewise.report.provenance import record_method, record_methods

        put_lines(as_text(record_method(name) if name else record_methods()))
    elif name:
        _show_one(name)
    else:
        _show_all()


def _show_one(name: str) -> None:
    from causewise.catalogue import defaults, entry
    from causewise.cli.streams import paragraph, terminal
    from causewise.report.provenance import references

    console, found = terminal(), entry(name)
    console.print(found.name, style="bold")
    paragraph(console, f"Assumes: {found.assumes}.")
    paragraph(console, f"Fails on: {found.fails}.")
    settings = [f"{key}={'all' if key == 'rows' and value is None else value}" for key, value in defaults(name).items()]
    paragraph(console, f"Settings: {', '.join(settings) or 'none'}.")
    paragraph(console, _cost_sentence(name))
    sampled = f"; {name}:rows=2000 decides by 2,000 rows, drawn with the seed" if "rows" in defaults(name) else ""
    paragraph(console, f"Growth with the n rows: time {found.time}, memory {found.memory}{sampled}.")
    for reference in references(name):
        paragraph(console, f"Paper: {reference}.")
    if found.extra:
        paragraph(console, f'Needs: pip install ".[{found.extra}]"')


def _cost_sentence(name: str) -> str:
    from causewise.catalogue import UNIT, cost

    price = cost(name)
    if price is None:
        return "Cost: not measured."
    cores = f"Cost: {_duration(price.seconds)} on 1000 rows and one core"
    return f"{cores}, {_ratio(price.relative)} times a decision of {UNIT}."


def _show_all() -> None:
    from causewise.catalogue import CATALOGUE, DEFAULT
    from causewise.cli.streams import paragraph, terminal

    console = terminal()
    for family, title in _FAMILIES.items():
        paragraph(console, title, style="bold")
        for entry in CATALOGUE:
            if entry.family == family:
                _show_line(console, entry)
        console.print()
    paragraph(console, f"Cost: one decision on 1000 rows, one core of one machine, no GPU. {_growth()}", style="dim")
    if any(entry.extra for entry in CATALOGUE):
        paragraph(console, '* needs: pip install ".[nn]"', style="dim")
    paragraph(console, f"Default: {DEFAULT}. More: causewise methods NAME. Use: causewise infer FILE --method NAME")


def _growth() -> str:
    """How time and memory grow, of all methods together."""
    from causewise.catalogue import CATALOGUE, LAWS, LINEAR

    near = [entry for entry in CATALOGUE if {entry.time, entry.memory} <= set(LINEAR)]
    time, memory = (max(laws, key=list(LAWS).index) for laws in zip(*((e.time, e.memory) for e in near), strict=True))
    others = [f"{e.name} ({e.time}, {e.memory})" for e in CATALOGUE if e not in near]
    but = f", but for {', '.join(others)}" if others else ""
    return f"With n rows it grows like {time} at most, and memory like {memory}{but}."


def _show_line(console: "Console", entry: "Entry") -> None:
    from causewise.catalogue import cost
    from causewise.cli.streams import paragraph

    name, price = f"  {entry.name}{' *' if entry.extra else ''}", _price(cost(entry.name))
    phrase = entry.brief
    if console.width > _NAME_WIDTH + _PHRASE_WIDTH + _COST_WIDTH:
        console.print(f"{name:<{_NAME_WIDTH}}{phrase:<{_PHRASE_WIDTH}}{price:>{_COST_WIDTH}}", soft_wrap=True)
    else:
        console.print(f"{name}  {price}", soft_wrap=True)
        paragraph(console, phrase, bullet="    ")


def _price(price: "Cost | None") -> str:
    return _duration(price.seconds) if price else "unknown"


def _duration(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.{_digits(1e3 * seconds)}f} ms"


def _ratio(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):.{_digits(ratio)}f}"


def _digits(value: float) -> int:
    """Decimals that show two digits of a number."""
    return 0 if value >= 10 else 1 if value >= 1 else 2 if value >= 0.1 else 3


# ---- demo

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
    for example in examples:
        _check_own_files(example, folder)
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
    table, picture, page = _example_files(example, folder)
    _write_table(example.pair, table)
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


def _check_own_files(example: "ExamplePair", folder: Path) -> None:
    """Refuse a folder in which somebody's file has the name of one of the tour's: its table has another first line."""
    from causewise.errors import InputError

    table, *others = _example_files(example, folder)
    is_ours = False
    if table.is_file():
        with table.open(encoding="utf-8", errors="replace") as stream:
            is_ours = stream.readline(200).strip() == f"{example.pair.x_name},{example.pair.y_name}"
    if not is_ours and (taken := [path for path in (table, *others) if path.exists() or path.is_symlink()]):
        raise InputError(
            f"Got {str(taken[0])!r}, which is not from an earlier tour; expected a folder without files of that name: "
            "choose another with --out."
        )


def _example_files(example: "ExamplePair", folder: Path) -> list[Path]:
    """Table, picture and page."""
    return [folder / f"{example.stem}.{kind}" for kind in ("csv", "png", "html")]


def _write_table(pair: "Pair", path: Path) -> None:
    from causewise.files import replace_with
    from causewise.formatting import csv_text

    rows = zip(pair.x.tolist(), pair.y.tolist(), strict=True)
    replace_with(path, csv_text([(pair.x_name, pair.y_name), *rows]).encode())


# ---- serve

PORT = 8765


def serve(
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes any that is free.")] = PORT,
    host: Annotated[
        str, typer.Option(metavar="H", help="Address to listen on; only this machine can reach the default.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes for pairs; one a processor unless told.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1, help="Give up the scan of a table that takes longer.")
    ] = None,
) -> None:
    """Open the page: drop a table, see what was understood, ask for two columns or for all of them.

    Everything stays on this machine, in memory, and is gone when the server ends (Ctrl-C).
    """
    from dataclasses import replace

    from causewise.parallel import processors
    from causewise.web.limits import ServerLimits
    from causewise.web.server import is_loopback
    from causewise.web.server import serve as serve_page

    limits = replace(ServerLimits(), processes=jobs or processors())
    if max_seconds is not None:
        limits = replace(limits, scan_seconds=max_seconds)

    def ready(address: str) -> None:
        put(f"causewise is at {address} (Ctrl-C ends it)")
        if not is_loopback(host):
            say(f"Listening on {host}: whoever can reach this machine can use the page, and sees no password.")
        if browser:
            _open(address)

    try:
        serve_page(host, port, limits, ready)
    except KeyboardInterrupt:
        say("Stopped; nothing is kept.")
        raise typer.Exit(STOPPED) from None


def _open(address: str) -> None:
    # Without a display, a text browser would take over the terminal.
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    webbrowser.open(address)


# ---- mcp


def mcp(
    allow: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Folder whose tables may be read; repeat it. The current one unless given."),
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Processes for pairs.")] = 1,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1, help="Give up the scan of a table that takes longer.")
    ] = None,
) -> None:
    """Tools for assistants over standard input and output: infer, scan, graph, effect, methods, explain.

    An assistant that speaks the Model Context Protocol starts it; docs/mcp.md has the three lines of set-up.

    It reads the files that the assistant names, inside the folders that are allowed, and writes only where it is asked.
    """
    from dataclasses import replace

    from causewise.errors import InputError
    from causewise.mcp_server.folders import AllowedFolders
    from causewise.mcp_server.server import serve_assistant
    from causewise.serving.limits import JobLimits

    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise InputError("Standard input or output is closed; expected an assistant there: docs/mcp.md has the set-up.")
    folders = AllowedFolders.of(allow or ())
    limits = JobLimits(processes=jobs)
    if max_seconds is not None:
        limits = replace(limits, scan_seconds=max_seconds)
    if sys.stdin.isatty():
        say(f"Waiting for an assistant at standard input (Ctrl-C ends it). Tables may be read in {folders}.")
    try:
        serve_assistant(folders, limits)
    except KeyboardInterrupt:
        say("Stopped.")
        raise typer.Exit(STOPPED) from None
