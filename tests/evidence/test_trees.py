"""The exported trees against scikit-learn's own prediction, and their antisymmetry."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from whence.evidence.fitting import fit, mirrored
from whence.evidence.training import Labelled
from whence.evidence.trees import exported, one_sided


def _labelled(pairs: int = 300) -> Labelled:
    rng = np.random.default_rng(0)
    costs, context = rng.normal(size=(pairs, 2, 3)), rng.normal(size=(pairs, 2))
    truth = np.where(costs[:, 1, 0] - costs[:, 0, 0] + 0.3 * rng.normal(size=pairs) > 0, 1, -1)
    return Labelled(costs, context, truth)


def test_exported_trees_give_scikit_learns_decision() -> None:
    rows, labels = mirrored(_labelled())
    boosted = HistGradientBoostingClassifier(max_iter=20, early_stopping=False).fit(rows, labels)
    ours = [one_sided(exported(boosted), row[:3], row[3:]) for row in rows[:50]]
    theirs = boosted.decision_function(rows[:50])
    assert np.ptp(np.array(ours) - theirs) == pytest.approx(0.0, abs=1e-9)  # the base rate is left out


def test_the_combination_finds_the_reading_that_matters() -> None:
    labelled = _labelled()
    trees = fit(labelled, {"max_iter": 30})
    differences = labelled.costs[:, 1] - labelled.costs[:, 0]
    odds = [
        one_sided(trees, d, c) - one_sided(trees, -d, c) for d, c in zip(differences, labelled.context, strict=True)
    ]
    assert np.mean(np.sign(odds) == labelled.truth) > 0.9


def test_a_silenced_reading_is_not_used() -> None:
    trees = fit(_labelled(), {"max_iter": 10}, silent=(0,))
    assert 0 not in trees.feature
