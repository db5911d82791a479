"""The conda recipe says what pyproject.toml says, and is one that rattler-build takes, where it is installed."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from causewise.version import VERSION

ROOT = Path(__file__).parents[2]
FILE = ROOT / "conda" / "recipe.yaml"
RECIPE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OTHER_NAMES = {"matplotlib": "matplotlib-base"}


def as_conda(requirement: str) -> str:
    name, floor = re.fullmatch(r"([\w-]+)(>=[\d.]+)", requirement).groups()
    return f"{OTHER_NAMES.get(name, name)} {floor}"


def test_it_names_the_same_version_and_packages() -> None:
    project = PROJECT["project"]
    assert RECIPE["context"]["version"] == VERSION
    assert RECIPE["requirements"]["run"] == [
        f"python {project['requires-python']}",
        *map(as_conda, project["dependencies"]),
    ]
    assert set(map(as_conda, PROJECT["build-system"]["requires"])) <= set(RECIPE["requirements"]["host"])
    assert RECIPE["about"]["license"] == project["license"]
    assert RECIPE["about"]["summary"] == project["description"]
    assert (FILE.parent / RECIPE["source"]["path"] / "pyproject.toml").is_file()


def test_rattler_build_takes_it() -> None:
    rattler_build = pytest.importorskip("rattler_build")
    variants = rattler_build.VariantConfig({"python": ["3.12.*"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"]})
    (rendered,) = rattler_build.Stage0Recipe.from_file(FILE).render(variants)
    assert rendered.recipe.package.name == "causewise"
    assert str(rendered.recipe.package.version) == VERSION
    with pytest.raises(Exception, match="reqirements"):
        rattler_build.Stage0Recipe.from_yaml(FILE.read_text().replace("requirements:", "reqirements:"))
