"""`causewise data`: what data sets there are, fetching and checking the published ones, drawing new ones."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causewise.cli.streams import paragraph, put, put_lines, say, terminal
from causewise.errors import InputError
from causewise.formatting import json_text

if TYPE_CHECKING:
    from rich.console import Console

    from causewise.lab.datasets.fetching import Fetched, Progress
    from causewise.lab.datasets.storage import PublishedSet

app = typer.Typer(no_args_is_help=True, help="Labelled cause-effect pairs: list, fetch, check, generate.")

DataDir = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the data files (default: CAUSEWISE_DATA, else a per-user cache)."),
]


@app.command("list")
def list_command(
    data: DataDir = None,
    generators: Annotated[bool, typer.Option("--generators", help="The generators instead of the files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """The data sets: whether they are at hand, how large they are, whose they are, on what terms."""
    records = _generators() if generators else _sets(data)
    if as_json:
        put_lines(json_text(records))
    elif generators:
        _show(terminal(), ("name", "rows", "title"), records)
    else:
        _show_sets(terminal(), records, data)


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of data sets, or `all`.")],
    data: DataDir = None,
    again: Annotated[bool, typer.Option("--again", help="Download anew what is at hand already.")] = False,
    address: Annotated[str | None, typer.Option("--from", help="Address of a zip archive to take instead.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for a server.")] = 30.0,
    attempts: Annotated[int, typer.Option(min=1, help="How often a broken download is continued.")] = 4,
    max_time: Annotated[float, typer.Option(min=0.1, help="Seconds one download may take in all.")] = 3600.0,
    max_size: Annotated[float, typer.Option(min=0.001, help="MiB one download may have, packed or unpacked.")] = 1024.0,
) -> None:
    """Download published data sets; what is at hand already is left alone, so a failed run can be repeated."""
    from causewise.lab.datasets.fetching import MEBIBYTE, Downloader
    from causewise.lab.datasets.fetching import fetch as fetch_set

    if address is not None and "://" not in address:
        raise InputError(
            f"Got --from {address!r}; expected an address such as https://host/archive.zip: unpack an archive that is "
            "here already into the data folder."
        )
    # Every set is tried, whatever became of the one before: a night's download must not end at its first dead server.
    wanted, failed = _entries(names), False
    most = max_size * MEBIBYTE
    downloader = Downloader(timeout=timeout, attempts=attempts, max_time=max_time, max_size=most)
    for entry in wanted:
        with _bar() as on_progress:
            result = fetch_set(entry, data, again=again, address=address, downloader=downloader, progress=on_progress)
        (say if result.failure else put)(_fetch_message(entry, result, data))
        failed |= bool(result.failure)
    if failed:
        raise typer.Exit(1)


@app.command()
def check(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Names of data sets.")] = None,
    data: DataDir = None,
) -> None:
    """Whether the files at hand are the published ones, however they came; all sets that are at hand unless named."""
    from causewise.lab.datasets.fetching import problem_with
    from causewise.lab.datasets.storage import absent_error, data_folder, published_sets

    root = data_folder(data)
    wanted = _entries(names) if names else [entry for entry in published_sets() if entry.is_present(root)]
    if not wanted:
        raise InputError(
            f"Got {root}, which holds no data set; expected some: run `causewise data fetch all`, or name their folder."
        )
    failed = False
    for entry in wanted:
        if not entry.is_present(root):
            raise absent_error(entry, root)
        if problem := problem_with(entry, root):
            say(f"{entry.name}: {problem}; get the files again at {entry.home}")
            failed = True
        else:
            what = "every file is" if entry.values_verified else "the labels are"
            put("\n".join(filter(None, (f"{entry.name}: {what} as registered", entry.remark_on_size(root)))))
    if failed:
        raise typer.Exit(2)


@app.command()
def generate(
    name: Annotated[str, typer.Argument(help="A generator; `causewise data list --generators` shows them.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write into; `--data` of other commands reads it.")],
    pairs: Annotated[int, typer.Option("--pairs", help="Number of pairs.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same pairs.")] = 0,
    n: Annotated[int | None, typer.Option("--n", help="Rows per pair (default: the generator's own).")] = None,
) -> None:
    """Draw labelled pairs from a seed and write them as files that `--data` reads back."""
    from causewise.lab.datasets.generators import generate as draw
    from causewise.lab.datasets.storage import write

    collection = draw(name, pairs=pairs, n=n, seed=seed)
    folder = write(collection, out, seed)
    put(f"{name}: {len(collection)} pairs written into {folder}")


def _entries(names: list[str]) -> "tuple[PublishedSet, ...]":
    from causewise.lab.datasets import storage

    return storage.published_sets() if names == ["all"] else tuple(map(storage.published_set, names))


def _fetch_message(entry: "PublishedSet", result: "Fetched", data: Path | None) -> str:
    from causewise.lab.datasets.storage import data_folder, remark_on

    done = f"{entry.name}: {'fetched into' if result.downloaded else 'already in'} {result.folder}"
    return result.failure or "\n".join(
        filter(None, (done, remark_on([entry.name]), entry.remark_on_size(data_folder(data))))
    )


def _sets(data: Path | None) -> list[dict[str, Any]]:
    from causewise.lab.datasets.storage import GENERATED, data_folder, published_sets

    root = data_folder(data)
    return [
        {
            "name": entry.name,
            "at_hand": entry.is_present(root),
            "generated": (root / entry.name / GENERATED).is_file(),
            "pairs": entry.pairs,
            "rows": entry.rows,
            "title": entry.title,
            "values_verified": entry.values_verified,
            "size": entry.remark_on_size(root),
            "folder": str(root / entry.folder),
            "excluded": {exclusion.pair_id: exclusion.reason for exclusion in entry.exclusions},
            "home": entry.home,
            "terms": entry.licence,
            "citation": entry.citation,
            "addresses": [{"url": m.url, "tried": m.verified} for m in entry.mirrors],
        }
        for entry in published_sets()
    ]


def _generators() -> list[dict[str, Any]]:
    from causewise.lab.datasets.generators import generators

    return [
        {"name": g.name, "rows": g.fixed_rows or g.rows, "title": g.title, "citation": g.citation} for g in generators()
    ]


def _show_sets(console: "Console", records: list[dict[str, Any]], data: Path | None) -> None:
    from causewise.lab.datasets.storage import VARIABLE, data_folder, remark_on

    for record in records:
        # A drawn set of the same name is the one that is read.
        record["at hand"] = "generated" if record["generated"] else "yes" if record["at_hand"] else "no"
    _show(console, ("name", "at hand", "pairs", "rows", "title"), records)
    paragraph(console, f"Looked in {data_folder(data)} (change it with --data or {VARIABLE}).")
    for remark in (remark_on([record["name"] for record in records]), *(record["size"] for record in records)):
        if remark:
            paragraph(console, f"{remark}.")
    # Sets of one paper share one line on whose they are.
    owners: dict[tuple[str, str, str], list[str]] = {}
    for record in records:
        owners.setdefault((record["citation"], record["terms"], record["home"]), []).append(record["name"])
    for (citation, terms, home), names in owners.items():
        paragraph(console, f"{', '.join(names)}: {citation} Terms: {terms}. Files: {home}", bullet="- ")


def _show(console: "Console", columns: tuple[str, ...], records: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for record in records:
        table.add_row(*(str(record[column]) for column in columns))
    console.print(table)


@contextmanager
def _bar() -> "Iterator[Progress]":
    """A progress bar on standard error, gone when the download is done."""
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
    )
    console = terminal(sys.stderr)
    with progress.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, progress.TaskID] = {}

        def update(url: str, done: int, total: int | None) -> None:
            if url not in tasks:
                tasks[url] = bar.add_task(url.split("/")[2])
            bar.update(tasks[url], completed=done, total=total)

        yield update
