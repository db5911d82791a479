"""`causewise graph`: all columns of a table together."""

import math
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    SepOption,
    SheetOption,
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
from causewise.errors import InputError
from causewise.formatting import percent, visible
from causewise.tables.choose import list_names
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.graphs.causal_graph import CausalGraph, Edge
    from causewise.graphs.effect import Effect, EffectRefusal


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
    threshold: Annotated[
        float | None,
        typer.Option(metavar="0.9", help="Probability of a direction that an arrow needs; 0.9 unless told."),
    ] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            metavar="8",
            min=0,
            help="Find the graph anew on so many random halves of the rows, for directions and support; 8 unless told, "
            "each about half as long as the graph.",
        ),
    ] = None,
    agreement: Annotated[
        bool,
        typer.Option("--agreement", help="Find it anew on random subsets of the columns, and say how well they agree."),
    ] = False,
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
        typer.Option(
            metavar="OUT.json",
            help="Also write it: everything (json), the edges (graphml, dot, txt for Tetrad); the same command goes on "
            "later.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.png", help="Also draw it (png, svg, pdf).")] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="OUT.html", help="Also write a page: the picture, and every edge with its evidence."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the halves and subsets that are drawn.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes for the halves; one a processor unless told.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Halves on a Dask cluster: tcp://host:port, or local for one here."),
    ] = None,
    decimal: DecimalOption = None,
    header: HeaderOption = None,
    sep: SepOption = None,
    sheet: SheetOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
) -> None:
    """In which order do all columns of a table cause each other, and which change another's average or spread?

    Each edge has a p-value (is there one?) and a probability (which way?). Where that is high enough it is →, else —;
    where a cause outside the table explains it, ↔.

    Up to 300 columns of numbers or dates; rows with a missing value are left out.

    Columns of few levels or with a point mass stand in it where --first, --last or --known gives their place.
    """
    from causewise.graphs.finder import graph as find_graph
    from causewise.parallel import Engine
    from causewise.scanning.graph_files import GRAPH_FORMATS

    check_targets(report, plot)
    check_output(out, GRAPH_FORMATS)
    values = _read_at(at, effect)
    asked = {"threshold": threshold, "bootstrap": bootstrap}
    stated: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    part = None if out is None or bootstrap == 0 else out.with_name(out.name + ".part")
    begun = set[str]()
    # What stands there is this graph's once columns are ordered: before, nobody has looked whose it is.
    kept = nullcontext() if part is None else kept_when_stopped(part, lambda: bool(begun))
    units = {"ordering": "columns", "drawing": "halves", "comparing": "subsets"}
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
            seed=seed,
            engine=Engine(jobs, dask, part, tell),
            **stated,
            **reading_options(decimal, header, sep, sheet, max_bytes, max_rows),
        )
        agreed = found.agreement(seed=seed, engine=Engine(jobs, on_progress=on_progress)) if agreement else None
    effects, fault = _ask_effects(found, effect or [], values)
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        if out is not None:
            found.write(out, effects)
        if plot is not None:
            found.plot(plot)
        if report is not None:
            found.report(report, effects)
    finally:
        if as_json:
            more: dict[str, Any] = {} if agreed is None else {"agreement": agreed.to_dict()}
            if effects:
                more["effects"] = [each.to_dict() for each in effects]
            put_lines(as_text(found.to_dict() | more))
        else:
            show_graph(found)
            for each in effects:
                _show_effect(each)
            if agreed is not None:
                put(f"{agreed}.")
    for what, path in (("Graph", out), ("Picture", plot), ("Page", report)):
        if path is not None:
            (say if as_json else put)(f"{what}: {path}")
    if fault is not None:  # last, so that a misspelt name does not cost the graph
        raise fault


def _read_at(at: str | None, effect: list[str] | None) -> list[float] | None:
    """Values to set the cause to; what can be told to be wrong before the table is read is told here."""
    for each in effect or ():
        cause, _, other = each.partition(":")
        if ":" not in each.strip(":") or cause == other:
            raise InputError(f"Got --effect {each!r}; expected two columns with a colon between them: --effect A:B.")
    if at is None:
        return None
    if not effect:
        raise InputError("Got --at without --effect; expected both: --effect A:B says which column is set.")
    try:
        values = [float(each) for each in at.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise InputError(f"Got --at {at!r}; expected finite numbers with commas between them: --at 1,2.5,3.")
    return values


def _ask_effects(
    found: "CausalGraph", asked: list[str], at: list[float] | None
) -> "tuple[list[Effect | EffectRefusal], InputError | None]":
    """All effects that were asked for, and the first question that is at fault."""
    answers, faults = [], []
    for each in asked:
        try:
            answers.append(found.ask_effect(*_read_ends(found, each), at))
        except InputError as fault:
            faults.append(fault)
    return answers, faults[0] if faults else None


def _read_ends(found: "CausalGraph", asked: str) -> tuple[str, str]:
    """Cause and effect; names may hold a colon, too."""
    splits = [(asked[:k], asked[k + 1 :]) for k, letter in enumerate(asked) if letter == ":"]
    for cause, effect in splits:
        if {cause, effect} <= set(found.order):
            return cause, effect
    left_out = sorted({name for split in splits for name in split} & found.left_out.keys())
    why = "".join(f" {name!r} is left out: {found.left_out[name]}." for name in left_out)
    names = list_names([repr(name) for name in found.order], "", "")
    raise InputError(f"Got --effect {asked!r}; expected two columns of the graph, A:B, of {names}.{why}")


def _show_effect(effect: "Effect | EffectRefusal") -> None:
    from causewise.graphs.effect import EffectRefusal

    if isinstance(effect, EffectRefusal):
        put(f"! {effect}")
        return
    put(effect)
    rows = [effect.headings, *effect.cells()]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        put_lines(("  " + "   ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))).rstrip())
    for note in effect.notes:
        put(f"! {note}")


def show_graph(found: "CausalGraph") -> None:
    """Print the order, the edges and the warnings; on standard error what they mean and assume."""
    from causewise.graphs.causal_graph import ASSUMES, FREE
    from causewise.report.graph_summary import explain_signs

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
    for sentence in explain_signs(found):
        say(sentence)
    say(f"{lost}{FREE} {ASSUMES}")
    say_columns(found.left_out, found.kinds)


def _lines(edges: "tuple[Edge, ...]") -> Iterator[str]:
    """A table: the edge, what changes, whether there is one, which way, and in how many halves of the rows.

    Below an edge without a direction stands why.
    """
    from causewise.graphs.causal_graph import LINE, SIGNS, TWO_HEADED

    apart = {LINE: "direction open", TWO_HEADED: "common cause"}
    cells = [("edge", "what changes", "p", "direction", "in halves")]
    for edge in edges:
        what = apart.get(edge.direction, edge.moves) + ", given" * edge.is_given
        is_open = edge.direction_probability is None or edge.direction == TWO_HEADED
        cells.append(
            (
                f"{visible(edge.parent)} {SIGNS[edge.direction]} {visible(edge.child)}",
                what,
                f"{edge.p:.1g}" if edge.p >= 1e-9 else "< 1e-9",
                ("given" if edge.is_given else "–") if is_open else percent(edge.direction_probability or 0.0),
                "–" if edge.support is None else percent(edge.support),
            )
        )
    widths = [max(len(line[k]) for line in cells) for k in range(4)]
    for line, why in zip(cells, ("", *(edge.reason for edge in edges)), strict=True):
        yield ("  " + "   ".join(f"{cell:{width}}" for cell, width in zip(line, [*widths, 0], strict=True))).rstrip()
        if why:
            yield f"      no arrow: {visible(why)}"
