"""What is fuzzed: each subject is one function; whatever goes in, an answer or one sentence comes out."""

import contextlib
import json
import signal
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

import hostile
import numpy as np
from harness import subject
from hypothesis import strategies as st
from typer.testing import CliRunner

import whence
from whence.catalogue import CATALOGUE
from whence.cli.app import app
from whence.pair import InputError, Pair
from whence.tables import read_pair

ROWS = 30
numbers = st.floats(-1e12, 1e12).map(lambda value: value + 0.0)


def command(*arguments: str) -> Any:
    """Run a command; whatever it was given, it ends well or with one sentence."""
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert result.exit_code in (0, 2), (result.exit_code, result.stderr, result.exception)
    if result.exit_code:
        assert (result.stdout, result.stderr.count("\n")) == ("", 1), result.stderr
    return result


def tables() -> st.SearchStrategy[dict[str, Any]]:
    """Known numbers and a dialect to write them in."""
    return st.fixed_dictionaries(
        {
            "x": st.lists(numbers, min_size=ROWS, max_size=ROWS, unique=True),
            "y": st.lists(numbers, min_size=ROWS, max_size=ROWS, unique=True),
            "separator": st.sampled_from([",", ";", "\t", "|"]),
            "decimal": st.sampled_from([".", ","]),
            "end": st.sampled_from(["\n", "\r\n", "\r"]),
            "quoted": st.booleans(),
            "mark": st.sampled_from(["", "\ufeff"]),
        }
    ).filter(lambda table: table["separator"] != table["decimal"])


@subject(tables())
def dialects(table: dict[str, Any]) -> None:
    """Known numbers come back exactly, or a sentence comes."""

    def cell(value: float) -> str:
        text = repr(value).replace(".", table["decimal"])
        return f'"{text}"' if table["quoted"] else text

    rows = [("x", "y"), *((cell(x), cell(y)) for x, y in zip(table["x"], table["y"], strict=True))]
    text = table["mark"] + "".join(table["separator"].join(row) + table["end"] for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(text.encode())
        try:
            pair = read_pair(str(path))
        except InputError:
            return
    assert (pair.x.tolist(), pair.y.tolist()) == (table["x"], table["y"])


@subject(
    st.lists(st.sampled_from(hostile.VALUES) | numbers, max_size=20),
    corpus=lambda: [[value] * 20 for value in hostile.VALUES] + [[*range(19), value] for value in hostile.VALUES],
)
def types(column: list[Any]) -> None:
    """Any list is a column of finite numbers, or gets a sentence."""
    for policy in ("raise", "omit"):
        with contextlib.suppress(InputError):
            pair = Pair.of(column, np.arange(len(column)) ** 2.0, nan_policy=policy)  # type: ignore[arg-type]
            assert np.isfinite(pair.x).all()


@subject(st.text(min_size=1, max_size=12), corpus=lambda: hostile.NAMES)
def names(name: str) -> None:
    """A column may be called anything."""
    rng = np.random.default_rng(0)
    pair = Pair.of(rng.normal(size=40), rng.normal(size=40), x_name=name)
    decision = whence.infer(pair, method="igci")
    assert json.loads(json.dumps(decision.to_dict(), allow_nan=False))["method"] == "igci"


@subject(
    st.builds(lambda name, rest: f"{name}:{rest}", st.sampled_from(list(CATALOGUE)), st.text(max_size=15)),
    corpus=lambda: [f"{name}:{rest}" for name in ("loci-h", "cam", "igci") for rest in hostile.SETTINGS],
)
def settings(text: str) -> None:
    """A method is built, or a sentence comes."""
    with contextlib.suppress(InputError):
        assert whence.method(text).name


@subject(
    st.tuples(st.sampled_from(["table.csv", "table.csv.gz", "table.parquet"]), st.binary(max_size=300)),
    corpus=hostile.files,
)
def faults(file: tuple[str, bytes]) -> None:
    """Any file gets an answer or a sentence."""
    name, content = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        result = command("infer", str(path), "--method", "igci", "--json")
    if result.exit_code == 0:
        json.loads(result.stdout)


@subject(st.floats(0.0001, 0.05), corpus=lambda: (0.001, 0.01))
def signals(delay: float) -> None:
    """Ctrl-C is KeyboardInterrupt, and the next answer is what it was."""
    x, y, expected = _known()
    timer = threading.Timer(delay, signal.raise_signal, (signal.SIGINT,))
    interrupted = False
    try:
        timer.start()
        while timer.is_alive():
            whence.infer(x, y, method="loci-h")
        timer.join()
    except KeyboardInterrupt:
        interrupted = True
        timer.join()
    assert interrupted
    assert json.dumps(whence.infer(x, y, method="loci-h").to_dict()) == expected


@cache
def _known() -> tuple[Any, Any, str]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = np.tanh(x) + 0.3 * rng.normal(size=500)
    return x, y, json.dumps(whence.infer(x, y, method="loci-h").to_dict())
