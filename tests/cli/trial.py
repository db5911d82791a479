"""The command line, called within the process."""

from pathlib import Path

from typer.testing import CliRunner

from causewise.cli.app import app

N = 300


def run(*arguments: object, stdin: str | bytes | None = None, **env: str):
    return CliRunner().invoke(
        app, [str(a) for a in arguments], input=stdin, env={"COLUMNS": "80", "NO_COLOR": "1", **env}
    )


def infer(table: Path, *arguments: object, **env: str):
    return run("infer", table, "-x", "dose", "-y", "response", *arguments, **env)
