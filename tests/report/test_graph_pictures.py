"""The pictures of a scan: marks in the right cells, every name whole and on the paper, the same bytes every time."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import matplotlib
import networkx as nx
import numpy as np
import pytest
from causal import mixed_graph
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.text import Text
from specimens import HOSTILE

from causewise.errors import InputError
from causewise.report.canvas import MUTED, boxes_for_unknown_letters
from causewise.report.graph_pictures import draw_causal_graph, draw_graph
from causewise.report.scan_matrix import READABLE, draw_matrix
from causewise.scanning.consistency import Order, find_order
from causewise.scanning.scan_row import ScanRow

WIDE = ["W" * 40, "温度と湿度の関係", "$\\alpha$ and $", HOSTILE, "", "two\nlines"]
Draw = Callable[..., Figure]
DRAWINGS = pytest.mark.parametrize("draw", [draw_matrix, draw_graph])


def arrow(cause: str, effect: str, confidence: float | None = 0.9, swapped: bool = False) -> ScanRow:
    x, y = (effect, cause) if swapped else (cause, effect)
    ends = {"cause": cause, "effect": effect, "direction": "y->x" if swapped else "x->y"}
    score = None if confidence is None else math.log(confidence / (1 - confidence)) * (-1 if swapped else 1)
    return ScanRow(x, y, 100, 0, status="oriented", confidence=confidence, score=score, **ends)


def table(count: int, names: list[str] | None = None) -> tuple[list[ScanRow], list[str]]:
    """All four outcomes, and arrows that mostly follow an order other than the table's."""
    rng = np.random.default_rng(count)
    names = names or [f"column_{k}" for k in range(count)]
    rank = rng.permutation(count)
    share = min(0.4, 4 / count)
    rows = []
    for j in range(count):
        for i in range(j):
            kind = rng.choice(["oriented", "undecided", "unrelated", "failed"], p=[share, 0.1, 0.8 - share, 0.1])
            follows = (rank[i] < rank[j]) == (rng.random() < 0.9)
            oriented = arrow(*(names[k] for k in ((i, j) if follows else (j, i))), rng.uniform(0.55, 1), not follows)
            rows.append(oriented if kind == "oriented" else ScanRow(names[i], names[j], 100, 0, status=str(kind)))
    return rows, names


def texts_of(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def on_paper(figure: Figure) -> bool:
    paper = figure.bbox.padded(1)
    with boxes_for_unknown_letters():
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in texts_of(figure)]
    return all(paper.x0 <= b.x0 and b.x1 <= paper.x1 and paper.y0 <= b.y0 and b.y1 <= paper.y1 for b in boxes)


@DRAWINGS
@pytest.mark.parametrize("count", [1, 2, 6, 40, 90])
def test_nothing_is_clipped_however_many_columns(draw: Draw, count: int) -> None:
    rows, names = table(count)
    assert on_paper(draw(rows, names, find_order(rows, names)))


@DRAWINGS
def test_wide_and_hostile_names_are_written_whole_or_shortened(draw: Draw, tmp_path: Path) -> None:
    rows = [arrow(cause, effect) for cause, effect in zip(WIDE, WIDE[1:] + WIDE[:1], strict=True)]
    figure = draw(rows, WIDE, path=tmp_path / "picture.pdf")
    assert on_paper(figure)
    texts = [text.get_text() for text in texts_of(figure)]
    assert {"$\\alpha$ and $", "(unnamed)", "two\\nlines"} <= set(texts)


@DRAWINGS
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_same_rows_same_bytes(draw: Draw, ending: str, tmp_path: Path) -> None:
    rows, names = table(9)
    before = dict(matplotlib.rcParams)
    for name in ("a", "b"):
        draw(rows, names, find_order(rows, names), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert dict(matplotlib.rcParams) == before


@DRAWINGS
def test_unknown_endings_get_a_sentence(draw: Draw, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected \.png, \.svg or \.pdf"):
        draw(*table(3), path=tmp_path / "picture.bmp")


@DRAWINGS
def test_the_line_above_counts_what_became_of_the_pairs(draw: Draw) -> None:
    rows = [arrow("a", "b"), ScanRow("a", "c", 9, 0, status="unrelated"), ScanRow("b", "c", 0, 9)]
    words = "3 columns, 3 pairs: 1 oriented, 1 unrelated, 1 failed"
    assert words in [text.get_text() for text in texts_of(draw(rows, ["a", "b", "c"]))]


def marks(figure: Figure, kind: str) -> set[tuple[int, int]]:
    """Cells (row, column) that carry a mark of this kind."""
    found = [each for each in figure.axes[0].collections if each.get_gid() == kind]
    return {(round(y), round(x)) for each in found for x, y in np.asarray(each.get_offsets())}


def test_a_triangle_stands_in_the_row_of_the_cause_and_under_the_effect() -> None:
    rows = [
        arrow("a", "b"),
        arrow("c", "a", swapped=True),
        ScanRow("b", "c", 9, 0, status="undecided"),
        ScanRow("a", "d", 9, 0),
    ]
    figure = draw_matrix(rows, ["a", "b", "c", "d"])
    assert marks(figure, "arrow") == {(0, 1), (2, 0)}
    assert marks(figure, "effect") == {(1, 0), (0, 2)}
    assert marks(figure, "undecided") == {(1, 2), (2, 1)}
    assert marks(figure, "failed") == {(0, 3), (3, 0)}


def test_arranged_by_an_order_what_contradicts_it_stands_below_the_diagonal_and_is_hollow() -> None:
    rows = [arrow("a", "b", swapped=False), arrow("c", "a", swapped=True)]
    figure = draw_matrix(rows, ["a", "b", "c"], Order(("b", "a", "c"), 0.0, 0.0, True, 0.0))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["b", "a", "c"]
    assert marks(figure, "arrow") == set()
    assert marks(figure, "against") == {(1, 0), (2, 1)}
    against = next(each for each in figure.axes[0].collections if each.get_gid() == "against")
    assert len(against.get_facecolor()) == 0


def test_cells_are_darker_the_surer_the_arrow() -> None:
    rows = [
        arrow("a", "b", 0.6),
        arrow("a", "c", 0.95),
        arrow("b", "c", None),
        ScanRow("a", "d", 9, 0, status="unrelated"),
    ]
    image = np.asarray(draw_matrix(rows, ["a", "b", "c", "d"]).axes[0].images[0].get_array()).sum(axis=2)
    assert image[1, 2] < image[0, 2] < image[0, 1] < image[0, 3] < image[2, 3] == 3


@pytest.mark.parametrize(("count", "names"), [(READABLE, READABLE), (READABLE + 1, 31), (3 * READABLE, READABLE)])
def test_names_are_thinned_beyond_what_is_readable(count: int, names: int) -> None:
    figure = draw_matrix([], [f"c{k}" for k in range(count)])
    assert len(figure.axes[0].get_xticklabels()) == len(figure.axes[0].get_yticklabels()) == names


def test_cells_too_small_for_marks_are_filled_instead() -> None:
    names = [f"c{k}" for k in range(251)]
    rows = [ScanRow("c0", "c1", 9, 0, status="undecided"), ScanRow("c0", "c2", 9, 0), arrow("c0", "c3")]
    figure = draw_matrix(rows, names)
    image = np.asarray(figure.axes[0].images[0].get_array())
    assert len({tuple(image[cell]) for cell in ((0, 1), (0, 2), (0, 3), (3, 0), (4, 0))}) == 5
    assert not figure.axes[0].collections


def test_arrows_are_thicker_the_surer_and_dashed_against_the_order() -> None:
    rows = [arrow("a", "b", 0.6), arrow("b", "c", 0.95), arrow("c", "a", 0.7, swapped=True)]
    figure = draw_graph(rows, ["a", "b", "c"], find_order(rows, ["a", "b", "c"]))
    arrows = [patch for patch in figure.findobj(FancyArrowPatch) if patch.get_gid() == "arrow"]
    widths = [patch.get_linewidth() for patch in arrows]
    assert len(set(widths)) == 3
    assert widths == sorted(widths)  # the surest is drawn last, on top
    assert [patch.get_linestyle() == "-" for patch in arrows] == [False, True, True]


def given(cause: str, effect: str) -> ScanRow:
    return replace(arrow(cause, effect, 0.97), is_given=True)


def test_what_is_given_is_counted_apart_and_looks_like_no_finding() -> None:
    apart = ScanRow("b", "c", 100, 0, status="unrelated", is_given=True)
    rows, columns = [arrow("a", "b"), given("a", "c"), apart], ["a", "b", "c"]
    matrix, drawn = draw_matrix(rows, columns), draw_graph(rows, columns)
    assert marks(matrix, "arrow") == {(0, 1)}
    assert marks(matrix, "given") == {(0, 2)} and marks(matrix, "given effect") == {(2, 0)}
    assert marks(matrix, "given apart") == {(1, 2), (2, 1)}
    for figure in (matrix, drawn):
        assert "3 columns, 3 pairs: 1 oriented, 2 given" in [text.get_text() for text in texts_of(figure)]
    found, fixed = sorted(arrows(drawn), key=lambda each: matplotlib.colors.to_hex(each.get_edgecolor()) == MUTED)
    assert found.get_linestyle() == "-" and fixed.get_linestyle() != "-"
    assert matplotlib.colors.to_hex(fixed.get_edgecolor()) == MUTED
    assert any("given by background knowledge" in text.get_text() for text in texts_of(drawn))


@pytest.mark.parametrize("what", ["required", "direction_given"])
def test_what_is_given_of_a_causal_graph_is_drawn_as_given(what: str) -> None:
    edges = graph(2)
    ((a, b),) = edges.edges
    edges.edges[a, b][what] = True
    figure = draw_causal_graph(edges, "heading")
    assert {matplotlib.colors.to_hex(each.get_edgecolor()) for each in arrows(figure)} == {MUTED}
    assert any("given by background knowledge" in text.get_text() for text in texts_of(figure))


def test_kinds_of_edges_differ_by_heads_dots_and_legend() -> None:
    drawn = mixed_graph().to_networkx()
    figure = draw_causal_graph(drawn, "heading")
    heads = Counter(type(each.get_arrowstyle()).__name__ for each in arrows(figure))
    assert heads == {"CurveFilledB": 4, "Curve": 1, "CurveFilledAB": 1}
    assert sum(matplotlib.colors.to_hex(each.get_edgecolor()) == MUTED for each in arrows(figure)) == 2
    told = {text.get_text() for text in texts_of(figure)}
    assert {"one affects the other; which way is open", "a common cause that is not in the table"} <= told
    assert "Without an edge: alone." in told


def test_names_do_not_cover_each_other() -> None:
    figure = draw_graph(*table(40))
    boxes = [patch.get_bbox() for patch in figure.findobj(FancyBboxPatch)]
    assert len(boxes) == 40
    assert not [1 for k, one in enumerate(boxes) for other in boxes[:k] if one.overlaps(other)]


def test_columns_without_an_arrow_are_listed_below() -> None:
    figure = draw_graph([arrow("a", "b")], ["a", "b", "c", "d"])
    assert any("Without an arrow: c, d." in text.get_text() for text in texts_of(figure))
    assert len(figure.findobj(FancyBboxPatch)) == 2


def graph(count: int, names: list[str] | None = None, support: bool = True) -> nx.DiGraph:
    rng = np.random.default_rng(count)
    names = names or [f"column {k}" for k in range(count)]
    found = nx.DiGraph()
    found.add_nodes_from(names)
    for j in range(count):
        for i in range(j):
            if rng.random() < min(1.0, 3 / count):
                facts = {"weight": rng.uniform(0.3, 1), "mean": rng.random() < 0.7, "spread": rng.random() < 0.5}
                found.add_edge(names[i], names[j], **facts, **({"support": facts["weight"]} if support else {}))
    return found


def arrows(figure: Figure) -> list[FancyArrowPatch]:
    return [each for each in figure.findobj(FancyArrowPatch) if each.get_gid() == "arrow"]


@pytest.mark.parametrize("count", [1, 2, 5, 12, 30])
def test_every_name_and_arrow_is_on_the_paper(count):
    drawn = graph(count)
    figure = draw_causal_graph(drawn, "heading")
    figure.canvas.draw()
    joined = [name for name in drawn if drawn.degree(name)]
    texts = {text.get_text(): text.get_window_extent() for text in figure.findobj(Text) if text.get_text()}
    paper = figure.bbox.padded(1)
    assert set(joined) <= set(texts)
    assert all(paper.x0 <= b.x0 and b.x1 <= paper.x1 and paper.y0 <= b.y0 and b.y1 <= paper.y1 for b in texts.values())
    assert len(arrows(figure)) == drawn.number_of_edges()
    assert len(figure.findobj(FancyBboxPatch)) >= len(joined)


@pytest.mark.parametrize("count", [5, 12, 20])
def test_no_two_names_overlap_and_arrows_run_downwards(count):
    figure = draw_causal_graph(graph(count), "heading")
    figure.canvas.draw()
    boxes = [each.get_window_extent() for each in figure.axes[0].patches if isinstance(each, FancyBboxPatch)]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    for arrow in arrows(figure):
        points = arrow._path_original.vertices
        assert np.all(np.diff(points[:, 1]) <= 1e-9)


def test_what_moves_the_spread_bears_a_mark_and_that_alone_is_dashed():
    drawn = nx.DiGraph()
    for child, mean, spread in (("m", True, False), ("s", False, True), ("b", True, True)):
        drawn.add_edge("a", child, weight=1.0, mean=mean, spread=spread)
    figure = draw_causal_graph(drawn, "heading")
    assert sum(text.get_text() == "±" for text in figure.axes[0].texts) == 2
    assert sum(arrow.get_linestyle() != "-" and arrow.get_linestyle() != "solid" for arrow in arrows(figure)) == 1


def test_any_name_can_be_drawn_and_the_bytes_are_the_same(tmp_path):
    names = ["W" * 40, "温度と湿度の関係", "$\\alpha$ and $", HOSTILE, "", "two\nlines"]
    paths = [tmp_path / f"{k}.svg" for k in range(2)]
    with boxes_for_unknown_letters():
        for path in paths:
            draw_causal_graph(graph(6, names), "heading", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
