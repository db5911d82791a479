"""Plain scripts, without the guard that Python asks for around new processes."""

import subprocess
import sys
from pathlib import Path

import pytest

CALLS = {
    "scan": "causewise.scan(table, engine=causewise.Engine(jobs=2))",
    "cluster": "causewise.scan(table, engine=causewise.Engine(jobs=2, dask='local'))",
    "graph": "causewise.graph(table, bootstrap=4, engine=causewise.Engine(jobs=2))",
}
SCRIPT = """
import numpy as np, causewise
print("asked once")
rng = np.random.default_rng(0)
table = {name: rng.normal(size=120) for name in "abcde"}
print(CALL)
print(__file__, __spec__)
"""


@pytest.mark.parametrize(
    ("call", "found"), [("scan", "10 pairs of 5 columns"), ("cluster", "10 pairs of 5 columns"), ("graph", "5 columns")]
)
def test_the_script_is_not_run_again_in_the_workers(call: str, found: str, tmp_path: Path) -> None:
    if call == "cluster":
        pytest.importorskip("distributed")
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("CALL", CALLS[call]))
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.stderr == ""
    asked, result, left = run.stdout.splitlines()
    assert asked == "asked once"
    assert found in result and "failed" not in result
    assert left == f"{path} None"
