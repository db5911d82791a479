"""Imports point one way. Every file is parsed; imports inside functions and modules named in strings count as well."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "causewise"

# The map is the docstring of the package: a module may import from the lines above its own, and from its own folder.
LAYERS = re.findall(
    r"^    (\w+)  ", ast.get_docstring(ast.parse((PACKAGE / "__init__.py").read_text()), clean=False) or "", re.M
)
HEIGHT = {name: height for height, name in enumerate(LAYERS)}
BELOW_ALL = {"version"}
DRAWS_ITSELF = {
    "causewise.decision": {
        "causewise.graphs.finder",
        "causewise.inference",
        "causewise.report.decision_picture",
        "causewise.report.html_pages",
    },
    "causewise.scanning.result": {
        "causewise.report.graph_pictures",
        "causewise.report.scan_matrix",
        "causewise.report.html_pages",
    },
    "causewise.graphs.causal_graph": {
        "causewise.graphs.agreement",
        "causewise.graphs.comparison",
        "causewise.graphs.edge_curves",
        "causewise.graphs.interventions",
        "causewise.report.graph_pictures",
        "causewise.report.html_pages",
    },
    "causewise.graphs.effect": {"causewise.report.effect_picture"},
}
"""Records that are drawn, reported or repeated by a method: a local import upwards, and no other is allowed."""
JAX_ISLAND = ("models/network", "methods/baselines/cgnn", "methods/neural")


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


GRAPH = {
    module: targets(module) - DRAWS_ITSELF.get(module, set())
    for module in MODULES
    if module not in ("causewise", "causewise.__main__")
}


def layer(module: str) -> str:
    return module.split(".")[1]


def test_there_is_no_cycle() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as cycle:
        pytest.fail(f"These import each other in a circle: {' -> '.join(cycle.args[1])}")


def test_imports_point_down_the_map() -> None:
    upwards = [
        f"{module} imports {target}"
        for module, found in GRAPH.items()
        for target in found
        if layer(target) not in BELOW_ALL | {layer(module)} and HEIGHT[layer(target)] >= HEIGHT[layer(module)]
    ]
    assert not upwards


def test_the_map_lists_every_module_and_no_other() -> None:
    assert set(HEIGHT) | BELOW_ALL == {layer(module) for module in GRAPH}


def test_records_draw_themselves_by_imports_that_exist() -> None:
    assert all(found <= targets(module) for module, found in DRAWS_ITSELF.items())


def test_only_the_command_line_imports_the_laboratory() -> None:
    users = {layer(module) for module, found in GRAPH.items() for target in found if layer(target) == "lab"}
    assert users == {"lab", "cli"}


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


def test_no_module_is_called_after_nothing() -> None:
    nothing = {"utils", "util", "helpers", "common", "misc"}
    assert not [path for path in PACKAGE.rglob("*") if path.stem.strip("_") in nothing]


def test_importing_causewise_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'sklearn', 'matplotlib', 'jax'}"
    code = f"import sys, causewise; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
