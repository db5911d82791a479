"""The generated world and the shipped constants: thirds share nothing, pairs depend on their number only."""

from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from whence.evidence import world
from whence.evidence.channels import READINGS
from whence.evidence.fitting import fit, left_out_odds
from whence.evidence.thirds import THIRDS, families
from whence.evidence.training import Labelled, family_of, numbered, pair, third_of
from whence.pair import FloatArray


def test_the_thirds_share_no_ingredient() -> None:
    for one, two in combinations(THIRDS.values(), 2):
        for left, right in ((one.laws, two.laws), (one.functions, two.functions), (one.mechanisms, two.mechanisms)):
            assert not set(left) & set(right)
        assert not set(families(one)) & set(families(two))


@pytest.mark.parametrize("third", THIRDS)
def test_families_are_drawn_with_the_probabilities_stated(third: str) -> None:
    shares = families(THIRDS[third])
    assert sum(shares.values()) == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    drawn = [world.family(rng, THIRDS[third]) for _ in range(3000)]
    for name, share in shares.items():
        assert drawn.count(name) / 3000 == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize(("third", "name"), [(t, name) for t, made in THIRDS.items() for name in families(made)])
def test_every_family_gives_finite_columns(third: str, name: str) -> None:
    cause, effect = world.draw(np.random.default_rng(1), THIRDS[third], name)
    assert len(cause) == len(effect) and np.isfinite(cause).all() and np.isfinite(effect).all()
    assert np.std(cause) > 0 and np.std(effect) > 0


def test_a_pair_depends_on_its_number_only() -> None:
    (one, label), (again, same) = pair(7), pair(7)
    assert np.array_equal(one.x, again.x) and label == same
    assert family_of(7) in families(THIRDS[third_of(7)])


def _stored(name: str) -> FloatArray:
    with files("whence.evidence").joinpath("trees.npz").open("rb") as stored, np.load(stored) as found:
        return np.asarray(found[name])


def _assert_repeats(pairs: int) -> None:
    found = numbered(range(pairs))
    assert found.costs == pytest.approx(_stored("sample_costs")[:pairs], rel=1e-5, abs=1e-5)
    assert found.context == pytest.approx(_stored("sample_context")[:pairs], rel=1e-5, abs=1e-5)


def test_the_code_still_gives_the_first_readings_behind_the_shipped_trees() -> None:
    _assert_repeats(4)


@pytest.mark.slow
def test_the_code_still_gives_all_stored_readings_behind_the_shipped_trees() -> None:
    _assert_repeats(len(_stored("sample_costs")))


def _labelled(pairs: int, turned: bool) -> Labelled:
    """One reading that is right everywhere, and one that is wrong in third B if `turned`."""
    rng = np.random.default_rng(3)
    truth = rng.choice([-1, 1], pairs)
    sign = np.where(np.arange(pairs) % 3 == 1, -1 if turned else 1, 1)
    costs = np.zeros((pairs, 2, 2))
    costs[:, 1] = (truth[:, None] * np.stack([np.ones(pairs), 2 * sign], axis=1)) + rng.normal(size=(pairs, 2))
    return Labelled(costs, np.zeros((pairs, 1)), truth)


def test_what_turns_round_between_the_thirds_makes_the_log_odds_smaller() -> None:
    steady, turned = (_labelled(400, turned) for turned in (False, True))
    size = [np.abs(fit(each, {"max_iter": 30}).value).sum() for each in (steady, turned)]
    assert size[1] < size[0]
    right = [np.mean(left_out_odds(each, {"max_iter": 30}) * each.truth > 0) for each in (steady, turned)]
    assert right[1] < right[0]


def test_the_shipped_log_odds_never_fall_when_a_reading_rises() -> None:
    from whence.evidence.combined import two_sided

    rng = np.random.default_rng(4)
    differences, context = _stored("sample_costs")[:, 1] - _stored("sample_costs")[:, 0], _stored("sample_context")
    for d, c in zip(differences, context, strict=True):
        for k in rng.choice(len(READINGS), 4):
            raised = d.copy()
            raised[k] += abs(rng.normal(0, 2))
            forward, backward = two_sided(raised, c)
            before = two_sided(d, c)
            assert forward - backward >= before[0] - before[1] - 1e-12
