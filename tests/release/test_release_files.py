"""What a release says of itself: versions, the citation, and workflows that mirror `.ci/run`."""

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[2]))

from release.fresh import PACKAGED
from release.version import ROOT, disagreements, stated

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "workflows").glob("*.yml")}
TARGETS = re.compile(r"\bmake ([a-z-]+)(?!\S)")


@pytest.fixture
def places(tmp_path):
    """The files that say the version, to be changed."""
    for name in ("src/causewise/version.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_one_place_says_the_version_and_the_others_agree():
    assert "version" in PROJECT["dynamic"]
    assert disagreements(None) == []


def test_another_version_in_the_citation_or_the_tag_is_named(places):
    version = stated(places)["src/causewise/version.py"]
    assert [sentence[:7] for sentence in disagreements("v99", places)] == ["The tag", "CHANGEL"]
    changelog = places / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## [Unreleased]", f"## [{version}] - 2030-01-31"))
    assert disagreements(f"v{version}", places) == []
    citation = places / "CITATION.cff"
    citation.write_text(citation.read_text().replace(f"version: {version}", "version: 9.9.9"))
    assert disagreements(None, places) == [f"CITATION.cff says '9.9.9'; expected {version}."]


def test_the_citation_has_what_the_format_asks_for():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert citation["license"] == PROJECT["license"]
    paper = citation["preferred-citation"]
    assert {"type", "title", "authors"} <= set(paper) and isinstance(paper["year"], int)
    assert all({"family-names", "given-names"} <= set(author) for author in paper["authors"])


def test_hosted_ci_does_what_the_local_script_does():
    said = "\n".join(step.get("run", "") for job in WORKFLOWS["ci.yml"]["jobs"].values() for step in job["steps"])
    local = set(TARGETS.findall((ROOT / ".ci" / "run").read_text()))
    assert local and local <= set(TARGETS.findall(said))


def test_every_target_that_a_workflow_makes_is_in_the_makefile():
    phony = set(" ".join(re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)).split())
    if not (ROOT / "docs" / "conf.py").exists():  # no site, no target for it
        phony.add("docs")
    texts = [path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    assert {target for text in texts for target in TARGETS.findall(text)} <= phony


def test_the_tests_of_an_empty_environment_are_there():
    assert [place for place in PACKAGED if not (ROOT / place).exists()] == []


def test_every_python_that_is_promised_is_tested():
    promised = {each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each}
    for file, job in (("ci.yml", "test"), ("wheels.yml", "every-python")):
        assert set(WORKFLOWS[file]["jobs"][job]["strategy"]["matrix"]["python"]) == promised
    assert PROJECT["requires-python"] == f">={min(promised, key=lambda each: int(each.split('.')[1]))}"


def test_only_the_job_that_publishes_may_ask_for_an_identity():
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {"contents": "read"}
        writing = {name for name, job in workflow["jobs"].items() if "write" in job.get("permissions", {}).values()}
        assert writing <= {"publish"}
    publish = WORKFLOWS["wheels.yml"]["jobs"]["publish"]
    assert publish["needs"] == ["every-python", "source"] and publish["environment"] == "pypi"


def test_floors_have_no_caps():
    lists = (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    outer = [each for named in lists for each in named if not each.startswith("causewise[")]
    assert all(re.fullmatch(r"[\w.\[\]-]+>=[\d.]+", each) for each in outer), outer
    assert {"numpy>=2.0", "scipy>=1.13"} <= set(PROJECT["dependencies"])
