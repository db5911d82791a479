"""The search: swaps add up to totals, hard constraints hold, and subsets tell whether the best was found."""

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import world

from causewise.graphs.direction import direction_probability
from causewise.graphs.graph_columns import Constraints
from causewise.graphs.mechanisms import MANY, Mechanisms
from causewise.graphs.order_search import Likelihoods, Search, to_bits
from causewise.knowledge.background import Knowledge
from causewise.pair import standardise
from causewise.parallel import one_thread

NAMES = ["a", "b", "c", "d", "e"]
ALL = [0b11111] * 5
"""Every column may be a parent of every other."""


def searched(columns: int, seed: int, n: int = 300) -> tuple[Likelihoods, Search]:
    lines, _ = world(columns, n, seed)
    nothing = Constraints.none(columns)
    likelihoods = Likelihoods(Mechanisms(list(lines), 1e-3), nothing)
    return likelihoods, Search(likelihoods, nothing, n, likelihoods.candidates)


def best_of_all(likelihoods: Likelihoods, columns: int) -> float:
    """The total of the best order, over all subsets (Silander and Myllymäki 2006)."""

    @cache
    def best(some: frozenset[int]) -> float:
        return max((best(some - {last}) + likelihoods(last, to_bits(some - {last})) for last in some), default=0.0)

    return best(frozenset(range(columns)))


def test_no_order_is_better_on_most_small_tables():
    gaps = []
    with one_thread():
        for seed in range(8):
            likelihoods, search = searched(5, seed)
            gaps.append(best_of_all(likelihoods, 5) - search.total(search.best()))
    assert min(gaps) > -1e-9
    assert sum(gap < 1e-9 for gap in gaps) >= 6
    assert max(gaps) < 0.05


def test_swaps_add_up_to_the_difference_of_totals():
    _, search = searched(4, 0)
    order = [0, 1, 2, 3]
    for low in (0, 1, 2, 0):
        swapped = [*order[:low], order[low + 1], order[low], *order[low + 2 :]]
        assert search.total(swapped) - search.total(order) == pytest.approx(
            search.swap_gain(to_bits(order[:low]), *order[low : low + 2]), abs=1e-12
        )
        order = swapped


def test_a_fit_answers_for_every_set_that_it_can_and_more_columns_are_never_worse():
    lines, _ = world(5, 300, 7)
    for column in range(5):
        others = [k for k in range(5) if k != column]
        shared = Likelihoods(Mechanisms(list(lines), 1e-3), Constraints.none(5))
        sets = [to_bits(some) for size in (4, 3, 2, 1, 0) for some in combinations(others, size)]
        for some in sets:
            fresh = Likelihoods(Mechanisms(list(lines), 1e-3), Constraints.none(5))
            assert shared(column, some) >= fresh(column, some)
            assert to_bits(shared.fit_once(column, some).parents) & ~some == 0
        known = {some: shared(column, some) for some in sets}
        assert all(known[some] <= known[some | 1 << other] for some in sets for other in others)


edges = st.lists(st.sampled_from([*combinations(range(5), 2)]), max_size=6)


@settings(deadline=None, max_examples=30)
@given(edges, st.permutations(range(5)), st.integers(0, 2**32 - 1))
def test_hard_constraints_hold_whatever_the_likelihood(before, names, seed):
    """Likelihoods are noise here."""
    hard = [[NAMES[names[i]], NAMES[names[j]]] for i, j in before]
    constraints = Constraints.of(Knowledge.of({"before": hard}, NAMES), NAMES)
    values: dict[tuple[int, int], float] = {}
    rng = np.random.default_rng(seed)

    def noise(column, earlier):
        return values.setdefault((column, earlier), float(rng.normal()))

    order = Search(noise, constraints, 100, ALL).best()
    assert sorted(order) == list(range(5))
    found = [NAMES[k] for k in order]
    assert all(found.index(first) < found.index(second) for first, second in hard)


def test_log_odds_decide_where_the_rows_do_not():
    for first, second in pairwise(NAMES):
        soft = {"soft": [[second, first, {"likely": 0.6}]]}
        order = Search(lambda column, earlier: 0.0, Constraints.of(Knowledge.of(soft, NAMES), NAMES), 100, ALL).best()
        assert order.index(NAMES.index(second)) < order.index(NAMES.index(first))


def noise_search(columns: int) -> tuple[float, float]:
    """Of columns that are all alone: candidates a column, and fits a column until an order is found."""
    lines = np.random.default_rng(0).normal(size=(columns, 120))
    nothing = Constraints.none(columns)
    with one_thread():
        likelihoods = Likelihoods(Mechanisms(list(lines), 1e-3), nothing)
        Search(likelihoods, nothing, 120, likelihoods.candidates).best()
    candidates = sum(map(int.bit_count, likelihoods.candidates))
    return candidates / columns, sum(map(len, likelihoods._cache)) / columns


def test_many_columns_cost_each_of_them_no_more_fits():
    few, many = noise_search(MANY), noise_search(2 * MANY)
    assert few[0] > 1  # chance lets some in
    assert np.all(np.array(many) < 1.3 * np.array(few))


@given(leans=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=12))
def test_evidence_turned_round_turns_the_probability_round(leans):
    there, back = direction_probability(30.0, leans), direction_probability(30.0, [-lean for lean in leans])
    assert there + back == pytest.approx(1.0)
    assert direction_probability(np.inf, leans) == 1.0
    assert abs(direction_probability(1.0, leans) - 0.5) <= abs(there - 0.5)
    assert direction_probability(0.0, leans) == 0.5
    assert (there > 0.5 + 1e-12) <= (np.mean(np.sign(leans) * np.log1p(np.abs(leans))) > 0)


def test_a_column_whose_natural_parameters_need_no_parent_has_another_mechanism():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        noise = rng.standard_t(2, size=(3, 120))
        mechanisms = Mechanisms([standardise(column) for column in noise], 0.5)
        for column in range(3):
            found = mechanisms.choose(column, [k for k in range(3) if k != column])
            assert mechanisms.prune(column, found).parents <= found.parents
