"""Whatever goes wrong ends with one sentence on standard error and the right exit code."""

import errno
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from trial import infer, run

from causewise.cli import streams
from causewise.decision import Decision
from causewise.errors import InputError

ROWS = "".join(f"{k / 7},{(k * 37) % 23}\n" for k in range(30))
BAD_FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "empty"),
    "one column": ("x\n1\n2\n", "1 column"),
    "text column": ("x,y\n" + ROWS + "abc,1\n", "'abc' in line 32"),
    "missing value": ("x,y\n" + ROWS + ",1\n", "missing value"),
    "infinity": ("x,y\n" + ROWS + "inf,1\n", "infinite"),
    "minus infinity": ("x,y\n" + ROWS + "-inf,1\n", "infinite"),
    "constant": ("x,y\n" + "".join(f"{k},1\n" for k in range(30)), "constant"),
    "unequal lengths": ("x,y\n" + ROWS + "1\n", "1 cell"),
    "few rows": ("x,y\n1,2\n2,1\n", "2 rows"),
    "identical": ("x,y\n" + "".join(f"{k},{k}\n" for k in range(30)), "identical"),
    "million digits": ("x,y\n" + ROWS + f"{'7' * 10**6},1\n", "131,072"),
    "delimiters alone": (",\n", "delimiters only"),
    "points for thousands": ("1.761;480\n1.880;900\n" * 9, "On the command line: --decimal . or --decimal ,."),
    "numbers first": ("0,1\n" + "1,2\n3,5\n" * 9, "On the command line: --header or --no-header."),
    "binary": (b"\x7fELF\x00\x01\x02", "binary"),
    "invalid utf-8": (b"x,y\n\xff\xff,1\n", "UTF-8"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_end_with_one_sentence_and_two(case: str, tmp_path: Path) -> None:
    content, words = BAD_FILES[case]
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for extra in ((), ("--json",)):
        result = run("infer", path, *extra)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["infer", "no such file.csv"], "There is no file"),
        (["infer", "."], "folder"),
        (["infer", "TABLE", "-x", "dos", "-y", "response"], "did you mean 'dose'"),
        (["infer", "TABLE"], "-x dose -y response"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "lcoi"], "loci"),
        (["infer", "-", "--method", "lcoi"], "loci"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "loci-h:knots=3"], "n_knots"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "loci-h:n_knots=abc"], "expected a whole number"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--plot", "picture.xyz"], ".png"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--plot", "no/such/folder/p.png"], "no folder"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--report", "."], "folder"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--report", "TABLE"], ".html"),
        (["infer", "TABLE", "--nan-policy", "drop"], "omit"),
        (["infer", "TABLE", "--seed", "x"], "--seed"),
        (["infer", "TABLE", "--max-rows", "9"], "On the command line: --max-rows 36."),
        (["infer", "TABLE", "--max-bytes", "9"], "On the command line: --max-bytes 36."),
        (["infer", "TABLE", "--max-bytes", "0"], "--max-bytes"),
        (["infer", "TABLE", "--decimal", ";"], "--decimal"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--threshold", "1.5"], "expected a confidence"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--threshold", "nan"], "expected a confidence"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--threshold", "high"], "--threshold"),
        (["infer", "TABLE", "--threshold", "0.9", "--method", "loci-h"], "such as causewise: leave it out"),
        (["infer", "TABLE", "--colour"], "--colour"),
        (["infer"], "argument"),
        (["infr"], "infer"),
        (["demo", "--out", "TABLE/folder"], "Cannot make the folder"),
        (["study", "splitting", "--fast", "--out", "TABLE"], "(File exists); expected a place to write to"),
        (["study", "splitting", "--fast", "--out", "TABLE/folder"], "(Not a directory); expected a place to write to"),
    ],
)
def test_a_wrong_command_line_ends_with_a_sentence_and_two(arguments: list[str], words: str, table: Path) -> None:
    result = run(*(a.replace("TABLE", str(table)) for a in arguments))
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1


def failing(problem: BaseException):
    def infer_pair(*_: object, **__: object) -> Decision:
        raise problem

    return infer_pair


@pytest.mark.parametrize(
    ("problem", "code", "words"),
    [
        (InputError("Got this; expected that."), 2, "Got this; expected that."),
        (ModuleNotFoundError("No module named 'jax'", name="jax"), 2, "pip install '.[nn]'"),
        (ModuleNotFoundError("No module named 'x'", name="x"), 1, "CAUSEWISE_DEBUG=1"),
        (RuntimeError("the\nmatrix"), 1, "RuntimeError: the); this is not your input's fault"),
        (MemoryError(), 1, "not enough memory"),
        (KeyboardInterrupt(), 130, "Stopped"),
        (BrokenPipeError(), 0, ""),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device); make room"),
    ],
)
def test_failures_have_codes(
    problem: BaseException, code: int, words: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("causewise.inference.infer", failing(problem))
    result = infer(table)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == bool(words)


def test_the_traceback_is_there_for_who_wants_it(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("causewise.inference.infer", failing(RuntimeError("deep inside")))
    result = infer(table, CAUSEWISE_DEBUG="1")
    assert isinstance(result.exception, RuntimeError)


def test_every_extra_that_is_recommended_exists() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert set(streams._EXTRAS.values()) <= set(project["optional-dependencies"])


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="a full disk is at hand on Linux only")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["methods"], ["infer", "--help"]])
def test_a_full_disk_gets_a_sentence(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        result = command(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1
    assert result.stderr.startswith("Could not write everything (No space left on device)")
    assert result.stderr.count("\n") == 1


def test_closed_streams_change_nothing_but_what_is_seen() -> None:
    closing = "import os; os.close(1); os.close(2); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    for arguments, code in (["methods"], 0), (["infer", "no such file.csv"], 2):
        started = [sys.executable, "-c", f"import sys; {closing}", "-m", "causewise", *arguments]
        assert subprocess.run(started, check=False).returncode == code


def command(*arguments: str, **streams: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "causewise", *arguments],
        check=False,
        text=True,
        env=os.environ | {"COLUMNS": "80", "PYTHONUNBUFFERED": ""},  # output waits in a buffer, as it does for users
        **streams,
    )
