"""The pairs of the tour: their stories are true of their rows."""

import numpy as np
import pytest

import causewise
from causewise.examples import load_cars, load_tumours, make_dose_response

EXAMPLES = [make_dose_response(), load_cars(), load_tumours()]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_the_story_counts_the_rows_and_the_truth_is_a_column(example):
    assert example.story.startswith(f"{example.pair.n} ")
    assert example.truth in (None, example.pair.x_name, example.pair.y_name)


def test_they_show_what_they_were_picked_for():
    for example in EXAMPLES:
        assert causewise.infer(example.pair).cause == example.truth


def test_large_engines_are_quick_and_area_grows_as_the_square_of_the_radius():
    assert np.corrcoef(load_cars().pair.x, load_cars().pair.y)[0, 1] < -0.5
    radius, area = load_tumours().pair.x, load_tumours().pair.y
    assert abs(np.polyfit(np.log(radius), np.log(area), 1)[0] - 2) < 0.05
