"""A method of one's own: one object for `infer` and `scan`, in any process; one import path on the command line."""

import os
import pickle
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from spread_method import PidMethod, spread, spread_score

import causewise
from causewise import Engine, InputError, catalogue
from causewise.cli.infer import decide
from causewise.pair import Pair
from causewise.protocol import Directional
from causewise.report import provenance

rng = np.random.default_rng(0)
START = rng.normal(size=200)
TABLE = {f"c{k}": (k + 1) * (START + 0.1 * rng.normal(size=200)) for k in range(4)}
MANY = {f"c{k}": (k + 1) * (START + 0.1 * rng.normal(size=200)) for k in range(10)}


def test_an_object_scans_as_it_infers() -> None:
    found = causewise.scan(TABLE, method=spread)
    assert found.facts["method"] == "spread"
    for row in found.rows:
        alone = causewise.infer(TABLE, row.x, row.y, method=spread)
        assert (row.status, row.cause, row.score) == ("oriented", alone.cause, alone.score)


def test_worker_processes_get_the_object() -> None:
    here = causewise.scan(TABLE, method=spread)
    there = causewise.scan(TABLE, method=spread, engine=Engine(jobs=2))
    assert [row.score for row in there.rows] == [row.score for row in here.rows]
    pids = {abs(row.score or 0) for row in causewise.scan(TABLE, method=PidMethod(), engine=Engine(jobs=2)).rows}
    assert not {os.getpid(), 2 * os.getpid()} & pids


def test_an_object_that_cannot_be_pickled_is_asked_in_this_process() -> None:
    found = causewise.scan(MANY, method=Directional("here", lambda cause, effect: float(os.getpid())))
    assert len(found.rows) == 45
    with pytest.raises(InputError, match=r"jobs=2 with the method 'here'.* or leave jobs=2 out"):
        causewise.scan(TABLE, method=Directional("here", lambda cause, effect: 0.0), engine=Engine(jobs=2))


def test_a_journal_of_what_cannot_be_pickled_is_refused(tmp_path: Path) -> None:
    method = Directional("here", lambda cause, effect: 0.0)
    with pytest.raises(InputError, match="a journal with the method 'here'"):
        causewise.scan(TABLE, method=method, engine=Engine(journal=tmp_path / "j"))


def test_a_method_of_the_script_itself_is_asked_in_its_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, causewise\n"
        "from causewise.protocol import Directional\n"
        "def score(cause, effect):\n    return float(np.std(cause))\n"
        "rng = np.random.default_rng(0)\n"
        "a = rng.normal(size=200)\n"
        "t = {f'c{k}': (k + 1) * (a + 0.1 * rng.normal(size=200)) for k in range(10)}\n"
        "print(causewise.scan(t, method=Directional('mine', score)))\n"
        "causewise.scan(t, method=Directional('mine', score), engine=causewise.Engine(jobs=2))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout.startswith("45 pairs of 10 columns: 45 oriented")
    assert "InputError: Got jobs=2 with the method 'mine'" in done.stderr


def interrupted(method: object, journal: Path) -> list[int]:
    """The first progress that a scan of the same table tells, which is then stopped."""
    told: list[int] = []

    def on_progress(what: str, done: int, of: int) -> None:
        if what == "orienting":
            told.append(done)
            if done:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        causewise.scan(TABLE, method=method, engine=Engine(1, journal=journal, on_progress=on_progress))
    return told


def test_a_journal_knows_whose_method_it_was(tmp_path: Path) -> None:
    first = Directional("own", spread_score, {"width": 1})
    interrupted(first, tmp_path / "j")
    assert interrupted(first, tmp_path / "j")[0] == 6
    other = Directional("own", spread_score, {"width": 2})
    identities = {
        (tmp_path / name).read_bytes().splitlines()[0]
        for name, method in (("a", first), ("b", other))
        if interrupted(method, tmp_path / name)
    }
    assert len(identities) == 2


def test_settings_belong_to_where_a_method_is_built() -> None:
    with pytest.raises(InputError, match="beside a method that is built already"):
        causewise.scan(TABLE, method=spread, threshold=0.9)


@pytest.mark.parametrize("ask", [causewise.scan, causewise.infer])
def test_an_import_path_is_for_the_command_line(ask) -> None:
    """Names may come from elsewhere, through the page for one: they must not import anything."""
    with pytest.raises(InputError, match="the object itself"):
        ask({"a": TABLE["c0"], "b": TABLE["c1"]}, method="spread_method:spread")


@pytest.mark.parametrize("what", [42, object()])
def test_what_is_no_method_is_a_sentence(what) -> None:
    with pytest.raises(InputError, match="expected a name from"):
        causewise.scan(TABLE, method=what)


@pytest.mark.parametrize(("answer", "got"), [([0.5], "float"), ([], "nothing"), (None, "None"), (0.5, r"0\.5")])
@pytest.mark.parametrize("ask", [causewise.infer, causewise.scan])
def test_a_method_that_does_not_answer_with_decisions_is_a_sentence(ask, answer, got) -> None:
    method = SimpleNamespace(name="own", decide_many=lambda pairs: answer)
    with pytest.raises(InputError, match=f"Got {got} from decide_many of the method 'own' .* one Decision a pair"):
        ask({"a": TABLE["c0"], "b": TABLE["c1"]}, method=method)


def test_a_path_leads_to_a_method_or_to_a_factory() -> None:
    assert catalogue.resolve_method("spread_method:spread", 0) is spread
    assert catalogue.resolve_method("spread_method:PidMethod", 0).name == "pid"
    built = catalogue.resolve_method("spread_method:build_spread:factor=2", 7)
    assert built.name == "spread × 2, seed 7"
    assert catalogue.resolve_method("loci-h:n_knots=15", 0).name == "loci-h"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("spread_method:spread:a=1", "is a finished method"),
        ("spread_method:nobody", "no such object"),
        ("no_such_module:it", "cannot be imported"),
        ("spread_method:TABLE", "no such object"),
        ("os:sep", "neither a method nor a factory"),
        ("os:getpid", "which is no method"),
        ("loci-h:n_knots", "expected key=value"),
    ],
)
def test_a_path_that_leads_nowhere_is_a_sentence(spec: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        catalogue.resolve_method(spec, 0)


def test_a_package_may_give_its_method_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = EntryPoints([EntryPoint("spread", "spread_method:spread", catalogue.ENTRY_POINTS)])
    monkeypatch.setattr(catalogue, "entry_points", offered.select)
    assert catalogue.resolve_method("spread", 0) is spread
    assert not catalogue.accepts("spread", "threshold")
    with pytest.raises(InputError, match="does not have; did you mean"):
        catalogue.resolve_method("loci", 0)


def test_the_command_line_takes_an_import_path(tmp_path: Path) -> None:
    """Of a module in the folder of the command, as an installed command finds it: without `-m`."""
    np.savetxt(tmp_path / "t.csv", np.column_stack(list(TABLE.values())), delimiter=",", header="a,b,c,d", comments="")
    (tmp_path / "mine.py").write_text((Path(__file__).parent / "spread_method.py").read_text())
    command = [sys.executable, "-P", "-c", "from causewise.cli.app import app; app()"]
    for asked, told in (
        ("scan t.csv --method mine:spread --jobs 2", "6 pairs of 4 columns: 6 oriented"),
        ("infer t.csv -x a -y b --method mine:spread,mine:build_spread:factor=2", "2 of 2 methods: b → a"),
    ):
        done = subprocess.run([*command, *asked.split()], cwd=tmp_path, capture_output=True, text=True)
        assert told in done.stdout, done.stderr


@pytest.mark.parametrize("path", [":", ".a:b", "a b:c", "json:", "json:nothing"])
def test_a_path_that_is_none_is_a_sentence(path: str) -> None:
    with pytest.raises(InputError, match="Got the method"):
        catalogue.resolve_method(path, 0)


def test_an_object_is_asked_again_for_halves_and_pages(tmp_path: Path) -> None:
    decision = causewise.infer(TABLE, "c0", "c1", method=spread)
    assert decision.stability(draws=3).agreement == 1.0
    decision.report(tmp_path / "page.html", stability=True, methods=[PidMethod(), "igci"])
    page = (tmp_path / "page.html").read_text()
    assert "# each MODULE:OBJECT is where spread and pid can be imported from" in page
    assert "the method spread, which is not part of causewise, by the program causewise" in page
    kept = pickle.loads(pickle.dumps(decision))
    assert kept == decision
    with pytest.raises(InputError, match="'spread', of which nothing but its name is left"):
        kept.stability()


def test_what_was_asked_by_its_path_is_repeated_by_it() -> None:
    path = "spread_method:build_spread:factor=2"
    pair = Pair.of(TABLE["c0"], TABLE["c1"])
    decision = decide(pair, path, catalogue.resolve_method(path, 7), 7, quiet=True)
    assert pickle.loads(pickle.dumps(decision)).stability(draws=3).agreement == 1.0
    assert provenance.command(decision) == f"causewise infer FILE.csv -x x -y y --method {path} --seed 7"
    script = provenance.python(decision).replace('pd.read_csv("FILE.csv")', "{'x': X, 'y': Y}").partition("print")[0]
    names: dict[str, object] = {"X": pair.x, "Y": pair.y}
    exec(script, names)
    assert names["decision"].score == decision.score


def test_an_object_orients_a_graph() -> None:
    nx = pytest.importorskip("networkx")
    found = causewise.orient(nx.path_graph(["c0", "c1", "c2"]), TABLE, method=spread)
    assert sorted(found.graph.edges) == [("c1", "c0"), ("c2", "c1")]
    with pytest.raises(InputError, match="expected a name from"):
        causewise.orient(nx.path_graph(["c0", "c1"]), TABLE, method=42)
