"""Every method has a page, every page has its parts, and its examples print what it says."""

import re
from pathlib import Path

import pytest

from causewise.catalogue import CATALOGUE, Entry

FOLDER = Path(__file__).parents[1] / "docs" / "methods"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
ROWS = re.compile(r"^\| (`.*?`) \| \[.*?\]\((.*?)\)", re.MULTILINE)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def text(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_print_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """To the digits shown, but for the last ones: another machine rounds otherwise."""
    names: dict[str, object] = {}
    for code, expected in EXAMPLE.findall(text(page)):
        exec(code, names)
        printed = capsys.readouterr().out
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected)
        ours, theirs = ([float(number) for number in NUMBER.findall(shown)] for shown in (printed, expected))
        assert ours == pytest.approx(theirs, rel=0.02)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_parts(page: str) -> None:
    words = text(page)
    for part in ("**Model.**", "**Assumptions.**", "**Score.**", "**Settings.**", "**Growth.**", "**Citation.**"):
        assert part in words
    assert re.search(r"^## Where .*works", words, re.MULTILINE)
    assert re.search(r"^## Where .*fails", words, re.MULTILINE)
    assert words.count("```python") == words.count("```text") == len(EXAMPLE.findall(words)) >= 2


def test_every_method_is_in_the_index_and_on_its_page() -> None:
    index = text("README")
    homes = {name: page for names, page in ROWS.findall(index) for name in re.findall(r"`(.*?)`", names)}
    assert set(homes) == {entry.name for entry in CATALOGUE}
    for name, page in homes.items():
        assert f"`{name}`" in (FOLDER / page).read_text(encoding="utf-8").splitlines()[0], name


@pytest.mark.parametrize("method", CATALOGUE, ids=lambda method: method.name)
def test_a_page_states_the_laws_of_the_catalogue(method: Entry) -> None:
    home = {name: page for names, page in ROWS.findall(text("README")) for name in re.findall(r"`(.*?)`", names)}
    page = " ".join((FOLDER / home[method.name]).read_text(encoding="utf-8").split())
    assert f"Time {method.time}, memory {method.memory}, in the number n of rows." in page
