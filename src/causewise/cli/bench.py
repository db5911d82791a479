"""The laboratory: `causewise bench` runs methods on labelled pairs and makes tables, figures and pages of the results;
`causewise study` runs the simulation studies, each into a folder of its own. Both can be stopped and carried on.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causewise.cli.streams import OUR_FAULT, progress, put, put_lines, resumable_job, say
from causewise.errors import InputError
from causewise.files import replace_with
from causewise.formatting import duration, shell_word
from causewise.parallel import processors

if TYPE_CHECKING:
    from causewise.decision import Decision
    from causewise.lab.benchmark.runner import Limits, Plan, RunTotals
    from causewise.lab.benchmark.store import Row, Store

app = typer.Typer(no_args_is_help=True, help="Run methods on labelled pairs; make tables and figures of the results.")


Metric = StrEnum("Metric", ["accuracy", "audrc", "auroc"])
Form = StrEnum("Form", ["md", "csv", "latex", "json"])
Against = StrEnum("Against", ["paper", "published"])

StorePath = Annotated[Path, typer.Option("--store", help="The file of results.")]
DataDir = Annotated[
    Path | None, typer.Option("--data", help="Folder of the benchmark files (default: CAUSEWISE_DATA).")
]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, max=1024, help="Worker processes (default: one per core).")]
Timeout = Annotated[float, typer.Option("--timeout", min=0, max=1e9, help="Seconds one pair may take; 0 = no limit.")]
Memory = Annotated[float, typer.Option("--memory", min=0, max=2**20, help="GiB one worker may use; 0 = no limit.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N pairs of each set.")]
Formats = Annotated[str, typer.Option("--formats", help="Of the figures, comma separated.")]
Raw = Annotated[
    bool,
    typer.Option("--raw", help="CSV for programs: no apostrophe before words that a spreadsheet would run."),
]
Sets = Annotated[str | None, typer.Option("--datasets", help="Only these sets, comma separated.")]


@app.command("run")
def run_command(
    datasets: Annotated[
        str, typer.Option(help="Sets, comma separated: AN,LS,… or drawn ones: gen:LS:seed=1:pairs=50.")
    ],
    methods: Annotated[str, typer.Option(help="Methods, comma separated: names, or package.module:object.")],
    store: StorePath,
    data: DataDir = None,
    jobs: Jobs = None,
    limit: Limit = None,
    seed: Annotated[str, typer.Option(help="Seed of the flips and of random methods; several: 0,1,2.")] = "0",
    timeout: Timeout = 600.0,
    memory: Memory = 0.0,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Make failed rows again.")] = False,
) -> None:
    """Run methods × data sets into one file; what is there already is skipped, so that the same command carries on.

    The exit code is 1 where every pair that was tried has failed.
    """
    from causewise.lab.benchmark.runner import Limits, plan
    from causewise.lab.benchmark.sets import contenders, open_set
    from causewise.lab.benchmark.store import Store

    jobs, limits = jobs or processors(), Limits(timeout, int(memory * 2**30))
    with resumable_job():
        collections = [open_set(name, data, limit) for name in _words(datasets)]
        entered = contenders(_words(methods), _seeds(seed))
        with Store.open(store) as results:
            if retry_failed:
                results.forget(("failed", "timeout", "crashed"))
            work = plan(entered, collections, results.keys(), jobs)
            _announce(work, store)
            tally = do_pairs(work, results, jobs, limits)
    if tally.made and tally.broken == tally.made:
        raise typer.Exit(OUR_FAULT)


@app.command()
def export(store: StorePath, out: Annotated[Path, typer.Option(help="CSV file to write.")], raw: Raw = False) -> None:
    """Write one CSV line per pair and method, in file orientation."""
    from causewise.lab.benchmark.store import export_rows

    with resumable_job():
        rows = _rows(store)
        replace_with(out, export_rows(rows, raw).encode())
        say(f"{len(rows)} rows written to {out}")


@app.command()
def table(
    store: StorePath,
    metric: Metric = Metric.accuracy,
    compare: Annotated[
        Against | None, typer.Option(help="Show ours − the paper's, or − what any source has published.")
    ] = None,
    form: Annotated[Form, typer.Option("--format")] = Form.md,
    intervals: Annotated[bool, typer.Option("--intervals", help="95 % bootstrap intervals over pairs.")] = False,
    cost: Annotated[bool, typer.Option("--cost", help="Median seconds per pair instead.")] = False,
    datasets: Sets = None,
    raw: Raw = False,
    out: Annotated[Path | None, typer.Option(help="File to write (default: standard output).")] = None,
) -> None:
    """Methods × data sets with the mean; the best of each column in bold.

    Where a method withholds answers, a narrow table follows: the share it answers, and how often it is right there.
    """
    from causewise.lab.benchmark import rendering
    from causewise.lab.benchmark.scores import summarise

    with resumable_job():
        chosen = _words(datasets) if datasets else None
        summary = summarise(_rows(store), metric.value, chosen, intervals=intervals and not cost)
        look = rendering.Look(intervals=intervals, against=compare.value if compare else "", raw=raw)
        text = rendering.cost(summary) if cost else rendering.render(summary, form.value, look)
        replace_with(out, text.encode()) if out else put_lines(text)


@app.command("compare")
def compare_command(
    a: Annotated[str, typer.Argument(help="A method in the store.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    store: StorePath,
    metric: Metric = Metric.accuracy,
) -> None:
    """Two methods on the pairs they share: the difference with its interval, and an exact sign test."""
    from causewise.lab.benchmark.rendering import comparison_table

    with resumable_job():
        put_lines(comparison_table(_rows(store), a, b, metric.value))


@app.command()
def status(store: StorePath) -> None:
    """What is in the store: rows, failures and seconds of every method on every set."""
    from causewise.lab.benchmark.rendering import store_contents

    with resumable_job():
        put_lines(store_contents(_rows(store)))


@app.command()
def figures(
    store: StorePath,
    out: Annotated[Path, typer.Option(help="Folder for the figures and leaderboard.html.")],
    data: DataDir = None,
    formats: Formats = "pdf,svg,png",
) -> None:
    """Draw the paper's figures, decision-rate curves and accuracy against cost, and write the leaderboard page."""
    from causewise.lab.benchmark.publish import draw, write_leaderboard

    with resumable_job():
        rows = _rows(store)
        paths = draw(rows, out, _example_decisions(data), _words(formats))
        write_leaderboard(rows, out / "leaderboard.html")
        for path in (*paths, out / "leaderboard.html"):
            put(path)


@app.command()
def reproduce(
    out: Annotated[Path, typer.Option(help="Folder for the store, tables, figures and the page.")],
    methods: Annotated[str | None, typer.Option(help="Only these methods (default: all of the paper's).")] = None,
    data: DataDir = None,
    jobs: Jobs = None,
    limit: Limit = None,
    timeout: Timeout = 600.0,
    memory: Memory = 0.0,
    formats: Formats = "pdf,svg,png",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how long it will take, and stop.")] = False,
) -> None:
    """Run all of the paper that is present and write tables and figures; the same command carries on."""
    from causewise.lab.benchmark.publish import write_all
    from causewise.lab.benchmark.published import paper_methods
    from causewise.lab.benchmark.runner import Forecast, Limits, Plan, plan, sample
    from causewise.lab.benchmark.sets import available_methods, contenders, load_present
    from causewise.lab.benchmark.store import Store

    jobs, limits = jobs or processors(), Limits(timeout, int(memory * 2**30))
    with resumable_job():
        collections, absent = load_present(data, limit)
        if not collections:
            raise InputError(" ".join(absent))
        names, missing = available_methods(_words(methods) if methods else paper_methods())
        for sentence in (*absent, *missing):
            say(sentence)
        out.mkdir(parents=True, exist_ok=True)
        with Store.open(out / "results.sqlite") as results:
            work = plan(contenders(names, [0]), collections, results.keys(), jobs)
            _announce(work, results.path)
            # Methods differ in cost by a factor of a million: a forecast needs a few pairs of each. They stay in
            # the store and count.
            known = results.seconds()
            if first := sample(work, known, jobs).tasks:
                say("Trying a few pairs of each method to see how long it will take …")
                do_pairs(Plan(first, 0), results, jobs, limits, quiet=True)
            work = plan(contenders(names, [0]), collections, results.keys(), jobs)
            left = Forecast(work.todo_by_method, jobs, results.seconds()).words()
            if work.todo and left is not None:
                say(f"{work.todo} pairs will take {left} on {jobs} cores.")
            if dry_run:
                return
            do_pairs(work, results, jobs, limits)
            rows = results.rows()
        for path in write_all(rows, out, _example_decisions(data), _words(formats)):
            put(path)


def do_pairs(work: "Plan", results: "Store", jobs: int, limits: "Limits", quiet: bool = False) -> "RunTotals":
    """Do the planned pairs, with progress, and say how it went."""
    from causewise.lab.benchmark.runner import Forecast, run

    start = time.monotonic()
    forecast = Forecast(work.todo_by_method, jobs, results.seconds())
    with progress({"": "pairs"}, forecast.remark) as on_progress:

        def on_rows(rows: "Sequence[Row]") -> None:
            forecast.learn(rows)
            on_progress("", forecast.done.total(), work.todo)

        on_rows([])
        tally = run(work, results, jobs=jobs, limits=limits, on_rows=on_rows)
    if not quiet:
        command = f"causewise bench status --store {shell_word(results.path)}"
        failed = f", {tally.broken} failed (see: {command})" if tally.broken else ""
        elsewhere = f", {work.todo - tally.made} by another run" if tally.made < work.todo else ""
        say(f"{tally.made} pairs done in {duration(time.monotonic() - start)}{failed}{elsewhere}.")
    return tally


def _announce(work: "Plan", store: Path) -> None:
    there = f", {work.there} are already in {store}" if work.there else ""
    say(f"{work.todo} pairs to do{there}.")


def _example_decisions(data: Path | None) -> "dict[str, Decision]":
    """The decisions of the paper's example pair, where its file is at hand."""
    from causewise.catalogue import method
    from causewise.lab.benchmark.published import paper_figures
    from causewise.lab.benchmark.sets import open_set

    where = paper_figures()["example"]
    try:
        pairs = open_set(where["dataset"], data).pairs
    except InputError as problem:
        say(f"The example figure is left out: {problem}")
        return {}
    (known,) = [each for each in pairs if str(each.pair_id) == where["pair_id"]]
    # The figure has the cause on the horizontal axis, whichever column of the file it is.
    in_order = known.pair if known.truth > 0 else known.pair.swap()
    pair = replace(in_order, x_name="cause", y_name="effect")
    return {model: method(name).decide_many([pair])[0] for model, name in where["methods"].items()}


def _words(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise InputError(f"Got the empty list {text!r}; expected names separated by commas.")
    return list(dict.fromkeys(words))


def _seeds(text: str) -> list[int]:
    if not all(word.isdecimal() and len(word) < 20 for word in _words(text)):
        raise InputError(f"Got --seed {text!r}; expected one whole number or several: 0,1,2.")
    return [int(word) for word in _words(text)]


def _rows(store: Path) -> "list[Row]":
    from causewise.lab.benchmark.store import Store

    with Store.read(store) as results:
        rows = results.rows()
    if not rows:
        raise InputError(f"{store} has no rows yet; run first: causewise bench run --store {shell_word(store)} ….")
    return rows


# ---- studies

study = typer.Typer(no_args_is_help=True, help="Simulation studies: seeded, resumable, with tables and figures.")

StudyFolder = Annotated[Path | None, typer.Option("--out", help="Folder to write into (default: out/study/NAME).")]
Seeds = Annotated[int | None, typer.Option("--seeds", help="Repetitions (default: the study's own number).")]
Fast = Annotated[bool, typer.Option("--fast", help="A small version, in about a minute.")]
StudyJobs = Annotated[int, typer.Option("--jobs", help="Processes to use.")]
Networks = Annotated[
    bool, typer.Option("--networks", help="Also the neural variants (a second a fit; needs causewise[nn]).")
]


@study.command()
def estimators(out: StudyFolder = None, seeds: Seeds = None, fast: Fast = False, jobs: StudyJobs = 1) -> None:
    """The concave estimator against iterated least squares; its consistency and coverage."""
    _run_study("estimators", out, seeds, fast, jobs)


@study.command()
def identifiability(
    out: StudyFolder = None, seeds: Seeds = None, fast: Fast = False, jobs: StudyJobs = 1, networks: Networks = False
) -> None:
    """The identifiability equation, and every LOCI variant, on the way out of models that fit both ways."""
    _run_study("identifiability", out, seeds, fast, jobs, networks)


@study.command()
def likelihood(out: StudyFolder = None, seeds: Seeds = None, fast: Fast = False, jobs: StudyJobs = 1) -> None:
    """What the likelihood score reads: the relation of two columns, or the columns alone."""
    _run_study("likelihood", out, seeds, fast, jobs)


@study.command()
def splitting(out: StudyFolder = None, seeds: Seeds = None, fast: Fast = False, jobs: StudyJobs = 1) -> None:
    """Unseen rows and p-values: what they cost in accuracy and gain in calibration."""
    _run_study("splitting", out, seeds, fast, jobs)


def _run_study(name: str, out: Path | None, seeds: int | None, fast: bool, jobs: int, networks: bool = False) -> None:
    from causewise.lab.study.running import Scale, load, run, write_figures, write_tables

    folder = out or Path("out") / "study" / name
    found = load(name)
    with resumable_job(), progress({name: "cells"}) as on_progress:
        scale = Scale(seeds, fast, networks)
        rows = run(found, scale, folder, jobs, on_progress)
    # All files are written before anything is printed: a closed pipe must not cost them.
    tables = found.tables(rows)
    written = [*write_tables(folder, tables, rows), *write_figures(folder, found.figures(rows))]
    for table in tables:
        put_lines(table.markdown() + "\n\n")
    say(f"{len(written)} files in {folder}")
