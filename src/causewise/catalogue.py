"""Every method by name: how to build it, what it assumes, when it fails, whom to cite, what it costs.

The facts are in `catalogue.toml` and nowhere else; the measured costs in `costs.toml`, which names its command.
A method may carry settings: `name:key=value:key=value`, for instance `cam:published=true`. Modules are imported only
when their method is asked for, so that one method's dependencies never slow down another.

`resolve_method`, for the command line and the benchmark, also understands other people's methods: an entry point, or
`package.module:object`. It imports what it is told to, so that what a stranger sends never comes there.
"""

import ast
import inspect
import math
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from causewise.errors import SEEDS, InputError, between
from causewise.parallel import Engine
from causewise.protocol import Method, Subsample

DEFAULT = "causewise"
UNIT = "loci-h"
"""The method whose cost is 1 on every machine."""
ENTRY_POINTS = "causewise.methods"
"""The group of entry points under which a package offers methods by name."""


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
    group: str
    """Its heading in the table of every method."""
    cites: tuple[str, ...]
    """Keys of the bibliography."""
    time: str
    """How the time of a decision grows with the n rows: a key of `LAWS`."""
    memory: str
    """How its memory grows."""
    extra: str = ""
    """The optional dependency group the method needs, if any."""
    levels: bool = False
    """Whether it is made for columns of few levels, which are then nothing to warn of."""


LAWS: dict[str, Callable[[float], float]] = {
    "n": lambda n: n,
    "n log n": lambda n: n * math.log(n),
    "n²": lambda n: n * n,
}
"""Laws of growth; `python benchmarks/baselines.py growth` compares them with what is measured."""
LINEAR = ("n", "n log n")
"""Those with which a long table is only a long table."""
MEASURED_ROWS = 1000


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("causewise") / name).read_text(encoding="utf-8"))


CATALOGUE: tuple[Entry, ...] = tuple(
    Entry(name=name, **facts | {"cites": tuple(facts["cites"])}) for name, facts in _read("catalogue.toml").items()
)
FOR_LEVELS = frozenset(each.name for each in CATALOGUE if each.levels)


def list_methods() -> tuple[Entry, ...]:
    """Every method causewise has.

    Returns
    -------
    tuple of Entry
        Name, assumptions, known failures, family and citations of each, the default method first.

    Examples
    --------
    >>> import causewise
    >>> [entry.name for entry in causewise.list_methods()][:3]
    ['causewise', 'loci-h', 'loci-m']
    """
    return CATALOGUE


def cost(name: str) -> Cost | None:
    """The measured cost of a method of the catalogue; None where it was not measured."""
    seconds = _read_costs()
    return Cost(seconds[name], seconds[name] / seconds[UNIT]) if name in seconds else None


def expected_seconds(spec: str, rows: int) -> float | None:
    """What a decision on so many rows takes by the measured cost and the law of growth; None where neither is known."""
    price = cost(spec.split(":")[0])
    if price is None:
        return None
    name, given = _parse(spec)
    law, sample = LAWS[entry(name).time], (defaults(spec) | given).get("rows")
    most = sample if isinstance(sample, int | float) else math.inf
    return price.seconds * law(max(MEASURED_ROWS, min(rows, most))) / law(MEASURED_ROWS)


SAMPLE = 2000
"""Rows that are proposed where all would take too long."""
_LONG = 3600.0


def sample_hint(spec: str, rows: int, pairs: int = 1) -> str:
    """Where a method takes hours on so many rows and pairs, the sentence that names its setting `rows`."""
    seconds = expected_seconds(spec, rows)
    if seconds is None or seconds * pairs <= _LONG or rows <= SAMPLE or not accepts(spec, "rows"):
        return ""
    return (
        f"{spec} takes about {seconds * pairs / 3600:.0f} h on {rows:,} rows, since its time grows like "
        f"{entry(_parse(spec)[0]).time}; {spec}:rows={SAMPLE} decides by {SAMPLE:,} of them, drawn with the seed."
    )


@cache
def _read_costs() -> dict[str, float]:
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
    raise InputError(f"Got the method {name!r}, which causewise does not have; {hint}")


def method(spec: str = DEFAULT, **settings: Any) -> Method:
    """Build the method named by `spec`, with settings behind the name or as keywords.

    Parameters
    ----------
    spec
        A name from `list_methods()`, such as `"loci-h"` or `"cam:published=true"`.
    **settings
        The method's settings, as `causewise methods NAME` lists them. With `rows`, which every method takes, a longer
        pair is decided by so many of its rows, drawn with the seed.

    Returns
    -------
    Method
        An object with a `name` and `decide_many(pairs)`.

    Examples
    --------
    >>> import causewise
    >>> dict(causewise.method("loci-h:n_knots=15", degree=3).settings)["n_knots"]
    15
    """
    if is_elsewhere(spec):
        raise InputError(
            f"Got the method {spec!r}, which causewise does not have; expected a name from `causewise methods`, or, "
            "for a method of your own, the object itself. (Its import path is for the command line.)"
        )
    name, given = _parse(spec)
    given |= settings
    build, sample = _import_builder(name), given.get("rows")
    own = inspect.signature(build).parameters
    _check_settings(name, given, own, _sampling_settings(name, own, sample is not None))
    built = cast(Method, build(**{key: value for key, value in given.items() if key in own}))
    return built if sample is None or "rows" in own else Subsample(built, sample, given.get("seed", 0))


def seeded_method(spec: str, seed: int, **settings: Any) -> Method:
    """Build a method, with the seed where it takes one and the specification names no other."""
    between("", *SEEDS, seed=seed)
    wanted = takes_seed(spec, settings) and not any(word.startswith("seed=") for word in spec.split(":"))
    return method(spec, **({"seed": seed} if wanted else {}), **settings)


def has_method(spec: str) -> bool:
    """Whether the catalogue has the method of a specification."""
    return any(each.name == spec.split(":")[0] for each in CATALOGUE)


def is_elsewhere(spec: str) -> bool:
    """Whether a specification names a method that is not in the catalogue: an import path, or an entry point."""
    if has_method(spec):
        return False
    head, *words = spec.split(":")
    return (bool(words) and "=" not in words[0]) or bool(entry_points(group=ENTRY_POINTS, name=head))


def resolve_method(spec: str, seed: int, **settings: Any) -> Method:
    """A method of the catalogue, or anybody's: `package.module:object[:key=value]`, or an entry point's name.

    An object is a method itself or a factory of one; settings, and the seed where it is asked for, go to the factory.
    """
    if not is_elsewhere(spec):
        return seeded_method(spec, seed, **settings)
    head, *words = spec.split(":")
    if words and "=" not in words[0]:
        path = f"{head}:{words.pop(0)}"
    else:
        path = next(iter(entry_points(group=ENTRY_POINTS, name=head))).value
    given = dict(parse_setting(word, spec) for word in words)
    target = _import_named(path)
    if isinstance(target, type) or not hasattr(target, "decide_many"):
        target = _call_factory(target, given, seed, path)
    elif given:
        raise InputError(f"Got settings in {spec!r}, but {path} is a finished method; expected settings for a factory.")
    if not isinstance(target, Method):
        raise InputError(f"Got {spec!r}, which is no method; expected an object with `name` and `decide_many(pairs)`.")
    return target


def import_object(path: str) -> Any:
    """The object at `package.module:object`."""
    module, _, name = path.partition(":")
    target: Any = import_module(module)
    for part in name.split("."):
        target = getattr(target, part)
    return target


def _import_named(path: str) -> Any:
    # A command that is installed does not look into the folder it is called in, where a method of one's own usually is.
    # Worker processes inherit the path.
    if not {"", str(Path.cwd())} & set(sys.path):
        sys.path.append(str(Path.cwd()))
    try:
        return import_object(path)
    except (
        ImportError,
        TypeError,
        ValueError,
    ) as problem:  # the last two of a path that is none, such as `:` or `.a:b`
        raise InputError(
            f"Got the method {path!r}, which cannot be imported ({problem}); expected package.module:object, with the "
            "package installed, or its folder this one or on PYTHONPATH."
        ) from None
    except AttributeError:
        raise InputError(f"Got the method {path!r}, but the module has no such object; check the name.") from None


def _call_factory(factory: Any, settings: dict[str, Any], seed: int, path: str) -> Any:
    if not callable(factory):
        raise InputError(f"Got {path!r}, which is neither a method nor a factory; expected `name` and `decide_many`.")
    if "seed" in inspect.signature(factory).parameters:
        settings = {"seed": seed} | settings
    try:
        return factory(**settings)
    except TypeError as problem:
        raise InputError(f"{path} could not be called with {settings}: {problem}.") from None


@contextmanager
def blame_settings(method: str) -> Iterator[None]:
    """What breaks a method that was given settings is the settings' fault."""
    try:
        yield
    except (TypeError, ValueError) as problem:
        # Without settings, the same exceptions are faults of ours and must not be blamed on the user.
        if isinstance(problem, InputError) or "=" not in method:
            raise
        raise InputError(
            f"Got the settings {method!r}, with which the method cannot run ({problem}); expected other values: "
            "leave them out to see the method's own."
        ) from problem


def accepts(spec: str, setting: str) -> bool:
    """Whether a method takes a setting of that name, such as `seed` or `device`."""
    return not is_elsewhere(spec) and setting in defaults(spec)


def stated_settings(methods: Sequence[str], stated: Mapping[str, Any], spelt: Mapping[str, str]) -> dict[str, Any]:
    """Of each method, the stated settings that it takes; one that no method takes is refused, as it was spelt."""
    for setting in stated:
        if not any(accepts(method, setting) for method in methods):
            take = "does" if len(methods) == 1 else "do"
            raise InputError(
                f"Got {spelt[setting]} for {', '.join(methods)}, which {take} not take it; "
                f"{_say_who_takes(setting, methods)}."
            )
    return {method: {key: value for key, value in stated.items() if accepts(method, key)} for method in methods}


def _say_who_takes(setting: str, methods: Sequence[str]) -> str:
    """Where a setting belongs that none of these methods takes, or what they take instead."""
    if accepts(DEFAULT, setting):
        return f"expected a method that does, such as {DEFAULT}: leave it out, or choose that one"
    if setting in {each.name for each in fields(Engine)}:
        return f"expected it in the engine: engine=causewise.Engine({setting}=…)"
    own = {each for method in methods if not is_elsewhere(method) for each in defaults(method)} - {"seed"}
    return f"expected one of {', '.join(sorted(own))}: check the spelling, or leave it out"


def takes_seed(spec: str, settings: Mapping[str, Any]) -> bool:
    """Whether a method with these settings draws anything; with `rows` any does."""
    return accepts(spec if settings.get("rows") is None else f"{spec}:rows={settings['rows']}", "seed")


def defaults(spec: str) -> dict[str, Any]:
    """Every setting a method takes, with the value it has unless another is given."""
    name = spec.split(":")[0]
    own = inspect.signature(_import_builder(name)).parameters
    return {key: each.default for key, each in own.items()} | _sampling_settings(name, own, ":rows=" in spec)


def _import_builder(name: str) -> Callable[..., Any]:
    module, function = entry(name).build.split(":")
    return cast(Callable[..., Any], getattr(import_module(module), function))


def _sampling_settings(name: str, own: Mapping[str, Any], sampled: bool) -> dict[str, Any]:
    """What a method takes beside its own settings: `rows`, and then a seed. The default one has `max_rows` instead."""
    if name == DEFAULT or "rows" in own:
        return {}
    return {"rows": None} | ({"seed": 0} if sampled and "seed" not in own else {})


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    name, *assignments = spec.split(":")
    return name, dict(parse_setting(text, spec) for text in assignments)


def parse_setting(text: str, spec: str) -> tuple[str, Any]:
    """The key and the value of `key=value` in a specification."""
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise InputError(f"Got the setting {text!r} in {spec!r}; expected key=value, for instance loci-h:n_knots=15.")
    try:
        return key, ast.literal_eval(value.title() if value.lower() in ("true", "false") else value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return key, value


def _check_settings(
    name: str, given: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter], beside: Mapping[str, Any]
) -> None:
    unknown = sorted(set(given) - set(parameters) - set(beside))
    if unknown:
        allowed = ", ".join(sorted({*parameters, *beside})) or "none"
        got = ", ".join(map(repr, unknown))
        raise InputError(f"Got the setting{'s' * (len(unknown) > 1)} {got} for {name}; it takes: {allowed}.")
    if "seed" in beside:
        between(name, *SEEDS, seed=given.get("seed", 0))
    for key, value in given.items():
        if key in beside:
            continue
        kind = parameters[key].annotation
        if kind in _EXPECTED and not (type(value) is kind or (kind is float and type(value) is int)):
            raise InputError(f"Got {key}={value!r} for {name}; expected {_EXPECTED[kind]}.")


_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
