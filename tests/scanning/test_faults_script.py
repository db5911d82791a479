"""A scan that was killed, for real: the script of faults in its short form; other faults have tests of their own."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "faults.py"


@pytest.fixture(scope="module")
def faults():
    spec = importlib.util.spec_from_file_location("faults", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults"] = module  # its records look for their module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["faults"]


def test_a_killed_scan_goes_on_to_the_same_file(faults, capsys):
    assert faults.main(["--engine", "local", "--fault", "client", "--columns", "24", "--rows", "60"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "| local | client | killed by SIGKILL; again: done | that of the quiet run |"
    )


def test_a_difference_is_seen(faults, tmp_path):
    rows = [
        ["x", "y", "status", "reason", "seconds"],
        ["c0", "c3", "oriented", "", "1"],
        ["c1", "c2", "failed", "", "1"],
    ]
    out = tmp_path / "pairs.csv"

    def compared(fault, changed):
        out.write_text("\n".join(map(",".join, changed)) + "\n")
        return faults.compared(fault, [row[:-1] for row in rows], out)

    assert compared("worker", rows) == ""
    assert compared("worker", [rows[0], [*rows[1][:-1], "2"], rows[2]]) == ""
    assert compared("worker", rows[:2]) == "1 rows differ"
    died = [rows[0], ["c0", "c3", "failed", "It died.", "1"], rows[2]]
    assert (compared("poison", died), compared("worker", died)) == ("", "1 rows differ")
    assert compared("poison", rows) == "0 rows differ"
    out.with_name("pairs.csv.part").touch()
    assert compared("worker", rows) == "the journal is left"
