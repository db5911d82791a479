"""The picture of a causal graph: every name whole, every arrow downwards and past all names, the same bytes."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.text import Text
from specimens import HOSTILE

from causewise.report.causal_graph import draw_causal_graph
from causewise.report.picture import boxes_for_unknown_letters


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
    assert sum(text.get_text() == "±" for text in figure.findobj(Text)) == 2
    assert sum(arrow.get_linestyle() != "-" and arrow.get_linestyle() != "solid" for arrow in arrows(figure)) == 1


def test_any_name_can_be_drawn_and_the_bytes_are_the_same(tmp_path):
    names = ["W" * 40, "温度と湿度の関係", "$\\alpha$ and $", HOSTILE, "", "two\nlines"]
    paths = [tmp_path / f"{k}.svg" for k in range(2)]
    with boxes_for_unknown_letters():
        for path in paths:
            draw_causal_graph(graph(6, names), "heading", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
