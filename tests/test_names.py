"""Functions are verbs: no name of one is a bare participle, which says what a result is and not what is done."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "causewise"
# fmt: off
IRREGULAR = {
    "begun", "bent", "bound", "bought", "broken", "brought", "built", "caught", "chosen", "done", "drawn", "fallen",
    "felt", "found", "given", "gone", "ground", "heard", "held", "kept", "known", "laid", "left", "lent", "lost",
    "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "spelt", "spoken", "stood", "struck", "taken",
    "taught", "thought", "told", "understood", "woven", "written",
}
# fmt: on
VERBS = {"feed", "need", "embed", "seed", "shed"}
"""Forms that are verbs as well."""


def is_participle(name: str) -> bool:
    word = name.strip("_")
    return "_" not in word and word not in VERBS and (word.endswith("ed") or word in IRREGULAR)


def functions(tree: ast.AST, path: str) -> list[str]:
    """Functions and methods, dotted; properties and what a class method builds are nouns."""
    names = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            names += functions(node, f"{path}.{node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = {ast.unparse(mark).split("(")[0].split(".")[-1] for mark in node.decorator_list}
            if not marks & {"property", "cached_property", "setter"}:
                names.append(f"{path}.{node.name}")
            names += functions(node, f"{path}.{node.name}")
        else:
            names += functions(node, path)
    return names


def test_no_function_is_called_by_a_bare_participle() -> None:
    every = [
        name
        for file in sorted(PACKAGE.rglob("*.py"))
        for name in functions(
            ast.parse(file.read_text(encoding="utf-8")),
            ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"),
        )
    ]
    assert len(every) > 1000
    assert [name for name in every if is_participle(name.split(".")[-1])] == []
