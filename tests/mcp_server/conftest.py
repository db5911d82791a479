"""A folder with tables that an assistant may have read."""

from pathlib import Path

import numpy as np
import pytest


def write_table(path: Path, **columns: np.ndarray) -> None:
    rows = np.column_stack(list(columns.values()))
    np.savetxt(path, rows, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("assistant") / "tables"
    place.mkdir()
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, size=400)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=400)
    cells = {"dose": dose, "response": response, "weight": np.tanh(response) + 0.3 * rng.uniform(-1, 1, size=400)}
    write_table(place / "trial.csv", **cells)
    line = rng.normal(size=300)
    write_table(place / "line.csv", a=line, b=line + rng.normal(size=300))
    write_table(place / "apart.csv", a=rng.normal(size=300), b=rng.normal(size=300))
    noise = rng.normal(size=(40, 2000)) + rng.normal(size=2000)
    write_table(place / "wide.csv", **{f"c{k}": values for k, values in enumerate(noise)})
    return place
