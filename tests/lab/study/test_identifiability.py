"""On data from models that fit both ways no LOCI variant knows the direction, and the verdict says so."""

import numpy as np
import pytest

from causewise.lab.study import identifiability
from causewise.lab.study.running import Scale


def verdicts(family, pairs, n):
    cells = ({"part": "chance", "fit": "spline", "models": family, "n": n, "seed": seed} for seed in range(pairs))
    return [row for cell in cells for row in identifiability.measure(cell)]


@pytest.mark.parametrize("family", ["linear", "rational"])
def test_the_verdict_says_that_both_directions_fit(family):
    rows = verdicts(family, 15, 300)
    assert np.mean([row["both_fit"] for row in rows]) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize("family", ["linear", "rational"])
@pytest.mark.parametrize("variant", ["loci-m", "loci-h"])
def test_every_variant_is_at_chance(family, variant):
    rows = [row for row in verdicts(family, 400, 500) if row["variant"] == variant]
    assert abs(np.mean([row["right"] for row in rows]) - 0.5) < 3 * 0.5 / np.sqrt(400)
    assert np.mean([row["both_fit"] for row in rows]) > 0.9


def test_network_cells_cover_both_families_and_both_paths():
    cells = [cell for cell in identifiability.cells(Scale(networks=True)) if cell.get("fit") == "network"]
    assert sum(len(cell["seeds"]) for cell in cells if cell["part"] == "chance") == 400
    assert {cell["models"] for cell in cells} == {"linear", "rational", "bend", "temper"}
