"""Every loop is declared in Python by the prototype that it has in C."""

import re
from pathlib import Path

from causewise.numerics import native

PACKAGE = Path(native.__file__).parents[2]


def prototypes_in_c():
    sources = "".join(path.read_text() for path in Path(native.__file__).parent.glob("*.[ch]"))
    for each in re.findall(r"EXPORT (\w+ (?:NAME\(\w+\)|\w+)\([^)]*\))", sources):
        plain = " ".join(re.sub(r"\b(const|restrict) ?", "", each).split())
        # `network.h` is included once for each precision.
        for suffix, real in (("double", "double"), ("single", "float")):
            yield re.sub(r"\breal\b", real, re.sub(r"NAME\((\w+)\)", rf"\1_{suffix}", plain))


def prototypes_in_python():
    for path in PACKAGE.rglob("*.py"):
        for each in re.findall(r"^\w+ = native\(([^=]*?)\)$", path.read_text(), re.MULTILINE):
            yield "".join(re.findall(r'"([^"]*)"', each))


def test_python_and_c_agree_on_every_prototype():
    declared = set(prototypes_in_python())
    assert len(declared) > 30
    assert declared <= set(prototypes_in_c())
