"""What a scan will take is known before it is begun, from pairs of its own; no test looks at a real clock."""

import itertools
import os
from dataclasses import replace

import numpy as np
import pandas
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import causewise
from causewise.cli import scan as command
from causewise.cli.app import app
from causewise.errors import InputError
from causewise.knowledge.background import Knowledge
from causewise.parallel import available_memory, processors
from causewise.scanning import forecast as forecasting
from causewise.scanning import scanner
from causewise.scanning.forecast import ScanForecast, cache_size, choose_jobs, estimate_memory, forecast
from causewise.scanning.mapped import MappedColumns
from causewise.scanning.pair_scorer import PairScorer, pool_of_workers, this_process

LONG = ScanForecast(pairs=19_900, jobs=2, screening=130.0, orienting=7200.0, memory=1_200_000_000)


def judge(columns=8, rows=30, values=None):
    names = tuple(f"c{k}" for k in range(columns))
    drawn = np.random.default_rng(0).normal(size=(columns, rows)) if values is None else values
    return PairScorer(names, drawn, "igci", 0, {}, Knowledge.of(None, names))


def all_pairs(columns):
    return list(itertools.combinations(range(columns), 2))


def here(judge, workers):
    """This process, under the name of several."""
    pool = this_process(judge)
    pool.workers = workers
    return pool


@pytest.fixture
def foresee(monkeypatch):
    """A forecast by a clock whose steps are those around screening and around orienting each pair."""

    def foresee(judge, pairs, *steps, workers=1, processors=1, left=None, first=(), batch=1):
        around = [(0.0, *(step for each in part for step in (0.0, each))) for part in (*first, steps)]
        late = (0.0,) if workers > 1 else ()
        parts = itertools.chain([(*around[0], *late)], around[1:] or (), itertools.repeat(around[-1]))
        times = itertools.accumulate(itertools.chain.from_iterable(parts))
        monkeypatch.setattr(forecasting, "_clock", lambda: next(times))
        with here(judge, workers) as run:
            return forecast(run, judge, pairs, processors, left or (len(pairs), len(pairs)), batch)

    return foresee


@pytest.fixture
def foreseen(monkeypatch):
    """Any scan is long enough to be foreseen."""
    monkeypatch.setattr(scanner, "_WORTH_TRYING", 0.0)


def test_time_is_that_of_a_pair_times_the_pairs_shared_among_processors(foresee):
    alone = foresee(judge(), all_pairs(8), 0.001, 0.004, processors=4)
    assert (alone.pairs, alone.jobs) == (28, 1)
    assert (alone.screening, alone.orienting) == pytest.approx((0.028, 0.112))
    assert alone.seconds == pytest.approx(0.14)
    for jobs, cores in ((4, 4), (4, 9), (9, 4)):
        shared = foresee(judge(), all_pairs(8), 0.001, 0.004, workers=jobs, processors=cores)
        assert (shared.jobs, shared.seconds) == (jobs, pytest.approx(0.14 / 4))


def test_what_is_done_already_takes_no_time(foresee):
    resumed = foresee(judge(), all_pairs(8), 0.001, 0.004, left=(0, 7))
    assert (resumed.screening, resumed.orienting) == pytest.approx((0.0, 0.028))


@pytest.mark.parametrize(("step", "tried"), [(1e-6, 24), (0.15, 4), (60.0, 1)])
def test_a_second_or_one_pair_is_spent_on_it(step, tried, foresee, monkeypatch):
    asked, screen = [], PairScorer.screen
    monkeypatch.setattr(PairScorer, "screen", lambda self, i, j: asked.append((i, j)) or screen(self, i, j))
    foresee(judge(40), all_pairs(40), step, step)
    assert len(asked) == tried
    assert len(set(itertools.chain(*asked))) <= 8  # few columns, so that most of their pairs find them prepared


def test_what_is_done_once_is_not_counted_for_every_pair(foresee):
    foreseen = foresee(judge(), all_pairs(8), 0.001, 0.001, first=[(0.3, 0.3)])
    assert foreseen.seconds == pytest.approx(28 * 0.002)


def test_pairs_that_cannot_be_tested_are_not_oriented(foresee):
    twins = np.tile(np.arange(30.0), (8, 1))
    assert foresee(judge(values=twins), all_pairs(8), 0.001, 0.0).orienting == 0.0


def test_other_processes_take_as_long_to_start_as_the_first(monkeypatch):
    times = iter([0.0, 0.7, *itertools.repeat(0.7, 10**4)])
    monkeypatch.setattr(forecasting, "_clock", lambda: next(times))
    with here(judge(), 2) as run:
        assert forecast(run, judge(), all_pairs(8), 2, (28, 28)).starting == 0.7


def test_a_batch_is_tried_at_once_and_its_time_shared(monkeypatch):
    seen = []
    monkeypatch.setattr(
        forecasting, "_time_pairs", lambda judge, tile: seen.append(len(tile)) or [[0.0, 0.25]] * len(tile)
    )
    with this_process(judge(40)) as run:
        foreseen = forecast(run, judge(40), all_pairs(40), 1, (0, 100), batch=64)
    assert (seen, foreseen.orienting) == ([64], 25.0)


def _deadly(judge, tile):
    if (0, 1) in tile:
        os._exit(9)
    return [[1.0, 2.0] for _ in tile]


def test_a_pair_that_kills_its_process_does_not_end_it(monkeypatch):
    monkeypatch.setattr(forecasting, "_time_pairs", _deadly)
    monkeypatch.setattr(forecasting, "_TRIED", 2)
    with pool_of_workers(judge(), 2) as run:
        foreseen = forecast(run, judge(), all_pairs(8), 2, (28, 28))
    assert foreseen.screening + foreseen.orienting == pytest.approx(28 * 3.0 / 2)


@given(st.integers(2, 300), st.integers(10, 5000), st.integers(1, 10**6), st.integers(1, 64))
def test_more_of_anything_needs_more_memory(columns, rows, pairs, jobs):
    def need(columns, rows, pairs, jobs):
        flat = np.broadcast_to(0.0, (columns, rows))
        return estimate_memory(judge(columns, values=flat), pairs, jobs)

    here = need(columns, rows, pairs, jobs)
    assert here < need(columns, rows, pairs + 1, jobs)
    assert here < need(columns, rows, pairs, jobs + 1)
    assert here <= need(columns + 1, rows, pairs, jobs)


@given(st.integers(1, 12), st.floats(0, 20))
def test_as_many_processes_as_fit(wish, share):
    def need(jobs):
        return estimate_memory(replace(judge(), remembered=cache_size(jobs, available)), 28, jobs)

    available = int(share * estimate_memory(judge(), 28, 1))
    fitting = [k for k in range(1, wish + 1) if need(k) <= available]
    if fitting:
        assert choose_jobs(judge(), 28, range(wish, 0, -1), available) == max(fitting)
    if wish in fitting:
        assert choose_jobs(judge(), 28, [wish], available) == wish
    else:
        hint = f"at most {max(fitting)} process" if fitting else "choose fewer columns"
        with pytest.raises(InputError, match=hint):
            choose_jobs(judge(), 28, [wish], available)
    assert choose_jobs(judge(), 28, [wish], None) == wish


@given(st.integers(1, 10**13), st.integers(1, 64))
def test_what_processes_remember_is_a_share_of_what_is_free(free, jobs):
    assert jobs * cache_size(jobs, free) <= free / 4
    assert cache_size(jobs, free) <= cache_size(jobs, None)


def test_columns_on_disk_need_no_memory(tmp_path):
    kept, mapped = np.ones((8, 5000)), MappedColumns(str(tmp_path / "columns"), (8, 5000))
    both = [estimate_memory(judge(values=values), 28, 2) for values in (kept, mapped)]
    assert both[0] - both[1] == kept.nbytes


def test_available_memory_is_what_the_machine_and_the_container_leave(tmp_path):
    assert available_memory(tmp_path) == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "meminfo").write_text("MemTotal:  100 kB\nMemFree:  7 kB\nMemAvailable:   42 kB\n")
    assert available_memory(tmp_path) == 42 * 1024
    limit = tmp_path / "sys" / "fs" / "cgroup"
    limit.mkdir(parents=True)
    (limit / "memory.max").write_text("max\n")
    assert available_memory(tmp_path) == 42 * 1024
    (limit / "memory.max").write_text("9000\n")
    assert available_memory(tmp_path) == 9000
    assert available_memory() > 0
    assert processors() >= 1


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return {f"c{k}": rng.normal(size=40) for k in range(6)}


def test_a_scan_that_does_not_fit_is_refused(table, monkeypatch):
    monkeypatch.setattr(scanner, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"Got 15 pairs of 6 columns and 40 rows, which need about \d+ MB of memory"):
        causewise.scan(table, method="igci")


def test_fewer_processes_are_taken_where_memory_is_short(table, monkeypatch, foreseen):
    heard = []
    monkeypatch.setattr(scanner, "_IN_PROCESS", 0)
    monkeypatch.setattr(scanner, "processors", lambda: 4)
    monkeypatch.setattr(scanner, "available_memory", lambda: 100 << 20)
    causewise.scan(table, method="igci", engine=causewise.Engine(on_forecast=heard.append))
    assert [each.jobs for each in heard] == [1]
    with pytest.raises(InputError, match=r"on 2 processes where 105 MB are free.*choose at most 1 process, fewer"):
        causewise.scan(table, method="igci", engine=causewise.Engine(jobs=2))


def test_the_forecast_comes_first_and_may_end_it(table, tmp_path, foreseen):
    class Enough(Exception):
        pass

    def refuse(foreseen):
        raise Enough

    begun = []
    with pytest.raises(Enough):
        causewise.scan(
            table,
            method="igci",
            engine=causewise.Engine(on_forecast=refuse, on_progress=lambda *what: begun.append(what)),
        )
    assert not begun
    causewise.scan(
        table, method="igci", pairs=[("c0", "c1")], engine=causewise.Engine(on_forecast=refuse)
    )  # too few to be worth it
    causewise.scan(table, method="igci", engine=causewise.Engine(jobs=1, journal=tmp_path / "part"))
    heard = []
    causewise.scan(
        table, method="igci", engine=causewise.Engine(jobs=1, journal=tmp_path / "part", on_forecast=heard.append)
    )
    assert heard[0].screening == 0.0


@pytest.mark.parametrize(("terminal", "yes"), [(False, False), (True, True)])
def test_a_long_scan_is_announced_in_one_line(terminal, yes, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setattr(typer, "confirm", lambda *question, **how: pytest.fail("asked"))
    command._ask(ScanForecast(10, 1, 1.0, 8.0, 10**6), yes)
    assert capsys.readouterr().err == ""
    command._ask(LONG, yes)
    assert capsys.readouterr().err == (
        "19,900 pairs on 2 processes: about 2 min to screen them, at most 2.0 h to orient them if all are related, "
        "1.2 GB of memory.\n"
    )


def test_a_method_that_takes_hours_on_so_many_rows_is_offered_a_sample(monkeypatch, capsys, foreseen, table):
    command._ask(replace(LONG, hint="igci:rows=2000 decides sooner."), True)
    assert capsys.readouterr().err.splitlines()[1:] == ["igci:rows=2000 decides sooner."]
    heard, asked = [], []
    monkeypatch.setattr(scanner, "sample_hint", lambda *about: asked.append(about) or "sooner")
    causewise.scan(table, method="igci", engine=causewise.Engine(jobs=1, on_forecast=heard.append))
    assert ([each.hint for each in heard], asked) == (["sooner"], [("igci", 40, 15)])


def test_a_very_long_scan_is_asked_for_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda *question, **how: True)
    command._ask(LONG, False)

    def interrupted(*question, **how):
        raise typer.Abort

    for answer in (lambda *question, **how: False, interrupted):
        monkeypatch.setattr(typer, "confirm", answer)
        with pytest.raises(typer.Exit) as ended:
            command._ask(LONG, False)
        assert ended.value.exit_code == 130
        assert capsys.readouterr().err.endswith("Nothing was begun.\n")


def test_the_command_line_says_it_and_goes_on(foreseen, table, tmp_path, monkeypatch):
    pandas.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(scanner, "forecast", lambda *about: LONG)
    done = CliRunner().invoke(app, ["scan", str(tmp_path / "t.csv"), "--method", "igci"])
    assert done.exit_code == 0
    assert done.stderr.startswith("19,900 pairs on 2 processes")
    assert "15 pairs of 6 columns" in done.stdout
    monkeypatch.setattr(scanner, "available_memory", lambda: 1000)
    refused = CliRunner().invoke(app, ["scan", str(tmp_path / "t.csv")])
    assert refused.exit_code == 2
    assert "MB of memory" in refused.stderr
