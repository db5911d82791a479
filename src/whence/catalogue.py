"""Every method by name: how to build it, what it assumes, when it fails, whom to cite, what it costs.

The facts are in `catalogue.toml` and nowhere else; the measured costs in `costs.toml`, which names its command.
A method may carry settings: `name:key=value:key=value`, for instance `cam:published=true`. Modules are imported only
when their method is asked for, so that one method's dependencies never slow down another.
"""

import ast
import inspect
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, cast

from whence.pair import InputError
from whence.protocol import Method
from whence.ranges import SEEDS, between

DEFAULT = "whence"
UNIT = "loci-h"
"""The method whose cost is 1 on every machine."""


@dataclass(frozen=True)
class Cost:
    """One decision on a pair of 1000 rows, one core, nothing left to compile."""

    seconds: float
    """On the machine of the measurement."""
    relative: float
    """In decisions of `UNIT`: about the same on any machine."""


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue."""

    name: str
    build: str
    """`module:function`; called with the settings as keywords, it returns a Method."""
    brief: str
    """What it is, in one line."""
    assumes: str
    fails: str
    family: str
    """"default", "loci", "baseline" or "control"."""
    cites: tuple[str, ...] = ()
    """Keys of the bibliography."""
    extra: str = ""
    """The optional dependency group the method needs, if any."""


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("whence") / name).read_text(encoding="utf-8"))


CATALOGUE: tuple[Entry, ...] = tuple(
    Entry(name=name, **facts | {"cites": tuple(facts["cites"])}) for name, facts in _read("catalogue.toml").items()
)


def methods() -> tuple[Entry, ...]:
    """Every method whence has.

    Returns
    -------
    tuple of Entry
        Name, assumptions, known failures, family and citations of each, the default method first.

    Examples
    --------
    >>> import whence
    >>> [entry.name for entry in whence.methods()][:3]
    ['whence', 'loci-h', 'loci-m']
    """
    return CATALOGUE


def cost(name: str) -> Cost | None:
    """The measured cost of a method of the catalogue; None where it was not measured."""
    seconds = _measured()
    return Cost(seconds[name], seconds[name] / seconds[UNIT]) if name in seconds else None


@cache
def _measured() -> dict[str, float]:
    return dict(_read("costs.toml")["seconds"])


def entry(name: str) -> Entry:
    """Look a method up; an unknown name gets a sentence with the near misses."""
    for candidate in CATALOGUE:
        if candidate.name == name:
            return candidate
    import difflib

    known = [candidate.name for candidate in CATALOGUE]
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"one of: {', '.join(known)}."
    raise InputError(f"Got the method {name!r}, which whence does not have; {hint}")


def method(spec: str = DEFAULT, **settings: Any) -> Method:
    """Build the method named by `spec`, with settings behind the name or as keywords.

    Parameters
    ----------
    spec
        A name from `methods()`, such as `"loci-h"` or `"cam:published=true"`.
    **settings
        The method's settings, as `whence methods NAME` lists them.

    Returns
    -------
    Method
        An object with a `name` and `decide_many(pairs)`.

    Examples
    --------
    >>> import whence
    >>> dict(whence.method("loci-h:n_knots=15", degree=3).settings)["n_knots"]
    15
    """
    name, *assignments = spec.split(":")
    given = dict(_setting(text, spec) for text in assignments) | settings
    where = entry(name)
    module, function = where.build.split(":")
    build = getattr(import_module(module), function)
    _check_settings(name, given, build)
    return cast(Method, build(**given))


def seeded_method(spec: str, seed: int, **settings: Any) -> Method:
    """Build a method, with the seed where it takes one and the specification names no other."""
    between("", *SEEDS, seed=seed)
    wanted = accepts(spec, "seed") and not any(word.startswith("seed=") for word in spec.split(":"))
    return method(spec, **({"seed": seed} if wanted else {}), **settings)


def accepts(spec: str, setting: str) -> bool:
    """Whether a method takes a setting of that name, such as `seed` or `device`."""
    return setting in defaults(spec)


def defaults(spec: str) -> dict[str, Any]:
    """Every setting a method takes, with the value it has unless told otherwise."""
    module, function = entry(spec.split(":")[0]).build.split(":")
    parameters = inspect.signature(getattr(import_module(module), function)).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


def _setting(text: str, spec: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise InputError(f"Got the setting {text!r} in {spec!r}; expected key=value, for instance loci-h:n_knots=15.")
    lowered = value.lower()
    if lowered in ("true", "false"):
        return key, lowered == "true"
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return key, value


def _check_settings(name: str, given: dict[str, Any], build: Any) -> None:
    parameters = inspect.signature(build).parameters
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        allowed = ", ".join(sorted(parameters)) or "none"
        got = ", ".join(map(repr, unknown))
        raise InputError(f"Got the setting{'s' * (len(unknown) > 1)} {got} for {name}; it takes: {allowed}.")
    for key, value in given.items():
        kind = parameters[key].annotation
        if kind in _EXPECTED and not (type(value) is kind or (kind is float and type(value) is int)):
            raise InputError(f"Got {key}={value!r} for {name}; expected {_EXPECTED[kind]}.")


_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
