"""A cluster says what one process says, whoever is killed meanwhile."""

import itertools
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import causewise
from causewise.cli.app import app
from causewise.errors import InputError
from causewise.knowledge.background import Knowledge
from causewise.scanning import on_dask, pair_scorer, scanner
from causewise.scanning import table as scan_table

distributed = pytest.importorskip("distributed")

ALONE = """
import logging, sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address='127.0.0.1:0', silence_logs=logging.CRITICAL
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
"""A cluster in a process of its own, which can be killed."""


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 200)
    related = {f"r{k}": np.sin(2 * a + k) + (0.1 + 0.1 * np.abs(a)) * rng.normal(size=200) for k in range(4)}
    return {"a": a, **related, "alone": rng.normal(size=200)}


@pytest.fixture(autouse=True)
def _many_tiles(monkeypatch):
    monkeypatch.setattr(scan_table, "BLOCK", 2)


@pytest.fixture(scope="module")
def cluster():
    """Two workers, on which a tile is blamed for the second death it sees."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as found,
    ):
        yield found


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as found:
        yield found


@pytest.fixture
def elsewhere():
    """A cluster's process and its address."""
    command = [sys.executable, "-c", ALONE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def timeless(scan):
    return [replace(row, seconds=0.0) for row in scan]


def test_a_cluster_says_what_one_process_says(table, client, tmp_path):
    one = causewise.scan(table, engine=causewise.Engine(jobs=1))
    assert timeless(causewise.scan(table, engine=causewise.Engine(dask=client))) == timeless(one)
    assert timeless(
        causewise.scan(table, engine=causewise.Engine(dask=client.scheduler.address, journal=tmp_path / "part"))
    ) == timeless(one)
    assert one.counts["unrelated"] >= 1
    assert one.counts["unrelated"] < len(one)


def test_dead_workers_are_missed_by_nobody(table, client):
    one = causewise.scan(table, engine=causewise.Engine(jobs=1))
    killed = itertools.count()

    def kill(what, done, of):
        if 0 < done < of and next(killed) < 1:
            for pid in client.run(os.getpid).values():  # all of them: no copy of the columns is left
                os.kill(pid, signal.SIGKILL)

    assert timeless(causewise.scan(table, engine=causewise.Engine(dask=client, on_progress=kill))) == timeless(one)
    assert next(killed) >= 1


def _deadly(judge, tile):
    if [0, 2] in [list(pair) for pair in tile]:
        os._exit(9)
    return pair_scorer.screen_pairs(judge, tile)


def test_a_pair_that_kills_its_worker_costs_its_own_row_only(table, client, monkeypatch):
    asked = {"columns": ["a", "r0", "r1"]}
    quiet = {(row.x, row.y): row for row in causewise.scan(table, **asked, engine=causewise.Engine(jobs=1))}
    monkeypatch.setattr(scanner, "screen_pairs", _deadly)
    rows = {(row.x, row.y): row for row in causewise.scan(table, **asked, engine=causewise.Engine(dask=client))}
    dead = rows.pop(("a", "r1"))
    assert dead.status == "failed"
    assert "died" in dead.reason
    for pair, row in rows.items():
        assert (row.score, row.dependence_p) == (quiet[pair].score, quiet[pair].dependence_p)


def test_a_scheduler_that_goes_away_leaves_a_journal_to_go_on_from(table, elsewhere, tmp_path, client):
    process, address = elsewhere
    place = tmp_path / "scan.csv.part"
    seen = []

    def kill(what, done, of):
        seen.append((what, done))
        if what == "orienting" and done:
            process.kill()

    with pytest.raises(on_dask.ClusterError, match=r"went away.*scan\.csv\.part.*same scan again"):
        causewise.scan(table, engine=causewise.Engine(dask=address, journal=place, on_progress=kill))
    assert place.exists()
    begun = []
    again = causewise.scan(
        table, engine=causewise.Engine(dask=client, journal=place, on_progress=lambda *told: begun.append(told[:2]))
    )
    assert ("screening", 15) in begun[:1]
    assert begun[1] >= seen[-1]
    assert timeless(again) == timeless(causewise.scan(table, engine=causewise.Engine(jobs=1)))


def test_a_cluster_that_loses_its_workers_for_good_is_a_sentence(table, monkeypatch):
    monkeypatch.setattr(on_dask, "_LOOK", 0.1)
    monkeypatch.setattr(on_dask, "_MOST_ALONE", 0.3)
    settings = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **settings) as small:

        def leave(what, done, of):
            if done:
                small.scale(0)
                small.sync(small._correct_state)

        with (
            distributed.Client(small, set_as_default=False) as client,
            pytest.raises(on_dask.ClusterError, match="its workers died one after the other; nothing is kept"),
        ):
            causewise.scan(table, engine=causewise.Engine(dask=client, on_progress=leave))


def test_a_scorer_that_is_blamed_is_handed_over_again(table, client):
    columns = np.array([table["a"], table["r0"]])
    scorer = pair_scorer.PairScorer(("a", "r0"), columns, "igci", 0, {}, Knowledge.of(None, ()))
    with on_dask.on_dask(scorer, None, client, 1, "blamed", None) as pool:
        pool._held[False] = client.submit(_breaks, None, None)
        assert pool._held[False].exception() is not None
        [(_, results)] = pool.map(pair_scorer.screen_pairs, [[(0, 1)]])
    assert results[0][0] == 0


def test_what_a_task_raises_is_raised_here(client):
    judge = scanner.PairScorer(("a",), np.ones((1, 3)), "causewise", 0, {}, None)
    with on_dask.on_dask(judge, None, client, 1, "this scan", None) as run:
        with pytest.raises(ZeroDivisionError):
            list(run.map(_breaks, [[1], [0]]))
        assert dict(run.map(_breaks, [[1, 2], [4]])) == {0: [1.0, 0.5], 1: [0.25]}


def _breaks(judge, tile):
    return [1 / item for item in tile]


def test_another_version_on_the_cluster_is_a_sentence(table, client, monkeypatch):
    with pytest.raises(InputError, match=r"Got causewise 0\.0\.1 at the side that asks"):
        on_dask._tile(None, _breaks, [1], "0.0.1", pair_scorer.this_process)
    there = causewise.__version__
    monkeypatch.setattr(on_dask, "VERSION", "0.0.1")
    with pytest.raises(
        InputError, match=rf"Got causewise {there} at the scheduler of the Dask cluster; expected 0\.0\.1"
    ):
        causewise.scan(table, engine=causewise.Engine(dask=client))


def test_a_cluster_without_causewise_is_a_sentence(table, client, monkeypatch):
    monkeypatch.setattr(client, "run", lambda *asked, on_error: {"tcp://there": ModuleNotFoundError("causewise")})
    with pytest.raises(InputError, match="Got no causewise at tcp://there"):
        causewise.scan(table, engine=causewise.Engine(dask=client))


def test_the_command_line_starts_a_cluster_of_its_own(table, tmp_path):
    pandas = pytest.importorskip("pandas")
    file = tmp_path / "table.csv"
    pandas.DataFrame(table).to_csv(file, index=False)
    command = ["scan", str(file), "--columns", "a,r0,alone", "--jobs", "1"]
    plain, clustered = (CliRunner().invoke(app, [*command, *more]) for more in ([], ["--dask", "local"]))
    assert (clustered.exit_code, clustered.stdout) == (0, plain.stdout)


def test_a_cluster_at_fault_is_a_sentence_and_a_failure(table, tmp_path, monkeypatch):
    def gone(*asked, **more):
        raise on_dask.ClusterError("The Dask cluster went away.")

    monkeypatch.setattr(scanner, "scan", gone)
    told = CliRunner().invoke(app, ["scan", "table.csv", "--dask", "tcp://host:8786"])
    assert (told.exit_code, told.stderr) == (1, "The Dask cluster went away.\n")


def test_a_missing_dask_names_the_extra(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install '\.\[dask\]'"):
        causewise.scan(table, engine=causewise.Engine(dask="local"))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere://x", "", 7])
def test_a_cluster_that_does_not_answer_is_a_sentence(table, address, monkeypatch):
    monkeypatch.setattr(on_dask, "_PATIENCE", 0.5)
    with pytest.raises(InputError, match="no scheduler answers there"):
        causewise.scan(table, engine=causewise.Engine(dask=address))
