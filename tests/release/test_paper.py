"""The paper: length, citations, authors; its figures and tables are what the command makes of the kept rows."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from causewise.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BIB = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
HEADER, BODY = PAPER.split("---\n", 2)[1:]
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"]


@pytest.fixture(scope="module")
def figures() -> Iterator[ModuleType]:
    before = list(sys.path)
    sys.path.insert(0, str(ROOT / "paper"))
    try:
        import figures

        yield figures
    finally:
        sys.path[:] = before


def test_it_has_the_sections_and_the_length_that_the_journal_asks_for() -> None:
    assert re.findall(r"^# (.*)$", BODY, re.MULTILINE) == [*SECTIONS, "Acknowledgements", "References"]
    text = re.sub(r"<!--.*?-->|^\|.*$|\\label\{.*?\}|\{ width=.*?\}", "", BODY, flags=re.MULTILINE)
    assert 750 <= len(text.split()) <= 1750


def test_what_is_cited_is_listed_and_what_is_listed_is_cited() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4}[a-z]+)", BODY))
    assert cited == set(re.findall(r"^@\w+\{(.*),$", BIB, re.MULTILINE))
    labels = set(re.findall(r"\\label\{(.*?)\}", BODY))
    assert set(re.findall(r"\\autoref\{(.*?)\}", BODY)) == labels


def test_its_authors_and_title_are_those_of_the_citation() -> None:
    header, citation = yaml.safe_load(HEADER), yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert [author["name"] for author in header["authors"]] == [author["name"] for author in citation["authors"]]
    assert header["title"] == citation["title"]
    assert {author["affiliation"] for author in header["authors"]} == {each["index"] for each in header["affiliations"]}


def test_its_tables_are_computed_from_the_kept_rows(figures: ModuleType) -> None:
    assert figures.fill_tables(PAPER) == PAPER
    rows = [row for row in figures.read_shared() if row["method"] == "causewise" and row["family"] != "recorded"]
    assert f"{len(rows)} simulated tables of {len({row['world'] for row in rows})} worlds" in " ".join(BODY.split())


def test_it_counts_the_methods_that_there_are() -> None:
    others = [entry for entry in CATALOGUE if entry.family not in ("default", "control")]
    assert f"`causewise` brings {len(others)} others" in BODY


def test_what_it_says_of_the_light_tunnel_was_kept(figures: ModuleType) -> None:
    pairs = figures.chamber_rows.count(figures.chamber_rows.kept(), "status")
    edges, sensors, apart = (pairs[kind] for kind in ("edge", "common cause", "apart"))
    said = " ".join(BODY.split())
    assert f"answers {edges['right']} of {sum(edges.values())} edges, all rightly" in said and "wrong" not in edges
    assert f"of {sum(sensors.values())} pairs of sensors" in said and sensors["wrong"] == 1
    assert f"of the {sum(apart.values())} pairs that nothing joins it calls none related" in said
    assert set(apart) == {"unrelated"}


def test_its_figures_are_what_the_command_draws(figures: ModuleType, tmp_path: Path) -> None:
    """As seen from afar: another version of matplotlib draws other pixels."""
    figures.draw_figures(tmp_path)
    shown = re.findall(r"\]\((.*?\.png)\)", BODY)
    assert sorted(shown) == sorted(path.name for path in tmp_path.glob("*.png"))
    for name in shown:
        assert figures.draw.looks_alike(ROOT / "paper" / name, tmp_path / name), name
