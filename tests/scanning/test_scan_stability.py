"""Random halves in a scan: what `decision.stability()` says of the pair alone, whoever works on it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import causewise
from causewise.cli.app import app
from causewise.errors import InputError
from causewise.scanning.result import COLUMNS

FIELDS = ("agreement", "half_low", "half_high")


@pytest.fixture(scope="module")
def table():
    """A weak chain a → b → c, one column beside it, and one with holes."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 120)
    b = np.sin(2 * a) + 0.5 * rng.normal(size=120)
    c = np.tanh(2 * b) + 0.5 * rng.normal(size=120)
    holes = np.where(rng.uniform(size=120) < 0.1, np.nan, a + rng.normal(size=120))
    return {"a": a, "b": b, "alone": rng.normal(size=120), "c": c, "holes": holes}


def found(row):
    return tuple(getattr(row, name) for name in FIELDS)


def timeless(scan):
    return [replace(row, seconds=0.0) for row in scan]


@pytest.mark.parametrize(("method", "threshold"), [("causewise", None), ("causewise", 0.99), ("loci-h", None)])
def test_every_related_pair_gets_what_its_decision_finds(table, method, threshold):
    scan = causewise.scan(
        table, method=method, threshold=threshold, stability=True, seed=3, engine=causewise.Engine(jobs=1)
    )
    seen = set()
    for row in scan:
        seen.add(row.status)
        if row.status == "unrelated":
            assert found(row) == (None, None, None)
            continue
        alone = causewise.infer(table, row.x, row.y, method=method, threshold=threshold, nan_policy="omit")
        assert found(row) == alone.stability(seed=3)[:3]
    assert "unrelated" in seen
    assert seen & {"oriented", "undecided"}


def test_nothing_else_changes_and_nothing_is_said_unless_asked(table):
    plain, halved = (causewise.scan(table, stability=asked, engine=causewise.Engine(jobs=1)) for asked in (False, True))
    assert all(found(row) == (None, None, None) for row in plain)
    cleared = [replace(row, **dict.fromkeys(FIELDS)) for row in timeless(halved)]
    assert cleared == timeless(plain)
    assert (plain.facts["stability"], halved.facts["stability"]) == (False, True)


def test_the_columns_stand_before_the_warnings():
    assert COLUMNS[COLUMNS.index("warnings") - 3 : COLUMNS.index("warnings")] == FIELDS


def test_neither_processes_nor_tiles_show(table, monkeypatch):
    one = timeless(causewise.scan(table, stability=True, engine=causewise.Engine(jobs=1)))
    monkeypatch.setattr("causewise.scanning.table.BLOCK", 2)
    assert timeless(causewise.scan(table, stability=True, engine=causewise.Engine(jobs=2))) == one


def test_the_seed_chooses_the_halves(table):
    one, other = (
        causewise.scan(table, pairs=[("a", "b")], stability=True, seed=k, engine=causewise.Engine(jobs=1)).rows[0]
        for k in (0, 1)
    )
    assert found(one) != found(other)
    assert one.score == other.score


def test_halves_are_the_datas_whatever_is_known(table):
    free = causewise.scan(table, pairs=[("a", "b")], stability=True, direct=True, engine=causewise.Engine(jobs=1)).rows[
        0
    ]
    for known in ({"required": [["b", "a"]]}, {"soft": [["b", "a", {"log_odds": 9.0}]]}):
        told = causewise.scan(
            table, pairs=[("a", "b")], knowledge=known, stability=True, direct=True, engine=causewise.Engine(jobs=1)
        ).rows[0]
        assert told.direction == "y->x"
        assert found(told) == found(free) != (None, None, None)
    apart = {"forbidden": [["a", "b"], ["b", "a"]]}
    none = causewise.scan(
        table, pairs=[("a", "b")], knowledge=apart, stability=True, engine=causewise.Engine(jobs=1)
    ).rows[0]
    assert (none.status, *found(none)) == ("unrelated", None, None, None)


def test_too_few_rows_for_halves_are_a_note_and_the_answer_stands():
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 14)
    table = {"a": a, "b": a**3 + 0.1 * rng.normal(size=14)}
    plain, row = (
        causewise.scan(table, stability=asked, engine=causewise.Engine(jobs=1)).rows[0] for asked in (False, True)
    )
    assert (row.status, row.score, found(row)) == (plain.status, plain.score, (None, None, None))
    assert row.warnings[: len(plain.warnings)] == plain.warnings
    assert "too few" in row.warnings[-1]


def test_a_number_of_halves_is_a_sentence(table):
    with pytest.raises(InputError, match=r"Got stability=50; expected True"):
        causewise.scan(table, stability=50)


def test_a_scan_without_halves_is_no_beginning_of_one_with_them(table, tmp_path):
    place = tmp_path / "part"
    causewise.scan(table, engine=causewise.Engine(jobs=1, journal=place))
    with pytest.raises(InputError, match=r"another scan \(with other settings"):
        causewise.scan(table, engine=causewise.Engine(jobs=1, journal=place), stability=True)


def test_the_command_writes_the_columns_and_prints_what_it_does_without(table, tmp_path):
    import pandas

    pandas.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    file, out = str(tmp_path / "t.csv"), tmp_path / "out.json"
    plain = CliRunner().invoke(app, ["scan", file, "--jobs", "1", "--out", str(out)])
    result = CliRunner().invoke(app, ["scan", file, "--jobs", "1", "--out", str(out), "--stability"])
    assert (result.exit_code, result.output) == (0, plain.output)
    rows = json.loads(out.read_text())["rows"]
    expected = causewise.scan(tmp_path / "t.csv", stability=True, engine=causewise.Engine(jobs=1))
    assert [tuple(row[name] for name in FIELDS) for row in rows] == [found(row) for row in expected]
