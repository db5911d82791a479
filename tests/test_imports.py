"""Imports point one way. Every file is parsed; imports inside functions and modules named in strings count as well."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "causewise"

# Lower floors may not know of higher ones. A room stands on the floor of its first name.
FLOORS = [
    {"version", "safe"},
    {"markdown"},
    {"numerics", "threads", "signals"},
    {"pair"},
    {"ranges"},
    {"criteria", "datasets", "tables", "diagnostics", "kinds"},
    {"heaps"},
    {"decision", "preflight"},
    {"protocol"},
    {"models", "theory"},
    {"loci", "combined"},
    {"neural", "baselines"},
    {"subsample"},
    {"catalogue"},
    {"inference", "stability"},
    {"consensus"},
    {"scanning"},
    {"graphs"},
    {"report"},
    {"benchmark"},
    {"study"},
    {"bridges"},
    {"web"},
    {"cli"},
    {"__main__"},
]
FLOOR = {name: height for height, floor in enumerate(FLOORS) for name in floor}
JAX_ISLAND = ("models/network", "baselines/cgnn", "neural")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def known(name: str) -> str | None:
    """The module that a dotted name lies in: itself, or the one that has it."""
    return next((each for each in (name, name.rpartition(".")[0]) if each in MODULES), None)


def named_in(node: ast.AST) -> Iterator[str]:
    """Everything a statement or a string names, but for what only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.Constant) and isinstance(child.value, str) and child.value.startswith("causewise."):
            yield child.value.replace(":", ".")
        yield from named_in(child)


def targets(module: str) -> set[str]:
    names = set(named_in(ast.parse(MODULES[module].read_text(encoding="utf-8"))))
    if module == "causewise.catalogue":  # what it builds is named in its table
        table = tomllib.loads((PACKAGE / "catalogue.toml").read_text(encoding="utf-8"))
        names |= {facts["build"].replace(":", ".") for facts in table.values()}
    return {target for name in names if (target := known(name)) and target != module}


GRAPH = {module: targets(module) for module in MODULES}


def room(module: str) -> str:
    return module.split(".")[1]


def test_there_is_no_knot() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as knot:
        pytest.fail(f"These import each other in a circle: {' -> '.join(knot.args[1])}")


def test_no_file_names_one_on_a_higher_floor() -> None:
    inside = {module: found for module, found in GRAPH.items() if module != "causewise"}
    forbidden = [
        f"{module} names {target}"
        for module, found in inside.items()
        for target in found
        if target == "causewise" or (room(module) != room(target) and FLOOR[room(target)] >= FLOOR[room(module)])
    ]
    assert not forbidden


def test_the_floors_list_the_rooms_that_exist_and_no_others() -> None:
    assert set(FLOOR) == {room(module) for module in MODULES if module != "causewise"}


def test_the_catalogue_builds_from_modules_that_exist() -> None:
    table = tomllib.loads((PACKAGE / "catalogue.toml").read_text(encoding="utf-8"))
    assert not [facts["build"] for facts in table.values() if facts["build"].split(":")[0] not in MODULES]


def test_numerics_knows_nothing_of_ours() -> None:
    for module in MODULES:
        if module.startswith("causewise.numerics"):
            assert {target.split(".")[1] for target in GRAPH[module]} <= {"numerics"}, module


def test_only_the_neural_island_imports_jax() -> None:
    names = {path: set(named_in(ast.parse(path.read_text(encoding="utf-8")))) for path in MODULES.values()}
    users = [path for path, found in names.items() if {"jax", "optax"} & {name.split(".")[0] for name in found}]
    assert users
    assert all(path.relative_to(PACKAGE).as_posix().startswith(JAX_ISLAND) for path in users)


def test_no_room_is_called_after_nothing() -> None:
    nothing = {"utils", "util", "helpers", "common", "misc"}
    assert not [path for path in PACKAGE.rglob("*") if path.stem.strip("_") in nothing]


def test_importing_causewise_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'sklearn', 'matplotlib', 'jax'}"
    code = f"import sys, causewise; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
