"""Which way a column counts up is a convention: with either column negated a method must answer as before."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.catalogue import CATALOGUE
from causewise.decision import Decision
from causewise.methods.baselines.qccd import comes_first
from causewise.numerics import kernel
from causewise.numerics.hsic import kernel_column
from causewise.numerics.kernel import BLOCK, choose_pivots, weighted_nodes
from causewise.numerics.ranked import mid_ranks
from causewise.pair import Pair
from test_every_method import built
from test_method_pages import FOLDER

RANDOM_START = "training starts from a random network, which is not its own mirror image and is the published one"
CANNOT = dict.fromkeys(("nn-loci-h", "nn-loci-m", "nn-anm-h", "nn-anm-m", "roche"), RANDOM_START) | {
    "cgnn": "starts, noise and batches are drawn at random",
    "heci": "as published, bins are filled from the smallest value upwards and one too thin is joined to the next",
    "slope": "as published, the shapes of a function are counted from the smallest value: u², eᵘ and 1/u bend one way",
    "grci": "as published, the ridge lies on value and slope at the smallest cause; a row alone in its cell feels it",
}
"""Methods whose score may change, and why; their pages say so."""
MUST = [entry.name for entry in CATALOGUE if entry.name not in CANNOT]
REFLECTIONS = ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))


def samples() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, BLOCK + 53))
    even, odd, grid = slice(300), slice(301), np.linspace(-2, 2, 250)
    cauchy, heavy = rng.standard_cauchy(size=(2, 251))
    return {
        "even": (x[even], np.tanh(2 * x[even]) + (0.2 + 0.2 * np.abs(x[even])) * noise[even]),
        "odd": (x[odd], np.exp(0.5 * x[odd]) + 0.4 * noise[odd]),
        "tied": (np.round(2 * x[even]), np.round(2 * np.sin(x[even]) + noise[even], 1)),
        "both tied": (np.round(2 * x[odd]) / 2, np.round(2 * x[odd] + noise[odd])),
        "few values": (np.round(grid[::2]), np.round(np.tanh(grid[::2]) + 0.4 * noise[:125])),
        "symmetric": (grid, np.tanh(2 * grid) + 0.3 * noise[:250]),
        "a line": (x[even], x[even] + 1e-6 * noise[even]),
        "heavy-tailed": (cauchy, np.cbrt(cauchy) + heavy),
        "tiny": (x[:14], x[:14] ** 2 + 0.3 * noise[:14]),
        "long": (x, np.tanh(x) + (0.2 + 0.2 * np.abs(x)) * noise),
    }


SAMPLES = samples()


def differences_of(name: str, *chosen: str) -> dict[str, float]:
    """How far the score of each sample is from those of its three reflections; all in one call."""
    columns = [(a * SAMPLES[sample][0], b * SAMPLES[sample][1]) for sample in chosen for a, b in REFLECTIONS]
    found = built(name).decide_many([Pair.of(x, y) for x, y in columns])
    return {sample: differences(*found[4 * k : 4 * k + 4]) for k, sample in enumerate(chosen)}


def differences(plain: Decision, *reflected: Decision) -> float:
    """The largest difference from the first score, beside 1 + its size; refusals must agree in words."""
    if plain.failed:
        return 0.0 if {plain.reason} == {other.reason for other in reflected} else math.inf
    return max(math.inf if o.failed else abs(o.score - plain.score) for o in reflected) / (1.0 + abs(plain.score))


@pytest.mark.parametrize("name", MUST)
def test_negated_columns_change_nothing(name: str) -> None:
    found = differences_of(name, *SAMPLES)
    assert {sample: difference for sample, difference in found.items() if not difference < 1e-9} == {}


@pytest.mark.parametrize("name", CANNOT)
def test_where_the_score_may_change_it_does_and_the_page_says_so(name: str) -> None:
    assert differences_of(name, "heavy-tailed")["heavy-tailed"] > 1e-9
    assert "Negating a column can change the score" in " ".join(page_of(name).read_text(encoding="utf-8").split())


def page_of(name: str) -> Path:
    (page,) = (page for page in FOLDER.glob("*.md") if f"`{name}`" in page.read_text(encoding="utf-8").splitlines()[0])
    return page


@pytest.mark.parametrize("sample", ["odd", "tied", "heavy-tailed", "long"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-11])
def test_the_pivots_of_a_kernel_are_reflected(sample: str, tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "TOLERANCE", tolerance)
    x, y = SAMPLES[sample]
    for column in (x, y):
        plain, reflected = (choose_pivots(c, 0.5) for c in (column, np.ascontiguousarray(-column[::-1])))
        np.testing.assert_allclose(plain.points, -reflected.points, rtol=0, atol=1e-9)


@pytest.mark.parametrize("sample", SAMPLES)
def test_nodes_and_their_weights_are_reflected(sample: str) -> None:
    for column in SAMPLES[sample]:
        (points, weights), (turned, again) = (weighted_nodes(np.sort(each), 0.25) for each in (column, -column))
        np.testing.assert_allclose(points, -turned[::-1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(weights, again[::-1], rtol=0, atol=1e-8)


def test_distances_that_rounding_makes_set_no_bandwidth() -> None:
    """Residuals of rows fitted exactly differ by rounding, which a reflection changes."""
    rng = np.random.default_rng(1)
    column = np.repeat([0.0, 0.0, 0.0, 1.0, 2.5], 30)
    rounded = column + 1e-15 * rng.normal(size=len(column))
    assert kernel_column(rounded).pivots.bandwidth == pytest.approx(kernel_column(column).pivots.bandwidth)


@given(st.permutations(range(1, 12)))
def test_which_column_comes_first_does_not_depend_on_their_signs(ranks: list[int]) -> None:
    a, b = np.arange(1.0, 12.0), np.array(ranks, float)
    u, v = a - 6, b - 6
    if abs(np.sum(u * u * v)) != abs(np.sum(u * v * v)) or abs(np.sum(u**3 * v)) != abs(np.sum(u * v**3)):
        assert len({comes_first(mid_ranks(s * a), mid_ranks(t * b)) for s, t in REFLECTIONS}) == 1
