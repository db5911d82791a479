"""The forecast: what was timed counts as timed, what was not as measured elsewhere, and what is neither is owned up."""

from collections import Counter

import made_up
import pytest

from causewise.catalogue import cost
from causewise.formatting import duration
from causewise.lab.benchmark.runner import Forecast


def seconds(method: str) -> float:
    measured = cost(method)
    assert measured is not None
    return measured.seconds


def test_methods_not_yet_timed_count_as_measured_at_the_pace_of_this_machine() -> None:
    forecast = Forecast(Counter({"loci-h": 10, "cgnn:published=true": 3}))
    assert forecast.words() == f"about {duration(3 * seconds('cgnn') + 10 * seconds('loci-h'))}"
    for row in made_up.rows(sets=("AN",), methods=("loci-h",), pairs=10):
        forecast.learn([row])
    slower = sum(forecast.spent.values()) / 9 / seconds("loci-h")
    assert forecast.words() == f"about {duration(3 * slower * seconds('cgnn'))}"


def test_earlier_runs_count_before_measured_costs_and_cores_share_the_work() -> None:
    assert Forecast(Counter({"cgnn": 4}), jobs=2, known={"cgnn": 5.0}).words() == "about 10 s"


def test_a_method_of_unknown_cost_is_no_part_of_the_forecast_which_says_so() -> None:
    forecast = Forecast(Counter({"mine": 5, "other": 2}))
    assert forecast.words() is None
    forecast.known = {"other": 20.0}
    assert forecast.words() == "at least 40 s"
    forecast.known = {"other": 20.0, "mine": 1.0}
    assert forecast.words() == "about 45 s"


@pytest.mark.parametrize("method", ["loci-h", "mine"])
def test_work_that_is_done_costs_nothing_more(method: str) -> None:
    forecast = Forecast(Counter({method: 4}))
    forecast.learn(made_up.rows(sets=("AN",), methods=(method,), pairs=4))
    assert forecast.words() == "about 1 s"
