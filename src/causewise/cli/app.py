"""The application: its own commands, and the command groups that are imported only when they are asked for."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from causewise.cli.graph import graph
from causewise.cli.infer import infer
from causewise.cli.other_commands import demo, mcp, methods, serve
from causewise.cli.scan import scan
from causewise.cli.streams import (
    accept_any_encoding,
    accept_any_size,
    exit_code_of,
    is_usage_error,
    put,
    put_lines,
    report_usage_error,
)
from causewise.version import VERSION

GROUPS = {"bench": "causewise.cli.bench:app", "data": "causewise.cli.data:app", "study": "causewise.cli.bench:study"}
"""Command groups, by module; `causewise infer` must never pay for their imports."""


class Commands(TyperGroup):
    """Finds the lazy groups, and turns every failure into a sentence and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands of this file, then the groups."""
        return [*super().list_commands(ctx), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name; a group's module is imported here and nowhere else."""
        if cmd_name in GROUPS:
            # Made a group of its own, it would offer to install completion; inside a holder it does not.
            holder = typer.Typer(add_completion=False)
            module, _, group = GROUPS[cmd_name].partition(":")
            holder.add_typer(getattr(import_module(module), group), name=cmd_name)
            return typer.main.get_group(holder).commands[cmd_name]
        return super().get_command(ctx, cmd_name)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the command line; help and version are printed here already."""
        with _failures_reported():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> None:
        """Run a command; whatever it raises becomes an exit code."""
        with _failures_reported():
            super().invoke(ctx)
            sys.stdout.flush()

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """As Typer's, with a wrong option answered by one sentence, like every other fault in the input."""
        accept_any_encoding()
        accept_any_size()
        # Never in click's standalone mode, which prints a usage error as a box of several lines and exits by itself.
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as problem:
            if not is_usage_error(problem):
                raise
            code = report_usage_error(problem)
        if standalone_mode:
            sys.exit(code or 0)
        return code


app = typer.Typer(
    name="causewise",
    cls=Commands,
    help="From two columns of numbers: which one causes the other, how sure, and why.",
    epilog="Start with: causewise demo",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        put(f"causewise {VERSION}")
        raise typer.Exit()


@app.callback()
def causewise(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """From two columns of numbers: which one causes the other, how sure, and why."""
    if ctx.invoked_subcommand is None:
        put_lines(ctx.get_help())


for command in (infer, scan, graph, methods, demo, serve, mcp):
    app.command()(command)


@contextmanager
def _failures_reported() -> Iterator[None]:
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except (Exception, KeyboardInterrupt) as problem:
        if os.environ.get("CAUSEWISE_DEBUG") or is_usage_error(problem):
            raise
        raise typer.Exit(exit_code_of(problem)) from None
