"""What every method costs, beside the Python packages that offer it; all on one core, in CPU time.

    python benchmarks/baselines.py                  side by side with cdt, causal-learn, lingam and gcastle
    python benchmarks/baselines.py growth           time and memory at 10⁴, 10⁵ and 10⁶ rows beside the catalogue's laws
    python benchmarks/baselines.py costs            measure every method and write src/causewise/costs.toml
    ... --json          the numbers as JSON     --only igci,cam     some methods     --peers DIR  the environment's home

The packages are installed from the package index into an environment of their own (out/peers) and asked from there,
call by call, in turns with ours and on the same pairs. A package that cannot be installed or fails gets a line that
says so.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from peers.environment import ONE_THREAD, PACKAGES, Worker, prepare

os.environ.update(ONE_THREAD)  # before NumPy is loaded, which reads it once

import numpy as np

import causewise
from causewise.catalogue import CATALOGUE, LAWS, Entry, entry
from causewise.methods.baselines.gpi import LatentProcess
from causewise.pair import Pair, standardise
from peers.pairs import pairs

ROOT = Path(__file__).parents[1]
ROWS, PAIRS, ROUNDS = 1000, 3, 7
ENOUGH = 3.0
"""Seconds of a peer's time per pair after which no further round is run."""

PEERS: dict[str, tuple[str, ...]] = {
    "loci-h": (),
    "loci-m": (),
    "anm-h": ("cdt ANM", "causal-learn ANM", "gcastle ANM"),
    "anm-m": (),
    "igci": ("cdt IGCI",),
    "igci-g": ("cdt IGCI, Gaussian",),
    "heci": (),
    "qccd": (),
    "cam": (),
    "grci": (),
    "resit": ("lingam RESIT",),
    "fom": (),
    "reci": ("cdt RECI",),
    "cdci": ("cdt CDS",),
    "cds": ("cdt CDS",),
    "lingam": ("lingam DirectLiNGAM", "causal-learn DirectLiNGAM"),
    "pnl": ("causal-learn PNL",),
}
"""Our methods with their counterparts; cdt's CDS is the ancestor of CDCI, and PNL is timed on a part of its epochs."""
TAKING = {"entropic": {"bins": 30}}
"""The pairs are continuous, and refused by `entropic` unless quantised, here to its most levels."""
GOALS = {"igci": 1.0, "heci": 15.0, "qccd": 15.0, "cam": 15.0, "grci": 15.0, "resit": 20.0}
"""Milliseconds at n = 1000."""


@dataclass(frozen=True)
class Line:
    """One method beside one counterpart, medians over the pairs."""

    method: str
    milliseconds: float
    goal: float | None
    answer: str
    """Ours on the textbook cubic pair, of which x is the cause."""
    peer: str = ""
    peer_milliseconds: float | None = None
    ratio: float | None = None
    peer_answer: str = ""
    problem: str = ""


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU time of one call, all threads together."""
    start = time.process_time()
    call()
    return time.process_time() - start


def alone(name: str, sample: list[Pair]) -> Line:
    """A method without a counterpart: best of the rounds on each pair."""
    method = causewise.method(name, **TAKING.get(name, {}))
    decision = method.decide_many(sample[:1])[0]
    best = [min(cpu_seconds(lambda p=p: method.decide_many([p])) for _ in range(ROUNDS)) for p in sample]
    return Line(name, 1e3 * statistics.median(best), GOALS.get(name), decision.direction.value)


def beside(name: str, peer: str, worker: Worker, sample: list[Pair]) -> Line:
    """A method and a counterpart in turns on each pair; the ratio is the median of the pairs' ratios."""
    method, small = causewise.method(name), pairs(60, 1)[0]
    ours = method.decide_many(sample[:1])[0].direction.value
    first = worker.ask(peer, small.x, small.y)  # imports and compiles
    best: list[tuple[float, float]] = []
    theirs = ""
    for pair in sample:
        spent, own, other = 0.0, float("inf"), float("inf")
        for _ in range(ROUNDS):
            own = min(own, cpu_seconds(lambda p=pair: method.decide_many([p])))
            first = worker.ask(peer, pair.x, pair.y)
            if "error" in first:
                return Line(name, 1e3 * own, GOALS.get(name), ours, peer, problem=first["error"])
            theirs = theirs or _arrow(first["verdict"])
            other, spent = min(other, first["seconds"]), spent + first["seconds"]
            if spent > ENOUGH:
                break
        best.append((own, other))
    own, other = (statistics.median(side) for side in zip(*best, strict=True))
    ratio = statistics.median(b / a for a, b in best)
    return Line(name, 1e3 * own, GOALS.get(name), ours, peer, 1e3 * other, ratio, theirs)


def _arrow(verdict: float | None) -> str:
    if verdict is None:
        return "not asked"
    return "undecided" if abs(verdict) < 1e-12 or verdict != verdict else "x->y" if verdict > 0 else "y->x"


def side_by_side(names: list[str], home: Path) -> dict[str, Any]:
    """Every method of the table; one process per package."""
    python, versions = prepare(home)
    sample = pairs(ROWS, PAIRS)
    lines: list[Line] = []
    workers = {package: Worker(python) for package in PACKAGES}
    for name in names:
        for peer in PEERS[name]:
            lines.append(beside(name, peer, workers[peer.split()[0]], sample))
            _tell(_table_row(lines[-1]))
        if not PEERS[name]:
            lines.append(alone(name, sample))
            _tell(_table_row(lines[-1]))
    for worker in workers.values():
        worker.close()
    return {"rows": ROWS, "packages": versions, "lines": [asdict(line) for line in lines]}


def _table_row(line: Line) -> str:
    goal = f"(goal {line.goal:g})" if line.goal else ""
    ours = f"{line.method:<8}{line.milliseconds:8.2f} ms {goal:<10} {line.answer:<10}"
    if not line.peer:
        return f"{ours} none in these packages"
    if line.problem:
        return f"{ours} {line.peer}: {line.problem}"
    return f"{ours} {line.peer:<26}{line.peer_milliseconds:10.1f} ms {line.ratio:9.1f} ×  {line.peer_answer}"


SIZES = (10**4, 10**5, 10**6)
FASTER, SLOWER = 1.6, 0.4
"""Measured growth over that of the law, beyond which the two disagree: caches end at some size, fixed costs fade."""
NETWORK = {"steps": 5, "device": "cpu"}
SHORT: dict[str, dict[str, Any]] = dict.fromkeys(("nn-loci-h", "nn-loci-m", "nn-anm-h", "nn-anm-m", "roche"), NETWORK)
SHORT["cgnn"] = {"epochs": 1, "test_epochs": 1, "runs": 1, "rows": 100_000, "device": "cpu"}
SHORT["gpi"] = SHORT["anm-mm"] = {"max_iter": 3}
SHORT["ifgls-h"] = SHORT["ifgls-m"] = {"max_passes": 3}
"""What is growing with the rows is one step of training, descent or alternation; CGNN takes no more rows than these."""
LOOKS = {"gpi", "anm-mm"}
"""A step of these looks at its objective once or more often, as the rows have it: theirs is the time of one look."""


def growth(names: list[str]) -> dict[str, Any]:
    """Time and peak memory against the number of rows, beside the laws of the catalogue; a fresh process a method."""
    heads = "".join(f"{f'n = {size:,}':>14}" for size in SIZES)
    _tell(f"{'method':<18}{heads}{'×, last step':>14}{'law':>14}{'bytes a row':>13}{'law':>5}")
    lines = {}
    for name in names:
        call = [sys.executable, __file__, "grow", "--only", name]
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode:
            lines[name] = {"problem": done.stderr.strip().splitlines()[-1][:200]}
            _tell(f"{name:<18} {lines[name]['problem']}")
            continue
        lines[name] = found = json.loads(done.stdout)
        lines[name]["disagrees"] = disagreement(entry(name), found)
        sizes, times = found["rows"], "".join(f"{1e3 * s:11.1f} ms" for s in found["seconds"])
        step, stated = found["seconds"][-1] / found["seconds"][-2], _stated(entry(name).time, sizes)
        law, a_row = f"{entry(name).time} ×{stated:.1f}", _bytes_a_row(found)
        _tell(f"{name:<18}{times:<42}{step:14.1f}{law:>14}{a_row:13.0f}{entry(name).memory:>5}")
    told = [f"{name}: {line['disagrees']}" for name, line in lines.items() if line.get("disagrees")]
    _tell(
        "\n".join(told) if told else f"Every law agrees with what was measured, within × {SLOWER:g} and × {FASTER:g}."
    )
    return {"rows": SIZES, "lines": lines}


def disagreement(method: Entry, found: dict[str, Any]) -> str:
    """Where the last step of time or memory is not the one of the law; empty where both are."""
    sizes, (earlier, before, last) = found["rows"], found["mebibytes"]
    grown = {
        "time": found["seconds"][-1] / found["seconds"][-2],
        "memory": (last - before) / max(before - earlier, 1.0),
    }
    stated = {"time": _stated(method.time, sizes), "memory": _stated(method.memory, sizes)}
    # Of memory only the upper end can be told: what the program needs by itself hides the first step.
    least = {"time": SLOWER, "memory": 0.0}
    return "; ".join(
        f"{what} grew × {grown[what]:.1f} where its law says × {stated[what]:.1f}"
        for what in grown
        if not least[what] <= grown[what] / stated[what] <= FASTER
    )


def _stated(law: str, sizes: list[int]) -> float:
    return LAWS[law](sizes[-1]) / LAWS[law](sizes[-2])


def _bytes_a_row(found: dict[str, Any]) -> float:
    (*_, small, large), (*_, less, more) = found["rows"], found["mebibytes"]
    return (more - less) * 2**20 / (large - small)


def grow(name: str) -> dict[str, Any]:
    """One method in this process: best CPU seconds and the peak of memory so far, at every size."""
    method, seconds, peaks = causewise.method(name, **TAKING.get(name, {}), **SHORT.get(name, {})), [], []
    sizes = [size // (10 if entry(name).extra else 1) for size in SIZES]
    method.decide_many(pairs(1000, 1))
    for size in sizes:
        pair, _, other = (in_steps(each, name) for each in pairs(size, 3))
        if entry(name).extra:
            method.decide_many([other])  # compiles; what it has trained on once it does not train on again
        rounds = 1 if entry(name).extra or size == SIZES[-1] else 5
        with counted_looks() as looks:
            best = min(cpu_seconds(lambda p=pair: method.decide_many([p])) for _ in range(rounds))
        seconds.append(best / (len(looks) / rounds) if name in LOOKS else best)
        peaks.append(_peak())
    return {"rows": sizes, "seconds": seconds, "mebibytes": peaks}


@contextmanager
def counted_looks() -> Iterator[list[int]]:
    """The rows of every look that a descent over an unseen input takes meanwhile."""
    looks, look = [], LatentProcess.evaluate

    def counting(self: LatentProcess, *given: Any) -> Any:
        looks.append(len(self.effect))
        return look(self, *given)

    LatentProcess.evaluate = counting
    try:
        yield looks
    finally:
        LatentProcess.evaluate = look


def _peak() -> float:
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**10


def costs(names: Iterable[str]) -> dict[str, float]:
    """CPU seconds of one decision at n = 1000, every method; networks on the CPU, one pair."""
    found = {}
    for name in names:
        found[name] = _cost(name)
        _tell(f"{name:<18}{1e3 * found[name]:12.2f} ms")
    return found


CGNN_SHARE = 50
"""CGNN's cost is that of a fiftieth of its epochs, times fifty."""


FOR_LEVELS = {"discrete": (4, 4), "ordinal": (None, 1)}
"""Methods that take few levels only: steps in a standard deviation, in which they get the columns of the same pairs."""


def in_steps(pair: Pair, name: str) -> Pair:
    """The pair as a method takes it."""
    steps = FOR_LEVELS.get(name, (None, None))
    columns = zip((pair.x, pair.y), steps, strict=True)
    return Pair.of(*(column if step is None else np.round(step * standardise(column)) for column, step in columns))


def _cost(name: str) -> float:
    entry = next(entry for entry in CATALOGUE if entry.name == name)
    if not entry.extra:
        return alone(name, [in_steps(pair, name) for pair in pairs(ROWS, PAIRS)]).milliseconds / 1e3
    share, cut = 1, {}
    if name == "cgnn":
        share, cut = CGNN_SHARE, {"epochs": 1000 // CGNN_SHARE, "test_epochs": 1000 // CGNN_SHARE}
    (pair,), (other,) = pairs(ROWS, 1), [pairs(ROWS, 2)[1]]
    # A seed of its own: variants that differ in the criterion alone share their training, and the second would be free.
    seed = next(k for k, entry in enumerate(CATALOGUE) if entry.name == name)
    method = causewise.method(name, device="cpu", seed=seed, **cut)
    method.decide_many([other])  # compiles
    return share * cpu_seconds(lambda: method.decide_many([pair]))


HEAD = """\
# Written by `python benchmarks/baselines.py costs`: CPU seconds of one decision on a pair of 1000 rows, one core, after
# the first call has compiled. Only the ratios travel to another machine. Networks are measured on the CPU; a batch on
# a GPU costs a small part of that a pair.
"""


def write_costs(found: dict[str, float], file: Path) -> None:
    """The data file of the package, in the order of the catalogue."""
    import tomllib

    known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    merged = known.get("seconds", {}) | found
    lines = [f"{entry.name} = {merged[entry.name]:.3g}" for entry in CATALOGUE if entry.name in merged]
    file.write_text(HEAD + "\n[seconds]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _tell(line: str) -> None:
    print(line, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["peers", "growth", "costs", "grow"], default="peers")
    parser.add_argument("--only", default="", help="names of methods, separated by commas")
    parser.add_argument("--peers", type=Path, default=ROOT / "out" / "peers")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    only = given.only.split(",") if given.only else []
    if given.what == "grow":
        print(json.dumps(grow(only[0])))
        return
    if given.what == "peers":
        result = side_by_side(only or list(PEERS), given.peers)
        _tell("packages: " + ", ".join(f"{name} {version}" for name, version in result["packages"].items()))
    elif given.what == "growth":
        result = growth(only or [entry.name for entry in CATALOGUE])
    else:
        result = {"seconds": costs(only or [entry.name for entry in CATALOGUE])}
        write_costs(result["seconds"], ROOT / "src" / "causewise" / "costs.toml")
    if given.json:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
