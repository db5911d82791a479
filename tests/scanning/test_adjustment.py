"""What a common cause explains is gone once it is adjusted for, and what it does not explain stays."""

import json

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from typer.testing import CliRunner

import causewise
from causewise.cli.app import app
from causewise.errors import InputError
from causewise.scanning.adjustment import FEWEST_ROWS, KNOTS, Adjustment


def fork(seed, n=400):
    """a ← c → b, both mean and spread."""
    rng = np.random.default_rng(seed)
    c = rng.normal(size=n)
    a = np.sin(2 * c) + (0.2 + 0.3 * np.abs(c)) * rng.normal(size=n)
    b = np.tanh(2 * c) + 0.3 * c**2 + 0.3 * (1 + np.abs(c)) * rng.normal(size=n)
    return {"a": a, "b": b, "c": c}


def chain(seed, n=500):
    """a → b, and c → b beside it."""
    rng = np.random.default_rng(seed)
    c = rng.normal(size=n)
    a = rng.uniform(-2, 2, n)
    b = np.sin(2 * a) + (0.1 + 0.2 * np.abs(a)) * rng.normal(size=n) + 0.5 * c
    return {"a": a, "b": b, "c": c}


def one(table, **asked):
    (row,) = causewise.scan(table, engine=causewise.Engine(jobs=1), **asked)
    return row


def test_a_common_cause_explains_its_effects():
    before = [one(fork(seed), pairs=[("a", "b")], method="igci") for seed in range(5)]
    assert all(row.status != "unrelated" for row in before)
    after = [one(fork(seed), adjust=["c"], method="igci") for seed in range(100, 160)]
    p = [row.dependence_p for row in after]
    assert kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) < 0.05) <= 0.15


def test_two_common_causes_are_additive():
    p = []
    for seed in range(100, 120):
        rng = np.random.default_rng(seed)
        c, d = rng.lognormal(size=(2, 400))
        a, b = (np.log(c) + sign * np.log(d) ** 2 + 0.4 * rng.normal(size=400) for sign in (1, -1))
        table = {"a": a, "b": b, "c": c, "d": d}
        assert one(table, pairs=[("a", "b")], method="igci").status != "unrelated"
        p.append(one(table, adjust=["c", "d"], method="igci").dependence_p)
    assert np.mean(np.array(p) < 0.05) <= 0.15


def test_a_direct_cause_keeps_its_direction():
    rows = [one(chain(seed), adjust=["c"]) for seed in range(100, 106)]
    assert [row.cause for row in rows].count("a") >= 5
    assert all(row.cause != "b" and row.score > 0 for row in rows)


@given(st.integers(0, 99), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_units_and_the_order_of_rows_do_not_matter(seed, unit, offset):
    table, order = fork(seed % 3, 60), np.random.default_rng(seed).permutation(60)
    plain = Adjustment.of({"c": table["c"]}).residual(table["a"])
    shuffled = Adjustment.of({"c": table["c"][order]}).residual(table["a"][order])
    assert np.array_equal(shuffled, plain[order])
    moved = Adjustment.of({"c": unit * table["c"] + offset}).residual(unit * table["a"] + offset)
    assert moved == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("unit", [1e300, 1e-300, 1e-310])
def test_extreme_units_do_not_matter(unit):
    table = fork(0)
    plain = Adjustment.of({"c": table["c"]}).residual(table["a"])
    assert Adjustment.of({"c": unit * table["c"]}).residual(table["a"]) == pytest.approx(plain, abs=1e-6)
    assert Adjustment.of({"c": table["c"]}).residual(unit * table["a"]) == pytest.approx(plain, abs=1e-6)


def test_columns_with_ties_or_without_variation_can_be_adjusted_for():
    table = fork(0)
    still = np.where(np.arange(400) < 300, 1.0, table["c"])
    column = np.where(np.arange(400) < 300, table["a"], np.nan)
    for other in (np.sign(table["c"]), np.round(table["c"]), still):
        left = Adjustment.of({"c": other}).residual(column)
        assert np.array_equal(np.isnan(left), np.isnan(column))
        assert np.nanstd(left) == pytest.approx(1.0, abs=0.01)


def test_the_residual_is_the_estimators():
    table = fork(0, 1000)
    model = causewise.LocationScaleRegressor(KNOTS, knots="quantile").fit(table["c"][:, None], table["a"])
    mean, std = model.predict(table["c"][:, None], return_std=True)
    residual = Adjustment.of({"c": table["c"]}).residual(table["a"])
    assert residual == pytest.approx((table["a"] - mean) / std, abs=1e-5)


def test_nothing_to_adjust_for_changes_nothing():
    column = fork(0)["a"]
    assert Adjustment().residual(column) is column


def test_rows_missing_in_what_is_adjusted_for_are_missing():
    table = fork(0)
    table["c"][:7] = np.nan
    table["a"][5:10] = np.nan
    row = one(table, adjust="c", method="igci")
    assert (row.n, row.dropped_rows) == (390, 10)


def test_what_is_adjusted_for_is_in_no_pair_and_in_the_facts():
    scan = causewise.scan({**fork(0), "d": fork(1)["a"]}, adjust=[3], method="igci", engine=causewise.Engine(jobs=1))
    assert [(row.x, row.y) for row in scan] == [("a", "b"), ("a", "d"), ("b", "d")]
    assert scan.facts["adjust"] == ["c"]
    assert scan.left_out["c"] == "the others are adjusted for it"
    assert causewise.scan(fork(0), method="igci", engine=causewise.Engine(jobs=1)).facts["adjust"] == []


def test_an_exact_function_is_left_out_with_the_reason():
    table = fork(0)
    table |= {"line": 3 * table["c"] - 1, "square": table["c"] ** 2, "nearly": table["c"] + 0.02 * fork(1)["c"]}
    scan = causewise.scan(table, adjust=["c"], method="igci", engine=causewise.Engine(jobs=1))
    assert scan.columns == ("a", "b", "nearly")
    assert scan.left_out["line"] == scan.left_out["square"] == "nothing is left of it once it is adjusted for 'c'"
    with pytest.raises(InputError, match="'line', and nothing is left of it"):
        causewise.scan(table, columns=["a", "line"], adjust=["c"])


def test_columns_that_seldom_meet_are_left_out_with_the_reason():
    table = {**fork(0), "seldom": fork(1)["a"], "still": np.r_[np.ones(200), np.arange(200.0)], "d": fork(2)["a"]}
    table["c"][200:] = np.nan
    table["seldom"][:180] = np.nan
    scan = causewise.scan(table, adjust=["c"], method="igci", engine=causewise.Engine(jobs=1))
    assert scan.left_out["seldom"] == f"it has 20 rows together with 'c' where at least {FEWEST_ROWS} are needed"
    assert scan.left_out["still"] == "it is 1 in every row in which 'c' can be adjusted for"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"adjust": ["c"], "pairs": "c"}, "'c' in a pair, and the others are adjusted for it"),
        ({"adjust": ["c"], "pairs": [("a", "c")]}, "'c' in a pair, and the others are adjusted for it"),
        ({"adjust": ["nothing"]}, "'nothing', which is not in the table"),
        ({"adjust": ["c", "c"]}, "'c' twice"),
        ({"adjust": ["word"]}, "'word'"),
        ({"adjust": ["one"]}, "'one' to adjust for, and it is 1 in every row"),
        ({"adjust": ["a", "b"]}, "Got 1 column that can be used"),
        ({"columns": ["a", "c"], "adjust": ["c"]}, "Got 1 column that can be used"),
        ({"columns": ["a", "c"], "pairs": "b"}, "'b' in a pair, and it is not among the columns asked for"),
    ],
)
def test_what_cannot_be_is_a_sentence(asked, sentence):
    with pytest.raises(InputError, match=sentence):
        causewise.scan({**fork(0), "word": ["x"] * 400, "one": np.ones(400)}, **asked)


def test_too_few_rows_are_a_sentence():
    with pytest.raises(InputError, match="Got 25 rows in which 'c' is present; expected at least 30 to adjust for it"):
        causewise.scan(fork(0, 25), adjust=["c"])
    table = {**fork(0, 50), "d": fork(1, 50)["a"]}
    with pytest.raises(InputError, match="Got 50 rows in which 'c', 'd' are all present; expected at least 60"):
        causewise.scan(table, adjust=["c", "d"])
    with pytest.raises(InputError, match="equal length"):
        causewise.scan({**fork(0), "d": np.arange(90.0)}, adjust=["d"])


def test_a_target_given_by_number_is_counted_in_the_whole_table():
    table = {"word": ["x"] * 400, **fork(0)}
    assert {row.y for row in causewise.scan(table, pairs=4, method="igci", engine=causewise.Engine(jobs=1))} == {"c"}


def test_the_command_line_adjusts(tmp_path):
    pandas.DataFrame(fork(0)).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out.json"
    done = CliRunner().invoke(app, ["scan", str(tmp_path / "t.csv"), "--adjust", "c", "--out", str(out)])
    assert done.exit_code == 0
    assert "1 pair of 2 columns: 0 oriented, 0 undecided, 1 unrelated" in done.stdout
    assert "Left out: c (the others are adjusted for it)" in done.stderr
    assert json.loads(out.read_text())["adjust"] == ["c"]
    refused = CliRunner().invoke(app, ["scan", str(tmp_path / "t.csv"), "--adjust", "c", "--target", "c"])
    assert refused.exit_code == 2
    assert "the others are adjusted for it" in refused.stderr


def test_progress_is_told_column_by_column():
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=80) for name in "abcd"} | {"one": np.ones(80)}
    told = []
    causewise.scan(
        table, adjust=["a"], method="igci", engine=causewise.Engine(jobs=1, on_progress=lambda *what: told.append(what))
    )
    assert told[:4] == [("adjusting", k, 4) for k in (1, 2, 3, 4)]
    told.clear()
    causewise.scan(table, method="igci", engine=causewise.Engine(jobs=1, on_progress=lambda *what: told.append(what)))
    assert told[0][0] == "screening"
