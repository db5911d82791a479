"""The answers of this checkout beside those of another one, bit by bit: every method on 40 pairs, a scan, a graph.

    git worktree add ../before v0.3.0
    python benchmarks/same_answers.py ../before [--pairs 40] [--only loci-h,causewise]

Pairs are generated: curved and straight, with noise that grows or does not, continuous, rounded, of few values, with
repeated rows; the networks are trained for a few steps. Scores, confidences and terms are compared as the hexadecimal
digits of the numbers, and the bytes of a scan and of a graph by their fields.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

WORKER = """
import json, sys
import numpy as np
import causewise

pairs, only = json.loads(sys.argv[1])

def pair(k):
    rng = np.random.default_rng(k)
    n = (60, 150, 300)[k % 3]
    x = rng.normal(size=n) if k % 2 else rng.uniform(-2, 2, n)
    f = (np.tanh, np.sin, np.exp, lambda v: v, lambda v: v**3, abs)[k % 6]
    y = f(1.2 * x) + (0.2 + 0.3 * (k % 4 == 0) * np.abs(x)) * rng.standard_t(5, size=n)
    if k % 5 == 1:
        x, y = np.round(x, 1), np.round(y, 1)
    if k % 5 == 2:
        x = np.round(2 * x)
    if k % 10 == 3:
        x, y = np.repeat(x, 2), np.repeat(y, 2)
    return x, y

def bits(value):
    if isinstance(value, float):
        return float(value).hex()
    if isinstance(value, dict):
        return {str(key): bits(each) for key, each in value.items()}
    return value

list_methods = getattr(causewise, "list_methods", None) or causewise.methods  # as it was called before
QUICK = {"steps": 20, "device": "cpu", "engine": "compiled"}
for entry in list_methods():
    if only and entry.name not in only:
        continue
    settings = QUICK if entry.name.startswith("nn-") or entry.name == "roche" else {}
    if entry.name == "cgnn":
        settings = {"device": "cpu", "epochs": 5, "test_epochs": 5, "runs": 1}
    count = pairs if not settings else min(pairs, 6)
    for k in range(count):
        try:
            found = causewise.infer(*pair(k), method=entry.name, **settings)
            sides = [[bits(s.score), bits(s.p_value), bits(s.log_likelihood)] for s in (found.forward, found.backward)]
            answer = [found.direction.value, bits(found.score), bits(found.confidence), bits(dict(found.contributions))]
            answer += [sides, len(found.warnings)]
        except Exception as problem:
            answer = [type(problem).__name__]
        print(json.dumps([entry.name, k, answer]), flush=True)

if not only:
    rng = np.random.default_rng(0)
    table = {"a": rng.uniform(-2, 2, 300)}
    table["b"] = np.sin(2 * table["a"]) + 0.3 * rng.normal(size=300)
    table["c"] = table["b"] ** 2 + np.exp(0.5 * table["a"]) * 0.3 * rng.normal(size=300)
    table["d"] = np.round(rng.normal(size=300), 1)
    rows = causewise.scan(table, stability=True).rows
    names = ("n", "dependence_p", "adjusted_p", "status", "direction", "confidence", "neither", "score", "agreement")
    for k, row in enumerate(rows):
        print(json.dumps(["scan", k, [bits(getattr(row, name)) for name in names]]))
    graph = (getattr(causewise, "graph", None) or causewise.order)(table, bootstrap=4)
    print(json.dumps(["graph", 0, [list(graph.order), bits(graph.log_likelihood)]]))
    for k, edge in enumerate(graph.edges):
        p_values = [bits(edge.p_mean), bits(edge.p_spread), bits(edge.support)]
        print(json.dumps(["graph", k + 1, [edge.parent, edge.child, *p_values]]))
"""


def collect_answers(checkout: Path, task: tuple[int, list[str]]) -> dict[tuple[str, int], Any]:
    """What the package of one checkout answers, by method and pair."""
    script = Path(os.environ.get("TMPDIR", "/tmp")) / f"same_answers_{os.getpid()}.py"
    script.write_text(f"if __name__ == '__main__':\n    exec({WORKER!r})\n")
    try:
        done = subprocess.run(
            [sys.executable, str(script), json.dumps(task)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(checkout / "src")},
        )
    finally:
        script.unlink()
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return {(name, k): answer for name, k, answer in lines}


def main(before: Path, pairs: int, only: list[str]) -> None:
    """One line for every answer that differs, and a count."""
    old, new = (collect_answers(checkout, (pairs, only)) for checkout in (before, ROOT))
    differ = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    for key in differ:
        print(*key, "\n  before", old.get(key), "\n  after ", new.get(key))
    methods = len({name for name, _ in new})
    print(f"{len(new)} answers of {methods} methods, scan and graph among them: {len(differ)} differ")
    sys.exit(bool(differ))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="another checkout of the project, built")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    main(asked.before.resolve(), asked.pairs, list(filter(None, asked.only.split(","))))
