"""Every method by name: how to build it, what it assumes, when it fails.

A method may carry settings: `name:key=value:key=value`, for instance `cam:published=true`. Modules are imported only
when their method is asked for, so that one method's dependencies never slow down another.
"""

import ast
import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from whence.decision import Method
from whence.pair import InputError

DEFAULT = "whence"


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue."""

    name: str
    build: str
    """`module:function`; called with the settings as keywords, it returns a Method."""
    assumes: str
    fails: str
    family: str = "baseline"
    extra: str = ""
    """The optional dependency group the method needs, if any."""


CATALOGUE: tuple[Entry, ...] = (
    Entry(
        "whence",
        "whence.combined.method:whence",
        "effect = f(cause) + g(cause)·noise, roughly; adds up description length, independence of the residual and "
        "shape, and weighs the sum by how much the rows can say",
        "hidden common causes, which can look like a direction; dependent rows in shuffled order; relations that are "
        "the same both ways",
        family="combined",
    ),
    Entry(
        "loci-h",
        "whence.methods:loci_h",
        "effect = f(cause) + g(cause)·noise; smooth f and g; noise independent of the cause",
        "linear Gaussian relations (both directions fit); hidden common causes; coarse rounding",
        family="loci",
    ),
    Entry(
        "loci-m",
        "whence.methods:loci_m",
        "as loci-h, and Gaussian noise and a Gaussian cause: compares likelihoods",
        "a cause far from Gaussian under much noise (48 to 66 % right in the study, loci-h 98 to 100 %): it then reads "
        "the columns' own shapes, the rule of igci-g, and its answer says so",
        family="loci",
    ),
    Entry(
        "anm-h",
        "whence.methods:anm_h",
        "effect = f(cause) + noise of constant size, independent of the cause",
        "noise whose size changes with the cause: both directions are rejected",
        family="loci",
    ),
    Entry(
        "anm-m",
        "whence.methods:anm_m",
        "as anm-h, Gaussian noise: compares squared errors on standardised columns",
        "noise whose size changes with the cause; non-Gaussian causes",
        family="loci",
    ),
    Entry(
        "ifgls-h",
        "whence.methods:ifgls_h",
        "as loci-h, with f and g² fitted in turn by least squares: the classical estimator, kept for comparison",
        "as loci-h; few rows per knot, where the fitted variance falls to zero",
        family="loci",
    ),
    Entry(
        "ifgls-m",
        "whence.methods:ifgls_m",
        "as loci-m, with f and g² fitted in turn by least squares: the classical estimator, kept for comparison",
        "as loci-m; few rows per knot, where the fitted variance falls to zero and the likelihood is worthless",
        family="loci",
    ),
    Entry(
        "nn-loci-h",
        "whence.neural:nn_loci_h",
        "as loci-h, with f and g given by a neural network instead of splines",
        "as loci-h; slower, and its training depends on a seed",
        family="loci",
        extra="nn",
    ),
    Entry(
        "nn-loci-m",
        "whence.neural:nn_loci_m",
        "as loci-m, with f and g given by a neural network instead of splines",
        "as loci-m: a cause that is far from Gaussian; its training depends on a seed",
        family="loci",
        extra="nn",
    ),
    Entry(
        "nn-anm-h",
        "whence.neural:nn_anm_h",
        "as anm-h, with f given by a neural network",
        "noise whose size changes with the cause: both directions are rejected",
        family="loci",
        extra="nn",
    ),
    Entry(
        "nn-anm-m",
        "whence.neural:nn_anm_m",
        "as anm-m, with f given by a neural network",
        "noise whose size changes with the cause; non-Gaussian causes",
        family="loci",
        extra="nn",
    ),
    Entry(
        "roche",
        "whence.neural:roche",
        "as nn-loci-h, with Student's t noise: outliers pull less on f and g",
        "as nn-loci-h: linear Gaussian relations, hidden common causes; its training depends on a seed",
        extra="nn",
    ),
    Entry(
        "cgnn",
        "whence.baselines.cgnn:cgnn",
        "effect = net(cause, Gaussian noise) with a small network: the direction that imitates the data better wins",
        "relations that fit both ways; few rows; random from run to run, and slow without a GPU (minutes a pair)",
        extra="nn",
    ),
    Entry(
        "mdl",
        "whence.combined.mdl:mdl",
        "effect = f(cause) + g(cause)·noise; cause and noise of any law, both coded by mixtures of normals",
        "a cause bent by a monotone map: then the effect may look the simpler of the two",
        family="combined",
    ),
    Entry(
        "control-gaussian",
        "whence.baselines.controls:control_gaussian",
        "nothing: calls the more Gaussian column the cause, to show what marginals alone give away",
        "everywhere that marginals carry no label",
        family="control",
    ),
    Entry(
        "control-distinct",
        "whence.baselines.controls:control_distinct",
        "nothing: calls the column with fewer distinct values the cause",
        "everywhere that marginals carry no label; a tie where no value repeats",
        family="control",
    ),
    Entry(
        "control-kurtosis",
        "whence.baselines.controls:control_kurtosis",
        "nothing: calls the column with the lower kurtosis the cause",
        "everywhere that marginals carry no label",
        family="control",
    ),
    Entry(
        "igci",
        "whence.baselines.igci:igci",
        "effect = f(cause) almost without noise; the slope of f is unrelated to the density of the cause",
        "visible noise: it then mostly reads which column has the heavier tails; columns with few distinct values",
    ),
    Entry(
        "igci-g",
        "whence.baselines.igci:igci_g",
        "as igci, with the normal distribution as reference: entropy of standardised columns",
        "a cause that is itself far from Gaussian; visible noise; columns with few distinct values",
    ),
    Entry(
        "grci",
        "whence.baselines.grci:grci",
        "effect = m(cause) + s(cause)·noise; noise independent of the cause, measured by nearest neighbours",
        "linear Gaussian relations; coarsely rounded columns; fewer than some hundred rows",
    ),
    Entry(
        "heci",
        "whence.baselines.heci:heci",
        "effect is a piecewise polynomial of the cause of degree at most 3, with noise that is constant on pieces",
        "outliers, which squeeze the data into few bins; invertible smooth relations, where both codes are alike",
    ),
    Entry(
        "qccd",
        "whence.baselines.qccd:qccd",
        "the quantiles of cause, and of effect given cause, take the fewer bits together; knows ranks only",
        "relations whose copula is nearly symmetric; fewer than 200 rows, where only the median is compared",
    ),
    Entry(
        "cam",
        "whence.baselines.cam:cam",
        "effect = smooth f(cause) + Gaussian noise of constant size: compares residual variances",
        "noise whose size changes with the cause; straight lines, which it calls a tie",
    ),
    Entry(
        "resit",
        "whence.baselines.resit:resit",
        "effect = smooth f(cause) + noise of any law but constant size, independent of the cause",
        "noise whose size changes with the cause: then it is wrong more often than right; linear Gaussian relations",
    ),
    Entry(
        "fom",
        "whence.baselines.fom:fom",
        "little noise: the fourth moment of the regression error is smaller in the causal direction",
        "strong noise; columns with outliers, which set the scale of the unit interval",
    ),
    Entry(
        "reci",
        "whence.baselines.reci:reci",
        "little noise, f monotone: the squared regression error is smaller in the causal direction",
        "strong noise; relations a cubic cannot follow; outliers, which set the scale of the unit interval",
    ),
    Entry(
        "cdci",
        "whence.baselines.cdci:cdci",
        "effect given cause has one shape up to location and scale; many rows per half standard deviation",
        "few rows (under about a hundred); coarsely rounded columns",
    ),
    Entry(
        "lingam",
        "whence.baselines.lingam:lingam",
        "effect = slope·cause + noise, at least one of cause and noise not Gaussian",
        "curved relations; everything Gaussian",
    ),
    Entry(
        "pnl",
        "whence.baselines.pnl:pnl",
        "h(effect) = g(cause) + noise with h increasing: a nonlinear sensor on top of additive noise",
        "few rows; it fits almost anything, so both directions often look independent",
    ),
)


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
    """Build the method named by `spec`, for instance `method("cam:published=true")`."""
    name, *assignments = spec.split(":")
    given = dict(_setting(text, spec) for text in assignments) | settings
    where = entry(name)
    module, function = where.build.split(":")
    build = getattr(import_module(module), function)
    _check_settings(name, given, build)
    return cast(Method, build(**given))


def seeded_method(spec: str, seed: int, **settings: Any) -> Method:
    """Build a method, with the seed where it takes one and the specification names no other."""
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
    except (ValueError, SyntaxError):
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
