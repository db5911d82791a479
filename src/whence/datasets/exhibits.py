"""Two pairs that every installation has, with their stories: one generated, one measured."""

from dataclasses import dataclass

import numpy as np

from whence.pair import Pair
from whence.ranges import SEEDS, between


@dataclass(frozen=True)
class Exhibit:
    """One pair of the tour."""

    stem: str
    title: str
    story: str
    pair: Pair
    truth: str
    """Name of the accepted cause."""
    lesson: str
    """What a wrong verdict on this pair teaches."""


def generated(seed: int) -> Exhibit:
    """Location-scale noise: curved mean, and noise whose size changes with the cause."""
    between("", *SEEDS, seed=seed)
    rng = np.random.default_rng(seed)
    dose = rng.uniform(-2, 2, size=500)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)
    story = "500 rows made by response = sin(2·dose) + (0.1 + 0.2·|dose|)·noise, so dose is the cause."
    lesson = "A method can be wrong on data that fit its assumptions; more rows make that rarer."
    return Exhibit(
        "generated",
        "A generated pair",
        story,
        Pair.of(dose, response, x_name="dose", y_name="response"),
        "dose",
        lesson,
    )


def measured() -> Exhibit:
    """Age and blood pressure of 442 patients, from the table inside scikit-learn."""
    # A real table that every installation has: it comes with scikit-learn, and no network is needed.
    from sklearn.datasets import load_diabetes

    patients = load_diabetes(scaled=False)
    age, pressure = (patients.data[:, patients.feature_names.index(name)] for name in ("age", "bp"))
    story = (
        "442 diabetes patients (Efron et al. 2004, inside scikit-learn). Years can raise blood pressure, and blood "
        "pressure cannot turn back the years: the accepted cause is age."
    )
    lesson = (
        "One real pair is a hint, not a proof: patients are not a random sample, weight and treatment act on blood "
        "pressure too, and age comes in whole years. What you know about a table outweighs any verdict."
    )
    pair = Pair.of(age, pressure, x_name="age", y_name="blood pressure")
    return Exhibit("patients", "A real table", story, pair, "age", lesson)
