"""The directive `{house}`: the rooms of the package floor by floor, drawn from the list that the import test holds to.

The drawing is inline SVG in the theme's own colours, so that it follows light and dark.
"""

import ast
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT, GAP = 880, 34, 10


def floors() -> list[list[str]]:
    """`FLOORS` of tests/test_imports.py, the top floor first; a test fails where it is not the package."""
    tree = ast.parse((ROOT / "tests" / "test_imports.py").read_text(encoding="utf-8"))
    (found,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FLOORS"
    ]
    return [sorted(floor) for floor in reversed(ast.literal_eval(found)) if "__main__" not in floor]


def purpose(room: str) -> str:
    """The first sentence of a room's own docstring, without its marks."""
    package = ROOT / "src" / "causewise"
    path = next(path for path in (package / room / "__init__.py", package / f"{room}.py") if path.exists())
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"(?<=[.?])\s", told.split("\n\n")[0].replace("\n", " "))[0].replace("`", "").rstrip(".")


def drawing() -> str:
    """The house: a roof, and a line of rooms a floor; who stands higher may use who stands lower."""
    rows, shapes = floors(), []
    for height, row in enumerate(rows):
        y = 60 + height * (HEIGHT + GAP)
        width = (WIDTH - GAP * (len(row) - 1)) / len(row)
        for place, room in enumerate(row):
            x = place * (width + GAP)
            shapes.append(
                f'<g><title>{escape(purpose(room))}</title><rect x="{x:.0f}" y="{y}" width="{width:.0f}" '
                f'height="{HEIGHT}" rx="6"/><text x="{x + width / 2:.0f}" y="{y + 22}">{escape(room)}</text></g>'
            )
    total = 60 + len(rows) * (HEIGHT + GAP)
    roof = f'<path class="roof" d="M0 50 L{WIDTH // 2} 4 L{WIDTH} 50 Z"/>'
    sign = f'<text class="sign" x="{WIDTH // 2}" y="40">import causewise</text>'
    title = "The rooms of causewise, floor by floor; imports point downwards"
    return (
        f'<div class="house"><svg viewBox="-4 0 {WIDTH + 8} {total}" role="img" aria-label="{title}">'
        f"{roof}{sign}{''.join(shapes)}</svg></div>"
    )


def listing() -> str:
    """The same in words, for those who cannot see it, and for searching."""
    rooms = [room for row in floors() for room in row]
    return "".join(f"<dt><code>{escape(room)}</code></dt><dd>{escape(purpose(room))}</dd>" for room in rooms)


class House(SphinxDirective):
    """Draws the house, and lists its rooms."""

    def run(self) -> list[nodes.Node]:
        """The nodes that stand for the directive."""
        return [nodes.raw("", f'{drawing()}<dl class="rooms">{listing()}</dl>', format="html")]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("house", House)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
