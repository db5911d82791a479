"""From the words after --methods to a method: a line of the catalogue, or anybody's object by its import path."""

import inspect
from typing import Any, cast

import whence.catalogue as catalogue
from whence.benchmark.contest import load
from whence.pair import InputError
from whence.protocol import Method


def build(spec: str, seed: int) -> Method:
    """`name:key=value` from the catalogue, or `package.module:object[:key=value]`.

    An object is a method itself or a factory of one; settings, and the seed where it is asked for, go to the factory.
    """
    words = spec.split(":")
    if len(words) < 2 or "=" in words[1]:
        return catalogue.seeded_method(spec, seed)
    path, given = ":".join(words[:2]), [catalogue._setting(word, spec) for word in words[2:]]
    found = _find(path)
    if isinstance(found, type) or not hasattr(found, "decide_many"):
        return _make(found, dict(given), seed, path)
    if given:
        raise InputError(f"Got settings in {spec!r}, but {path} is a finished method; expected settings for a factory.")
    return cast(Method, found)


def _find(path: str) -> Any:
    try:
        return load(path)
    except ImportError as problem:
        raise InputError(
            f"Got the method {path!r}, which cannot be imported ({problem}); expected package.module:object, with the "
            "package installed or its folder on PYTHONPATH."
        ) from None
    except AttributeError:
        raise InputError(f"Got the method {path!r}, but the module has no such object; check the name.") from None


def _make(factory: Any, settings: dict[str, Any], seed: int, path: str) -> Method:
    if not callable(factory):
        raise InputError(f"Got {path!r}, which is neither a method nor a factory; expected `name` and `decide_many`.")
    parameters = inspect.signature(factory).parameters
    if "seed" in parameters:
        settings = {"seed": seed} | settings
    try:
        return cast(Method, factory(**settings))
    except TypeError as problem:
        raise InputError(f"{path} could not be called with {settings}: {problem}.") from None
