"""Running a study: resumable, the same whatever the number of processes; its tables and figures."""

import csv

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from causewise.errors import InputError
from causewise.lab.benchmark.metrics import median_interval
from causewise.lab.plotting import canvas
from causewise.lab.study import estimators
from causewise.lab.study.running import (
    CellLedger,
    Scale,
    StudyTable,
    format_number,
    key,
    load,
    percentage,
    run,
    write_figures,
    write_tables,
)

SMALL = Scale(seeds=2, fast=True)


class Tiny:
    """The smallest study there can be."""

    NAME, REVISION = "tiny", 1

    def __init__(self, break_at=None):
        self.break_at, self.done = break_at, []

    def cells(self, scale):
        return [{"seed": seed} for seed in range(20)]

    def measure(self, cell):
        self.done.append(cell["seed"])
        if cell["seed"] == self.break_at:
            raise KeyboardInterrupt
        return [{"square": cell["seed"] ** 2}]


@pytest.fixture
def tiny(monkeypatch):
    def use(study):
        monkeypatch.setattr("causewise.lab.study.running.load", lambda name: study)
        return study

    return use


def test_a_stopped_study_carries_on_where_it_was(tmp_path, tiny):
    with pytest.raises(KeyboardInterrupt):
        run(tiny(Tiny(break_at=17)), Scale(), tmp_path)
    heard = []
    study = tiny(Tiny())
    rows = run(study, Scale(), tmp_path, on_progress=lambda *progress: heard.append(progress))
    assert [row["square"] for row in rows] == [seed**2 for seed in range(20)]
    assert study.done == [17, 18, 19]
    assert heard[0] == ("tiny", 17, 20)
    assert heard[-1] == ("tiny", 20, 20)


def test_a_new_revision_starts_anew(tmp_path, tiny):
    run(tiny(Tiny()), Scale(), tmp_path)
    study = tiny(Tiny())
    study.REVISION = 2
    run(study, Scale(), tmp_path)
    assert len(study.done) == 20


def test_several_processes_give_the_same_rows(tmp_path):
    class Part:
        NAME, REVISION = estimators.NAME, estimators.REVISION

        def cells(self, scale):
            return [cell for cell in estimators.cells(scale) if cell.get("n") in (100, 500, 1000)]

    rows = [run(Part(), SMALL, tmp_path / str(jobs), jobs) for jobs in (1, 2)]
    without_time = [[{k: v for k, v in row.items() if "seconds" not in k} for row in each] for each in rows]
    assert len(rows[0]) >= 10
    assert without_time[0] == without_time[1]


def test_a_study_works_with_one_thread(tmp_path, tiny):
    class Watchful(Tiny):
        def measure(self, cell):
            return [{"threads": max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")}]

    with threadpool_limits(2, user_api="blas"):
        rows = run(tiny(Watchful()), Scale(), tmp_path)
    assert {row["threads"] for row in rows} == {1}


def test_settings_out_of_range_get_a_sentence(tmp_path, tiny):
    for scale, jobs in ((Scale(), 0), (Scale(seeds=1), 1)):
        with pytest.raises(InputError, match="expected a whole number from"):
            run(tiny(Tiny()), scale, tmp_path, jobs)
    (tmp_path / "rows.sqlite").write_bytes(b"this is no database, only words" * 100)
    with pytest.raises(InputError, match="--out"):
        run(tiny(Tiny()), Scale(), tmp_path)


def test_a_ledger_knows_cells_whatever_the_order_of_their_settings(tmp_path):
    with CellLedger.open(tmp_path / "rows.sqlite") as ledger:
        ledger.add("some 1", {"a": 1, "b": 2}, [{"c": 3}])
        assert ledger.missing("some 1", [{"b": 2, "a": 1}, {"a": 2}]) == [{"a": 2}]
        assert ledger.missing("some 2", [{"a": 1, "b": 2}]) == [{"a": 1, "b": 2}]
        assert ledger.rows("some 1", [{"b": 2, "a": 1}]) == [{"a": 1, "b": 2, "c": 3}]
    assert key({"a": 1, "b": 2}) == key({"b": 2, "a": 1})


def test_tables_are_written_with_all_digits_and_read_well(tmp_path):
    table = StudyTable("t", "Some numbers", ("name", "value"), (("a", 1 / 3), ("b", 123456.0), ("c", float("nan"))))
    write_tables(tmp_path, [table], [{"x": 1}, {"y": 2}])
    with (tmp_path / "t.csv").open() as file:
        assert list(csv.reader(file))[1] == ["a", repr(1 / 3)]
    text = (tmp_path / "tables.md").read_text()
    assert "| a    |  0.3333 |" in text
    assert "1.2e+05" in text
    assert (tmp_path / "rows.csv").read_text().splitlines() == ["x,y", "1,", ",2"]
    assert [format_number(v) for v in (3, 0.0, 1234.5, "word")] == ["3", "0", "1234", "word"]


def test_the_median_s_interval_covers():
    rng = np.random.default_rng(0)
    inside = [low <= 0 <= high for _, low, high in (median_interval(rng.normal(size=40)) for _ in range(400))]
    assert 0.92 < np.mean(inside) <= 1
    assert percentage([True, False, True, True]) == 75


def test_every_study_has_the_same_names():
    for name in ("estimators", "identifiability", "likelihood", "splitting"):
        study = load(name)
        assert name == study.NAME
        cells = study.cells(SMALL)
        assert len({key(cell) for cell in cells}) == len(cells)
        assert len(study.cells(Scale())) > len(cells)


@pytest.mark.parametrize("name", ["estimators", "identifiability", "likelihood"])
def test_a_few_cells_make_tables_and_figures(name):
    study = load(name)
    cells = study.cells(Scale(seeds=2, fast=True))
    rows = [{**cell, **row} for cell in cells for row in (stand_in(cell) or study.measure(cell))]
    tables, figures = study.tables(rows), study.figures(rows)
    assert all(table.rows and len(table.rows[0]) == len(table.columns) for table in tables)
    assert figures
    for figure in figures.values():
        figure.draw_without_rendering()
        assert all(panel.has_data() or not panel.axison for panel in figure.axes)


def stand_in(cell):
    """The equation takes a second a model, and has tests of its own."""
    dear = cell.get("part") in ("equation", "path")
    return [{"worst": 0.5, "typical": 0.1, "identity": 1e-16}] if dear else []


def test_figures_are_saved_with_the_same_bytes_each_time(tmp_path):
    saved = []
    for name in ("once", "again"):
        figure, (panel,) = canvas(1, 1, 3, 3)
        panel.plot([0, 1], [1, 0], "o-", clip_on=True)
        (tmp_path / name).mkdir()
        saved.append([path.read_bytes() for path in write_figures(tmp_path / name, {"a": figure})])
    assert saved[0] == saved[1]
