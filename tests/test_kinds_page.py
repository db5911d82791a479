"""The first table of docs/guide/kinds.md: whatever it claims has a test, and the test is there."""

import re
from pathlib import Path

from test_column_types import BENCHMARK

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "guide" / "kinds.md").read_text(encoding="utf-8")


def lines() -> list[list[str]]:
    """The cells of the first table, without its head."""
    table = next(part for part in PAGE.split("\n\n") if "| column type |" in part)
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table[table.index("| column type |") :].splitlines()[2:]
    ]


def test_every_line_names_a_test_that_exists() -> None:
    files = list((ROOT / "tests").rglob("test_*.py"))
    tests = "\n".join(path.read_text(encoding="utf-8") for path in files)
    there = {path.name for path in files}.union(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    laws = list(BENCHMARK.LAWS)
    for kind, *_, last in lines():
        named = re.findall("`([^`]+)`", last)
        assert named, kind
        missing = [name for name in named if name not in there and not any(law.startswith(name) for law in laws)]
        assert not missing, kind


def test_every_line_says_what_happens_to_pairs_and_to_graphs() -> None:
    assert len(lines()) >= 13
    for kind, _, pairs, graphs, _ in lines():
        assert pairs and graphs, kind
