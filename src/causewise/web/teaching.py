"""Lessons: a pair simulated with chosen settings and scored at once, and what "fits" and "undecided" mean for it.

The effect is f(cause) + g(cause) · noise, bent afterwards if asked: inside the model, at its edge, and outside.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from causewise.criteria import ModelCheck
from causewise.decision import USABLE, Decision, Direction, Evidence
from causewise.errors import InputError, one_of
from causewise.formatting import percent
from causewise.inference import infer
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray, Pair, standardise
from causewise.report.decision_wording import fits, p_equals
from causewise.report.pair_numbers import pair_numbers

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
SCALES: Mapping[str, Curve] = {
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
    "g": Choice("Size of the noise, g", tuple(SCALES)),
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

    def draw(self) -> Pair:
        """The rows; x is the cause unless nothing but a hidden one acts."""
        rng, n = np.random.default_rng(int(self.seed)), int(self.n)
        x = CAUSES[self.cause](rng, n)
        noise = NOISES[self.noise](rng, n)
        common, mine, yours = rng.normal(size=(3, n))
        x = (1 - self.hidden) * x + self.hidden * (common + 0.4 * mine)
        size = self.amount * (1 - self.strength + 2 * self.strength * SCALES[self.g](x))
        y = (1 - self.hidden) * (standardise(MEANS[self.f](x)) + size * noise)
        y = _bend(y + self.hidden * (1.3 * np.sin(1.3 * common) + 0.3 * yours), self.bend)
        return Pair.of(_round(x, self.rounding), _round(y, self.rounding))


PRESETS: Mapping[str, tuple[str, Lesson]] = {
    "identifiable": ("One direction fits: the other leaves noise that knows its cause.", Lesson()),
    "linear and Gaussian": (
        "The direction is invisible here, however many rows there are.",
        Lesson(f="line", strength=0.0, amount=0.6, cause="gaussian", n=1000),
    ),
    "hidden common cause": ("Neither causes the other, and mostly neither direction fits.", Lesson(hidden=1.0, n=1000)),
    "rounding": ("What was measured coarsely leaves traces that are no cause.", Lesson(rounding=1.0, amount=0.5)),
}
_FIT_SENTENCES = {
    ModelCheck.BOTH_FIT: "Both fit, so these rows look alike both ways: a test that rejects nothing decides nothing.",
    ModelCheck.NEITHER_FITS: "Neither fits, so neither is the whole story: something else acts, or the model is small.",
    ModelCheck.FORWARD_FITS: "Only x → y fits. That is what a direction looks like.",
    ModelCheck.BACKWARD_FITS: "Only y → x fits, as if y were the cause.",
}


def teach(lesson: Lesson) -> dict[str, Any]:
    """Simulate the pair of a lesson, score it, and say what is seen; ready for JSON.

    Examples
    --------
    >>> teach(Lesson(f="line", strength=0, amount=0.6, cause="gaussian", n=1000))["pair"]["verdict"]
    'undecided between x and y'
    """
    decision = infer(lesson.draw())
    return {
        "settings": asdict(lesson),
        "controls": {name: control._asdict() for name, control in CONTROLS.items()},
        "presets": [{"name": name, "told": text, "settings": asdict(each)} for name, (text, each) in PRESETS.items()],
        "pair": pair_numbers(decision, POINTS),
        "words": _explain(lesson, decision),
    }


def _bend(y: FloatArray, bend: float) -> FloatArray:
    """A monotone curve of all of the effect, noise and all (Zhang & Hyvärinen 2009): convex or concave."""
    return y if bend == 0 else np.expm1(bend * standardise(y)) / bend


def _round(column: FloatArray, step: float) -> FloatArray:
    # Finer steps than a double has digits change nothing, and the finest cannot be divided by.
    return column if step < 1e-12 else step * np.round(standardise(column) / step)


def _explain(lesson: Lesson, decision: Decision) -> list[dict[str, str]]:
    """Paragraphs, each with its title."""
    parts = {
        "What is true here": _state_truth(lesson),
        "What causewise says": _state_verdict(decision, lesson.hidden == 1),
        "What the score is made of": _list_terms(decision),
        "Does it fit?": _state_fits(decision),
        "What the tests say together": _FIT_SENTENCES.get(decision.reading, "") if decision.reading else "",
        "What “undecided” means": _explain_undecided(decision),
        "What to see": _remark(lesson),
    }
    return [{"title": title, "text": text} for title, text in parts.items() if text]


def _state_truth(lesson: Lesson) -> str:
    if lesson.hidden == 1:
        return "Neither column causes the other: a third one, which is not in the table, drives both."
    beside = ", and a third column, not in the table, acts on both" if lesson.hidden else ""
    return f"x causes y{beside}. The rows were drawn that way; no method is told."


def _state_verdict(decision: Decision, neither: bool) -> str:
    if decision.unrelated:
        return "Unrelated: the rows do not show that the two have anything to do with each other."
    if decision.stopped or decision.confidence is None:
        return f"{decision.reason} No direction, so no number either."
    sure, beside = percent(decision.confidence), percent(decision.probabilities.get("neither", 0.0))
    if decision.confidence < USABLE:
        return f"Undecided: no usable lean to either side, and {beside} for neither."
    if decision.cause is None:
        lean = {Direction.FORWARD: "x → y", Direction.BACKWARD: "y → x"}[decision.leaning]
        return (
            f"Undecided: it leans towards {lean} with a confidence of {sure}, too little for an answer, and {beside} "
            "for neither."
        )
    truth = "Rightly" if decision.cause == "x" else "Wrongly: such draws exist, and a confidence below 100 % says so"
    truth = "There is no arrow to find: this is a false alarm" if neither else truth
    return f"{decision.cause} → {decision.effect}, with a confidence of {sure}, and {beside} for neither. {truth}."


def _list_terms(decision: Decision) -> str:
    """Only the terms that say something here."""
    terms = [KINDS[name] for name, value in decision.contributions.items() if value]
    if not terms or decision.unrelated or decision.weight is None:
        return ""
    listing = terms[0] if len(terms) == 1 else f"{', '.join(terms[:-1])} and {terms[-1]}"
    return (
        f"Of {listing}, added up, times λ = {decision.weight:.2f}: how many rows there are, and how many distinct "
        "values. The score divides what neither leaves between the two directions; the tests below have no part in it."
    )


def _state_fits(decision: Decision) -> str:
    if decision.stopped:  # one direction that fits alone would be a lean
        return ""
    sides = (("x → y", "x", decision.forward), ("y → x", "y", decision.backward))
    sentences = " ".join(_state_fit(arrow, cause, side) for arrow, cause, side in sides if fits(side) is not None)
    return f"{sentences} To fit is to leave noise that does not know its cause; it is no proof." if sentences else ""


def _state_fit(arrow: str, cause: str, side: Evidence) -> str:
    if fits(side):
        return f"{arrow} fits ({p_equals(side)}): what it leaves over is a level cloud of even width along {cause}."
    return f"{arrow} is rejected ({p_equals(side)}): what it leaves over still changes with {cause}."


def _explain_undecided(decision: Decision) -> str:
    if decision.cause is not None or decision.unrelated:
        return ""
    return (
        "Not that the two are equal, and not a failure: the evidence of these rows would be wrong too often at this "
        "strength. More rows help where there is something to see; where the model is wrong they do not."
    )


def _remark(lesson: Lesson) -> str:
    straight = lesson.f == "line" and lesson.strength == 0 and not lesson.bend and not lesson.hidden
    if straight and lesson.noise == lesson.cause == "gaussian":
        return (
            "A straight line with a Gaussian cause and Gaussian noise of one size is the same thing read from either "
            "side. Change the noise, the cause or the line, and a direction appears."
        )
    if lesson.rounding >= 0.3:
        return (
            "The columns have a few distinct values each. Their stripes show in the residuals of both directions, and "
            "λ falls with the number of values; where values repeat in both columns, the regression error of the "
            "values as they stand takes the place of what a finer scale would show."
        )
    if lesson.hidden:
        return "Slide the hidden cause down to nothing and watch when x → y begins to fit."
    if lesson.bend:
        return (
            "The effect was bent after the noise came in, so f + g · noise is no longer exactly true of it; a strong "
            "bend makes the true direction fail its test as well."
        )
    if straight:
        return "On a straight line only the shape of the noise and of the cause tell the direction."
    return "Compare the two lower panels: in one the band stays level and even, in the other it bends or swells."
