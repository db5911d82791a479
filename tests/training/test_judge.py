"""What is judged is what `infer` tells."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from training.fit import weights
from training.judge import Judged, judged
from training.sets import Case
from whence.combined.constants import WEIGHT
from whence.decision import Direction
from whence.inference import infer
from whence.pair import Pair


def cases() -> dict[str, Case]:
    """A clear relation, the same with a heap or rounded in part, a noisy one, and none."""
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(-2, 2, 600), rng.normal(size=600)
    clear = np.sin(2 * x) + (0.1 + 0.2 * np.abs(x)) * noise
    drawn = {
        "clear": clear,
        "heaped": np.where(clear < 0, 0.0, clear),
        "rounded in part": np.where(rng.random(600) < 0.7, np.round(clear), clear),
        "noisy": x + 3 * noise,
        "unrelated": noise,
    }
    return {name: Case(x, y, 1, 1.0, name) for name, y in drawn.items()}


@pytest.fixture(scope="module")
def found() -> Judged:
    with np.errstate(all="ignore"):
        columns = zip(*map(judged, cases().values()), strict=True)
    return Judged(*map(np.array, columns))


def test_answers_and_scores_are_those_of_infer(found: Judged) -> None:
    for k, case in enumerate(cases().values()):
        told = infer(Pair.of(case.x, case.y))
        assert found.withheld[k] == (told.direction is Direction.UNDECIDED), case.family
        assert found.unrelated[k] == told.unrelated
        assert found.told[k] == pytest.approx(told.score)
        assert found.confidence[k] == pytest.approx(told.confidence)


def test_heaps_and_no_relation_stop_an_answer_at_any_threshold(found: Judged) -> None:
    assert dict(zip(found.family, found.stopped, strict=True)) == {
        "clear": False,
        "heaped": False,
        "rounded in part": True,
        "noisy": False,
        "unrelated": True,
    }


def test_the_weights_come_back_from_what_they_rest_on(found: Judged) -> None:
    np.testing.assert_allclose(weights(found, WEIGHT), found.weight, rtol=1e-12)
