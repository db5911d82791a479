"""What setting one column does to another: against known effects and regression, with bounds, or why it is refused."""

import json
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from worlds import chain, unit

import causewise
from causewise.graphs.causal_graph import LINE, TWO_HEADED
from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import search_graph
from causewise.graphs.interventions import LEVEL
from causewise.graphs.mechanisms import NaturalSums, _Start
from causewise.graphs.structural_model import Interpolation, _World, build_model, thin_law

ONE = causewise.Engine(jobs=1)


def linear(n: int = 500, seed: int = 0) -> dict[str, np.ndarray]:
    """z → a → b and z → b by straight lines: the effect of a on b is 2, that of z is 0.8 · 2 − 1.5."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(-1, 1, n)
    a = 0.8 * z + rng.uniform(-1, 1, n)
    return {"b": 2 * a - 1.5 * z + rng.uniform(-0.5, 0.5, n), "z": z, "a": a}


@pytest.fixture(scope="module")
def lines() -> causewise.CausalGraph:
    return causewise.graph(linear(), engine=ONE)


@pytest.fixture(scope="module")
def curves() -> causewise.CausalGraph:
    """a → b → c, and d alone."""
    return causewise.graph(chain(), engine=ONE)


def regression(effect: np.ndarray, *columns: np.ndarray) -> float:
    return float(np.linalg.lstsq(np.column_stack([*columns, np.ones(len(effect))]), effect)[0][0])


def test_equations_are_the_fits_that_they_come_from():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = np.sin(2 * a) + 0.4 * np.exp(0.5 * a) * rng.normal(size=400)
    c = np.exp(1.5 * a + b + 0.3 * rng.normal(size=400))  # a sensor over a sum
    rng = np.random.default_rng(3)
    long = rng.standard_t(2, 400)
    of_long = long + (0.3 + 0.5 * np.abs(long)) * rng.normal(size=400)  # natural parameters
    columns = np.array([a, b, c, long, of_long])
    found = search_graph(columns, Constraints.none(5), 0.001)
    assert {"sensor", "natural parameters"} <= {fit.kind for fit in found.graph.fits}
    model = build_model(columns, found)
    assert model.arrows == found.graph.arrows
    fits = dict(zip(found.graph.order, found.graph.fits, strict=True))
    check_equations(columns, model, fits)
    begin = _Start([3], fits[4].fit.fit.mean, fits[4].fit.fit.log_scale)
    by_value = found.likelihoods.mechanisms._grow_natural(4, begin, [3], [3], -np.inf, by_value=True)
    fits |= {4: by_value}
    graph = replace(found.graph, fits=tuple(fits[column] for column in found.graph.order))
    check_equations(columns, build_model(columns, found._replace(graph=graph)), fits)


def check_equations(columns, model, fits):
    world = _World(model)
    for column, values in enumerate(columns):
        world.assign(column, values)
    for column, fit in fits.items():
        location, scale = model.equations[column].evaluate(world.block_of(column))
        other = fit.fit.fit if isinstance(fit.fit, NaturalSums) else fit.fit
        np.testing.assert_allclose(np.broadcast_to(location, columns.shape[1]), other.mean, atol=0.05)
        np.testing.assert_allclose(np.broadcast_to(np.log(scale), columns.shape[1]), other.log_scale, atol=0.05)


@pytest.mark.parametrize("units", [(0.0, 1.0), (40.0, -3.0)])
def test_noise_is_recovered_and_gives_the_column_back(units):
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = np.sin(2 * a) + 0.4 * np.exp(0.5 * a) * rng.normal(size=400)
    columns = np.array([a, b, np.exp(1.5 * a + b + 0.3 * rng.normal(size=400))])
    found = search_graph(columns, Constraints.none(3), 0.001)
    assert "sensor" in {fit.kind for fit in found.graph.fits}
    middle, unit = (np.full(3, each) for each in units)
    model, table = build_model(columns, found).in_units(middle, unit), units[0] + units[1] * columns
    for column, equation in model.equations.items():
        parents = {parent: table[parent] for parent in equation.parents}
        noise = model.recover_noise(column, parents, table[column])
        np.testing.assert_allclose(model.compute(column, parents, noise), table[column], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(np.sort(noise), equation.noise, atol=0.1)


def test_a_law_keeps_its_mean_and_deviation_and_a_map_its_ends():
    values = np.exp(np.random.default_rng(0).normal(size=5000))
    law = thin_law(values, 100)
    assert len(law) == 100
    assert (law.mean(), law.std()) == pytest.approx((values.mean(), values.std()))
    to_log = Interpolation.of(values, np.log(values))
    assert to_log(values) == pytest.approx(np.log(values), abs=0.05)
    assert to_log(np.array([0.0, 1e9])) == pytest.approx([np.log(values).min(), np.log(values).max()])


def test_straight_lines_are_those_of_regression_with_the_adjustment_set(lines):
    table = linear()
    for cause, adjust, truth in (("a", ["z"], 2.0), ("z", [], 0.1)):
        effect = lines.effect(cause, "b")
        told = regression(table["b"], table[cause], *(table[name] for name in adjust))
        width = effect.from_to.end - effect.from_to.start
        assert effect.per_unit == pytest.approx(told, abs=0.03)
        assert effect.from_to.low <= width * truth <= effect.from_to.high
    direct = lines.effect("z", "b", direct=True)
    assert direct.per_unit == pytest.approx(regression(table["b"], table["z"], table["a"]), abs=0.03)
    assert direct.probability > 0.95
    assert lines.effect("a", "b", direct=True).per_unit == pytest.approx(lines.effect("a", "b").per_unit)


def test_mean_and_scale_are_those_of_the_truth():
    rng = np.random.default_rng(3)
    a = rng.normal(size=1000)
    b = np.sin(2 * a) + 0.4 * np.exp(0.5 * a) * rng.normal(size=1000)
    table = {"b": b, "a": a, "c": np.tanh(2 * b) + 0.4 * rng.uniform(-1, 1, 1000)}
    graph = causewise.graph(table, bootstrap=4, engine=ONE)
    at = np.quantile(a, [0.1, 0.25, 0.5, 0.75, 0.9])
    effect, mean, scale = graph.effect("a", "b", at=at), np.sin(2 * at), 0.4 * np.exp(0.5 * at)
    assert effect.mean == pytest.approx(mean, abs=0.15)
    assert effect.scale == pytest.approx(scale, abs=0.12)
    assert np.mean((effect.low <= mean) & (mean <= effect.high)) > 0.5
    assert np.mean((effect.scale_low <= scale) & (scale <= effect.scale_high)) > 0.5
    through = np.tanh(2 * (mean[:, None] + scale[:, None] * rng.normal(size=(5, 20000))))
    total = graph.effect("a", "c", at=at)
    assert total.mean == pytest.approx(through.mean(axis=1), abs=0.15)
    assert total.scale == pytest.approx(np.sqrt(through.var(axis=1) + 0.4**2 / 3), rel=0.2)


def test_a_parent_of_the_spread_alone_moves_no_mean():
    rng = np.random.default_rng(5)
    a = rng.uniform(-2, 2, 600)
    effect = causewise.graph({"a": a, "b": np.exp(0.6 * a) * rng.normal(size=600)}, engine=ONE).effect("a", "b")
    assert abs(effect.from_to.mean) < 0.2
    assert effect.scale[-1] > 3 * effect.scale[0]


def test_set_rows_have_the_mean_of_the_effect(curves):
    effect = curves.effect("a", "c", at=[-1.0, 1.0])
    for value, mean, scale in zip(effect.at, effect.mean, effect.scale, strict=True):
        rows = curves.do({"a": value}, rows=20_000, seed=3)
        assert set(rows) == {"a", "b", "c", "d"}
        assert (rows["a"] == value).all()
        assert rows["c"].mean() == pytest.approx(mean, abs=0.05)
        assert rows["c"].std() == pytest.approx(scale, rel=0.1)
    table, free = chain(), curves.do({}, rows=20_000)
    for name, column in table.items():
        assert (free[name].mean(), free[name].std()) == pytest.approx((column.mean(), column.std()), abs=0.15)
    assert np.array_equal(curves.do({"b": 1.0}, 50, seed=4)["c"], curves.do({"b": 1.0}, 50, seed=4)["c"])


def test_shares_of_variance(lines, curves):
    table = linear(20_000)
    of_a, of_z = (next(each for each in lines.strength() if each[:2] == (name, "b")) for name in "az")
    variance = np.var(table["b"])
    assert of_a.mean == pytest.approx(4 * np.var(table["a"]) / variance, rel=0.15)
    assert of_z.mean == pytest.approx(2.25 * np.var(table["z"]) / variance, rel=0.15)
    assert of_a.spread == pytest.approx(0.0, abs=0.01)
    strengths = {each[:2]: each for each in curves.strength()}
    assert strengths.keys() == {("a", "b"), ("b", "c")}
    assert strengths["a", "b"].spread > 0.01 > strengths["b", "c"].spread


def test_units_and_signs_of_columns_are_those_of_the_effect(lines):
    scales = {"a": (-3.0, 40.0), "b": (1e-3, -2.0), "z": (7.0, 0.0)}
    other = causewise.graph(
        {name: scales[name][0] * column + scales[name][1] for name, column in linear().items()}, engine=ONE
    )
    here, there = lines.effect("a", "b"), other.effect("a", "b")
    assert there.per_unit == pytest.approx(here.per_unit * scales["b"][0] / scales["a"][0], rel=1e-6)
    at = scales["a"][0] * here.at + scales["a"][1]
    there = other.effect("a", "b", at=at)
    assert there.mean == pytest.approx(scales["b"][0] * here.mean + scales["b"][1], rel=1e-6)
    assert there.scale == pytest.approx(abs(scales["b"][0]) * here.scale, rel=1e-6)
    assert there.high - there.low == pytest.approx(abs(scales["b"][0]) * (here.high - here.low), rel=1e-4)


def test_processes_pickles_and_the_order_of_rows_change_nothing(lines):
    table = linear()
    effect = lines.effect("z", "b")
    assert pickle.loads(pickle.dumps(lines)).effect("z", "b") == effect
    assert pickle.loads(pickle.dumps(effect)) == effect
    backwards = {name: table[name][::-1] for name in reversed(table)}
    assert causewise.graph(backwards, engine=causewise.Engine(jobs=2)).effect("z", "b").to_dict() == effect.to_dict()
    assert len(pickle.dumps(lines)) < 200_000


def test_values_beyond_the_rows_are_named_and_have_wide_bounds(lines):
    top = linear()["a"].max()
    effect = lines.effect("a", "b", at=[top, top + 1, top + 5])
    assert effect.beyond == (top + 1, top + 5)
    assert effect.mean[1] == effect.mean[2] == pytest.approx(effect.mean[0])
    assert effect.high[2] >= effect.mean[0] + 5 * 1.8  # as far as the line
    widths = effect.high - effect.low
    assert widths[0] < widths[1] < widths[2]
    assert "beyond the observed values of 'a'" in effect.notes[0]
    assert "beyond the rows" in effect._repr_html_()
    assert json.loads(json.dumps(effect.to_dict()))["beyond"] == [top + 1, top + 5]


def test_bounds_widen_with_their_level_and_need_parts(lines):
    narrow, wide = (lines.effect("a", "b", level=level) for level in (0.5, 0.99))
    assert narrow.from_to.low > wide.from_to.low
    assert lines.effect("a", "b").level == LEVEL
    none = causewise.graph(linear(), bootstrap=0).effect("a", "b")
    assert np.isnan(none.low).all()
    assert np.isnan(none.probability)
    assert none.to_dict()["low"] == [None] * len(none.at)
    assert none.mean == pytest.approx(narrow.mean)
    assert "No bounds" in none.notes[0]
    assert "90%" not in str(none)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("d", "c"), "no path of arrows leads from the first to the second"),
        (("c", "a"), "setting 'c' leaves 'a' as it is"),
        (("a", "a"), "expected two columns"),
        (("a", "x"), "which is not in the graph; expected one of"),
        (("a", "c", "hot"), "expected one to 1000 finite numbers"),
        (("a", "c", [np.nan]), "expected one to 1000 finite numbers"),
        (("a", "c", []), "expected one to 1000 finite numbers"),
    ],
)
def test_what_has_no_effect_to_tell_is_refused(curves, asked, sentence):
    with pytest.raises(causewise.InputError, match=sentence):
        curves.effect(*asked)


def test_other_questions_that_cannot_be_answered_are_refused(curves):
    with pytest.raises(causewise.InputError, match="ask without direct"):
        curves.effect("a", "c", direct=True)
    for level in (2, "high", None):
        with pytest.raises(causewise.InputError, match="level="):
            curves.effect("a", "c", level=level)
    for setting in (None, "a"):
        with pytest.raises(causewise.InputError, match="expected a dict of columns"):
            curves.do(setting)
    with pytest.raises(causewise.InputError, match="rows=0"):
        curves.do({"a": 1.0}, rows=0)
    with pytest.raises(causewise.InputError, match="not in the graph"):
        curves.do({"x": 1.0})
    with pytest.raises(causewise.InputError, match="without its equations"):
        replace(curves, structure=None).effect("a", "b")


def open_edge(graph: causewise.CausalGraph, parent: str, child: str, direction: str) -> causewise.CausalGraph:
    edges = [
        replace(edge, direction=direction, reason="it is made so")
        if (edge.parent, edge.child) == (parent, child)
        else edge
        for edge in graph.edges
    ]
    return replace(graph, edges=tuple(edges))


def test_an_edge_without_direction_on_the_way_is_refused_with_its_numbers(curves, lines):
    loose = open_edge(curves, "b", "c", LINE)
    change = causewise.formatting.format_signed(curves.effect("a", "c").from_to.mean, 1)[:2]
    with pytest.raises(causewise.InputError, match="depends on the direction of 'b' — 'c'") as refusal:
        loose.effect("a", "c")
    assert change in str(refusal.value)
    assert "where 'b' → 'c'" in str(refusal.value)
    assert loose.effect("a", "b") == curves.effect("a", "b")  # which it does not concern
    with pytest.raises(causewise.InputError, match="depends on the direction of"):
        loose.do({"a": 1.0})
    assert loose.do({}).keys() == curves.do({}).keys()
    with pytest.raises(causewise.InputError, match="common cause that is no column"):
        open_edge(curves, "b", "c", TWO_HEADED).effect("a", "c")
    # z → a would be a confounder, a → z a mediator.
    with pytest.raises(causewise.InputError, match="depends on the direction of 'z' — 'a'"):
        open_edge(lines, "z", "a", LINE).effect("a", "b")
    assert open_edge(lines, "z", "a", LINE).effect("a", "b", direct=True) == lines.effect("a", "b", direct=True)


def test_an_edge_behind_the_cause_may_have_no_direction(lines):
    loose = open_edge(lines, "a", "b", LINE)
    for effect in ("a", "b"):
        told = loose.effect("z", effect)
        assert (told.mean == lines.effect("z", effect).mean).all()
        assert any("'a' — 'b' has no direction" in note for note in told.notes)
    assert "depends on the direction" in str(loose.ask_effect("a", "b"))
    # z may act on b by a alone: then whether b lies behind it depends on the edge.
    only = replace(loose, edges=tuple(each for each in loose.edges if (each.parent, each.child) != ("z", "b")))
    assert "depends on the direction of 'a' — 'b'" in str(only.ask_effect("z", "b"))


def test_both_numbers_are_told_even_where_no_part_turns_the_edge(curves):
    loose, table = open_edge(curves, "b", "c", LINE), chain()
    if any(
        ("c", "b") in {tuple(curves.structure.names[k] for k in arrow) for arrow in part.arrows}
        for part in curves.structure.parts
    ):
        pytest.skip("a part turns it")
    forward, back = (str(loose.ask_effect(*ends)) for ends in (("b", "c"), ("c", "b")))
    assert "0 where 'c' → 'b'" in forward and "0 where 'b' → 'c'" in back
    width = np.subtract(*np.quantile(table["c"], [0.75, 0.25]))
    line = float(re.search(r"about (\S+), by a straight line, where 'c' → 'b'", back)[1].replace("−", "-"))
    assert line == pytest.approx(regression(table["b"], table["c"], table["a"]) * width, rel=0.15)


def test_a_refusal_names_values_beyond_the_rows(curves):
    refusal = curves.ask_effect("d", "c", at=[0.0, 1e3])
    assert (refusal.beyond == (1e3,) and "1\u202f000" in str(refusal)) or "1000 lies beyond" in str(refusal)
    assert refusal.to_dict()["reason"] == refusal.sentence
    with pytest.raises(causewise.InputError, match="lies beyond the observed values of 'd'"):
        curves.effect("d", "c", at=1e3)
    assert curves.ask_effect("a", "c").to_dict() == curves.effect("a", "c").to_dict()


def test_effects_of_all_pairs_are_those_asked_one_by_one(curves):
    assert len(curves.effects) == 12
    for (cause, effect), answer in curves.effects.items():
        told = curves.ask_effect(cause, effect)
        assert type(told) is type(answer)
        if isinstance(answer, causewise.Effect):
            assert (answer.from_to, answer.probability) == (told.from_to, told.probability)
            assert answer.observed[0] in answer.at and answer.observed[1] in answer.at and len(answer.beyond) == 2
        else:
            assert (answer.reason, answer.beyond) == (told.reason, ())


def test_all_pairs_fit_few_parts_of_a_journal_anew(curves):
    structure, fitted = curves.structure, []

    def fit(number):
        fitted.append(number)
        return structure.parts[number]

    parts = structure.found
    long = replace(curves, structure=replace(structure, found=(*[None] * 300, *parts), fit_part=fit))
    assert long.effects["a", "b"] == curves.effects["a", "b"] and not fitted
    none = replace(curves, structure=replace(structure, found=(*[None] * 8, *[None] * 300), fit_part=fit))
    assert none.effects["a", "b"] == curves.effects["a", "b"] and fitted == list(range(8))


def test_rows_set_beyond_the_observed_ones_are_warned_of(curves):
    with pytest.warns(UserWarning, match="1000 lies beyond the observed values of 'a'"):
        assert (curves.do({"a": 1000.0}, rows=3)["a"] == 1000.0).all()


def test_effects_are_written_with_the_graph(curves, tmp_path):
    effects = [curves.effect("a", "c"), curves.ask_effect("c", "a")]
    curves.write(tmp_path / "g.json", [effects[0], ("c", "a")])
    with pytest.raises(causewise.InputError, match="expected what `effect` returns"):
        curves.write(tmp_path / "g.json", ["a"])
    record = json.loads((tmp_path / "g.json").read_text())
    assert record["effects"] == [each.to_dict() for each in effects] and record["order"] == list(curves.order)


def test_a_direction_that_rows_do_not_tell_is_found_out():
    rng = np.random.default_rng(2)
    a = rng.normal(size=400)
    graph = causewise.graph({"a": a, "b": a + rng.normal(size=400)}, engine=ONE)
    assert not graph.edges[0].is_directed
    with pytest.raises(causewise.InputError, match="depends on the direction of"):
        graph.effect("a", "b")
    given = causewise.graph({"a": a, "b": a + rng.normal(size=400)}, knowledge={"before": [["a", "b"]]}, engine=ONE)
    assert given.effect("a", "b").per_unit == pytest.approx(1.0, abs=0.15)


def test_parts_that_lack_an_arrow_show_in_the_bounds(curves):
    structure = curves.structure
    part, c = structure.parts[0], structure.find("c")
    alone = replace(part.equations[c], location=replace(part.equations[c].location, terms=()))
    turned = [replace(part, equations={**part.equations, c: alone}), *structure.parts[1:]]
    doubted = replace(curves, structure=replace(structure, found=tuple(turned)))
    before, after = curves.effect("b", "c"), doubted.effect("b", "c")
    assert after.from_to.mean == before.from_to.mean
    assert after.from_to.high - after.from_to.low > 2 * (before.from_to.high - before.from_to.low)
    assert after.probability < before.probability


def test_an_oriented_pair_has_an_effect_and_others_say_why_not():
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 500)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)
    decision = causewise.infer({"dose": dose, "response": response})
    effect = decision.estimate_effect(at=[0.0, 0.75])
    assert (effect.cause, effect.effect) == ("dose", "response")
    assert effect.mean == pytest.approx([0.0, np.sin(1.5)], abs=0.1)
    assert effect.scale == pytest.approx([0.1, 0.25], abs=0.07)
    assert effect.probability <= decision.confidence
    swapped = causewise.infer({"response": response, "dose": dose}).estimate_effect(at=[0.0, 0.75])
    assert swapped.mean == pytest.approx(effect.mean)
    undecided = causewise.infer(dose, rng.normal(size=500))
    with pytest.raises(causewise.InputError, match="expected a pair whose direction is told"):
        undecided.estimate_effect()


def test_it_is_worded_drawn_and_shown(curves, tmp_path):
    effect = curves.effect("a", "c")
    assert str(effect).startswith("Setting a from ")
    assert "per unit" in str(effect)
    assert repr(effect).startswith("<Effect: Setting a from")
    assert "a → c" in effect._repr_html_()
    effect.plot(tmp_path / "effect.svg")
    assert b"<svg" in (tmp_path / "effect.svg").read_bytes()
    record = json.loads(json.dumps(effect.to_dict()))
    assert record["mean"] == list(effect.mean)
    assert record["from_to"]["low"] < record["from_to"]["mean"] < record["from_to"]["high"]
    few = causewise.graph({name: unit(column[:150]) for name, column in chain().items()}, engine=ONE)
    assert any("It rests on 150 rows" in note for note in few.effect("a", "b").notes)
