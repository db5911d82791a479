"""What was kept of the light tunnel: every pair once, its edges, and what a scan says today where the rows are."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from page_blocks import DOCS

import causewise

DATA = Path(os.environ.get("CAUSEWISE_DATA", "nowhere")) / "chamber"


@pytest.fixture(scope="module")
def chamber() -> Iterator[ModuleType]:
    before = list(sys.path)
    sys.path.insert(0, str(DOCS / "benchmarks"))
    try:
        import chamber_rows

        yield chamber_rows
    finally:
        sys.path[:] = before


def test_every_pair_is_kept_once_and_edges_run_from_actuators_to_sensors(chamber: ModuleType) -> None:
    rows = chamber.kept()
    names = {*chamber.ACTUATORS, *chamber.SENSORS}
    assert len({frozenset((row["x"], row["y"])) for row in rows}) == len(rows) == len(names) * (len(names) - 1) // 2
    for row in rows:
        cause, effect = (row["x"], row["y"]) if row["design"] == "->" else (row["y"], row["x"])
        if row["design"] in ("->", "<-"):
            assert cause in chamber.ACTUATORS and effect in chamber.SENSORS
        elif row["design"] == "<->":
            assert {row["x"], row["y"]} <= set(chamber.SENSORS)


def test_two_sensors_of_one_actuator_have_a_common_cause(chamber: ModuleType) -> None:
    edges = {("lamp", "a"), ("lamp", "b"), ("other", "c")}
    assert [chamber.name_design(*pair, edges) for pair in (("a", "b"), ("a", "lamp"), ("lamp", "b"), ("a", "c"))] == [
        "<->",
        "<-",
        "->",
        "",
    ]


@pytest.mark.skipif(not DATA.exists(), reason="the light tunnel is not in CAUSEWISE_DATA")
def test_a_scan_says_what_was_kept(chamber: ModuleType) -> None:
    table, _ = chamber.read_tunnel()
    kept = {(row["x"], row["y"]): (row["status"], row["cause"]) for row in chamber.kept()}
    assert {(row.x, row.y): (row.status, row.cause or "") for row in causewise.scan(table)} == kept
