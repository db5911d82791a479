"""Claims: a pair is one runner's at a time, also where runners stop or die, and nobody waits for the dead."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_store import ROW

from causewise.lab.benchmark import store as stores
from causewise.lab.benchmark.store import LEASE_SECONDS, Key, Store
from causewise.worker_pool import BEAT_SECONDS

KEYS: list[Key] = [("toy", str(number), "m", 0, "h", "0") for number in range(4)]
RUNNERS = 3


class Clock(SimpleNamespace):
    """Time that passes when it is told to."""

    now = 1e9

    def time(self) -> float:
        return self.now

    monotonic = time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(stores, "time", clock)
    return clock


def rows_of(keys: set[Key]) -> list[stores.Row]:
    return [replace(ROW, pair_id=key[1]) for key in keys]


STEPS = st.tuples(
    st.integers(0, RUNNERS - 1),
    st.sampled_from(["claim", "add", "release", "beat", "stall"]),
    st.sets(st.sampled_from(KEYS), min_size=1),
)


@given(st.lists(STEPS, max_size=25))
def test_no_pair_is_two_runners_at_once(tmp_path_factory: pytest.TempPathFactory, steps: list) -> None:
    path, clock = tmp_path_factory.mktemp("claims") / "s.sqlite", Clock()
    held: list[set[Key]] = [set() for _ in range(RUNNERS)]
    # Of runners that stood still: theirs again if they wake before anybody claims anything.
    lapsed: list[set[Key]] = [set() for _ in range(RUNNERS)]

    def renewed(who: int) -> None:
        held[who] |= lapsed[who]
        lapsed[who] = set()

    done: set[Key] = set()
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(stores, "time", clock)
        runners = [stack.enter_context(Store.open(path)) for _ in range(RUNNERS)]
        for who, what, keys in steps:
            others = set().union(*(held[each] for each in range(RUNNERS) if each != who))
            if what == "claim":
                mine, theirs = runners[who].claim(keys)
                lapsed = [set() for _ in range(RUNNERS)]
                assert mine == keys - done - others
                assert theirs == (keys - done) & others
                held[who] |= mine
            elif what == "add":
                runners[who].add(rows_of(keys & held[who]))
                done |= keys & held[who]
                held[who] -= keys
            elif what == "release":
                runners[who].release()
                held[who], lapsed[who] = set(), set()
            elif what == "beat":
                clock.now += 2 * BEAT_SECONDS
                for each, runner in enumerate(runners):
                    runner.renew()
                    renewed(each)
            else:  # for one runner the time stands still, as if it had been killed or stopped
                for _ in range(4):
                    clock.now += LEASE_SECONDS / 3
                    for each in set(range(RUNNERS)) - {who}:
                        runners[each].renew()
                        renewed(each)
                lapsed[who] |= held[who]
                held[who] = set()


def test_a_claim_of_the_dead_lapses_and_one_of_the_living_does_not(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "s.sqlite") as alive, Store.open(tmp_path / "s.sqlite") as next_one:
        with Store.open(tmp_path / "s.sqlite") as killed:
            killed.claim(KEYS[:1])
        alive.claim(KEYS[1:2])
        for _ in range(20):
            clock.now += BEAT_SECONDS
            alive.renew()
        assert next_one.claim(KEYS[:2]) == ({KEYS[0]}, {KEYS[1]})


def test_a_claim_from_a_clock_that_was_set_back_blocks_nobody(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "s.sqlite") as before, Store.open(tmp_path / "s.sqlite") as after:
        before.claim(KEYS)
        clock.now -= 86_400
        assert after.claim(KEYS) == (set(KEYS), set())


def test_what_is_stored_is_nobodys(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as one, Store.open(tmp_path / "s.sqlite") as other:
        one.claim(KEYS)
        one.add(rows_of(set(KEYS[:2])))
        assert other.claim(KEYS) == (set(), set(KEYS[2:]))
        one.release()
        assert other.claim(KEYS) == (set(KEYS[2:]), set())
        assert one.keys() == set(KEYS[:2])


def test_a_claim_made_while_a_runner_waits_for_the_file_is_kept(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "s.sqlite") as one, Store.open(tmp_path / "s.sqlite") as other:
        wait_for_lock = other.transaction

        @contextmanager
        def wait_longer() -> Iterator[Connection]:
            clock.now += 0.5
            assert one.claim(KEYS) == (set(KEYS), set())
            with wait_for_lock() as connection:
                yield connection

        monkeypatch.setattr(other, "transaction", wait_longer)
        assert other.claim(KEYS) == (set(), set(KEYS))
