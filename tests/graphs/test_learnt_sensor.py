"""Columns seen through a sensor that normal scores do not undo: a spline of these is learnt beside the sum."""

import numpy as np
import pytest

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import search_graph
from causewise.graphs.row_parts import Draws, Whole
from causewise.graphs.structural_model import _World, build_model
from causewise.pair import standardise


def draw(seed=0, n=800):
    """A sum of two peaks behind a sensor that saturates, its noise inside; and a column behind that."""
    rng = np.random.default_rng(seed)
    a = standardise(rng.normal(size=n) + rng.choice([-2.0, 2.0], n))
    b = rng.normal(size=n)
    inner = a + 0.6 * b + 0.3 * rng.normal(size=n)
    c = inner / (1 + np.abs(inner))
    return np.array([a, b, c, np.sin(3 * c) + 0.4 * rng.normal(size=n)])


@pytest.fixture(scope="module")
def found():
    return search_graph(draw(), Constraints.none(4), 0.001)


def test_a_sensor_is_learnt_where_it_is_better(found):
    assert found.graph.arrows == {(0, 2), (1, 2), (2, 3)}
    fits = dict(zip(found.graph.order, found.graph.fits, strict=True))
    assert fits[2].sensor is not None
    assert fits[2].sensor.is_learnt
    assert fits[0].sensor is fits[1].sensor is fits[3].sensor is None
    assert 2 in found.guide.wider["sensor"]


def test_the_equation_gives_the_column_back(found):
    columns = draw()
    model = build_model(columns, found)
    world = _World(model)
    for column, values in enumerate(columns):
        world.assign(column, values)
    noise = model.equations[2].invert(world.block_of(2), world.values[2])
    fit = found.graph.fits[found.graph.order.index(2)]
    # The sensor is kept at some of the rows, with straight lines between.
    assert np.corrcoef(noise, fit.residual)[0, 1] > 0.999
    np.testing.assert_allclose(model.equations[2].apply(world.block_of(2), noise), world.values[2], atol=1e-6)


def test_parts_learn_it_anew(found):
    part = Draws(draw(), Constraints.none(4), 0.001, seed=0).find(0, Whole(sorted(found.graph.arrows), found.guide))
    assert part.arrows == found.graph.arrows
    assert all(lean > 0 for lean in part.leans.values())
