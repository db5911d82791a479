"""Tables to try, each made anew as the bytes of a file, so that it goes through the same door as any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from causewise.datasets.exhibits import generated
from causewise.pair import FloatArray
from causewise.safe import csv_text


@dataclass(frozen=True)
class Example:
    """A table with its story."""

    title: str
    story: str
    make: Callable[[], bytes]


def dose() -> bytes:
    """The generated pair of `causewise demo`."""
    pair = generated(0).pair
    return _csv({pair.x_name: pair.x, pair.y_name: pair.y})


def patients() -> bytes:
    """All columns of the table whose age and blood pressure `causewise demo` looks at."""
    from sklearn.datasets import load_diabetes

    table = load_diabetes(scaled=False)
    names = ["age", "sex", "body mass index", "blood pressure", "total cholesterol", "low-density lipoproteins"]
    names += ["high-density lipoproteins", "cholesterol ratio", "log of triglycerides", "blood sugar"]
    columns = dict(zip(names, table.data.T, strict=True))
    return _csv(columns | {"progression after a year": table.target})


def valley(rows: int = 600, seed: int = 1) -> bytes:
    """Weather stations: semicolons, decimal commas, names, gaps, a column that never varies, known arrows."""
    rng = np.random.default_rng(seed)
    altitude = rng.uniform(200, 2600, rows)
    height = (altitude - 1400) / 1200
    temperature = 14 - 7 * height - 4 * height**2 + (0.3 + 1.6 * np.abs(height)) * rng.normal(size=rows)
    rain = rng.gamma(3, 30, rows)
    warmth = (temperature - temperature.mean()) / temperature.std()
    growth = 40 + 12 * np.sin(1.8 * warmth) + (0.5 + 2 * np.abs(warmth)) * rng.normal(size=rows)
    columns = {"altitude": altitude, "temperature": temperature, "rain": rain, "growth": growth}
    cells = {name: [_comma(value) for value in column] for name, column in columns.items()}
    for k in rng.choice(rows, 9, replace=False):
        cells["rain"][k] = "NA"
    cells |= {"noise": [_comma(value) for value in rng.normal(size=rows)], "sensor": ["3"] * rows}
    lines = zip(*([f"station {k}" for k in range(1, rows + 1)], *cells.values()), strict=True)
    return "\n".join([";".join(("station", *cells)), *map(";".join, lines)]).encode()


def invisible(rows: int = 500, seed: int = 2) -> bytes:
    """A line with Gaussian noise: both directions fit equally well, whatever the truth is."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=rows)
    return _csv({"a": first, "b": 0.8 * first + 0.6 * rng.normal(size=rows)})


EXAMPLES: Mapping[str, Example] = {
    "dose": Example("Dose and response", "A generated pair: the noise grows with the dose.", dose),
    "patients": Example("442 patients", "Measured: age, blood pressure and nine more (Efron et al. 2004).", patients),
    "valley": Example("Weather in a valley", "Generated: a table with text, gaps and decimal commas.", valley),
    "invisible": Example("An invisible direction", "Generated: a line with Gaussian noise tells nobody.", invisible),
}


def _csv(columns: Mapping[str, FloatArray]) -> bytes:
    rows = zip(*(column.round(4).tolist() for column in columns.values()), strict=True)
    return csv_text([list(columns), *rows]).encode()


def _comma(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")
