"""The caches keep their bounds, and a job that nobody waits for is stopped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.serving.limits import RequestError
from causewise.web.jobs import Cache


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40))
def test_a_cache_keeps_its_bounds_and_the_newest(sizes: list[int]) -> None:
    cache: Cache[int] = Cache("thing", most=5, most_bytes=100)
    for size in sizes:
        name = cache.put(size, size)
        assert cache.get(name) == size
        assert len(cache) <= 5
    entries = [size for size, _ in cache._entries.values()]
    assert sum(entries) <= 100 or len(entries) == 1
    with pytest.raises(RequestError, match="There is no thing"):
        cache.get("x")


def test_what_was_used_longest_ago_makes_room() -> None:
    cache: Cache[str] = Cache("text", most=2, most_bytes=100)
    first, second = cache.put("a", 1), cache.put("b", 1)
    cache.get(first)
    cache.put("c", 1)
    assert (first in cache, second in cache) == (True, False)
