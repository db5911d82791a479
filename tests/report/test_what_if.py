"""What the page of a graph says where a column is set: as the graph answers, safe, bounded in size."""

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from causal import mixed_graph
from scans import HOSTILE
from test_graph_page import words
from test_html_pages import outline

import causewise
from causewise.graphs import pair_effects
from causewise.graphs.causal_graph import LINE, CausalGraph
from causewise.graphs.effect import Effect, EffectRefusal
from causewise.report import what_if
from causewise.report.html_pages import render_graph

PLAIN = ("rain", "soil", "crop", "wet", "lots")


@cache
def valley_graph(names: tuple[str, ...] = PLAIN) -> CausalGraph:
    """rain → soil → crop; wet, which has two values and is given as first, → crop; lots alone."""
    rng = np.random.default_rng(0)
    rain, wet = rng.gamma(3, 2, 400), rng.integers(0, 2, 400).astype(float)
    soil = np.sqrt(rain) + 0.3 * rng.uniform(-1, 1, 400)
    crop = 4 * np.tanh(soil - 2) + 2 * wet + (0.2 + 0.1 * soil) * rng.normal(size=400)
    columns = dict(zip(names, (rain, soil, crop, wet, rng.normal(size=400)), strict=True))
    known = {"first": [names[0], names[3]], "before": [[names[1], names[2]]]}
    return causewise.graph(columns, knowledge=known, bootstrap=3, engine=causewise.Engine(jobs=1))


def numbers(text: str) -> dict:
    return json.loads(re.search(r'id="effect-numbers">(.*?)</script>', text, re.DOTALL)[1])


@cache
def page() -> str:
    return render_graph(valley_graph())


def test_every_pair_has_its_numbers_or_its_reason() -> None:
    graph, record = valley_graph(), numbers(page())
    assert len(record["pairs"]) == len(graph.effects) == 20
    for pair, answer in zip(record["pairs"], graph.effects.values(), strict=True):
        assert (graph.order[pair["cause"]], graph.order[pair["effect"]]) == (answer.cause, answer.effect)
        if isinstance(answer, EffectRefusal):
            assert pair["reason"] == answer.reason and "at" not in pair
            continue
        width = np.ptp(graph.values[answer.effect])
        for name, curve in (("mean", answer.mean), ("scale", answer.scale), ("margin", answer.high - answer.mean)):
            np.testing.assert_allclose(pair[name], curve, atol=2e-5 * width)
        again = graph.effect(answer.cause, answer.effect, at=answer.at)
        assert np.array_equal(again.mean, answer.mean) and again.from_to == answer.from_to
    shown = record["pairs"][record["first"]]
    assert shown["mean"] and record["columns"][shown["cause"]]["name"] in graph.order


def test_what_was_observed_stands_beside_it() -> None:
    graph = valley_graph()
    for name, column in zip(graph.order, numbers(page())["columns"], strict=True):
        values = graph.values[name]
        assert (column["mean"], column["sd"]) == pytest.approx((values.mean(), values.std()), rel=1e-3, abs=1e-3)
        assert column["span"] == [values.min(), values.max()]
        if name != "lots":
            assert len(column["values"]) == what_if.MOST_ROWS


def test_a_column_of_two_values_is_set_to_these_and_others_also_beyond_their_rows() -> None:
    record = numbers(page())
    for pair in record["pairs"]:
        if "at" in pair:
            name, span = (record["columns"][pair["cause"]][key] for key in ("name", "span"))
            assert pair["levels"] == (name == "wet")
            assert (pair["at"] == [0, 1]) if name == "wet" else pair["at"][0] < span[0] < span[1] < pair["at"][-1]


def test_effects_that_were_asked_for_come_first_as_far_as_they_reach() -> None:
    graph = valley_graph()
    far = float(graph.values["soil"].max() * 3)
    asked = [graph.ask_effect("soil", "crop", at=[2.0, far]), graph.ask_effect("crop", "rain", at=[1e6])]
    text = render_graph(graph, effects=asked)
    record, told = numbers(text), words(text)
    assert record["pairs"][record["first"]]["at"][-1] == pytest.approx(far, rel=1e-4)
    assert record["printed"] == [record["first"]]
    assert str(asked[0]) in told and "beyond the rows" in told
    assert "setting 'crop' leaves 'rain' as it is. 1×10⁶ lies beyond the observed values of 'crop'" in told
    refused = numbers(render_graph(graph, effects=asked[1:]))
    assert "reason" in refused["pairs"][refused["first"]]


def test_the_strongest_are_listed_strongest_first() -> None:
    listed = what_if.summarise_effects(valley_graph()).strongest
    assert [float(each.moved.split()[0]) for each in listed] == sorted(
        (float(each.moved.split()[0]) for each in listed), reverse=True
    )
    assert {(each.cause, each.effect) for each in listed} >= {("rain", "crop"), ("wet", "crop")}


def test_names_are_text_and_ids_unique() -> None:
    for graph in (valley_graph(), valley_graph(HOSTILE[:5])):
        effects = [next(each for each in graph.effects.values() if isinstance(each, Effect))]
        text = render_graph(graph, effects=effects)
        parsed = outline(text)
        assert parsed.open == [] and len(parsed.ids) == len(set(parsed.ids)) and set(parsed.referred) <= set(parsed.ids)
        assert text.count("<script") == text.count("</script>") == 3 and "<img src=x" not in text
        assert render_graph(graph, effects=effects) == text


def test_many_pairs_are_bounded_those_of_fewest_edges_first(monkeypatch) -> None:
    monkeypatch.setattr(pair_effects, "MOST_PAIRS", 3)
    graph = replace(valley_graph())
    assert set(graph.effects) == {("rain", "soil"), ("soil", "crop"), ("wet", "crop")}
    assert "The page has 3 of 20 pairs of columns" in words(render_graph(graph))
    beside = render_graph(graph, effects=[graph.ask_effect("rain", "crop")])
    assert len(numbers(beside)["pairs"]) == 4


def test_without_equations_or_bounds_or_rows() -> None:
    assert what_if.summarise_effects(mixed_graph()) is None and mixed_graph().effects == {}
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 300)
    graph = causewise.graph({"a": a, "b": a**3 + rng.uniform(-1, 1, 300)}, bootstrap=0)
    record = numbers(render_graph(graph))
    assert "margin" not in record["pairs"][0] and "No bounds" in record["pairs"][0]["notes"][0]
    bare = numbers(render_graph(replace(graph, values={})))
    assert bare["columns"][0]["values"] == [] and bare["pairs"][0]["mean"] == record["pairs"][0]["mean"]


def test_where_nothing_is_told_the_page_says_so() -> None:
    graph = valley_graph()
    loose = replace(graph, edges=tuple(replace(each, direction=LINE, reason="it is made so") for each in graph.edges))
    text = render_graph(loose)
    assert "No effect is told: no path of arrows" in words(text)
    both = [pair["reason"] for pair in numbers(text)["pairs"] if "depends on the direction" in pair["reason"]]
    assert both and all(" it would be " in reason and reason.count(" where ") == 2 for reason in both)
