"""`causewise graph`: all columns of a table together."""

from collections.abc import Iterator
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
from causewise.cli.streams import as_text, progress, put, put_lines, say, say_columns
from causewise.errors import InputError
from causewise.formatting import percent, visible
from causewise.tables.choose import list_names
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.graphs.causal_graph import CausalGraph, Edge
    from causewise.graphs.effect import Effect


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
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Find the graph anew on N random parts of the rows: support of edges, bounds of effects.",
            show_default="0, 8 with --effect",
        ),
    ] = None,
    effect: Annotated[
        list[str] | None,
        typer.Option(metavar="A:B", help="Also say what becomes of column B where A is set; may be given again."),
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="1,2,3", help="Values that A is set to; its quantiles unless told.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="OUT.json", help="Also write it: everything (json), the edges (graphml, dot)."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.png", help="Also draw it (png, svg, pdf).")] = None,
    seed: Annotated[int, typer.Option(help="For the parts that are drawn.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes for the parts; one a processor unless told.")
    ] = None,
    decimal: DecimalOption = None,
    header: HeaderOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
) -> None:
    """In which order do all columns of a table cause each other, and which change another's average or spread?

    Up to some 30 columns of numbers or dates; rows with a missing value are left out.

    Columns of few levels or with a point mass stand in it where --first, --last or --known gives their place.
    """
    from causewise.graphs.finder import PARTS
    from causewise.graphs.finder import graph as find_graph
    from causewise.parallel import Engine
    from causewise.scanning.graph_files import GRAPH_FORMATS

    check_targets(None, plot)
    check_output(out, GRAPH_FORMATS)
    values = _read_at(at, effect)
    with hint_at_options(), progress({"ordering": "columns", "drawing": "parts"}) as on_progress:
        found = find_graph(
            file,
            columns=split_names(columns),
            exclude=split_names(exclude) or (),
            knowledge=knowledge_options(known, first, last),
            alpha=alpha,
            bootstrap=(PARTS if effect else 0) if bootstrap is None else bootstrap,
            seed=seed,
            engine=Engine(jobs, on_progress=on_progress),
            **reading_options(decimal, header, max_bytes, max_rows),
        )
    effects = [_ask_effect(found, each, values) for each in effect or ()]
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        if out is not None:
            found.write(out)
        if plot is not None:
            found.plot(plot)
    finally:
        if as_json:
            asked = {"effects": [each if isinstance(each, dict) else each.to_dict() for each in effects]}
            put_lines(as_text(found.to_dict() | (asked if effects else {})))
        else:
            _show(found)
            for each in effects:
                _show_effect(each)
    for what, path in (("Graph", out), ("Picture", plot)):
        if path is not None:
            (say if as_json else put)(f"{what}: {path}")


def _read_at(at: str | None, effect: list[str] | None) -> list[float] | None:
    if at is None:
        return None
    if not effect:
        raise InputError("Got --at without --effect; expected both: --effect A:B says which column is set.")
    try:
        return [float(each) for each in at.split(",")]
    except ValueError:
        raise InputError(f"Got --at {at}; expected numbers with commas between them: --at 1,2.5,3.") from None


def _ask_effect(found: "CausalGraph", asked: str, at: list[float] | None) -> "Effect | dict[str, str]":
    """The effect, or its columns with the reason why there is none."""
    places = [k for k, letter in enumerate(asked) if letter == ":"]
    splits = [(asked[:k], asked[k + 1 :]) for k in places]
    known = [split for split in splits if set(split) <= set(found.order)]
    if not known:
        names = list_names([repr(name) for name in found.order], "", "")
        raise InputError(f"Got --effect {asked}; expected two columns of the graph, A:B, of {names}.")
    cause, effect = known[0]
    try:
        return found.effect(cause, effect, at)
    except InputError as refusal:
        return {"cause": cause, "effect": effect, "reason": str(refusal)}


def _show_effect(effect: "Effect | dict[str, str]") -> None:
    if isinstance(effect, dict):
        put(f"! {effect['reason']}")
        return
    put(effect)
    rows = [effect.headings, *effect.cells()]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        put_lines(("  " + "   ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))).rstrip())
    for note in effect.notes:
        put(f"! {note}")


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
    cells = [
        (
            f"{visible(edge.parent)} → {visible(edge.child)}",
            edge.moves + (", given" if edge.required else ""),
            f"p = {edge.p:.1g}" if edge.p >= 1e-9 else "p < 1e-9",
            "" if edge.support is None else f"in {percent(edge.support)} of the parts",
        )
        for edge in edges
    ]
    widths = [max(len(line[k]) for line in cells) for k in range(3)]
    for line in cells:
        yield ("  " + "   ".join(f"{cell:{width}}" for cell, width in zip(line, [*widths, 0], strict=True))).rstrip()
