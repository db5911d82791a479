"""What a page costs beside the answer it shows: seconds to make it and kilobytes to keep it, from 10³ to 10⁶ rows.

    python benchmarks/report.py                     a table; exits 1 where a page costs over 2 s or takes over 500 kB
    python benchmarks/report.py --rows 1000000

Every size is a process of its own, so that loading matplotlib counts. The limit is on CPU seconds, which other work on
the machine hardly lengthens; the first two columns are by the clock.
"""

import argparse
import json
import subprocess
import sys
from itertools import starmap

MOST_SECONDS, MOST_BYTES = 2.0, 500_000
ONE = """
import json, pathlib, sys, tempfile, time
import numpy as np
import causewise

rng = np.random.default_rng(0)
n = int(sys.argv[1])
x = rng.normal(size=n)
y = 12_345 * np.exp(0.5 * x) * (1 + 0.3 * rng.normal(size=n))
start, cpu = time.perf_counter(), time.process_time()
decision = causewise.infer({"income": 1000 * x, "spending": y}, "income", "spending")
computed, cpu_computed = time.perf_counter(), time.process_time()
with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder) / "page.html"
    decision.report(place)
    done, cpu_done = time.perf_counter(), time.process_time()
    size = place.stat().st_size
print(json.dumps([computed - start, done - computed, cpu_done - cpu_computed, size]))
"""


def measure(rows: int) -> tuple[float, float, float, int]:
    """Wall seconds of the answer and of the page, CPU seconds of the page, and its bytes."""
    done = subprocess.run([sys.executable, "-c", ONE, str(rows)], capture_output=True, text=True, check=True)
    answer, page, cpu, size = json.loads(done.stdout)
    return answer, page, cpu, size


def within(rows: int, answer: float, page: float, cpu: float, size: int) -> bool:
    """Print a line of the table; whether both limits are kept."""
    print(f"{rows:>9} {answer:>9.2f} {page:>10.2f} {cpu:>9.2f} {size / 1000:>8.0f}")
    return cpu <= MOST_SECONDS and size <= MOST_BYTES


def main() -> int:
    """Measure every size in turn."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    print(f"{'rows':>9} {'answer, s':>9} {'page, s':>10} {'CPU, s':>9} {'kB':>8}")
    kept = list(starmap(within, ((rows, *measure(rows)) for rows in asked.parse_args().rows)))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
