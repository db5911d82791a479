"""The command line: answers on standard output, sentences on standard error, the right exit code, no traceback."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import whence
from whence.cli.app import app
from whence.decision import Decision, Evidence, undecided
from whence.pair import InputError, Pair

N = 300


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, size=N)
    response = np.tanh(2 * dose) + (0.1 + 0.4 * np.abs(dose)) * rng.normal(size=N)
    path = tmp_path_factory.mktemp("tables") / "trial.csv"
    rows = np.column_stack([dose, response, rng.normal(size=N)])
    np.savetxt(path, rows, delimiter=",", header="dose,response,weight", comments="", fmt="%.17g")
    return path


def run(*arguments: object, stdin: str | bytes | None = None, **env: str):
    return CliRunner().invoke(
        app, [str(a) for a in arguments], input=stdin, env={"COLUMNS": "80", "NO_COLOR": "1", **env}
    )


def infer(table: Path, *arguments: object, **env: str):
    return run("infer", table, "-x", "dose", "-y", "response", *arguments, **env)


# ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_verdict_comes_first_and_everything_else_is_there(table: Path) -> None:
    result = infer(table)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "dose → response"
    for words in (
        "Log-likelihood",
        "HSIC",
        "Independence test, p",
        "Fit converged",
        "loci-h",
        f"{N} rows",
        "How to read",
    ):
        assert words in result.stdout
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.stdout


def test_json_is_the_decision_and_nothing_else(table: Path) -> None:
    result = infer(table, "--json")
    record = json.loads(result.stdout)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    expected = whence.infer(Pair.of(data[:, 0], data[:, 1], x_name="dose", y_name="response")).to_dict()
    assert record == json.loads(json.dumps(expected))
    assert record["direction"] == "x->y"
    assert (record["cause"], record["effect"], record["method"], record["n"]) == ("dose", "response", "loci-h", N)
    for way in ("forward", "backward"):
        assert {"log_likelihood", "hsic", "p_value", "converged"} <= set(record[way])


def test_turning_the_columns_round_negates_the_score(table: Path) -> None:
    there = json.loads(infer(table, "--json").stdout)
    back = json.loads(run("infer", table, "-x", "2", "-y", "1", "--json").stdout)
    assert back["score"] == -there["score"]
    assert back["cause"] == there["cause"]
    assert back["direction"] == "y->x"


def test_standard_input(table: Path) -> None:
    piped = run("infer", "-", "-x", "dose", "-y", "response", "--json", stdin=table.read_bytes())
    assert piped.stdout == infer(table, "--json").stdout


def test_another_method_with_settings(table: Path) -> None:
    record = json.loads(infer(table, "--method", "anm-h:n_knots=7", "--json").stdout)
    assert record["method"].startswith("anm-h")
    assert record["settings"]["n_knots"] == 7


def test_missing_values_left_out_are_counted(table: Path, tmp_path: Path) -> None:
    holes = tmp_path / "holes.csv"
    holes.write_text(table.read_text() + "NA,1,2\n1,,2\n")
    record = json.loads(infer(holes, "--nan-policy", "omit", "--json").stdout)
    assert record["dropped_rows"] == 2
    assert any("2 rows" in warning for warning in record["warnings"])
    shown = infer(holes, "--nan-policy", "omit").stdout
    assert "Warnings" in shown
    assert infer(holes).exit_code == 2


def test_picture_and_page(table: Path, tmp_path: Path) -> None:
    picture, page = tmp_path / "both.png", tmp_path / "page.html"
    result = infer(table, "--plot", picture, "--report", page)
    assert result.exit_code == 0, result.stderr
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "dose" in page.read_text()
    assert str(picture) in result.stdout
    quiet = infer(table, "--plot", picture, "--json")
    assert json.loads(quiet.stdout)["cause"] == "dose"
    assert str(picture) in quiet.stderr


def test_names_that_look_like_markup_are_printed_as_they_are(table: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text(table.read_text().replace("dose,response", "[bold]dose,:smile: [/]", 1))
    result = run("infer", odd, "-x", "1", "-y", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "[bold]dose → :smile: [/]"


def test_long_names_stay_within_the_terminal(table: Path, tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    names = f"{'mean_annual_temperature_' * 3},{'altitude_above_sea_level_' * 3}"
    long.write_text(table.read_text().replace("dose,response", names, 1))
    result = run("infer", long, "-x", "1", "-y", "2")
    assert max(map(len, result.stdout.splitlines()[4:])) <= 80


PAIR = Pair.of(np.arange(20.0) ** 2, np.arange(20.0), x_name="area", y_name="side")


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (undecided(PAIR, "cam", "cam has no finite score on this pair."), "cam has no finite score"),
        (Decision("igci", PAIR, 1.0, Evidence(2.0), Evidence(1.0)), "area → side"),
        (Decision("tie", PAIR, 0.0, Evidence(1.0), Evidence(1.0)), "undecided between area and side"),
        (
            Decision("loci-h", PAIR, 1.0, Evidence(1, 0, 0, 0.0, -5000.0), Evidence(0, -1, 1, 0.0, -9000.0)),
            "3.4×10⁻²¹⁷²",
        ),
    ],
)
def test_every_kind_of_answer_can_be_shown(decision: Decision, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    from whence.cli.answer import show

    show(decision)
    shown = capsys.readouterr().out
    assert words in shown
    assert "nan" not in shown
    assert "None" not in shown


def test_a_terminal_without_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    from whence.cli.streams import accept_any_encoding

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    accept_any_encoding()
    sys.stdout.write("a → b, p = 2×10⁻⁹, ☃")
    sys.stdout.flush()
    assert raw.getvalue() == b"a -> b, p = 2x10^-9, ?"


# ── faults ─────────────────────────────────────────────────────────────────────────────────────────────────────────

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
        (["infer", "TABLE"], "choose them with -x and -y"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "lcoi"], "loci"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "loci-h:knots=3"], "n_knots"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--method", "loci-h:n_knots=abc"], "n_knots=abc"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--plot", "picture.xyz"], ".png"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--plot", "no/such/folder/p.png"], "no folder"),
        (["infer", "TABLE", "-x", "1", "-y", "2", "--report", "."], "folder"),
        (["infer", "TABLE", "--nan-policy", "drop"], "omit"),
        (["infer", "TABLE", "--seed", "x"], "--seed"),
        (["infer", "TABLE", "--colour"], "--colour"),
        (["infer"], "argument"),
        (["infr"], "infer"),
        (["demo", "--out", "TABLE/folder"], "Cannot make the folder"),
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
        (ModuleNotFoundError("No module named 'jax'", name="jax"), 2, "pip install 'whence[nn]'"),
        (ModuleNotFoundError("No module named 'x'", name="x"), 1, "WHENCE_DEBUG=1"),
        (RuntimeError("the\nmatrix"), 1, "RuntimeError: the); this is not your input's fault"),
        (MemoryError(), 1, "not enough memory"),
        (KeyboardInterrupt(), 130, "Stopped"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_failures_have_codes(
    problem: BaseException, code: int, words: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whence.methods.infer", failing(problem))
    result = infer(table)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == bool(words)


def test_the_traceback_is_there_for_who_wants_it(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whence.methods.infer", failing(RuntimeError("deep inside")))
    result = infer(table, WHENCE_DEBUG="1")
    assert isinstance(result.exception, RuntimeError)


# ── the other commands ─────────────────────────────────────────────────────────────────────────────────────────────


def test_version_help_and_no_command() -> None:
    assert run("--version").stdout == f"whence {whence.__version__}\n"
    for arguments in ((), ("--help",), ("-h",)):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "infer" in result.stdout
        assert "demo" in result.stdout
    assert "--nan-policy" in run("infer", "--help").stdout


def test_methods() -> None:
    from whence.catalogue import CATALOGUE

    shown = run("methods")
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80
    records = json.loads(run("methods", "--json").stdout)
    assert [record["name"] for record in records] == [entry.name for entry in CATALOGUE]
    assert all(entry.name in shown.stdout for entry in CATALOGUE)


def test_demo(tmp_path: Path) -> None:
    result = run("demo", "--out", tmp_path / "tour")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("the accepted cause is") >= 2
    assert "What to type next" in result.stdout
    for stem in ("generated", "patients"):
        assert (tmp_path / "tour" / f"{stem}.png").read_bytes()[:4] == b"\x89PNG"
        again = run("infer", tmp_path / "tour" / f"{stem}.csv").stdout.splitlines()[0]
        assert f"whence says: {again}" in result.stdout


# ── real processes ─────────────────────────────────────────────────────────────────────────────────────────────────

HEAVY = ("pandas", "polars", "pyarrow", "sklearn", "matplotlib", "jinja2", "jax", "scipy.stats", "narwhals", "sqlite3")
GROUPS = ("whence.cli.bench", "whence.cli.data", "whence.cli.study")
PROBE = """
import sys
from whence.cli.app import app
try:
    app(["infer", sys.argv[1], "-x", "1", "-y", "2", *sys.argv[3:]])
except SystemExit as end:
    print(end.code, *(name for name in sys.argv[2].split(",") if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_infer_imports_nothing_it_does_not_need(table: Path, extra: list[str]) -> None:
    unwanted = (*HEAVY, *GROUPS, *(["rich.table", "whence.report"] if extra else []))
    command = [sys.executable, "-c", PROBE, str(table), ",".join(unwanted), *extra]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.stderr == "0\n"


def test_a_real_process(table: Path) -> None:
    program = str(Path(sys.executable).with_name("whence"))
    command = [program if Path(program).exists() else "whence", "infer", str(table), "-x", "dose", "-y", "response"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("dose -> response\n")


@pytest.mark.skipif(os.name == "nt", reason="closed pipes are reported otherwise there")
def test_a_reader_who_leaves_early(table: Path) -> None:
    code = "from whence.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
