"""The pairs of the tour: their stories are true of their rows."""

import numpy as np
import pytest

import causewise
from causewise.examples import cars, generated, tumours


@pytest.mark.parametrize("exhibit", [generated(), cars(), tumours()], ids=lambda exhibit: exhibit.stem)
def test_the_story_counts_the_rows_and_the_truth_is_a_column(exhibit):
    assert exhibit.story.startswith(f"{exhibit.pair.n} ")
    assert exhibit.truth in (None, exhibit.pair.x_name, exhibit.pair.y_name)


def test_they_show_what_they_were_picked_for():
    for exhibit in (generated(), cars(), tumours()):
        pair = exhibit.pair
        table = {pair.x_name: pair.x, pair.y_name: pair.y}
        assert causewise.infer(table, pair.x_name, pair.y_name).cause == exhibit.truth


def test_large_engines_are_quick_and_area_grows_as_the_square_of_the_radius():
    assert np.corrcoef(cars().pair.x, cars().pair.y)[0, 1] < -0.5
    radius, area = tumours().pair.x, tumours().pair.y
    assert abs(np.polyfit(np.log(radius), np.log(area), 1)[0] - 2) < 0.05
