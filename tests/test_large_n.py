"""Memory grows like the rows, and by no more than a few columns a row: counted, not timed, on short tables."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

import causewise
from causewise.catalogue import CATALOGUE
from causewise.pair import Pair
from causewise.scanning import mapped, scanner
from test_every_method import CHEAP

LIGHT = [entry.name for entry in CATALOGUE if not entry.extra]
ROWS = 40_000
NUMBER = 8


def pair_of(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return Pair.of(x, np.tanh(1.5 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n))


def peak(call):
    """Bytes at the peak of a call, beyond those before it."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def a_row(call, rows=ROWS):
    """Bytes a row by which the peak grows from `rows` to twice as many."""
    small, large = (pair_of(n) for n in (rows, 2 * rows))
    call(pair_of(500))  # imports
    return (peak(partial(call, large)) - peak(partial(call, small))) / rows


def test_a_decision_needs_little_more_than_it_holds():
    """Six columns of the decision stay: curve, spread and residual of both directions."""
    assert a_row(lambda pair: causewise.infer(pair), 100_000) < 13 * NUMBER


@pytest.mark.parametrize("name", LIGHT)
def test_memory_is_linear_in_the_rows(name):
    """As the catalogue says; the two columns themselves are not counted."""
    method = causewise.method(name, **CHEAP.get(name, {}) | ({"max_iter": 1} if name in ("gpi", "anm-mm") else {}))
    grown = a_row(lambda pair: method.decide_many([pair]), 5000)
    assert grown < 200 * NUMBER  # one matrix of n × n would be 15 000


def test_with_a_sample_only_the_draw_grows():
    sampled = causewise.method("pnl:rows=500")
    assert a_row(lambda pair: sampled.decide_many([pair])) < 12 * NUMBER


def test_a_scan_holds_no_more_for_more_columns(monkeypatch, tmp_path):
    """Three times the columns of a file take as much memory, where there is no room to remember them."""
    import pandas

    x, y = pair_of(ROWS).x, pair_of(ROWS).y
    drawn = {f"c{k}": np.roll(x, 7 * k) for k in range(12)} | {"t": y}
    monkeypatch.setattr(mapped, "IN_MEMORY", 0)
    monkeypatch.setattr(scanner, "cache_size", lambda jobs, free: 4 * NUMBER * ROWS)
    found = {}
    for columns in (4, 12):
        file = tmp_path / f"{columns}.parquet"
        pandas.DataFrame({name: drawn[name] for name in [*list(drawn)[:columns], "t"]}).to_parquet(file)
        scan = partial(causewise.scan, file, pairs="t", method="igci", engine=causewise.Engine(jobs=1))
        scan()
        found[columns] = peak(scan)
    assert found[12] - found[4] < 2 * NUMBER * ROWS
    assert found[12] < 30 * NUMBER * ROWS
