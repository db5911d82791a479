"""What an installation of causewise brings along: every package it requires, directly or not, as installed here."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BY_CLASSIFIER = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "ISC License (ISCL)": "ISC",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""Trove classifiers that name one licence, and its name in SPDX's list."""
BY_WORDS = {
    "BSD 3-Clause": "BSD-3-Clause",
    "3-Clause BSD": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache": "Apache-2.0",
    "MIT": "MIT",
    "PSF": "PSF-2.0",
}
"""Beginnings of the free text that came before both."""


@dataclass(frozen=True)
class Package:
    """One installed package."""

    name: str
    version: str
    licence: str
    """As SPDX writes it; empty where nothing is said."""
    requires: tuple[str, ...]
    """Names, sorted."""


def licence_of(fields: Iterable[tuple[str, str]]) -> str:
    """The SPDX expression that a package's metadata amount to: the field of that name, classifiers, or free text."""
    said: dict[str, list[str]] = {}
    for name, value in fields:
        said.setdefault(name.lower(), []).append(value.strip())
    if "license-expression" in said:
        return said["license-expression"][0]
    last = [each.rpartition(" :: ")[2] for each in said.get("classifier", []) if each.startswith("License :: ")]
    if named := [BY_CLASSIFIER.get(each, each) for each in last if each != "OSI Approved"]:
        return " AND ".join(sorted(set(named)))
    words = said.get("license", [""])[0].splitlines()
    first = words[0] if words else ""
    return next((spdx for start, spdx in BY_WORDS.items() if first.startswith(start)), first[:60])


def closure(root: str = "causewise", extras: Iterable[str] = ()) -> list[Package]:
    """A package and all that it requires here, sorted by name."""
    found: dict[str, Package] = {}
    asked = [(canonicalize_name(root), frozenset(extras))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while asked:
        if (each := asked.pop()) in seen:
            continue
        seen.add(each)
        name, wanted = each
        installed = distribution(name)
        needed = list(_needed(installed, wanted))
        names = {canonicalize_name(requirement.name) for requirement in needed} - {name}
        earlier = found[name].requires if name in found else ()
        fields = [(key, str(value)) for key, value in installed.metadata.items()]
        found[name] = Package(name, installed.version, licence_of(fields), tuple(sorted(names | set(earlier))))
        asked += [(canonicalize_name(one.name), frozenset(one.extras)) for one in needed]
    return [found[name] for name in sorted(found)]


def _needed(installed: Distribution, extras: frozenset[str]) -> Iterable[Requirement]:
    for text in installed.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def purl(package: Package) -> str:
    """The package's address in the notation of bills of materials."""
    return f"pkg:pypi/{re.sub(r'[-_.]+', '-', package.name)}@{package.version}"
