"""Speed and memory of one decision, as ratios measured side by side in one run: `make bench`.

Every line compares two things timed alternately in this process (for memory and the command line: in fresh ones), so
that a busy machine slows both. Nothing here is a test; nothing here is quoted without the command.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import causewise
from causewise.pair import Pair
from causewise.parallel import one_thread


def example(n: int, seed: int = 0) -> Pair:
    """A location-scale pair with a Gaussian cause."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair.of(x, np.tanh(1.5 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n))


def dense_hsic(a: np.ndarray, b: np.ndarray) -> float:
    """The textbook form with n × n matrices, in plain NumPy."""

    def centred(column: np.ndarray) -> np.ndarray:
        squared = (column[:, None] - column[None, :]) ** 2
        kernel = np.exp(-squared / np.median(squared[squared > 0]))
        kernel -= kernel.mean(axis=0)
        kernel -= kernel.mean(axis=1, keepdims=True)
        return kernel

    return float(np.sum(centred(a) * centred(b)) / len(a) ** 2)


def alternating(first: Callable[[], object], second: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Best CPU seconds of two calls, taken in turns."""
    best = [np.inf, np.inf]
    for call in (first, second):
        call()
    for _ in range(rounds):
        for k, call in enumerate((first, second)):
            start = time.thread_time()
            call()
            best[k] = min(best[k], time.thread_time() - start)
    return best[0], best[1]


def decide(pair: Pair, name: str = "loci-h") -> causewise.Decision:
    """One whole decision: both directions, statistics and p-values."""
    with one_thread():
        return causewise.method(name).decide_many([pair])[0]


def one_decision() -> None:
    """A decision against a single dense HSIC."""
    pair = example(1000)
    ours, dense = alternating(lambda: decide(pair), lambda: dense_hsic(pair.x, pair.y), 15)
    print(f"loci-h, n = 1000: {ours * 1e3:.1f} ms; one dense NumPy HSIC: {dense * 1e3:.1f} ms")
    print(f"  ratio {ours / dense:.3f} (goal: below 0.125)")


def default_method() -> None:
    """The default method against `loci-h`."""
    for n, rounds in ((300, 15), (1000, 15), (10**4, 5)):
        pair = example(n)
        ours, plain = alternating(lambda: decide(pair, "causewise"), lambda: decide(pair), rounds)  # noqa: B023  # called within the turn
        goal = " (goal: at most 2.5)" if n == 1000 else ""
        print(f"causewise, n = {n}: {ours * 1e3:.1f} ms; loci-h: {plain * 1e3:.1f} ms; ratio {ours / plain:.2f}{goal}")


def sorts() -> None:
    """`infer` of long columns against sorting each of them once; of short ones against `loci-h`."""
    long = example(10**6)
    rounded = Pair.of(long.x.round(1), long.y)
    for told, pair in (("n = 10⁶", long), ("n = 10⁶, x rounded", rounded)):
        ours, two = alternating(
            lambda: causewise.infer(pair),  # noqa: B023  # called within the turn
            lambda: (np.argsort(long.x), np.argsort(long.y)),
            3,
        )
        print(f"infer, {told}: {ours:.2f} s; two argsorts: {two:.2f} s; ratio {ours / two:.1f} (goal: at most 10)")
    short = example(1000)
    ours, plain = alternating(lambda: causewise.infer(short), lambda: decide(short), 15)
    print(f"infer, n = 1000: {ours * 1e3:.1f} ms; loci-h: {plain * 1e3:.1f} ms; ratio {ours / plain:.2f}")


def growth() -> None:
    """Cost against the number of rows."""
    small, large = example(10**5), example(10**6)
    for name in ("loci-h", "causewise"):
        at_small, at_large = alternating(lambda: decide(small, name), lambda: decide(large, name), 2)  # noqa: B023  # as above
        print(f"{name}, n = 10⁵: {at_small:.2f} s; n = 10⁶: {at_large:.2f} s")
        print(f"  growth ×{at_large / at_small:.1f} for ten times the rows (goal: at most 11, 12 for the default)")


MEMORY = """
import sys
sys.path.insert(0, {here!r})
from run import decide, example
decide(example({n}))
# VmHWM starts anew with the program; ru_maxrss would be inherited from this one.
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 2**20)
"""


def memory() -> None:
    """Peak memory of a whole process."""
    here = str(Path(__file__).parent)
    peak = {
        n: float(subprocess.check_output([sys.executable, "-c", MEMORY.format(here=here, n=n)])) for n in (1000, 10**6)
    }
    print(f"peak memory of a fresh process, n = 1000: {peak[1000]:.2f} GiB; n = 10⁶: {peak[10**6]:.2f} GiB")
    print("  (goal: below 2 GiB at n = 10⁶)")


def command_line() -> None:
    """The command line against the bare imports it cannot do without."""
    imports = [sys.executable, "-c", "import numpy, scipy.stats"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pair.csv"
        pair = example(1000)
        np.savetxt(file, np.column_stack([pair.x, pair.y]), delimiter=",", header="x,y", comments="")
        command = [str(Path(sys.executable).parent / "causewise"), "infer", str(file), "--json"]
        json.loads(subprocess.check_output(command))  # must be an answer
        wall = {"causewise": np.inf, "imports": np.inf}
        for _ in range(5):
            for name, call in (("causewise", command), ("imports", imports)):
                start = time.perf_counter()
                subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
                wall[name] = min(wall[name], time.perf_counter() - start)
    print(f"second `causewise infer`, n = 1000: {wall['causewise']:.2f} s")
    print(f"  importing NumPy and scipy.stats: {wall['imports']:.2f} s")
    print(f"  ratio {wall['causewise'] / wall['imports']:.2f} (goal: at most 2.5)")


if __name__ == "__main__":
    for part in (one_decision, default_method, sorts, growth, memory, command_line):
        part()
