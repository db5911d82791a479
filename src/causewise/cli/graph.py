"""`causewise graph`: all columns of a table together."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causewise.cli.options import (
    BytesOption,
    ColumnsOption,
    DecimalOption,
    ExcludeOption,
    FileArgument,
    FirstOption,
    HeaderOption,
    KnownOption,
    LastOption,
    RowsOption,
    check_output,
    check_targets,
    hint_at_options,
    knowledge_options,
    reading_options,
    split_names,
)
from causewise.cli.streams import (
    as_text,
    kept_when_stopped,
    progress,
    put,
    put_lines,
    say,
    say_columns,
    workers_may_fail,
)
from causewise.formatting import percent, visible
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.graphs.causal_graph import CausalGraph, Edge


def graph(
    file: FileArgument,
    columns: ColumnsOption = None,
    exclude: ExcludeOption = None,
    known: KnownOption = None,
    first: FirstOption = None,
    last: LastOption = None,
    alpha: Annotated[
        float, typer.Option(metavar="0.001", help="Level of the test that lets a parent into a mean or a spread.")
    ] = 0.001,
    bootstrap: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Find the graph anew on N random parts of the rows: support of edges."),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.json",
            help="Also write it: everything (json), the edges (graphml, dot); the same command goes on later.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.png", help="Also draw it (png, svg, pdf).")] = None,
    seed: Annotated[int, typer.Option(help="For the parts that are drawn.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes for the parts; one a processor unless told.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Parts on a Dask cluster: tcp://host:port, or local for one here."),
    ] = None,
    decimal: DecimalOption = None,
    header: HeaderOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
) -> None:
    """In which order do all columns of a table cause each other, and which change another's average or spread?

    Up to 300 columns of numbers or dates; rows with a missing value are left out.

    Columns of few levels or with a point mass stand in it where --first, --last or --known gives their place.
    """
    from causewise.graphs.finder import graph as find_graph
    from causewise.parallel import Engine
    from causewise.scanning.graph_files import GRAPH_FORMATS

    check_targets(None, plot)
    check_output(out, GRAPH_FORMATS)
    part = None if out is None or not bootstrap else out.with_name(out.name + ".part")
    begun = set[str]()
    # What stands there is this graph's once columns are ordered: before, nobody has looked whose it is.
    kept = nullcontext() if part is None else kept_when_stopped(part, lambda: bool(begun))
    units = {"ordering": "columns", "drawing": "parts"}
    with kept, hint_at_options(), workers_may_fail(), progress(units) as on_progress:

        def tell(what: str, done: int, of: int) -> None:
            begun.add(what)
            on_progress(what, done, of)

        found = find_graph(
            file,
            columns=split_names(columns),
            exclude=split_names(exclude) or (),
            knowledge=knowledge_options(known, first, last),
            alpha=alpha,
            bootstrap=bootstrap,
            seed=seed,
            engine=Engine(jobs, dask, part, tell),
            **reading_options(decimal, header, max_bytes, max_rows),
        )
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        if out is not None:
            found.write(out)
        if plot is not None:
            found.plot(plot)
    finally:
        put_lines(as_text(found.to_dict())) if as_json else _show(found)
    for what, path in (("Graph", out), ("Picture", plot)):
        if path is not None:
            (say if as_json else put)(f"{what}: {path}")


def _show(found: "CausalGraph") -> None:
    from causewise.graphs.causal_graph import ASSUMES, FREE

    put(f"{found}.")
    if found.edges:
        put_lines("\n".join(_lines(found.edges)))
    lost = (
        f"{found.dropped_rows} row{'s' * (found.dropped_rows != 1)} with a missing value left out. "
        if found.dropped_rows
        else ""
    )
    for warning in found.warnings:
        put(f"! {warning}")
    say(f"{lost}{FREE} {ASSUMES}")
    say_columns(found.left_out, found.kinds)


def _lines(edges: "tuple[Edge, ...]") -> Iterator[str]:
    """A table: parent and child, what changes, how clearly, and in how many parts of the rows."""
    from causewise.graphs.causal_graph import SIGNS

    cells = [
        (
            f"{visible(edge.parent)} {SIGNS[edge.direction]} {visible(edge.child)}",
            edge.moves + ", given" * edge.is_given,
            f"p = {edge.p:.1g}" if edge.p >= 1e-9 else "p < 1e-9",
            "" if edge.support is None else f"in {percent(edge.support)} of the parts",
        )
        for edge in edges
    ]
    widths = [max(len(line[k]) for line in cells) for k in range(3)]
    for line in cells:
        yield ("  " + "   ".join(f"{cell:{width}}" for cell, width in zip(line, [*widths, 0], strict=True))).rstrip()
