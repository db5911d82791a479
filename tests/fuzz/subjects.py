"""What is fuzzed: each subject is one function; whatever goes in, an answer or one sentence comes out."""

import contextlib
import csv
import gc
import json
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import hostile
import numpy as np
from harness import subject
from hypothesis import strategies as st
from typer.testing import CliRunner

import causewise
from causewise.catalogue import CATALOGUE, defaults, entry
from causewise.cli.app import app
from causewise.errors import InputError
from causewise.pair import NanPolicy, Pair

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tables"))
import workbooks
from dialects import columns, come_back_or_are_refused
from dialects import dialects as written

from test_formatting import acts, anything

NUMBERS = [
    (each.name, setting)
    for each in CATALOGUE
    for setting, default in defaults(each.name).items()
    if isinstance(default, int | float) and not isinstance(default, bool)
]
"""Every number of every method."""
numbers = st.floats(-1e12, 1e12).map(lambda value: value + 0.0)


def command(*arguments: str) -> Any:
    """Run a command; whatever it was given, it ends well or with one sentence."""
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert result.exit_code in (0, 2), (result.exit_code, result.stderr, result.exception)
    if result.exit_code:
        assert (result.stdout, result.stderr.count("\n")) == ("", 1), result.stderr
    return result


@subject(st.tuples(columns(), columns(), written()))
def dialects(table: tuple[Any, Any, Any]) -> None:
    """Known numbers come back exactly, or a sentence comes."""
    with tempfile.TemporaryDirectory() as folder:
        come_back_or_are_refused(Path(folder), *table)


# An old .xls file is read in a process of its own, which takes half a second.
@subject(st.tuples(workbooks.tables(), st.sampled_from(["openpyxl.xlsx"] * 8 + ["xlsxwriter.xlsx"] * 8 + ["xlwt.xls"])))
def sheets(drawn: tuple[Any, str]) -> None:
    """Known numbers on a sheet come back exactly, whatever stands around them, or a sentence comes."""
    table, writer = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{writer.rpartition('.')[2]}"
        (rows,) = workbooks.write_tables(path, writer, [table])
        workbooks.come_back_or_are_refused(path, rows, table[2])


@subject(
    st.lists(st.sampled_from(hostile.VALUES) | numbers, max_size=20),
    corpus=lambda: [[value] * 20 for value in hostile.VALUES] + [[*range(19), value] for value in hostile.VALUES],
)
def types(column: list[Any]) -> None:
    """Any list is a column of finite numbers, or gets a sentence."""
    for policy in get_args(NanPolicy):
        with contextlib.suppress(InputError):
            pair = Pair.of(column, np.arange(len(column)) ** 2.0, nan_policy=policy)
            assert np.isfinite(pair.x).all()


@subject(anything.filter(bool), corpus=lambda: hostile.NAMES)
def names(name: str) -> None:
    """A column and a folder may be called anything, and nothing in the name acts on a terminal."""
    rng = np.random.default_rng(0)
    pair = Pair.of(rng.normal(size=40), rng.normal(size=40), x_name=name)
    decision = causewise.infer(pair, method="igci")
    assert json.loads(json.dumps(decision.to_dict(), allow_nan=False))["method"] == "igci"
    assert not acts(str(decision), keep="\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        with path.open("w", newline="", encoding="utf-8", errors="replace") as stream:
            csv.writer(stream).writerows([[name, "y"], *zip(pair.x.tolist(), pair.y.tolist(), strict=True)])
        for arguments in (["-x", "1", "-y", "2"], ["-x", name], ["-x", "1", "-y", "2", "--json"], ["--method", name]):
            result = command("infer", str(path), "--method", "igci", *arguments)
            assert not acts(result.stdout + result.stderr, keep="\n")


@subject(
    st.tuples(st.sampled_from(NUMBERS), st.sampled_from(hostile.AMOUNTS) | st.integers() | st.floats()),
    corpus=lambda: [(number, amount) for number in NUMBERS[::7] for amount in hostile.AMOUNTS],
)
def settings(chosen: tuple[tuple[str, str], Any]) -> None:
    """A method is built and answers within its ranges, or a sentence comes."""
    (name, setting), amount = chosen
    x, y, _ = _known()
    with contextlib.suppress(InputError):
        built = causewise.method(name, **{setting: amount})
        if not entry(name).extra:
            assert causewise.infer(x[:60], y[:60], method=built).method == name


@subject(
    st.builds(lambda name, rest: f"{name}:{rest}", st.sampled_from([e.name for e in CATALOGUE]), st.text(max_size=15)),
    corpus=lambda: [f"{name}:{rest}" for name in ("loci-h", "cam", "igci") for rest in hostile.SETTINGS],
)
def specifications(text: str) -> None:
    """A text names a method, or a sentence comes."""
    with contextlib.suppress(InputError):
        assert causewise.method(text).name


@subject(
    st.tuples(
        st.sampled_from(["table.csv", "table.csv.gz", "table.parquet", "table.xlsx"]),
        st.builds(bytes.__add__, st.sampled_from(hostile.BEGINNINGS), st.binary(max_size=300)),
    ),
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
    with _no_collector_callbacks(), _lost_interrupts() as lost:
        try:
            timer.start()
            while timer.is_alive():
                causewise.infer(x, y, method="loci-h")
            timer.join()
        except KeyboardInterrupt:
            interrupted = True
            timer.join()
    assert interrupted or lost
    assert json.dumps(causewise.infer(x, y, method="loci-h").to_dict()) == expected


@contextlib.contextmanager
def _lost_interrupts() -> Iterator[list[str]]:
    """Those that come while a weak reference is cleared: Python reports and drops whatever is raised there."""
    lost: list[str] = []
    before = sys.unraisablehook

    def note(problem: "sys.UnraisableHookArgs") -> None:
        if problem.exc_type is KeyboardInterrupt:
            lost.append(repr(problem.object))
        else:
            before(problem)

    sys.unraisablehook = note
    try:
        yield lost
    finally:
        sys.unraisablehook = before


@contextlib.contextmanager
def _no_collector_callbacks() -> Iterator[None]:
    """Hypothesis times the garbage collector by a callback, and Python drops an interrupt that falls into one."""
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    try:
        yield
    finally:
        gc.callbacks[:] = callbacks


@cache
def _known() -> tuple[Any, Any, str]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = np.tanh(x) + 0.3 * rng.normal(size=500)
    return x, y, json.dumps(causewise.infer(x, y, method="loci-h").to_dict())
