"""The lessons: presets show what they promise, settings are bounded, words fit what is drawn."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.web.teaching import CONTROLS, PRESETS, Choice, Lesson, Slider, asdict, teach


def numbers_in(record: Any) -> list[float]:
    if isinstance(record, dict | list):
        return [v for each in (record.values() if isinstance(record, dict) else record) for v in numbers_in(each)]
    return [record] if isinstance(record, float) else []


def teach_preset(name: str, seed: int) -> dict[str, Any]:
    return teach(Lesson(**{**asdict(PRESETS[name][1]), "seed": seed}))


def titles(lesson: dict[str, Any]) -> set[str]:
    return {each["title"] for each in lesson["words"]}


@pytest.mark.parametrize("seed", range(3))
def test_presets_show_what_they_promise(seed: int) -> None:
    clear, line, hidden = (
        teach_preset(name, seed) for name in ("identifiable", "linear and Gaussian", "hidden common cause")
    )
    assert clear["pair"]["verdict"] == "x → y"
    assert [side["fits"] for side in clear["pair"]["sides"]] == [True, False]
    assert (line["pair"]["outcomes"], line["pair"]["sum"]) == (None, None)
    assert "Does it fit?" in titles(clear) & titles(hidden) - titles(line)
    assert [side["fits"] for side in hidden["pair"]["sides"]] == [False, False]
    assert "What “undecided” means" in titles(line) & titles(hidden) - titles(clear)


def test_rounding_leaves_few_values() -> None:
    rows = Lesson(rounding=1.0).draw()
    assert max(len(np.unique(column)) for column in (rows.x, rows.y)) < 12


def test_a_bend_keeps_the_order_of_the_effect() -> None:
    plain, bent = Lesson(bend=0.0).draw(), Lesson(bend=0.8).draw()
    assert np.array_equal(np.argsort(plain.y), np.argsort(bent.y))
    assert np.mean((bent.y - bent.y.mean()) ** 3) > 0


def any_setting(control: Choice | Slider) -> st.SearchStrategy[Any]:
    if isinstance(control, Choice):
        return st.sampled_from(control.words)
    return st.floats(control.low, min(control.high, 300))


@settings(max_examples=25, deadline=None)
@given(st.fixed_dictionaries({name: any_setting(control) for name, control in CONTROLS.items()}))
def test_every_setting_in_range_gives_finite_numbers(chosen: dict[str, Any]) -> None:
    lesson = teach(Lesson(**chosen))
    assert json.loads(json.dumps(lesson, allow_nan=False))["settings"] == chosen
    assert all(map(math.isfinite, numbers_in(lesson)))
    assert {"What is true here", "What causewise says"} <= titles(lesson)


@pytest.mark.parametrize(
    "wrong", [{"n": 10**9}, {"n": math.nan}, {"f": "spiral"}, {"f": 3.0}, {"amount": 0.0}, {"seed": "x"}]
)
def test_a_setting_out_of_range_is_one_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^Got .* for a lesson; expected .*\.$"):
        Lesson(**wrong)


def test_the_same_settings_give_the_same_lesson() -> None:
    assert teach(Lesson(seed=7)) == teach(Lesson(seed=7)) != teach(Lesson(seed=8))
