"""The code blocks of a page: what is run, what it should print, and which blocks say why they are not run.

- `python` is run, all of a page in one namespace and one folder; a `text` block behind it is what it prints.
- `console` is run line by line (`$ causewise …`); what stands below is what it prints, up to `…`.
- `sh` and blocks without a language are read: the commands and options in them must exist.
- `{include}` and other directives are the site's.
- `<!-- setup` … `-->` is Python that is run and not shown.
- `<!-- not run: reason -->` stands before a block that is not run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = {"_api", "_benchmarks", "_gallery"}
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if not GENERATED & set(path.relative_to(DOCS).parts)
)
_FENCE = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+) -->\n+)?^```(?P<language>[a-z]*)\n(?P<code>.*?)^```$"
    r"|^<!-- setup\n(?P<setup>.*?)^-->$"
    r"|^(?P<directive>```\{.*?^```$)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    language: str
    code: str
    line: int
    why_not: str = ""


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page of the site, in order."""
    return blocks_of((DOCS / page).read_text(encoding="utf-8"))


def blocks_of(text: str) -> Iterator[Block]:
    """The blocks of a text; hidden setups are Python."""
    for found in _FENCE.finditer(text):
        if found["directive"] is not None:
            continue
        line = text.count("\n", 0, found.start()) + 1
        if found["setup"] is not None:
            yield Block("python", found["setup"], line)
        else:
            yield Block(found["language"], found["code"], line, found["why"] or "")
