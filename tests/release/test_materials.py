"""What an installation brings along: licences judged as SPDX has them, and a bill that is the same twice."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

pytest.importorskip("packaging.licenses")

from release.closure import Package, closure, licence_of
from release.licences import allowed, table
from release.sbom import bill


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-3.0-only OR LGPL-3.0-only AND MIT", False),
        ("(MIT OR GPL-3.0-only) AND (Apache-2.0 WITH LLVM-exception)", True),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", True),
        ("GPL-3.0-or-later WITH Bison-exception-2.2", False),
        ("AGPL-3.0-only", False),
        ("Some Licence of Our Own", False),
        *((broken, False) for broken in ("", "MIT AND", "(MIT", "MIT)", "MIT MIT", "WITH")),
    ],
)
def test_an_expression_is_met_on_all_sides_of_and_and_on_one_of_or(expression, verdict):
    assert allowed(expression) is verdict


def test_the_newest_form_of_a_licence_field_goes_first():
    classifier = ("Classifier", "License :: OSI Approved :: BSD License")
    assert licence_of([classifier, ("License-Expression", "MIT")]) == "MIT"
    assert licence_of([classifier, ("License", "whatever")]) == "BSD-3-Clause"
    assert licence_of([("License", "MIT License\n\nCopyright …")]) == "MIT"
    assert licence_of([("Classifier", "License :: OSI Approved"), ("License", "")]) == ""
    unknown = licence_of([("Classifier", "License :: OSI Approved :: GNU General Public License v3 (GPLv3)")])
    assert not allowed(unknown)


def test_the_closure_holds_what_is_required_of_what_is_required():
    packages = {each.name: each for each in closure()}
    assert packages["numpy"].version == version("numpy")
    assert "numpy" in packages["causewise"].requires and "markupsafe" in packages["jinja2"].requires
    assert "pytest" not in packages and "jax" not in packages, "extras are asked for by name"
    assert set(packages) >= {name for each in packages.values() for name in each.requires}


def test_the_core_install_asks_for_no_more_than_a_notice():
    assert [each for each in closure() if not allowed(each.licence)] == []


def test_the_bill_names_every_package_once_and_is_the_same_twice():
    packages = closure()
    first = bill(packages)
    assert json.dumps(first) == json.dumps(bill(closure()))
    references = [first["metadata"]["component"]["bom-ref"], *(each["bom-ref"] for each in first["components"])]
    assert len(set(references)) == len(references) == len(packages)
    assert {name for each in first["dependencies"] for name in each["dependsOn"]} <= set(references)
    assert bill([*packages, Package("zzz", "1", "A licence", ())])["serialNumber"] != first["serialNumber"]


def test_a_licence_that_spdx_does_not_know_keeps_its_own_name():
    packages = [Package("causewise", "1", "MIT", ("other",)), Package("other", "2", "Terms of its own", ())]
    assert bill(packages)["components"][0]["licenses"] == [{"license": {"name": "Terms of its own"}}]
    assert "Terms of its own" in table(packages)
