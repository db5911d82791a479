"""Tables and figures of the studies that the command line's tests leave out, drawn from a few cells."""

import pytest

from causewise.lab.plotting import canvas
from causewise.lab.study.output import write_figures
from causewise.lab.study.running import Scale, load


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
