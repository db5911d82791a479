"""Imports point one way; this test parses every file and fails on a forbidden edge."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "whence"

# Lower floors may not know of higher ones. A room stands on the floor of its first name.
FLOORS = [
    {"version"},
    {"__init__"},
    {"numerics", "threads"},
    {"pair"},
    {"criteria", "datasets", "tables", "diagnostics"},
    {"decision", "preflight"},
    {"protocol"},
    {"models", "theory"},
    {"loci", "baselines"},
    {"neural", "combined"},
    {"catalogue"},
    {"inference", "stability"},
    {"report"},
    {"benchmark"},
    {"study"},
    {"cli"},
    {"__main__"},
]
FLOOR = {name: height for height, floor in enumerate(FLOORS) for name in floor}

# The doors of a Decision, opened on use; see decision.py.
DOORS = {("decision", "report"), ("decision", "stability")}

JAX_ISLAND = ("models/network", "baselines/cgnn", "baselines/roche", "neural")


def edges():
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names = [node.module] if node.module != "whence" else [f"whence.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                yield path, room, name


def test_no_file_imports_from_a_higher_floor():
    forbidden = []
    for path, room, name in edges():
        parts = name.split(".")
        if parts[0] != "whence" or room == "__init__":
            continue
        target = parts[1] if len(parts) > 1 and not parts[1].startswith("__") else "__init__"
        if target == room or (room, target) in DOORS:
            continue
        assert room in FLOOR, f"{room} stands on no floor"
        if FLOOR.get(target, 0) >= FLOOR[room]:
            forbidden.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not forbidden


def test_numerics_knows_nothing_of_ours():
    strangers = [
        f"{path.name}: {name}"
        for path, room, name in edges()
        if room == "numerics" and name.split(".")[0] == "whence" and not name.startswith("whence.numerics")
    ]
    assert not strangers


def test_only_the_neural_island_imports_jax():
    elsewhere = [
        str(path.relative_to(PACKAGE))
        for path, _, name in edges()
        if name.split(".")[0] in ("jax", "optax") and not path.relative_to(PACKAGE).as_posix().startswith(JAX_ISLAND)
    ]
    assert not elsewhere


def test_no_room_is_called_after_nothing():
    nothing = {"utils", "util", "helpers", "common", "misc"}
    assert not [path for path in PACKAGE.rglob("*") if path.stem.strip("_") in nothing]


def test_importing_whence_loads_nothing_heavy():
    import subprocess
    import sys

    heavy = "{'numpy', 'scipy', 'sklearn', 'matplotlib', 'jax', 'numba'}"
    code = f"import sys, whence; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
