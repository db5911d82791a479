"""The licences of all that the core install brings along; 1 where one is unknown or asks for more than a notice.

    python -m release.licences

Run it with the Python of the environment in question. What is allowed is a list, so that a new licence is looked at by
somebody once and then written down here.
"""

import re
import sys

from release.closure import Package, closure

NOTICE_ONLY = {
    *("MIT", "MIT-CMU", "HPND", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "PSF-2.0", "Python-2.0"),
    *("CNRI-Python", "Zlib", "CC0-1.0", "Unlicense", "BSL-1.0", "NCSA", "FTL", "BSD-3-Clause-Open-MPI", "OFL-1.1"),
}
"""Licences that ask for nothing beyond keeping their text."""
WITH_REASON = {"MPL-2.0": "binds changes to the file itself, which is used as it comes"}
"""Licences that are accepted for what they are here."""
GRANTED = {
    ("GPL-3.0-or-later", "GCC-exception-3.1"),
    ("GPL-3.0-only", "GCC-exception-3.1"),
    ("Apache-2.0", "LLVM-exception"),
}
"""With an exception that takes away what they ask for: run-time libraries inside wheels, which anything may use."""


def allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met: all sides of an AND, one of an OR; AND binds closer.

    Examples
    --------
    >>> allowed("BSD-3-Clause AND (MIT OR GPL-3.0-only)"), allowed("MIT AND GPL-3.0-only"), allowed("")
    (True, False, False)
    """
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    try:
        verdict = _either(tokens)
    except IndexError:  # ends too early: no expression
        return False
    return verdict and not tokens


def _either(tokens: list[str]) -> bool:
    verdict = _both(tokens)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        verdict = _both(tokens) or verdict
    return verdict


def _both(tokens: list[str]) -> bool:
    verdict = _one(tokens)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        verdict = _one(tokens) and verdict
    return verdict


def _one(tokens: list[str]) -> bool:
    name = tokens.pop(0)
    if name == "(":
        verdict = _either(tokens)
        tokens.pop(0)
        return verdict
    if tokens and tokens[0] == "WITH":
        tokens.pop(0)
        return (name, tokens.pop(0)) in GRANTED
    return name in NOTICE_ONLY or name in WITH_REASON


def table(packages: list[Package]) -> str:
    """Name, version and licence of each, one line a package."""
    width = max(len(f"{each.name} {each.version}") for each in packages)
    return "\n".join(f"{f'{each.name} {each.version}':<{width}}  {each.licence or 'UNKNOWN'}" for each in packages)


def main() -> int:
    """Print the table and what is wrong with it."""
    packages = closure()
    print(table(packages))
    refused = [each for each in packages if not allowed(each.licence)]
    for each in refused:
        print(f"{each.name}: {each.licence or 'no licence stated'}; expected one of release/licences.py: look it up.")
    print(f"{len(packages)} packages, {len(refused)} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
