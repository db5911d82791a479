"""Do the tests bite? Small changes to the modules of the method, one at a time, and whether a test fails under each.

    python benchmarks/mutation.py                   60 changes drawn from all: some ten minutes
    ... --mutants N     --seed N     --only pair,criteria     0 mutants = all

A change is another comparison, sign, constant, condition or returned value. The package is copied to out/mutation,
changed there, and tried by the tests of its file alone; the checkout is left as it is. A survivor is shown with its
line: a test is missing, or the change makes no difference.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "out" / "mutation"
TESTS = {
    "pair": (
        "test_pair.py",
        "test_infer.py",
        "test_ties.py",
        "tables/test_long_numbers.py",
        "lab/benchmark/test_runner.py",
    ),
    "criteria": ("test_criteria.py", "test_decision.py"),
    "decision": ("test_decision.py", "test_infer.py"),
    "protocol": ("test_infer.py", "test_decision.py", "test_ties.py"),
    "methods/loci": ("test_infer.py", "models/test_crossfit.py"),
    "inference": ("test_infer.py", "test_stability.py", "test_point_mass.py"),
    "data_checks": ("test_data_checks.py", "test_noise_share.py"),
}
"""Modules of the method, each with the tests that answer for it."""
PATIENCE = 240.0
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changes(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Every change to a file: its line, what it is, and the file with it."""
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Constant | ast.Compare | ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.IfExp | ast.If):
            changed = copy.deepcopy(tree)
            # A deep copy is walked in the same order.
            twin = next(each for number, each in enumerate(ast.walk(changed)) if number == place)
            before = ast.unparse(twin)
            if _change(twin):
                yield node.lineno, f"{_first(before)}  →  {_first(ast.unparse(twin))}", changed


def _change(node: ast.AST) -> bool:
    """Change a node where it stands; False where there is nothing to change."""
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, bool | int | float):  # sentences may change their words
            return False
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()  # type: ignore[assignment]  # the table pairs kinds alike
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        if type(node.op) not in OTHER:
            return False
        node.op = OTHER[type(node.op)]()  # type: ignore[assignment]  # the table pairs kinds alike
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.If | ast.IfExp):
        if "TYPE_CHECKING" in ast.dump(node.test):
            return False
        node.test = ast.UnaryOp(ast.Not(), node.test)
    return True


def survives(name: str, changed: ast.Module) -> bool:
    """Whether the tests of a file pass with the changed file in its place."""
    target = PLACE / "causewise" / f"{name}.py"
    original = target.read_text(encoding="utf-8")
    target.write_text(ast.unparse(ast.fix_missing_locations(changed)), encoding="utf-8")
    tests = [str(ROOT / "tests" / test) for test in TESTS[name]]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(PLACE), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        target.write_text(original, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw changes, try each, and print the score and the survivors."""
    parser = argparse.ArgumentParser(
        description="Small changes to the modules of the method; does a test fail under each?"
    )
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default=",".join(TESTS))
    asked = parser.parse_args(arguments)
    shutil.rmtree(PLACE, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "causewise", PLACE / "causewise", ignore=shutil.ignore_patterns("__pycache__"))
    drawn = []
    for name in asked.only.split(","):
        tree = ast.parse((PLACE / "causewise" / f"{name}.py").read_text(encoding="utf-8"))
        drawn += [(name, *change) for change in changes(tree)]
    total = len(drawn)
    random.Random(asked.seed).shuffle(drawn)
    drawn = drawn[: asked.mutants or None]
    killed = 0
    for name, line, words, changed in drawn:
        left = survives(name, changed)
        killed += not left
        print(f"{'SURVIVES' if left else 'killed'}  {name}.py:{line}  {words}", flush=True)
    print(f"{killed} of {len(drawn)} killed ({killed / max(1, len(drawn)):.0%}), drawn from {total} changes")


def _first(text: str) -> str:
    return text.split("\n")[0][:80]


if __name__ == "__main__":
    main()
