"""What is evaluated is what `infer` answers."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from causewise.decision import Direction
from causewise.inference import infer
from causewise.pair import Pair
from training.evaluate import Evaluation, evaluate
from training.recorded import Case


def cases() -> dict[str, Case]:
    """A clear relation, a rounded one, one rounded in part, a noisy one, and none."""
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(-2, 2, 600), rng.normal(size=600)
    clear = np.sin(2 * x) + (0.1 + 0.2 * np.abs(x)) * noise
    drawn = {
        "clear": clear,
        "rounded": np.round(clear, 1),
        "rounded in part": np.where(rng.random(600) < 0.7, np.round(clear), clear),
        "noisy": x + 3 * noise,
        "unrelated": noise,
    }
    return {name: Case(x, y, 1, 1.0, name) for name, y in drawn.items()}


@pytest.fixture(scope="module")
def found() -> Evaluation:
    with np.errstate(all="ignore"):
        columns = zip(*map(evaluate, cases().values()), strict=True)
    return Evaluation(*map(np.array, columns))


@pytest.mark.parametrize("direct", [False, True])
def test_answers_and_confidences_are_those_of_infer(found: Evaluation, direct: bool) -> None:
    for k, case in enumerate(cases().values()):
        told = infer(Pair.of(case.x, case.y), direct=direct)
        assert found.answered(direct)[k] == (told.direction is not Direction.UNDECIDED), case.family
        assert found.unrelated[k] == told.unrelated
        assert found.confidence(direct)[k] == pytest.approx(told.confidence or 0.0)


def test_no_relation_stops_an_answer_at_any_threshold(found: Evaluation) -> None:
    stopped = dict(zip(found.family, found.stopped, strict=True))
    assert stopped["unrelated"] and not stopped["clear"] and not stopped["rounded"]


def test_the_score_is_that_of_the_terms(found: Evaluation) -> None:
    clear = found.family == "clear"
    assert found.score[clear] == pytest.approx(found.told[clear])
