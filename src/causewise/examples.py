"""Example pairs of the tour, one generated, one recorded and answered, one recorded without a direction; and tables.

The recorded ones are picked for what they show and are no measure of anything. `python benchmarks/examples.py` prints
what they were picked from. Of the 574 pairs of the tables inside scikit-learn, hardly one of which has an agreed
direction, nine are answered: lengths of iris flowers whose common cause is the species, and measures of one outline.
Hence the cars, which lie beside this file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from causewise.errors import SEEDS, between
from causewise.formatting import csv_text
from causewise.pair import FloatArray, Pair


@dataclass(frozen=True)
class ExamplePair:
    """A pair with its accepted cause."""

    stem: str
    """Name of its files."""
    title: str
    story: str
    """Where the rows come from, and what causes what."""
    pair: Pair
    truth: str | None
    """Name of the accepted cause; None where neither causes the other."""
    lesson: str
    """What the pair teaches, whatever the verdict."""


def make_dose_response(seed: int = 0) -> ExamplePair:
    """Location-scale noise: curved mean, and noise whose size changes with the cause."""
    between("", *SEEDS, seed=seed)
    rng = np.random.default_rng(seed)
    dose = rng.uniform(-2, 2, size=500)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)
    return ExamplePair(
        "generated",
        "A generated pair",
        "500 rows made by response = sin(2·dose) + (0.1 + 0.2·|dose|)·noise, so dose is the cause.",
        Pair.of(dose, response, x_name="dose", y_name="response"),
        "dose",
        "The noise was drawn independently of the dose; looked at the other way round, it depends on the response. A "
        "method can still be wrong on data that fit its assumptions; more rows make that rarer.",
    )


def load_cars() -> ExamplePair:
    """Engine size and seconds to 60 mph of 406 cars.

    Collected by Donoho and Ramos for the 1983 Data Exposition of the American Statistical Association, and public
    since at StatLib; the columns are those of the `cars` table that vega_datasets distributes under the MIT licence.
    """
    lines = files("causewise").joinpath("cars.csv").read_text().splitlines()
    size, seconds = np.loadtxt(lines[1:], delimiter=",").T
    return ExamplePair(
        "cars",
        "Recorded cars",
        "406 cars of 1970 to 1982 (Donoho and Ramos 1982): engine size in cubic inches and the seconds from rest to 60 "
        "miles an hour. The engine makes the car quick, and no stopwatch makes the engine: the cause is the engine.",
        Pair.of(size, seconds, x_name="engine", y_name="seconds"),
        "engine",
        "Engines are built in classes. Given its engine, a car's time scatters much the same way in every class; given "
        "its time, the engine falls into layers (lower right of the picture), which no single noise explains. Makers "
        "choose weight and gears along with the engine, and no method sees that: a modest confidence is in order.",
    )


def load_tumours() -> ExamplePair:
    """Mean radius and mean area of the cell nuclei of 569 tumours, from the table inside scikit-learn."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer()
    names = list(table.feature_names)
    radius, area = (table.data[:, names.index(name)] for name in ("mean radius", "mean area"))
    return ExamplePair(
        "tumours",
        "Recorded tumours",
        "569 breast tumours (Wolberg et al. 1995, inside scikit-learn): mean radius and mean area of the cell nuclei. "
        "Both are read off the same outlines, so neither causes the other: there is no direction to find.",
        Pair.of(radius, area, x_name="radius", y_name="area"),
        None,
        "The two are almost one curve, and a strong relation is still no direction. Where both models fail their test "
        "the two columns have something else in common, and any arrow would be made up.",
    )


@dataclass(frozen=True)
class Example:
    """A table as a CSV file."""

    title: str
    story: str
    make: Callable[[], bytes]


def make_dose() -> bytes:
    """The generated pair of `causewise demo`."""
    return _write_csv({name: column for column, name in make_dose_response().pair.columns})


def load_patients() -> bytes:
    """All columns of the table whose age and blood pressure `causewise demo` looks at."""
    from sklearn.datasets import load_diabetes

    table = load_diabetes(scaled=False)
    names = ["age", "sex", "body mass index", "blood pressure", "total cholesterol", "low-density lipoproteins"]
    names += ["high-density lipoproteins", "cholesterol ratio", "log of triglycerides", "blood sugar"]
    columns = dict(zip(names, table.data.T, strict=True))
    return _write_csv(columns | {"progression after a year": table.target})


def make_valley(rows: int = 600, seed: int = 1) -> bytes:
    """Weather stations: semicolons, decimal commas, names, gaps, a column that never varies, known arrows."""
    rng = np.random.default_rng(seed)
    altitude = rng.uniform(200, 2600, rows)
    height = (altitude - 1400) / 1200
    temperature = 14 - 7 * height - 4 * height**2 + (0.3 + 1.6 * np.abs(height)) * rng.normal(size=rows)
    rain = rng.gamma(3, 30, rows)
    warmth = (temperature - temperature.mean()) / temperature.std()
    growth = 40 + 12 * np.sin(1.8 * warmth) + (0.5 + 2 * np.abs(warmth)) * rng.normal(size=rows)
    columns = {"altitude": altitude, "temperature": temperature, "rain": rain, "growth": growth}
    cells = {name: [_format_comma(value) for value in column] for name, column in columns.items()}
    for k in rng.choice(rows, 9, replace=False):
        cells["rain"][k] = "NA"
    cells |= {"noise": [_format_comma(value) for value in rng.normal(size=rows)], "sensor": ["3"] * rows}
    lines = zip(*([f"station {k}" for k in range(1, rows + 1)], *cells.values()), strict=True)
    return "\n".join([";".join(("station", *cells)), *map(";".join, lines)]).encode()


def make_line(rows: int = 500, seed: int = 2) -> bytes:
    """A line with Gaussian noise: both directions fit equally well, whatever the truth is."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=rows)
    return _write_csv({"a": first, "b": 0.8 * first + 0.6 * rng.normal(size=rows)})


EXAMPLES: Mapping[str, Example] = {
    "dose": Example("Dose and response", "A generated pair: the noise grows with the dose.", make_dose),
    "patients": Example(
        "442 patients", "Measured: age, blood pressure and nine more (Efron et al. 2004).", load_patients
    ),
    "valley": Example("Weather in a valley", "Generated: a table with text, gaps and decimal commas.", make_valley),
    "invisible": Example("An invisible direction", "Generated: a line with Gaussian noise tells nobody.", make_line),
}


def _write_csv(columns: Mapping[str, FloatArray]) -> bytes:
    rows = zip(*(column.round(4).tolist() for column in columns.values()), strict=True)
    return csv_text([list(columns), *rows]).encode()


def _format_comma(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")
