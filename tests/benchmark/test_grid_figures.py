"""The heat map and the risk–coverage curves show the numbers they were given."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whence.benchmark.figures.heat import heat_map
from whence.benchmark.figures.risk import risk, risk_coverage
from whence.benchmark.figures.style import look, save
from whence.benchmark.intervals import resample
from whence.benchmark.metrics import Scored, accuracy

CELLS = ["laws/normal", "laws/uniform", "rows/50"]
VALUES = np.array([[11.0, 22.0], [33.0, np.nan], [55.0, 99.0]])


def drawn() -> Scored:
    rng = np.random.default_rng(0)
    return Scored.of(rng.normal(size=60), rng.choice([-1, 1], 60), rng.uniform(0.2, 1, 60))


def words(figure) -> list[str]:
    panel = figure.axes[0]
    ticks = [label.get_text() for label in (*panel.get_xticklabels(), *panel.get_yticklabels())]
    return [text.get_text() for text in panel.texts] + ticks


def test_every_square_holds_its_number_and_every_cell_its_name():
    with look():
        found = words(heat_map(VALUES, CELLS, ["a", "b"], {"mean": np.array([44.0, 66.0])}))
    assert {"11", "22", "33", "–", "55", "99", "44", "66"} <= set(found)
    assert {"normal", "uniform", "50", "mean", "laws", "rows", "a", "b"} <= set(found)


def test_a_heat_map_needs_no_summaries():
    with look():
        assert "mean" not in words(heat_map(VALUES, CELLS, ["a", "b"], {}))


@given(st.lists(st.tuples(st.floats(-5, 5), st.sampled_from([-1, 1]), st.floats(0.1, 2)), min_size=1, max_size=30))
def test_risk_at_full_coverage_is_the_error(rows):
    scored = Scored.of(*map(list, zip(*rows, strict=True)))
    curve = risk(scored)
    assert len(curve) == len(rows)
    assert np.isclose(curve[-1], 100 * (1 - accuracy(scored)))
    assert ((curve >= -1e-9) & (curve <= 100 + 1e-9)).all()


def test_risk_is_ranked_by_confidence_where_there_is_one():
    score, truth, confidence = [3.0, 2.0, 1.0], [-1, 1, 1], [0.6, 0.8, 0.9]
    assert np.allclose(risk(Scored.of(score, truth, None, confidence)), [0, 0, 100 / 3])
    assert np.allclose(risk(Scored.of(score, truth)), [100, 50, 100 / 3])


def test_risk_curves_are_drawn_the_same_each_time(tmp_path: Path):
    scored = drawn()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with look():
            figure = risk_coverage({"kind": {"a": scored, "b": scored}}, {"kind": resample(60, "kind", draws=50)})
            save(figure, tmp_path / folder, "risk", ("svg",))
    assert (tmp_path / "one/risk.svg").read_bytes() == (tmp_path / "two/risk.svg").read_bytes()
    assert {line.get_label() for line in figure.axes[0].lines} == {"a", "b"}
