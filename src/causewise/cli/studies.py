"""`causewise study`: the simulation studies; each writes its tables and figures into a folder and can be carried on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causewise.cli.bars import progress
from causewise.cli.failures import resumable_job
from causewise.cli.streams import put_lines, say

if TYPE_CHECKING:
    from causewise.lab.study.running import Scale

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
    from causewise.lab.study.running import Scale

    _study("estimators", Scale(seeds, fast), out, jobs)


@app.command()
def identifiability(
    out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1, networks: Networks = False
) -> None:
    """The identifiability equation, and every LOCI variant, on the way out of models that fit both ways."""
    from causewise.lab.study.running import Scale

    _study("identifiability", Scale(seeds, fast, networks), out, jobs)


@app.command()
def likelihood(out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1) -> None:
    """What the likelihood score reads: the relation of two columns, or the columns alone."""
    from causewise.lab.study.running import Scale

    _study("likelihood", Scale(seeds, fast), out, jobs)


@app.command()
def splitting(out: Out = None, seeds: Seeds = None, fast: Fast = False, jobs: Jobs = 1) -> None:
    """Unseen rows and p-values: what they cost in accuracy and gain in calibration."""
    from causewise.lab.study.running import Scale

    _study("splitting", Scale(seeds, fast), out, jobs)


def _study(name: str, scale: "Scale", out: Path | None, jobs: int) -> None:
    from causewise.lab.study.output import write_figures, write_tables
    from causewise.lab.study.running import load, run

    folder = out or Path("out") / "study" / name
    study = load(name)
    with resumable_job(), progress({name: "cells"}) as on_progress:
        rows = run(study, scale, folder, jobs, on_progress)
    # All files are written before anything is printed: a closed pipe must not cost them.
    tables = study.tables(rows)
    written = [*write_tables(folder, tables, rows), *write_figures(folder, study.figures(rows))]
    for table in tables:
        put_lines(table.markdown() + "\n\n")
    say(f"{len(written)} files in {folder}")
