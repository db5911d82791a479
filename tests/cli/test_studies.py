"""`causewise study`: tables on standard output, files in a folder, carried on when called again."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from trial import run


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study that was run, and its folder."""
    folder = tmp_path_factory.mktemp("study")
    return run("study", "splitting", "--fast", "--seeds", 2, "--out", folder), folder


def test_a_study_writes_tables_and_figures_and_is_not_done_twice(finished):
    first, tmp_path = finished
    assert first.exit_code == 0, first.stderr
    assert "| " in first.stdout
    assert "files in" in first.stderr
    assert {".csv", ".md", ".pdf", ".png", ".svg", ".sqlite"} <= {path.suffix for path in tmp_path.iterdir()}
    with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as file:
        before = file.execute("SELECT max(rowid), count(*) FROM finished").fetchone()
    again = run("study", "splitting", "--fast", "--seeds", 2, "--out", tmp_path)
    assert again.stdout == first.stdout
    with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as file:
        assert file.execute("SELECT max(rowid), count(*) FROM finished").fetchone() == before


def test_files_are_written_before_anything_is_printed(finished, tmp_path, monkeypatch):
    shutil.copy(finished[1] / "rows.sqlite", tmp_path)

    def leave(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("typer.echo", leave)
    assert run("study", "splitting", "--fast", "--seeds", 2, "--out", tmp_path).exit_code == 0
    assert {".csv", ".md", ".png"} <= {path.suffix for path in tmp_path.iterdir()}


def test_help_and_bad_settings(tmp_path):
    assert "identifiability" in run("study", "--help").stdout
    result = run("study", "likelihood", "--fast", "--seeds", 1, "--out", tmp_path)
    assert result.exit_code == 2
    assert "expected a whole number from 2" in result.stderr
    assert run("study", "likelihood", "--fast", "--jobs", 0, "--out", tmp_path).exit_code == 2
