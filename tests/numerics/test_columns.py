import weakref

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.numerics.columns import ENTRY_BYTES, ColumnCache, bytes_in, once, shared_columns


def test_outside_nothing_is_remembered():
    calls = []
    for _ in range(2):
        once(lambda column: calls.append(column[0]), np.ones(3))
    assert calls == [1.0, 1.0]


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0]), max_size=30), st.integers(1, 4))
def test_the_same_bytes_are_asked_once_while_there_is_room(values, most):
    calls = []

    def doubled(column, factor):
        calls.append(column[0])
        return column * factor

    with shared_columns(ColumnCache(most * (ENTRY_BYTES + 8))):
        for value in values:
            np.testing.assert_array_equal(once(doubled, np.array([value]), 2), [2 * value])
    recent: list[bytes] = []  # the same, by a list: the last `most` asked for, the latest last
    missed = 0
    for value in values:
        key = np.array(value).tobytes()
        missed += key not in recent
        recent = [*(other for other in recent if other != key), key][-most:]
    assert len(calls) == missed


def test_arguments_and_shapes_tell_results_apart():
    with shared_columns(ColumnCache(1 << 20)):
        assert once(np.sum, np.ones(4)) == 4.0
        assert once(np.sum, np.ones((2, 2)), 0).tolist() == [2.0, 2.0]
        assert once(np.sum, np.ones((4, 1)), 0).tolist() == [4.0]


def test_not_a_bit_of_an_answer_changes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    others = [np.tanh(x) + 0.3 * rng.normal(size=300), np.round(x + rng.normal(size=300), 1), rng.normal(size=300)]
    for method in ("causewise", "loci-h", "loci-m", "ifgls-h", "anm-h"):
        alone = [causewise.infer(x, other, method=method) for other in others]
        with shared_columns(ColumnCache(1 << 30)):
            together = [causewise.infer(x, other, method=method) for other in others for _ in range(2)]
        assert together == [decision for decision in alone for _ in range(2)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 200)), max_size=40), st.integers(0, 4000))
def test_what_is_remembered_fits_in_its_room(asked, room):
    cache = ColumnCache(room)
    with shared_columns(cache):
        for value, size in asked:
            found = once(np.repeat, np.array([float(value)]), size)
            assert found.tolist() == [value] * size
            held = [entry.result for entry in cache._results.values()]
            assert sum(ENTRY_BYTES + result.nbytes for result in held) == cache._held <= room


def test_a_result_that_grows_is_weighed_anew():
    class Lazy:
        def __init__(self, column):
            self.column = column

    cache = ColumnCache(ENTRY_BYTES + 100)
    with shared_columns(cache):
        first = once(Lazy, np.ones(3))
        assert once(Lazy, np.ones(3)) is first
        first.more = (np.ones(5), np.ones(5))
        assert bytes_in(first) == 104
        assert once(Lazy, np.ones(3)) is first
        assert once(Lazy, np.ones(3)) is first  # the fourth time: found, and too large to be kept any longer
        assert once(Lazy, np.ones(3)) is not first


def test_no_column_is_kept_alive_for_its_hash():
    cache = ColumnCache(1 << 20)
    with shared_columns(cache):
        column = np.ones(1000)
        column.flags.writeable = False
        gone = weakref.ref(column)
        once(np.sum, column)
        del column
        assert gone() is None
