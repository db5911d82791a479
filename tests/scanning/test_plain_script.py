"""A scan in a plain script, without the guard that Python asks for around new processes."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np, causewise
print("asked once")
rng = np.random.default_rng(0)
print(causewise.scan({name: rng.normal(size=60) for name in "abcde"}, engine=causewise.Engine(jobs=2)))
print(__file__, __spec__)
"""


def test_the_script_is_not_run_again_in_the_workers(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.stderr == ""
    asked, found, left = run.stdout.splitlines()
    assert asked == "asked once"
    assert found.startswith("10 pairs of 5 columns") and "failed" not in found
    assert left == f"{path} None"
