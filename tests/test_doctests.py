"""The examples in the docstrings of the public surface run and print what they say."""

import doctest
import sys
from importlib import import_module
from pathlib import Path

import pytest

import causewise

SITE = Path(__file__).parents[1] / "docs" / "_ext"
sys.path.insert(0, str(SITE))
from api_pages import MODULES, public_names  # noqa: E402  # found by the line above

NAMES = [(module, name) for module in MODULES for name in public_names(module)]
PUBLIC = sorted(
    {*causewise._MODULES.values(), *(getattr(import_module(module), name).__module__ for module, name in NAMES)}
)


@pytest.mark.parametrize("module", PUBLIC)
def test_examples(module: str) -> None:
    failed, _ = doctest.testmod(import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_what_the_site_lists_has_an_example(module: str, name: str) -> None:
    assert ">>>" in (getattr(import_module(module), name).__doc__ or "")
