"""The page and the card of a causal graph: whole, safe, repeatable; every edge with its evidence."""

import html
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from causal import empty_graph, hostile_graph, mixed_graph
from test_html_pages import CARD_LIMIT, outline

from causewise.cli.graph import show_graph
from causewise.graphs.causal_graph import CausalGraph
from causewise.graphs.edge_curves import GRID, MOST_POINTS, measure_edge, measure_edge_curves
from causewise.report import graph_summary
from causewise.report.causal_layout import shape_causal_graph
from causewise.report.html_pages import render_graph

GRAPHS = {"mixed": mixed_graph(), "hostile": hostile_graph(), "empty": empty_graph()}


@cache
def page(name: str) -> str:
    return render_graph(GRAPHS[name])


def words(text: str) -> str:
    return " ".join("".join(outline(text).text).split())


def numbers(text: str) -> list:
    return json.loads(re.search(r'id="edge-numbers">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.parametrize("name", GRAPHS)
def test_the_page_nests_loads_nothing_and_has_unique_ids(name: str) -> None:
    parsed = outline(page(name))
    assert parsed.open == [] and len(parsed.ids) == len(set(parsed.ids))
    assert set(parsed.referred) <= set(parsed.ids)
    assert all(target.startswith("#") and target[1:] in parsed.ids for target in parsed.loads)
    assert "@import" not in page(name) and "default-src 'none'" in page(name)
    assert render_graph(GRAPHS[name]) == page(name)
    assert not re.search(r"animation|transition|scroll-behavior|@keyframes|<animate", page(name))


def test_names_are_text_and_never_markup() -> None:
    text = page("hostile")
    assert "<script>alert" not in text and "<img src=x" not in text and "\x00" not in text and "\u202e" not in text
    assert text.count("</script>") == 2 and text.count("<script") == 2
    assert "</td>site" in html.unescape(text)


def test_a_nonce_is_the_only_thing_let_in() -> None:
    sent = render_graph(GRAPHS["mixed"], nonce="r4nd0m")
    assert "unsafe-inline" not in sent and sent.count('nonce="r4nd0m"') == 2


def test_the_kinds_of_edges_are_counted_apart() -> None:
    told = words(page("mixed"))
    assert "6 edges between 7 columns" in told
    assert (
        "Of 6 edges, 2 have a direction, 1 has no direction that could be told, 1 comes from a common cause outside "
        "the table and 2 are given by background knowledge." in told
    )
    assert "No edge between 7 columns" in words(page("empty"))


def test_every_edge_has_its_evidence() -> None:
    graph, text = GRAPHS["mixed"], page("mixed")
    parts = re.findall(r'<details class="edge" id="edge-(\d)">(.*?)</details>', text, re.DOTALL)
    assert [int(k) for k, _ in parts] == list(range(len(graph.edges)))
    for edge, (_, part) in zip(graph.edges, parts, strict=True):
        told = words(part)
        assert edge.parent in told and edge.child in told
        assert (edge.reason or "evidence") in told + "evidence"
        assert ("given" in told) == edge.is_given or edge.direction == "->"
        assert ("Probability of" in told) == (edge.direction_probability is not None)
        for p in (edge.p_mean, edge.p_spread):
            assert p is not None or "not in the model" in told
    for edge, found in zip(graph.edges, numbers(text), strict=True):
        forward, backward = found["sides"]
        assert (forward["cause"], forward["effect"]) == (backward["effect"], backward["cause"])
        assert forward["chosen"] == (edge.direction == "->") and not backward["chosen"]
        assert len(found["dots"][0]) == len(found["dots"][1]) <= MOST_POINTS
        for side in found["sides"]:
            (curve,) = side["curve"]
            assert all(
                low <= mean <= high for low, mean, high in zip(*map(curve.get, ("low", "mean", "high")), strict=True)
            )


def test_links_of_the_picture_lead_to_their_edge() -> None:
    graph, text = GRAPHS["mixed"], page("mixed")
    found = re.findall(r'data-edge="edge-(\d)"><title>(.*?)</title>', text)
    assert len(found) == len(graph.edges)
    for k, title in found:
        edge = graph.edges[int(k)]
        assert html.unescape(title).startswith(f"{edge.parent} ") and f" {edge.child}:" in title


def test_what_else_a_reader_needs_is_there() -> None:
    graph, told = GRAPHS["mixed"], words(page("mixed"))
    for part in (*graph.warnings, "it is 1 in every row", "sums, normal noise", "two values", "Without an edge: alone"):
        assert part in told
    command = graph_summary.command(graph)
    assert command in told and "--known KNOWLEDGE.yaml" in command and "--threshold 0.9" in command
    compile(graph_summary.python(graph), "page", "exec")
    assert "7 left out for a missing value" in graph_summary.paragraph(graph)
    assert "Immer et al., 2023" in told and "@inproceedings{immer2023identifiability" in told
    assert "--known" not in graph_summary.command(empty_graph())


def test_heads_and_dashes_alone_tell_the_kinds_apart() -> None:
    links = shape_causal_graph(GRAPHS["mixed"]).links
    seen = {(link.look.kind, len(link.heads), link.look.dashes) for link in links}
    assert {kind: (heads, dashes) for kind, heads, dashes in seen if dashes != "7 4"} == {
        "directed": (1, ""),
        "undirected": (0, ""),
        "common cause": (2, ""),
        "given": (1, "1.5 3"),
    }
    assert ("directed", 1, "7 4") in seen  # of the variance alone


def test_an_edge_against_the_order_is_drawn_with_its_head_above() -> None:
    graph = replace(GRAPHS["mixed"], order=GRAPHS["mixed"].order[::-1])
    up = {link.look.heads for link in shape_causal_graph(graph).links if link.look.kind == "directed"}
    assert up == {(True, False)}


def test_many_edges_have_curves_as_far_as_there_is_room(monkeypatch) -> None:
    monkeypatch.setattr(graph_summary, "MOST_DRAWN", 2)
    text = render_graph(mixed_graph())
    assert len(numbers(text)) == 2 and "The first 2 edges have a picture." in text


def test_without_columns_there_are_no_curves() -> None:
    graph = replace(mixed_graph(), values={})
    assert graph.curves == {} and numbers(render_graph(graph)) == [None] * len(graph.edges)
    assert "there are no pictures" in render_graph(graph)


def test_curves_are_near_the_truth_in_the_units_of_the_table() -> None:
    rng = np.random.default_rng(0)
    u = rng.uniform(-2, 2, 3000)
    v = 1e4 + 300 * (np.sin(2 * u) + (0.1 + 0.1 * np.abs(u)) * rng.normal(size=3000))
    curve = measure_edge(u, v)
    grid = np.array(curve.forward.grid)
    inner = np.abs(grid) < 1.8
    assert np.abs(np.array(curve.forward.mean) - 1e4 - 300 * np.sin(2 * grid))[inner].max() < 30
    assert np.abs(np.array(curve.forward.scale) / 300 - 0.1 - 0.1 * np.abs(grid))[inner].max() < 0.08
    assert len(grid) == GRID and len(curve.parent) == len(curve.child) == MOST_POINTS
    assert set(zip(curve.parent, curve.child, strict=True)) <= set(zip(u.tolist(), v.tolist(), strict=True))


def test_turning_an_edge_turns_its_curve() -> None:
    rng = np.random.default_rng(0)
    few, many = rng.integers(0, 3, 300).astype(float), rng.normal(size=300)
    one, other = measure_edge(few, many), measure_edge(many, few)
    assert (one.forward, one.backward, one.parent) == (other.backward, other.forward, other.child)
    assert one.forward.grid == (0.0, 1.0, 2.0)
    assert measure_edge_curves({}, mixed_graph().edges) == {}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_card_has_a_small_picture_and_the_first_edges(name: str) -> None:
    graph: CausalGraph = GRAPHS[name]
    text = graph._repr_html_()
    card = outline(text)
    assert card.open == [] and "script" not in card.seen and len(text.encode()) < CARD_LIMIT
    assert "<script>alert" not in text and graph_summary.title(graph) in words(text)
    assert card.seen.count("tr") == (len(graph.edges) + 1 if graph.edges else 0)
    assert text.count('class="node"') == len({name for edge in graph.edges for name in (edge.parent, edge.child)})
    if name == "mixed":
        assert "weight — left direction open" in " ".join(" ".join(card.text).split())


def test_a_report_is_written(tmp_path) -> None:
    GRAPHS["mixed"].report(tmp_path / "g.html")
    assert (tmp_path / "g.html").read_text(encoding="utf-8") == page("mixed")


def test_edges_of_every_kind_are_told_apart_in_a_terminal(capsys) -> None:
    show_graph(mixed_graph())
    out, said = capsys.readouterr()
    lines = {line.split("  ")[1]: line for line in out.splitlines() if line.startswith("  ")}
    assert "direction open" in lines["weight — left"] and "62 %" in lines["weight — left"]
    assert "common cause" in lines["left ↔ right"] and "90 %" not in lines["left ↔ right"]
    assert "mean, given" in lines["age → response"] and "spread" in lines["dose → weight"]
    assert out.count("no arrow: ") == 2
    for sign in ("—: ", "↔: ", "given: "):
        assert sign in said
