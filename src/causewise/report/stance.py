"""How firmly an answer stands.

A method that weighs its evidence says so itself, with a confidence and a reason. Of any other the score says which way,
and the two independence tests say how far to trust it.
"""

from dataclasses import dataclass
from enum import Enum

from causewise.criteria import ModelCheck
from causewise.decision import Decision, Direction, percent
from causewise.report.printed_sum import with_printed_digits
from causewise.report.wording import BRIEF, short, shown


class Stance(Enum):
    """The ways score and tests can combine; the value is (label, sentence)."""

    CLEAR = (
        "only this direction fits",
        "The data favour {cause} as the cause of {effect}: of the two directions, only this one fits.",
    )
    BOTH = (
        "both directions fit",
        "The score leans towards {cause} as the cause of {effect}, but both directions fit these rows: a weak lean, "
        "not a finding.",
    )
    NEITHER = (
        "neither direction fits",
        "The score leans towards {cause} as the cause of {effect}, but neither direction fits: do not rely on it.",
    )
    CONTRADICTED = (
        "tests contradict the score",
        "The score points to {cause} as the cause of {effect}, but the independence tests leave only the other "
        "direction standing: treat this as undecided.",
    )
    UNTESTED = (
        "not tested",
        "{method} favours {cause} as the cause of {effect}; it has no test of whether its own model fits, so how far "
        "to trust the answer is not known.",
    )
    WEIGHED = (
        "confidence {confidence}",
        "The evidence taken together favours {cause} as the cause of {effect}.",
    )
    WITHHELD = (
        "undecided, {confidence} for {leans}",
        "{method} gives no direction for {x} and {y}: the evidence does not lean clearly enough to one side.",
    )
    NO_LEAN = (
        "undecided, no usable lean",
        "{method} gives no direction for {x} and {y}: there is no usable lean to either side.",
    )
    STOPPED = ("undecided, not scored", "{method} gives no direction for {x} and {y}.")
    UNRELATED = ("unrelated", "{method} finds no relation between {x} and {y}, so there is no direction to find.")
    TIE = ("undecided", "The score does not favour either direction between {x} and {y}.")
    FAILED = ("no answer", "{method} gives no answer for {x} and {y}.")

    @property
    def label(self) -> str:
        """Some words for a badge, with places for the confidence and the direction it is for."""
        return self.value[0]

    @property
    def sentence(self) -> str:
        """A sentence with places for the names."""
        return self.value[1]

    @classmethod
    def of(cls, decision: Decision) -> "Stance":
        """Combine the direction with the reading of the tests."""
        if decision.failed:
            return cls.FAILED
        if decision.unrelated:
            return cls.UNRELATED
        if decision.stopped:
            return cls.STOPPED
        if decision.leaning is Direction.UNDECIDED:
            return cls.TIE
        if decision.reason:
            return cls.WITHHELD if decision.leaning_names else cls.NO_LEAN
        # A method with a confidence has weighed its tests already: reading them again would count them twice.
        if decision.confidence is not None:
            return cls.WEIGHED
        forward = decision.direction is Direction.FORWARD
        return {
            None: cls.UNTESTED,
            ModelCheck.BOTH_FIT: cls.BOTH,
            ModelCheck.NEITHER_FITS: cls.NEITHER,
            ModelCheck.FORWARD_FITS: cls.CLEAR if forward else cls.CONTRADICTED,
            ModelCheck.BACKWARD_FITS: cls.CONTRADICTED if forward else cls.CLEAR,
        }[decision.reading]


_TOLD = (Stance.WEIGHED, Stance.WITHHELD, Stance.NO_LEAN, Stance.STOPPED, Stance.UNRELATED)
"""Whose own reason is the whole sentence."""


@dataclass(frozen=True)
class ReadingCell:
    """One of the four readings, as a cell of the page's two-by-two table."""

    title: str
    meaning: str
    current: bool


def badge(decision: Decision) -> str:
    """The stance in some words; where no answer is given, with the way the evidence leans."""
    return Stance.of(decision).label.format(confidence=confidence(decision), leans=brief_lean(decision))


def brief_lean(decision: Decision) -> str:
    """`rain → river`, in narrow places, where the answer is withheld; else empty."""
    names = decision.leaning_names if decision.reason else None
    return " → ".join(short(shown(name), BRIEF) for name in names) if names else ""


def confidence(decision: Decision) -> str:
    """In per cent; empty where there is none, or neither a direction nor a usable lean to be confident of."""
    return percent(decision.confidence) if decision.confidence is not None and decision.leaning_names else ""


def sentence(decision: Decision) -> str:
    """The answer in one sentence; where evidence was weighed, the reason itself."""
    stance = Stance.of(decision)
    reason = with_printed_digits(decision.reason or decision.carried_by, decision)
    if stance in _TOLD and reason:
        return reason
    return stance.sentence.format(
        cause=shown(decision.cause or ""),
        effect=shown(decision.effect or ""),
        x=shown(decision.pair.x_name),
        y=shown(decision.pair.y_name),
        method=decision.method,
    )


def explanation(decision: Decision) -> str:
    """What the tests say, or why there is no answer; empty where the sentence tells all."""
    if Stance.of(decision) in _TOLD:
        return ""
    return with_printed_digits(decision.explanation, decision)


def readings(decision: Decision) -> tuple[ReadingCell, ...]:
    """The four readings, the one that applies marked; none is where nothing was tested."""
    x, y = (short(shown(name), BRIEF) for name in (decision.pair.x_name, decision.pair.y_name))
    texts = {
        ModelCheck.FORWARD_FITS: (f"Only {x} → {y} fits", "One direction explains the rows with independent noise."),
        ModelCheck.BACKWARD_FITS: (f"Only {y} → {x} fits", "One direction explains the rows with independent noise."),
        ModelCheck.BOTH_FIT: ("Both fit", "Too few rows, or a relation that looks the same both ways."),
        ModelCheck.NEITHER_FITS: ("Neither fits", "A hidden common cause, dependent rows, or too small a model."),
    }
    return tuple(
        ReadingCell(title, meaning, decision.reading is reading) for reading, (title, meaning) in texts.items()
    )
