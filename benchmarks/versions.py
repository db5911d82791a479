"""Every method of this checkout beside the same method of another one: CPU time and memory, warm, in turns.

    git worktree add ../before v0.3.0
    python benchmarks/versions.py ../before [--rows 300,1000,10000,100000] [--only loci-h,causewise] [--seconds 2]

Each method and length gets two fresh processes, one a checkout, that decide the same pair in turns until both have used
their seconds; what counts is the best CPU time of a decision, and the peak memory of the process. Methods that train
networks run a few steps only. A decision of the older checkout longer than 20 s is not followed to more rows.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROWS = "300,1000,10000,100000"
TRAINED = {"nn-loci-h": {"steps": 50, "engine": "compiled", "device": "cpu"}}
LONGEST = 20.0

WORKER = """
import json, sys, time
import numpy as np
import causewise
from causewise.pair import Pair
from causewise.parallel import one_thread

name, settings, rows = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
x = rng.normal(size=rows)
pair = Pair.of(x, np.tanh(1.5 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=rows))
method = causewise.method(name, **settings)
with one_thread():
    for line in sys.stdin:
        start = time.process_time()
        decision = method.decide_many([pair])[0]
        seconds = time.process_time() - start
        peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
        print(json.dumps([seconds, peak / 1024, decision.score]), flush=True)
"""


class Side:
    """One checkout's process for one method and length."""

    def __init__(self, checkout: Path, task: tuple[Any, ...]) -> None:
        self.best, self.used, self.peak, self.score = float("inf"), 0.0, 0.0, float("nan")
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"PYTHONPATH": str(checkout / "src")},
        )

    def decide(self) -> bool:
        """One decision; False if there was none."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return False
        line = self._process.stdout.readline()
        if not line:
            return False
        seconds, self.peak, self.score = json.loads(line)
        self.best, self.used = min(self.best, seconds), self.used + seconds
        return True

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(before: Path, task: tuple[Any, ...], seconds: float) -> tuple[Side, Side] | None:
    """Both sides in turns; None where one of them has no answer."""
    sides = (Side(before, task), Side(ROOT, task))
    try:
        if not all(side.decide() for side in sides):  # the first call loads and compiles what it needs
            return None
        for side in sides:
            side.best, side.used = float("inf"), 0.0
        while min(side.used for side in sides) < seconds or max(side.used for side in sides) == 0.0:
            if not all(side.decide() for side in sides):
                return None
    finally:
        for side in sides:
            side.close()
    return sides


def main(before: Path, rows: list[int], only: set[str], seconds: float) -> None:
    """One line a method and length."""
    import causewise

    plain = {entry.name: {} for entry in causewise.list_methods() if not entry.extra}
    print(f"{'method':18}{'rows':>8}{'before':>12}{'after':>12}{'ratio':>8}{'MB before':>11}{'after':>7}")
    for name, settings in (plain | TRAINED).items():
        for n in rows if not only or name in only else ():
            found = compare(before, (name, settings, n), seconds)
            if found is None:
                print(f"{name:18}{n:8}  no answer")
                continue
            old, new = found
            times = f"{old.best * 1e3:9.2f} ms{new.best * 1e3:9.2f} ms{new.best / old.best:8.2f}"
            print(f"{name:18}{n:8}{times}{old.peak:11.0f}{new.peak:7.0f}", flush=True)
            if old.best > LONGEST:
                break


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="another checkout of the project, built")
    parser.add_argument("--rows", default=ROWS)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=2.0)
    asked = parser.parse_args()
    chosen = set(filter(None, asked.only.split(",")))
    main(asked.before.resolve(), [int(n) for n in asked.rows.split(",")], chosen, asked.seconds)
