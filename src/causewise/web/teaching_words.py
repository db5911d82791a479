"""What a lesson says about what is seen: the truth, the verdict, what "fits" and "undecided" mean here."""

from typing import Any

from causewise.criteria import ModelCheck
from causewise.decision import USABLE, Decision, Direction, Evidence, percent
from causewise.methods.combined.words import KINDS
from causewise.report.wording import fits, p_equals

_READINGS = {
    ModelCheck.BOTH_FIT: "Both fit, so these rows look alike both ways: a test that rejects nothing decides nothing.",
    ModelCheck.NEITHER_FITS: "Neither fits, so neither is the whole story: something else acts, or the model is small.",
    ModelCheck.FORWARD_FITS: "Only x → y fits. That is what a direction looks like.",
    ModelCheck.BACKWARD_FITS: "Only y → x fits, as if y were the cause.",
}


def words(decision: Decision, **settings: Any) -> list[dict[str, str]]:
    """Paragraphs, each with its title."""
    parts = {
        "What is true here": _truth(settings),
        "What causewise says": _verdict(decision, settings["hidden"] == 1),
        "What the score is made of": _terms(decision),
        "Does it fit?": _fits(decision),
        "What the tests say together": _READINGS.get(decision.reading, "") if decision.reading else "",
        "What “undecided” means": _undecided(decision),
        "What to see": _remark(settings),
    }
    return [{"title": title, "text": text} for title, text in parts.items() if text]


def _truth(settings: dict[str, Any]) -> str:
    if settings["hidden"] == 1:
        return "Neither column causes the other: a third one, which is not in the table, drives both."
    beside = ", and a third column, not in the table, acts on both" if settings["hidden"] else ""
    return f"x causes y{beside}. The rows were drawn that way; no method is told."


def _verdict(decision: Decision, neither: bool) -> str:
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
    judged = "Rightly" if decision.cause == "x" else "Wrongly: such draws exist, and a confidence below 100 % says so"
    told = "There is no arrow to find: this is a false alarm" if neither else judged
    return f"{decision.cause} → {decision.effect}, with a confidence of {sure}, and {beside} for neither. {told}."


def _terms(decision: Decision) -> str:
    """Only the terms that say something here."""
    named = [KINDS[name] for name, value in decision.contributions.items() if value]
    if not named or decision.unrelated or decision.weight is None:
        return ""
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return (
        f"Of {listed}, added up, times λ = {decision.weight:.2f}: how many rows there are, and how many distinct "
        "values. The score divides what neither leaves between the two directions; the tests below have no part in it."
    )


def _fits(decision: Decision) -> str:
    if decision.stopped:  # one direction that fits alone would be a lean
        return ""
    sides = (("x → y", "x", decision.forward), ("y → x", "y", decision.backward))
    told = " ".join(_one_side(arrow, cause, side) for arrow, cause, side in sides if fits(side) is not None)
    return f"{told} To fit is to leave noise that does not know its cause; it is no proof." if told else ""


def _one_side(arrow: str, cause: str, side: Evidence) -> str:
    if fits(side):
        return f"{arrow} fits ({p_equals(side)}): what it leaves over is a level cloud of even width along {cause}."
    return f"{arrow} is rejected ({p_equals(side)}): what it leaves over still changes with {cause}."


def _undecided(decision: Decision) -> str:
    if decision.cause is not None or decision.unrelated:
        return ""
    return (
        "Not that the two are equal, and not a failure: the evidence of these rows would be wrong too often at this "
        "strength. More rows help where there is something to see; where the model is wrong they do not."
    )


def _remark(settings: dict[str, Any]) -> str:
    straight = settings["f"] == "line" and settings["strength"] == 0 and not settings["bend"] and not settings["hidden"]
    if straight and settings["noise"] == settings["cause"] == "gaussian":
        return (
            "A straight line with a Gaussian cause and Gaussian noise of one size is the same thing read from either "
            "side. Change the noise, the cause or the line, and a direction appears."
        )
    if settings["rounding"] >= 0.3:
        return (
            "The columns have a few distinct values each. Their stripes show in the residuals of both directions, and "
            "λ falls with the number of values; where values repeat in both columns, the regression error of the "
            "values as they stand takes the place of what a finer scale would show."
        )
    if settings["hidden"]:
        return "Slide the hidden cause down to nothing and watch when x → y begins to fit."
    if settings["bend"]:
        return (
            "The effect was bent after the noise came in, so f + g · noise is no longer exactly true of it; a strong "
            "bend makes the true direction fail its test as well."
        )
    if straight:
        return "On a straight line only the shape of the noise and of the cause tell the direction."
    return "Compare the two lower panels: in one the band stays level and even, in the other it bends or swells."
