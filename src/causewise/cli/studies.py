"""`causewise study`: the simulation studies; each writes its tables and figures into a folder and can be carried on."""

from pathlib import Path
from typing import Annotated

import typer

from causewise.cli.failures import resumable_job
from causewise.cli.streams import progress, put_lines, say

app = typer.Typer(no_args_is_help=True, help="Simulation studies: seeded, resumable, with tables and figures.")

Out = Annotated[Path | None, typer.Option("--out", help="Folder to write into (default: out/study/NAME).")]
Seeds = Annotated[int | None, typer.Option("--seeds", help="Repetitions (default: the study's own number).")]
Fast = Annotated[bool, typer.Option("--fast", help="A small version, in about a minute.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes to use.")]
Networks = Annotated[
    bool, typer.Option("--networks", help="Also the neural variants (a second a fit; needs causewise[nn]).")
]


@app.command()
def estimators(out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1) -> None:
    """The concave estimator against iterated least squares; its consistency and coverage."""
    _run_study("estimators", out, seeds, fast, jobs)


@app.command()
def identifiability(
    out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1, networks: Networks = False
) -> None:
    """The identifiability equation, and every LOCI variant, on the way out of models that fit both ways."""
    _run_study("identifiability", out, seeds, fast, jobs, networks)


@app.command()
def likelihood(out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1) -> None:
    """What the likelihood score reads: the relation of two columns, or the columns alone."""
    _run_study("likelihood", out, seeds, fast, jobs)


@app.command()
def splitting(out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1) -> None:
    """Unseen rows and p-values: what they cost in accuracy and gain in calibration."""
    _run_study("splitting", out, seeds, fast, jobs)


def _run_study(name: str, out: Path | None, seeds: int | None, fast: bool, jobs: int, networks: bool = False) -> None:
    from causewise.lab.study.running import Scale, load, run, write_figures, write_tables

    folder = out or Path("out") / "study" / name
    study = load(name)
    with resumable_job(), progress({name: "cells"}) as on_progress:
        scale = Scale(seeds, fast, networks)
        rows = run(study, scale, folder, jobs, on_progress)
    # All files are written before anything is printed: a closed pipe must not cost them.
    tables = study.tables(rows)
    written = [*write_tables(folder, tables, rows), *write_figures(folder, study.figures(rows))]
    for table in tables:
        put_lines(table.markdown() + "\n\n")
    say(f"{len(written)} files in {folder}")
