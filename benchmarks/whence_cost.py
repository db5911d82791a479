"""CPU time of one `whence` decision beside one of `loci-h`, in the same run, for growing numbers of rows.

OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/whence_cost.py
"""

import sys
import time

import numpy as np

from whence.catalogue import method
from whence.decision import Method
from whence.pair import Pair

ROWS = (250, 500, 1000, 2000, 4000, 16000)


def milliseconds(judge: Method, pair: Pair, repeats: int = 5) -> float:
    """The fastest of some decisions, after one that compiles."""
    judge.decide_many([pair])
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        judge.decide_many([pair])
        best = min(best, time.process_time() - start)
    return 1000 * best


def main() -> None:
    """One line per number of rows."""
    rng = np.random.default_rng(0)
    for n in ROWS:
        x = rng.normal(size=n)
        pair = Pair.of(x, np.tanh(2 * x) + 0.3 * rng.normal(size=n))
        combined, single = (milliseconds(method(name), pair) for name in ("whence", "loci-h"))
        sys.stdout.write(f"{n:6d} rows: whence {combined:6.1f} ms, loci-h {single:6.1f} ms\n")


if __name__ == "__main__":
    main()
