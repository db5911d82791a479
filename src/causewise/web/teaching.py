"""A pair drawn as somebody wishes and judged at once: what "fits" and "undecided" mean, seen rather than told.

The effect is f(cause) + g(cause) · noise, bent afterwards if asked: inside the model, at its edge, and outside.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from causewise.errors import InputError, one_of
from causewise.inference import infer
from causewise.pair import FloatArray, Pair, standardise
from causewise.report.pair_numbers import pair_numbers
from causewise.web.teaching_words import words

POINTS = 400
Curve = Callable[[FloatArray], FloatArray]
Draw = Callable[[np.random.Generator, int], FloatArray]

CAUSES: Mapping[str, Draw] = {
    "even": lambda rng, n: rng.uniform(-1.73, 1.73, n),
    "gaussian": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.gamma(2.0, 0.7, n) - 1.4,
}
MEANS: Mapping[str, Curve] = {
    "line": lambda x: x,
    "wave": lambda x: np.sin(2.2 * x),
    "step": lambda x: np.tanh(2.5 * x),
    "arch": lambda x: -(x**2),
    "growth": lambda x: np.exp(0.9 * x),
}
SPREADS: Mapping[str, Curve] = {
    "fan": lambda x: np.clip(0.5 + 0.33 * x, 0.05, None),
    "waist": np.abs,
    "belly": lambda x: np.exp(-(x**2)),
}
NOISES: Mapping[str, Draw] = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "even": lambda rng, n: rng.uniform(-1.73, 1.73, n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1.0,
    "heavy": lambda rng, n: rng.standard_t(4, size=n) / np.sqrt(2.0),
    "two humps": lambda rng, n: 0.9 * rng.choice([-1.0, 1.0], n) + 0.44 * rng.normal(size=n),
}


class Choice(NamedTuple):
    """A setting that is one of some words."""

    label: str
    words: tuple[str, ...]


class Slider(NamedTuple):
    """A setting that is a number between two others."""

    label: str
    low: float
    high: float
    step: float
    help: str


CONTROLS: Mapping[str, Choice | Slider] = {
    "f": Choice("Mean of the effect, f", tuple(MEANS)),
    "g": Choice("Size of the noise, g", tuple(SPREADS)),
    "strength": Slider("How much it changes", 0, 1, 0.05, "0: the same size everywhere"),
    "noise": Choice("Law of the noise", tuple(NOISES)),
    "amount": Slider("Amount of noise", 0.05, 1.5, 0.05, "in standard deviations of f"),
    "cause": Choice("Law of the cause", tuple(CAUSES)),
    "bend": Slider("Bend of the effect", -1, 1, 0.1, "0: none; the effect as a whole is bent after the noise came in"),
    "hidden": Slider("Hidden common cause", 0, 1, 0.05, "0: none; 1: nothing but it"),
    "rounding": Slider("Rounding", 0, 1, 0.05, "size of a step, in standard deviations"),
    "n": Slider("Rows", 50, 2000, 50, ""),
    "seed": Slider("Draw", 0, 99, 1, "the same settings, other rows"),
}


@dataclass(frozen=True)
class Lesson:
    """What is drawn; the defaults are the first preset."""

    f: str = "wave"
    g: str = "waist"
    strength: float = 0.5
    noise: str = "gaussian"
    amount: float = 0.3
    cause: str = "even"
    bend: float = 0.0
    hidden: float = 0.0
    rounding: float = 0.0
    n: float = 600
    seed: float = 0

    def __post_init__(self) -> None:
        for name, control in CONTROLS.items():
            value = getattr(self, name)
            if isinstance(control, Choice):
                one_of("a lesson", control.words, **{name: value})
            elif isinstance(value, str) or not control.low <= value <= control.high:
                expected = f"a number from {control.low:g} to {control.high:g}"
                raise InputError(f"Got {name}={value!r} for a lesson; expected {expected}.")

    def pair(self) -> Pair:
        """The rows; x is the cause unless nothing but a hidden one acts."""
        rng, n = np.random.default_rng(int(self.seed)), int(self.n)
        x = CAUSES[self.cause](rng, n)
        noise = NOISES[self.noise](rng, n)
        common, mine, yours = rng.normal(size=(3, n))
        x = (1 - self.hidden) * x + self.hidden * (common + 0.4 * mine)
        size = self.amount * (1 - self.strength + 2 * self.strength * SPREADS[self.g](x))
        y = (1 - self.hidden) * (standardise(MEANS[self.f](x)) + size * noise)
        y = _bent(y + self.hidden * (1.3 * np.sin(1.3 * common) + 0.3 * yours), self.bend)
        return Pair.of(_rounded(x, self.rounding), _rounded(y, self.rounding))


PRESETS: Mapping[str, tuple[str, Lesson]] = {
    "identifiable": ("One direction fits: the other leaves noise that knows its cause.", Lesson()),
    "linear and Gaussian": (
        "The direction is invisible here, however many rows there are.",
        Lesson(f="line", strength=0.0, amount=0.6, cause="gaussian", n=1000),
    ),
    "hidden common cause": ("Neither causes the other, and mostly neither direction fits.", Lesson(hidden=1.0, n=1000)),
    "rounding": ("What was measured coarsely leaves traces that are no cause.", Lesson(rounding=1.0, amount=0.5)),
}


def lesson(
    *,
    f: str = Lesson.f,
    g: str = Lesson.g,
    strength: float = Lesson.strength,
    noise: str = Lesson.noise,
    amount: float = Lesson.amount,
    cause: str = Lesson.cause,
    bend: float = Lesson.bend,
    hidden: float = Lesson.hidden,
    rounding: float = Lesson.rounding,
    n: float = Lesson.n,
    seed: float = Lesson.seed,
) -> dict[str, Any]:
    """Draw a pair with these settings, judge it, and say what is seen; ready for JSON.

    Examples
    --------
    >>> found = lesson(f="line", strength=0, amount=0.6, cause="gaussian", n=1000)
    >>> found["pair"]["verdict"]
    'undecided between x and y'
    """
    drawn = Lesson(f, g, strength, noise, amount, cause, bend, hidden, rounding, n, seed)
    decision = infer(drawn.pair())
    return {
        "settings": asdict(drawn),
        "controls": {name: control._asdict() for name, control in CONTROLS.items()},
        "presets": [{"name": name, "told": told, "settings": asdict(each)} for name, (told, each) in PRESETS.items()],
        "pair": pair_numbers(decision, POINTS),
        "words": words(decision, **{each.name: getattr(drawn, each.name) for each in fields(drawn)}),
    }


def _bent(y: FloatArray, bend: float) -> FloatArray:
    """A monotone curve of all of the effect, noise and all (Zhang & Hyvärinen 2009): convex or concave."""
    return y if bend == 0 else np.expm1(bend * standardise(y)) / bend


def _rounded(column: FloatArray, step: float) -> FloatArray:
    # Finer steps than a double has digits change nothing, and the finest cannot be divided by.
    return column if step < 1e-12 else step * np.round(standardise(column) / step)
