"""The pictures of the front page are what the command draws, seen from afar: matplotlib's versions differ in pixels."""

import sys
from pathlib import Path

from page_blocks import DOCS, ROOT

SHOWN = {"example", "pair", "scan", "graph", "effect"}


def test_they_are_what_the_command_draws(tmp_path: Path) -> None:
    sys.path.insert(0, str(DOCS / "pictures"))
    try:
        import draw
    finally:
        del sys.path[0]
    for name, figure in draw.draw_figures():
        draw.save(figure, tmp_path / f"{name}.png")
    assert {path.stem for path in tmp_path.iterdir()} == SHOWN
    for name in SHOWN:
        assert draw.looks_alike(DOCS / "pictures" / f"{name}.png", tmp_path / f"{name}.png"), name


def test_the_front_page_and_the_readme_show_them() -> None:
    home, readme = (DOCS / "index.md").read_text(), (ROOT / "README.md").read_text()
    for name in ("pair", "scan", "graph", "effect", "page"):
        assert f"pictures/{name}.png" in home, name
    for name in ("example", "scan", "graph", "effect", "page"):
        assert f"docs/pictures/{name}.png" in readme, name
    assert all((DOCS / "pictures" / f"{name}.png").stat().st_size < 100_000 for name in (*SHOWN, "page"))
