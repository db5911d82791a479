"""A table that every command can be tried on."""

from pathlib import Path

import numpy as np
import pytest
from trial import N


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, size=N)
    response = dose**2 + 0.3 * dose + (0.2 + 0.2 * np.abs(dose)) * rng.normal(size=N)
    path = tmp_path_factory.mktemp("tables") / "trial.csv"
    rows = np.column_stack([dose, response, rng.normal(size=N)])
    np.savetxt(path, rows, delimiter=",", header="dose,response,weight", comments="", fmt="%.17g")
    return path
