"""The examples in the docstrings of the public surface run and print what they say."""

import doctest
from importlib import import_module

import pytest

import whence

PUBLIC = sorted(set(whence._HOME.values()))


@pytest.mark.parametrize("module", PUBLIC)
def test_examples(module: str) -> None:
    failed, _ = doctest.testmod(import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("name", ["infer", "Decision", "Evidence", "Method", "methods", "LocationScaleRegressor"])
def test_what_people_look_up_has_an_example(name: str) -> None:
    assert ">>>" in (getattr(whence, name).__doc__ or "")
