"""No table is stopped by one of its columns: text, dates, identifiers, constants, gaps and one bad cell."""

import io
import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causewise
from causewise.errors import UnclearError
from causewise.web.worker_tasks import describe_table, scan_file

Table = dict[str, list[Any]]
QUESTION = dict.fromkeys(
    ("method", "columns", "target", "threshold", "neither", "direct", "recording", "seed"), None
) | {"fdr": 0.05}


def make_cars() -> Table:
    """As MASS's Cars93: a rotary engine among numbers of cylinders."""
    rng = np.random.default_rng(93)
    n = 93
    weight = rng.normal(3000, 500, n)
    room = [f"{each:.1f}" for each in rng.normal(28, 3, n)]
    room[19] = room[88] = "NA"
    cylinders = [str(each) for each in rng.choice([3, 4, 5, 6, 8], n)]
    cylinders[56] = "rotary"
    return {
        "Manufacturer": [f"Maker {chr(65 + k % 26)}" for k in range(n)],
        "Price": np.round(weight / 150 + np.exp(weight / 1500) * rng.normal(size=n), 3).tolist(),
        "MPG": np.round(30 - 8 * np.tanh((weight - 3000) / 700) + rng.normal(size=n), 3).tolist(),
        "Cylinders": cylinders,
        "Weight": np.round(weight, 3).tolist(),
        "Rear.seat.room": room,
        "Wheels": [4] * n,
        "Origin": [("USA", "non-USA")[k % 2] for k in range(n)],
    }


def make_survey() -> Table:
    """As NHEFS: identifiers, two values, dates, what few have, and one slip of the pen."""
    rng = np.random.default_rng(71)
    n = 300
    age, sex = rng.uniform(25, 75, n).round(2), rng.integers(2, size=n)
    weight = (60 + 8 * np.sin(age / 12) + (1 + sex) * rng.normal(size=n)).round(3)
    pressure = [f"{each:.2f}" for each in 80 + weight / 2 + rng.normal(size=n)]
    pressure[200] = "11o.2"
    return {
        "seqn": (np.cumsum(rng.integers(1, 4, n)) + 200).tolist(),
        "visit": [str(date(1971, 1, 1) + timedelta(int(k))) for k in rng.permutation(n)],
        "died": [f"{1 + k % 28}/{1 + k % 12}/1985" if k % 3 else "" for k in range(n)],
        "sex": sex.tolist(),
        "age": age.tolist(),
        "wt": weight.tolist(),
        "sbp": pressure,
        "lead": ["" if k >= 60 else f"{each:.3f}" for k, each in enumerate(rng.normal(size=n))],
        "wave": [1] * n,
        "state": [("Iowa", "Ohio", "Utah")[k % 3] for k in range(n)],
    }


def make_towns() -> Table:
    """As Boston's: numbers of rows without a name, excess zeros, a level of taxes, and prices cut off at 50."""
    rng = np.random.default_rng(78)
    n = 220
    rooms = rng.normal(6.3, 0.7, n)
    price = np.minimum(50, 8 * (rooms - 4) + 3 * np.abs(rooms - 6) * rng.normal(size=n) + 6)
    crime = [f"{each:.5f}" for each in np.exp(rng.normal(0, 2, n) - 0.05 * price)]
    crime[7] = crime[70] = "NA"
    return {
        '""': list(range(1, n + 1)),
        "crim": crime,
        "zn": np.where(rng.random(n) < 0.7, 0.0, rng.uniform(10, 95, n).round(1)).tolist(),
        "chas": rng.integers(2, size=n).tolist(),
        "rad": rng.choice([1, 2, 3, 4, 5, 24], n).tolist(),
        "rm": rooms.round(3).tolist(),
        "medv": price.round(1).tolist(),
        "town": [f'"Town {k % 92}, Mass."' for k in range(n)],
    }


SCANNED = {
    make_cars: {
        "Manufacturer": "it holds text",
        "Cylinders": "it has the text 'rotary' in line 58",
        "Wheels": "it is 4 in every row",
        "Origin": "it holds text",
    },
    make_survey: {
        "seqn": "it numbers the rows",
        "died": "its dates may begin with the day or the month: write the year first",
        "sbp": "it has the text '11o.2' in line 202",
        "wave": "it is 1 in every row",
        "state": "it holds text",
    },
}
"""Columns that a scan leaves out, and why."""
GRAPHED = {
    make_cars: {},
    make_survey: {
        "lead": "it has 60 values where at least 100 are needed",
        "sex": "it takes only 2 values: too coarse for a graph unless its order with all others is given "
        "(knowledge: first, last, tiers or before)",
    },
}
"""Those that a graph leaves out besides."""
Make = Callable[[], Table]


def encode(table: Table) -> bytes:
    rows = (",".join(map(str, row)) for row in zip(*table.values(), strict=True))
    return "\n".join([",".join(table), *rows, ""]).encode()


@pytest.fixture(params=[make_cars, make_survey])
def make(request: pytest.FixtureRequest) -> Make:
    made: Make = request.param
    return made


@pytest.fixture
def file(make: Make, tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(encode(make()))
    return path


def test_a_scan_leaves_out_what_cannot_be_scored(make: Make, file: Path) -> None:
    found = causewise.scan(file, method="mdl")
    assert found.left_out == SCANNED[make]
    assert set(found.columns) == make().keys() - SCANNED[make].keys()


def test_a_scan_of_a_frame_does_too(make: Make) -> None:
    found = causewise.scan(make(), method="mdl")
    assert set(found.columns) & SCANNED[make].keys() == set()
    assert set(found.columns) | found.left_out.keys() == make().keys()


def test_a_graph_leaves_out_what_cannot_stand_in_it(make: Make, file: Path) -> None:
    found = causewise.graph(file, bootstrap=0)
    assert found.left_out == SCANNED[make] | GRAPHED[make]
    assert set(found.order) == make().keys() - found.left_out.keys()


def test_two_columns_of_it_can_be_asked_about(make: Make, file: Path) -> None:
    for x, y in (("Weight", "MPG"),) if make is make_cars else (("age", "wt"), ("visit", "wt")):
        assert causewise.infer(file, x, y).kinds["x"] == "continuous"


def test_the_page_promises_what_a_scan_scores(make: Make) -> None:
    content = encode(make())
    overview = describe_table(io.BytesIO(content), 50)
    settings = {"question": QUESTION | {"method": "mdl"}, "name": "table.csv", "reading": {}, "seconds": 600}
    record = json.loads(scan_file(settings, content, lambda what, done, of: None)["record"])
    promised = [each["name"] for each in overview["columns"] if each["judged"]]
    assert len(record["rows"]) == len(promised) * (len(promised) - 1) // 2
    assert {each["name"]: each["why"] for each in overview["columns"] if not each["judged"]} == SCANNED[make]


def test_towns_with_a_column_of_row_numbers_run_through_everything(tmp_path: Path) -> None:
    content, columns = encode(make_towns()), {"column 1", *list(make_towns())[1:]}
    (tmp_path / "towns.csv").write_bytes(content)
    found, graph = (
        causewise.scan(tmp_path / "towns.csv", method="mdl"),
        causewise.graph(tmp_path / "towns.csv", bootstrap=0),
    )
    left_out = {"column 1": "it counts the rows", "town": "it holds text"}
    assert (found.left_out, set(found.columns)) == (left_out, columns - left_out.keys())
    assert left_out.items() <= graph.left_out.items()
    assert {*graph.order} | graph.left_out.keys() == columns
    assert all(graph.left_out.values())
    assert causewise.infer(tmp_path / "towns.csv", "rm", "medv").n == 220
    overview = describe_table(io.BytesIO(content), 50)
    assert {each["name"]: each["why"] for each in overview["columns"] if not each["judged"]} == left_out


@pytest.mark.parametrize(
    "asked",
    [
        {"columns": ["Cylinders", "Price"]},
        {"pairs": "Cylinders"},
        {"pairs": [("Price", "Cylinders")]},
        {"adjust": ["Cylinders"]},
        {"knowledge": {"required": [["Cylinders", "MPG"]]}},
    ],
)
def test_a_column_that_was_asked_for_stops_the_scan(asked: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "cars.csv"
    path.write_bytes(encode(make_cars()))
    with pytest.raises(causewise.InputError, match="Column 'Cylinders' has the text 'rotary' in line 58; expected"):
        causewise.scan(path, method="mdl", **asked)
    if asked.keys() <= {"columns", "knowledge"}:
        with pytest.raises(causewise.InputError, match="Column 'Cylinders' has the text 'rotary' in line 58; expected"):
            causewise.graph(path, bootstrap=0, **asked)


def test_knowledge_that_only_mentions_it_does_not(tmp_path: Path) -> None:
    path = tmp_path / "cars.csv"
    path.write_bytes(encode(make_cars()))
    assert "Cylinders" in causewise.scan(path, method="mdl", knowledge={"first": ["Cylinders"]}).left_out
    assert "Cylinders" in causewise.graph(path, bootstrap=0, knowledge={"before": [["Cylinders", "MPG"]]}).left_out


def test_where_no_two_columns_are_left_the_bad_cell_is_the_error(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("a,b\n" + "".join(f"{k * k % 37},{'x' if k == 150 else k * 7 % 31}\n" for k in range(200)))
    with pytest.raises(causewise.InputError, match="Column 'b' has the text 'x' in line 152"):
        causewise.scan(path)


def test_columns_can_be_excluded(tmp_path: Path) -> None:
    path = tmp_path / "cars.csv"
    path.write_bytes(encode(make_cars()))
    found = causewise.scan(path, method="mdl", exclude=["Cylinders", 2])
    assert found.left_out["Cylinders"] == found.left_out["Price"] == "it is excluded"
    assert "Price" not in causewise.graph(path, bootstrap=0, exclude=["Price"]).order
    for asked in ({"columns": ["Price", "MPG"]}, {"adjust": ["Price"]}):
        with pytest.raises(causewise.InputError, match="'Price' both to use and to exclude"):
            causewise.scan(path, exclude="Price", **asked)
    with pytest.raises(causewise.InputError, match="'Price' in a pair, and it is excluded"):
        causewise.scan(path, exclude=["Price"], pairs="Price")
    with pytest.raises(causewise.InputError, match="did you mean 'Price'"):
        causewise.graph(path, bootstrap=0, exclude=["Prize"])


def test_a_column_that_is_numbers_in_two_ways_is_left_out_unless_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    rows = [f"{k * k % 37};{k * 7 % 31};{1 + k % 9}.{100 + k * 13 % 800}" for k in range(200)]
    path.write_text("\n".join(["a;b;c", *rows]))
    left_out = causewise.scan(path, method="mdl").left_out
    assert left_out.keys() == {"c"} and "whether '.' is its decimal mark" in left_out["c"]
    assert causewise.scan(path, method="mdl", decimal=".").left_out == {}
    with pytest.raises(UnclearError, match="is its decimal mark"):
        causewise.scan(path, exclude=["a"])
