"""Every link inside the built site leads somewhere, and no page loads anything from elsewhere.

`python docs/check_site.py FOLDER`, called by `make docs`.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""What a browser fetches without being asked."""
NOT_FETCHED = {"canonical", "search", "index", "next", "prev", "genindex", "alternate"}


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.links, self.loads = {""}, set(), set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser for every element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given.get("id", ""), given.get("name", "")}
        for name in ("href", "src"):
            if given.get(name):
                self.links.add(given[name])
                if (tag, name) in LOADED and not NOT_FETCHED & set(given.get("rel", "").split()):
                    self.loads.add(given[name])


def problems(folder: Path) -> list[str]:
    """A line for each dead link and each thing loaded from elsewhere."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts
    }
    found = []
    for path, page in pages.items():
        where = path.relative_to(folder)
        found += [f"{where} loads {link}" for link in sorted(page.loads) if urlsplit(link).netloc]
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{where} links to {link}, which is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{where} links to {link}, where there is no such place")
    return found


def main(folder: Path) -> int:
    """Print what is wrong, and how much was looked at."""
    folder = folder.resolve()
    found = problems(folder)
    print("\n".join(found) or "Every link inside the site leads somewhere, and nothing is loaded from elsewhere.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
