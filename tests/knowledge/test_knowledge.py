"""Background knowledge: read, joined, refused when it contradicts itself."""

import doctest
import itertools
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.knowledge import background as module
from causewise.knowledge.background import Knowledge, PairStatement
from causewise.knowledge.knowledge_file import add_statements, parse_knowledge

PAGE = (Path(__file__).parents[2] / "docs" / "scan.md").read_text(encoding="utf-8")
COLUMNS = tuple("abcdef")
EDGES = st.lists(st.permutations(COLUMNS).map(lambda order: order[:2]), max_size=5)
TIERS = st.permutations(COLUMNS).flatmap(
    lambda order: st.lists(st.integers(1, 5), max_size=3).map(
        lambda cuts: [order[i:j] for i, j in itertools.pairwise(sorted({0, *cuts}))]
    )
)
TURNED = {"x->y": "y->x", "y->x": "x->y", None: None}


def closure(stated):
    """Who comes before whom, by powers of a matrix."""
    before = np.zeros((len(COLUMNS), len(COLUMNS)), bool)
    for a, b in [*stated["before"], *stated["required"]]:
        before[COLUMNS.index(a), COLUMNS.index(b)] = True
    for earlier, later in itertools.combinations(stated["tiers"], 2):
        for a, b in itertools.product(earlier, later):
            before[COLUMNS.index(a), COLUMNS.index(b)] = True
    return np.linalg.matrix_power(before + np.eye(len(COLUMNS)), len(COLUMNS)) > 0, before


@given(st.sets(st.sampled_from(COLUMNS), max_size=3), st.sets(st.sampled_from(COLUMNS), max_size=3))
def test_first_and_last_are_edges_to_and_from_all_others(first, last):
    stated = {"first": sorted(first), "last": sorted(last)}
    if first & last:
        with pytest.raises(InputError, match="contradicts itself"):
            Knowledge.of(stated, COLUMNS)
        return
    knowledge = Knowledge.of(stated, COLUMNS)
    place = {name: 0 if name in first else 2 if name in last else 1 for name in COLUMNS}
    for x, y in itertools.permutations(COLUMNS, 2):
        order = np.sign(place[y] - place[x])
        assert knowledge.on(x, y).direction == {1: "x->y", -1: "y->x", 0: None}[int(order)]


def test_one_name_is_enough_for_first(tmp_path):
    for name, text in (("k.yaml", "first: a"), ("k.csv", "kind,cause,effect,value\nfirst,a,,")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert Knowledge.of(tmp_path / name, COLUMNS).on("b", "a").direction == "y->x"


@given(
    st.fixed_dictionaries({"tiers": TIERS, "before": EDGES, "required": EDGES.map(lambda e: e[:2]), "forbidden": EDGES})
)
def test_it_joins_statements_as_powers_of_a_matrix_do(stated):
    reach, direct = closure(stated)
    cyclic = bool(np.any(reach & reach.T & ~np.eye(len(COLUMNS), dtype=bool)))
    required, forbidden = ([tuple(edge) for edge in stated[kind]] for kind in ("required", "forbidden"))
    if cyclic or set(required) & set(forbidden):
        with pytest.raises(InputError, match="contradicts itself"):
            Knowledge.of(stated, COLUMNS)
        return
    knowledge = Knowledge.of(stated, COLUMNS)
    for i, j in itertools.permutations(range(len(COLUMNS)), 2):
        x, y = COLUMNS[i], COLUMNS[j]
        no_forward, no_backward = (x, y) in forbidden or reach[j, i], (y, x) in forbidden or reach[i, j]
        found = knowledge.on(x, y)
        assert found.unrelated == (no_forward and no_backward)
        assert found.direction == (None if no_forward == no_backward else "x->y" if no_backward else "y->x")
        assert found.required == ((x, y) in required or (y, x) in required)
        assert bool(found.why) == bool(no_forward or no_backward)
        steps = re.findall(r"'(.)' (?:before|in an earlier tier than|required to cause) '(.)'", found.why)
        assert all(direct[COLUMNS.index(a), COLUMNS.index(b)] for a, b in steps)


@given(TIERS, EDGES)
def test_a_refusal_names_a_cycle_of_what_was_stated(tiers, before):
    stated = {"tiers": tiers, "before": before, "required": []}
    try:
        Knowledge.of(stated, COLUMNS)
    except InputError as refusal:
        steps = re.findall(r"'(.)' (before|in an earlier tier than) '(.)'", str(refusal))
        tier = {column: k for k, each in enumerate(tiers) for column in each}
        assert [b for _, _, b in steps] == [a for a, _, _ in steps[1:] + steps[:1]]
        for a, words, b in steps:
            assert [a, b] in [list(edge) for edge in before] if words == "before" else tier[a] < tier[b]


@given(EDGES, st.floats(-50, 50))
def test_asking_the_other_way_round_turns_the_answer(forbidden, odds):
    knowledge = Knowledge.of({"forbidden": forbidden, "soft": [["a", "b", {"log_odds": odds}]]}, COLUMNS)
    for x, y in itertools.combinations(COLUMNS, 2):
        one, other = knowledge.on(x, y), knowledge.on(y, x)
        assert other.direction == TURNED[one.direction]
        assert (other.unrelated, other.required) == (one.unrelated, one.required)
        assert other.log_odds == -one.log_odds


def test_the_cycle_is_named():
    stated = {"before": [["a", "b"], ["b", "c"]], "required": [["c", "a"]]}
    with pytest.raises(InputError, match="itself: 'a' before 'b', 'b' before 'c', 'c' required to cause 'a'; expected"):
        Knowledge.of(stated, COLUMNS)


def test_a_cycle_through_tiers_names_columns_only():
    stated = {"tiers": [["a"], ["b"], ["c"]], "before": [["c", "a"]]}
    with pytest.raises(InputError) as refusal:
        Knowledge.of(stated, COLUMNS)
    assert {"'c' before 'a'", "'a' in an earlier tier than 'c'"} & set(re.split(r"itself: |, |; ", str(refusal.value)))


def test_a_cycle_entered_at_the_end_of_a_tier_is_closed_all_the_same():
    stated = {"tiers": [["d"], ["a", "b"], ["c"]], "before": [["a", "f"], ["c", "b"]]}
    with pytest.raises(InputError, match="itself: 'c' before 'b', 'b' in an earlier tier than 'c'; expected"):
        Knowledge.of(stated, COLUMNS)


def test_a_long_cycle_gets_a_short_sentence():
    names = [f"c{k}" for k in range(5000)]
    with pytest.raises(InputError, match="and 4992 more") as refusal:
        Knowledge.of({"before": [*map(list, itertools.pairwise([*names, "c0"]))]}, names)
    assert len(str(refusal.value)) < 500


def test_required_and_forbidden_at_once_is_refused():
    with pytest.raises(InputError, match="'a' required to cause 'b', 'a' forbidden to cause 'b'"):
        Knowledge.of({"required": [["a", "b"]], "forbidden": [["a", "b"]]}, COLUMNS)


def test_distant_tiers_are_told_in_one_fact():
    knowledge = Knowledge.of({"tiers": [["a"], ["b"], ["c"]]}, COLUMNS)
    assert knowledge.on("c", "a") == PairStatement("y->x", why="'a' in an earlier tier than 'c'")


def test_what_follows_from_required_edges_is_a_direction_and_no_edge():
    knowledge = Knowledge.of({"required": [["a", "b"], ["b", "c"]], "forbidden": [["b", "a"]]}, COLUMNS)
    assert knowledge.on("a", "b") == PairStatement("x->y", why="'a' required to cause 'b'", required=True)
    assert knowledge.on("a", "c").direction == "x->y"
    assert not knowledge.on("a", "c").required


def test_a_hard_statement_leaves_nothing_to_a_soft_one():
    knowledge = Knowledge.of({"before": [["a", "b"]], "soft": [["b", "a", {"likely": 0.9}]]}, COLUMNS)
    assert knowledge.on("a", "b") == PairStatement("x->y", why="'a' before 'b'")


@given(st.floats(1e-9, 1 - 1e-9))
def test_a_probability_is_the_logistic_of_its_log_odds(likely):
    odds = Knowledge.of({"soft": [["a", "b", {"likely": likely}]]}, COLUMNS).on("a", "b").log_odds
    assert math.isclose(1 / (1 + math.exp(-odds)), likely, rel_tol=1e-9)


def test_the_example_in_the_docstring():
    assert doctest.testmod(module).failed == 0


def test_nothing_known_is_nothing():
    for source in (None, {}):
        assert Knowledge.of(source, COLUMNS).on("a", "b") == PairStatement()


def test_it_travels_to_other_processes():
    knowledge = Knowledge.of({"tiers": [["a"], ["b"]], "forbidden": [["c", "d"]]}, COLUMNS)
    assert pickle.loads(pickle.dumps(knowledge)) == knowledge


def test_thousands_of_columns_in_tiers():
    names = [f"c{k}" for k in range(4000)]
    knowledge = Knowledge.of({"tiers": [names[:2000], names[2000:]]}, names)
    assert knowledge.on("c3999", "c0").direction == "y->x"
    assert knowledge.on("c0", "c1") == PairStatement()


BAD = {
    "a list": ([["a", "b"]], "expected a mapping"),
    "key": ({"requires": [["a", "b"]]}, "'requires'.*tiers, before, required, forbidden, soft"),
    "no list": ({"before": "a"}, "'a' under before; expected a list"),
    "nothing under it": ({"before": None}, "None under before; expected a list"),
    "one column": ({"before": [["a"]]}, r"\['a'\] under before; expected two columns"),
    "three columns": ({"forbidden": [["a", "b", "c"]]}, "under forbidden; expected two columns"),
    "a word": ({"required": ["ab"]}, "'ab' under required; expected two columns"),
    "no name": ({"required": [["a", None]]}, "under required; expected two columns"),
    "unknown": ({"before": [["a", "agee"]]}, r"'agee', which is not in the table.*before, \['a', 'agee'\]"),
    "itself": ({"before": [["a", "a"]]}, "twice the same column"),
    "itself by number": ({"required": [["a", 1]]}, "twice the same column"),
    "bare tier": ({"tiers": ["a", ["b"]]}, "'a' under tiers; expected a list of columns"),
    "empty tier": ({"tiers": [["a"], []]}, "under tiers; expected a list of columns"),
    "two tiers": ({"tiers": [["a"], ["b", "a"]]}, "'a' twice under tiers"),
    "bare number": ({"soft": [["a", "b", 0.9]]}, "likely: 0.9. or .cause, effect, log_odds: 2.2"),
    "both scales": ({"soft": [["a", "b", {"likely": 0.9, "log_odds": 1}]]}, "under soft; expected"),
    "twice": ({"soft": [["a", "b", {"likely": 0.9}], ["b", "a", {"likely": 0.9}]]}, "twice under soft"),
    "certain": ({"soft": [["a", "b", {"likely": 1.0}]]}, "below 1: what is certain goes under required"),
    "impossible": ({"soft": [["a", "b", {"likely": 0}]]}, "above 0"),
    "percent": ({"soft": [["a", "b", {"likely": "90 %"}]]}, "expected likely to be a probability"),
    "boolean": ({"soft": [["a", "b", {"log_odds": True}]]}, "finite number"),
    "infinite": ({"soft": [["a", "b", {"log_odds": math.inf}]]}, "finite number"),
    "overflow": ({"soft": [["a", "b", {"log_odds": 10**400}]]}, "finite number"),
    "no odds": ({"soft": [["a", "b", {"log_odds": "nan"}]]}, "finite number"),
}


@pytest.mark.parametrize(("source", "sentence"), BAD.values(), ids=BAD)
def test_bad_statements_get_a_sentence(source, sentence):
    with pytest.raises(InputError, match=sentence):
        Knowledge.of(source, COLUMNS)


def known_from(folder, name, text):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Knowledge.of(folder / name, COLUMNS)


def test_the_two_files_of_the_page_say_the_same(tmp_path):
    columns = ["age", "sex", "smoking", "exercise", "pressure", "cholesterol"]
    found = []
    for kind in ("yaml", "csv"):
        file = tmp_path / f"known.{kind}"
        file.write_text(re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL).group(1))
        found.append(Knowledge.of(str(file), columns))
    assert found[0] == found[1]
    assert found[0].on("pressure", "age").required
    assert found[0].on("smoking", "sex").unrelated
    assert math.isclose(found[0].on("pressure", "cholesterol").log_odds, math.log(9))


@pytest.mark.parametrize("name", ["no", "1990", "2001-01-01", "null", "12:30", "0x10", "=", "~"])
def test_a_column_may_be_called_what_yaml_takes_for_something_else(tmp_path, name):
    file = tmp_path / "known.yml"
    file.write_text(f"before: [[{name}, b]]\n")
    assert Knowledge.of(file, [name, "b"]).on(name, "b").direction == "x->y"


def test_tiers_go_by_their_number_not_by_their_line(tmp_path):
    lines = "kind,cause,effect,value\ntier,a,,10\ntier,b,,9\n"
    assert known_from(tmp_path, "k.csv", lines).on("a", "b").direction == "y->x"


def test_marks_of_spreadsheets_are_read_over(tmp_path):
    known = known_from(tmp_path, "k.CSV", "\ufeffKind,Cause,Effect,Value\r\n\r\nBefore, a ,b\r\n,,,\r\n".encode())
    assert known.on("a", "b").direction == "x->y"


BAD_FILES = {
    "ending": ("k.txt", "before: []", "ends in .yaml, .yml, .csv"),
    "empty": ("k.yaml", "", "Got nothing as knowledge"),
    "word": ("k.yaml", "hello", "'hello' as knowledge; expected a mapping"),
    "alias": ("k.yaml", "before: &x [[a, b]]\nrequired: *x\n", r"line 2: the alias \*x"),
    "key again": ("k.yaml", "before: [[a, b]]\nrequired: []\nbefore: [[b, c]]\n", "line 3: the key before again"),
    "tag": ("k.yaml", "!!python/object/apply:os.system ['exit 1']", "expected a mapping"),
    "merge": ("k.yaml", "<<: {before: [[a, b]]}", "Got the key '<<'"),
    "list as key": ("k.yaml", "? [a, b]\n: c\n", "line 1"),
    "two documents": ("k.yaml", "before: []\n---\nbefore: []\n", "line 2"),
    "open": ("k.yaml", "before: [[a, b]", "line 1"),
    "control": ("k.yaml", "before: \x01", "a character that YAML does not allow"),
    "deep": ("k.yaml", "[" * 10**5, "lists within lists"),
    "long": ("k.yaml", "a" * (1 << 21), "more than 1,048,576 bytes"),
    "latin": ("k.csv", b"kind,cause,effect,value\nbefore,\xe9,b,\n", "expected UTF-8"),
    "no header": ("k.csv", "before,a,b,\n", "first line of .*; expected the names kind,cause,effect,value"),
    "empty csv": ("k.csv", "", "first line"),
    "kind": ("k.csv", "kind,cause,effect,value\n\nsoft,a,b,1\n", "'soft' for the kind in line 3"),
    "value": ("k.csv", "kind,cause,effect,value\nbefore,a,b,1\n", "line 2 .* expected before,CAUSE,EFFECT,"),
    "no effect": ("k.csv", "kind,cause,effect,value\nlikely,a,,0.9\n", "expected likely,CAUSE,EFFECT,PROBABILITY"),
    "five cells": ("k.csv", "kind,cause,effect,value\nbefore,a,b,,x\n", "line 2"),
    "tier": ("k.csv", "kind,cause,effect,value\ntier,a,,first\n", "tier 'first' in line 2"),
    "percent": ("k.csv", "kind,cause,effect,value\nlikely,a,b,90 %\n", "expected likely to be a probability"),
    "quote": ("k.csv", 'kind,cause,effect,value\nbefore,"a,b,\n', "as CSV"),
}


@pytest.mark.parametrize(("name", "text", "sentence"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files_get_a_sentence(tmp_path, name, text, sentence):
    with pytest.raises(InputError, match=sentence):
        known_from(tmp_path, name, text)


@pytest.mark.parametrize("name", ["none.yaml", "folder.csv", "nul\0.yaml"])
def test_no_file_gets_a_sentence(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="Could not read"):
        Knowledge.of(tmp_path / name, COLUMNS)


def test_statements_beside_a_file_are_added_to_it():
    added = add_statements({"first": "age", "tiers": [["a"]]}, {"first": ["sex"], "last": "cost"})
    assert added == {"first": ["age", "sex"], "tiers": [["a"]], "last": ["cost"]}
    for content in ("known.yaml", ["a"], None):  # a text would be taken for a path
        with pytest.raises(InputError, match="expected lists"):
            add_statements(content, {})


def test_the_text_of_a_file_is_read_by_its_first_line():
    csv, yaml = "\ufeffkind,cause,effect,value\nfirst,age,,\n", "first: [age]"
    assert parse_knowledge(csv) == parse_knowledge(yaml) == parse_knowledge('{"first": ["age"]}') == {"first": ["age"]}


def test_checked_knowledge_stays_as_it_is():
    known = Knowledge.of({"first": ["a"]}, ["a", "b"])
    assert Knowledge.of(known, ["b"]) is known


@given(st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_tiers_that_were_stated_are_kept_and_exclude_what_they_say(places):
    names = list("abcde")
    stated = [tier for k in range(4) if (tier := [name for name, at in zip(names, places, strict=True) if at == k])]
    known = Knowledge.of({"tiers": stated}, names)
    assert [sorted(tier) for tier in known.tiers] == (stated if len(stated) > 1 else [])
    for cause, effect in itertools.permutations(range(5), 2):
        assert known.excludes(names[cause], names[effect]) == (places[cause] > places[effect])


def test_a_graph_under_required_stands_for_its_arrows():
    nx = pytest.importorskip("networkx")
    assert Knowledge.of({"required": nx.DiGraph([("a", "b")])}, ["a", "b", "c"]).requires("a", "b")
    for graph in (nx.Graph([("a", "b")]), nx.DiGraph([("a", "b"), ("b", "a")])):
        with pytest.raises(InputError, match="'a' and 'b' are joined without a direction"):
            Knowledge.of({"required": graph}, ["a", "b"])
