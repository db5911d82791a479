"""The runner: flips, failures of every kind, batches, third parties, resuming."""

import math
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toys

from causewise.errors import InputError
from causewise.lab.benchmark.metrics import accuracy
from causewise.lab.benchmark.runner import Limits, plan, run
from causewise.lab.benchmark.scores import pair_scores
from causewise.lab.benchmark.sets import contenders, is_flipped
from causewise.lab.benchmark.store import Row, Store
from causewise.parallel import prepare_spawn
from causewise.worker_pool import WorkerError


def results(
    path: Path, methods: list[str], sets: list[toys.Collection], seeds: tuple[int, ...] = (0,), **options: Any
) -> list[Row]:
    jobs = options.pop("jobs", 1)
    entered = contenders([method if ":" in method else f"toys:{method}" for method in methods], seeds)
    with Store.open(path) as store:
        run(plan(entered, sets, store.keys(), jobs), store, jobs=jobs, **options)
        return store.rows()


def test_an_oracle_is_right_in_file_orientation_whatever_the_flip(tmp_path: Path) -> None:
    rows = results(tmp_path / "s.sqlite", ["oracle"], [toys.collection(pairs=12)])
    assert all(row.correct and row.score * row.truth > 0 and row.status == "ok" for row in rows)
    assert {row.flipped for row in rows} == {True, False}
    assert all(row.decision == ("x->y" if row.truth > 0 else "y->x") for row in rows)
    assert all(row.forward - row.backward == pytest.approx(row.score) and row.n == 12 for row in rows)


def test_always_forward_is_right_half_the_time(tmp_path: Path) -> None:
    sets = [toys.collection("balanced", pairs=400), toys.Collection("one-sided", toys.collection(pairs=400).pairs[::2])]
    rows = results(tmp_path / "s.sqlite", ["always_forward"], sets)
    for name in ("balanced", "one-sided"):
        right = [row.correct for row in rows if row.dataset == name]
        assert abs(sum(right) - len(right) / 2) <= 3 * math.sqrt(len(right) / 4)


def test_flips_are_a_fair_coin_that_is_the_same_everywhere() -> None:
    tosses = [is_flipped(0, "AN", str(index)) for index in range(2000)]
    assert abs(sum(tosses) - 1000) < 3 * math.sqrt(500)
    # Pinned: a coin that lands otherwise on another machine or version would make stored rows disagree.
    assert "".join(str(int(toss)) for toss in tosses[:24]) == "001100011001110010000111"
    assert tosses != [is_flipped(1, "AN", str(index)) for index in range(2000)]
    assert tosses != [is_flipped(0, "LS", str(index)) for index in range(2000)]


FAILURES = {
    "raises": ("failed", "the toy is broken"),
    "not_a_number": ("failed", "nan"),
    "quits": ("failed", "SystemExit"),
    "Short": ("failed", "0 decisions for 1 pairs"),
    "exits": ("crashed", "exit code 7"),
    "segfaults": ("crashed", "SIGSEGV"),
    "hungry": ("failed", "memory"),
    "hangs": ("timeout", "0.3 s"),
    "ties": ("undecided", "tie"),
}


def test_every_kind_of_failure_is_a_row_that_scores_zero_and_the_run_goes_on(tmp_path: Path) -> None:
    methods = [*FAILURES, "oracle"]
    limits = Limits(seconds=0.3, memory_bytes=2**33)
    rows = results(tmp_path / "s.sqlite", methods, [toys.collection(pairs=2)], limits=limits)
    assert len(rows) == 2 * len(methods)
    for row in rows:
        if row.method == "oracle":
            assert row.correct
            continue
        status, message = FAILURES[{"not-a-number": "not_a_number", "short": "Short"}.get(row.method, row.method)]
        assert (row.status, row.correct, row.decision) == (status, False, "undecided")
        assert message in row.message
        assert math.isnan(row.score) or row.score == 0
        assert accuracy(pair_scores([row])) == 0


def test_a_method_that_prints_does_not_garble_its_answers(tmp_path: Path) -> None:
    assert all(row.correct for row in results(tmp_path / "s.sqlite", ["chatty"], [toys.collection(pairs=3)]))


def test_batches_give_what_single_pairs_give(tmp_path: Path) -> None:
    rows = results(tmp_path / "s.sqlite", ["middling", "batched"], [toys.collection(pairs=15)])
    scores = {name: [row.score for row in rows if row.method == name] for name in ("middling", "batched")}
    assert scores["batched"] == scores["middling"]


def test_only_the_pair_at_fault_in_a_batch_fails(tmp_path: Path) -> None:
    sets = [toys.collection(pairs=12)]
    rows = results(tmp_path / "s.sqlite", ["batched_exits"], sets)
    assert len(rows) == 12
    crashed = {row.pair_id for row in rows if row.status == "crashed"}
    assert 0 < len(crashed) < 12
    assert all(row.correct for row in rows if row.pair_id not in crashed)


def test_resuming_does_what_is_missing_and_only_that(tmp_path: Path) -> None:
    path, small, large = tmp_path / "s.sqlite", toys.collection(pairs=4), toys.collection(pairs=9)
    before = results(path, ["middling"], [small])
    with Store.open(path) as store:
        work = plan(contenders(["toys:middling", "toys:oracle"], [0]), [large], store.keys())
        assert (work.todo, work.there) == (14, 4)
        assert work.todo_by_method == Counter({"middling": 5, "oracle": 9})
    after = results(path, ["middling", "oracle"], [large])
    said = [repr(row) for row in before]  # in words, because no confidence is NaN, which equals nothing
    assert [repr(row) for row in after if repr(row) in said] == said
    assert len(after) == len({(row.method, row.pair_id) for row in after}) == 18


def test_the_answer_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    sets = [toys.collection("a", pairs=7), toys.collection("b", pairs=5)]
    one, two = (results(tmp_path / f"{jobs}.sqlite", ["middling", "batched"], sets, jobs=jobs) for jobs in (1, 2))
    assert [(row.method, row.dataset, row.pair_id, row.score) for row in one] == [
        (row.method, row.dataset, row.pair_id, row.score) for row in two
    ]


def test_seeds_flip_differently_and_share_a_settings_hash(tmp_path: Path) -> None:
    rows = results(tmp_path / "s.sqlite", ["toys:factory:scale=2.5"], [toys.collection(pairs=10)], seeds=(0, 1))
    assert {row.method for row in rows} == {"made:scale=2.5"}
    assert len({row.settings_hash for row in rows}) == 1
    assert all(row.correct for row in rows)
    flips = [[row.flipped for row in rows if row.seed == seed] for seed in (0, 1)]
    assert flips[0] != flips[1]
    assert '"scale": 2.5' in rows[0].settings


def test_an_object_can_be_handed_over_instead_of_a_name(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        run(plan(contenders([toys.Short()], [0]), [toys.collection(pairs=2)], store.keys()), store)
        assert [row.method for row in store.rows()] == ["short", "short"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("no-such-method", "does not have"),
        ("nowhere.to.find:method", "cannot be imported"),
        ("toys:nothing", "no such object"),
        ("toys:no_method", "neither a method"),
        ("toys:oracle:scale=2", "finished method"),
        ("toys:factory:colour=2", "could not be called"),
    ],
)
def test_a_wrong_method_is_refused_before_the_run(spec: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        contenders([spec], [0])


def test_workers_keep_numerical_libraries_to_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    rows = results(tmp_path / "s.sqlite", ["threads"], [toys.collection(pairs=1)])
    assert abs(rows[0].score) == 1.0


def test_ctrl_c_that_reaches_a_worker_costs_no_pair(tmp_path: Path) -> None:
    rows = results(tmp_path / "s.sqlite", ["interrupted"], [toys.collection(pairs=3)])
    assert all(row.correct for row in rows), [row.message for row in rows]


@pytest.mark.parametrize("shield", ["follow_parent()", "spawning.__enter__()"])
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be blocked here")
def test_each_of_the_two_shields_keeps_ctrl_c_from_a_worker(shield: str) -> None:
    """One from the first moment on, one where signals cannot be blocked."""
    code = (
        "import signal; from causewise.parallel import follow_parent, prepare_spawn; spawning = prepare_spawn(); "
        f"{shield}; signal.raise_signal(signal.SIGINT); print('alive')"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).stdout == b"alive\n"


def test_ctrl_c_pressed_while_a_worker_is_started_is_heard_afterwards() -> None:
    heard = []
    with pytest.raises(KeyboardInterrupt), prepare_spawn():  # that it comes last is the point
        signal.raise_signal(signal.SIGINT)
        heard.append("not yet")
    assert heard == ["not yet"]


def test_a_worker_that_cannot_start_is_a_sentence_not_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.spawn._python_exe", b"/bin/false")
    with pytest.raises(WorkerError, match="could not be started"):
        results(tmp_path / "s.sqlite", ["oracle"], [toys.collection(pairs=2)])
    with Store.read(tmp_path / "s.sqlite") as store:
        assert store.rows() == []


def test_weights_reach_the_rows(tmp_path: Path) -> None:
    rows = results(tmp_path / "s.sqlite", ["oracle"], [toys.collection(pairs=3)])
    assert np.array_equal([row.weight for row in rows], [2.0, 3.0, 1.0])
