"""Column names with lone surrogates, as readers leave them of bytes that are no UTF-8: read, and spelt out in files."""

import csv
import json

import numpy as np
import pytest

import causewise
from causewise.formatting import json_text

rng = np.random.default_rng(0)
A = rng.normal(size=120)
B = np.tanh(A) + 0.2 * (1 + abs(A)) * rng.normal(size=120)
NAMES = ("a\udcff", "b", "c\ud800")
COLUMNS = dict(zip(NAMES, (A, B, A + B + rng.normal(size=120)), strict=True))
SPELT = [r"a\udcff", "b", r"c\ud800"]
ENGINE = causewise.Engine(jobs=1)


def as_pandas():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(np.column_stack(list(COLUMNS.values())), columns=pandas.Index(list(NAMES), dtype=object))


@pytest.fixture(params=["dict", "pandas"])
def table(request):
    return COLUMNS if request.param == "dict" else as_pandas()


def test_a_pair_is_decided_and_reported(table, tmp_path):
    decision = causewise.infer(table, NAMES[0], "b")
    assert json.loads(json_text(decision.to_dict()).encode())["x"] == NAMES[0]
    decision.report(tmp_path / "pair.html")
    decision.plot(tmp_path / "pair.svg")
    assert str(decision).encode()


@pytest.mark.parametrize("raw", [False, True])
def test_every_file_of_a_scan_holds_the_names(table, raw, tmp_path):
    scan = causewise.scan(table, method="igci", engine=ENGINE)
    assert scan.columns == NAMES
    for ending in ("csv", "json", "parquet"):
        scan.write(tmp_path / f"scan.{ending}", raw)
    with (tmp_path / "scan.csv").open(newline="", encoding="utf-8") as stream:
        assert [line["x"] for line in csv.DictReader(stream)] == [SPELT[0], SPELT[0], SPELT[1]]
    assert json.loads((tmp_path / "scan.json").read_bytes())["columns"] == list(NAMES)
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(tmp_path / "scan.parquet")["y"].to_pylist() == [SPELT[1], SPELT[2], SPELT[2]]
    assert list(scan.to_frame()["y"]) == [SPELT[1], SPELT[2], SPELT[2]]
    for ending in ("graphml", "json", "dot"):
        scan.write_graph(tmp_path / f"arrows.{ending}")
    scan.report(tmp_path / "scan.html")


def test_every_file_of_a_graph_holds_the_names(table, tmp_path):
    graph = causewise.graph(table, engine=ENGINE)
    for ending in ("graphml", "json", "dot"):
        graph.write(tmp_path / f"graph.{ending}")
    assert NAMES[0] in json.dumps(graph.to_dict(), ensure_ascii=False)


@pytest.mark.parametrize("bad", [b"a\xffZQZ", b"a\xed\xb3\xbfZ"], ids=["no UTF-8", "a surrogate"])
@pytest.mark.parametrize("ask", [causewise.infer, causewise.scan, causewise.graph])
def test_arrow_names_that_are_no_utf8_are_a_sentence(ask, bad, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    fields = [pyarrow.field(name, pyarrow.float64()) for name in (bad, "b")]
    table = pyarrow.Table.from_arrays([pyarrow.array(A), pyarrow.array(B)], schema=pyarrow.schema(fields))
    with pytest.raises(causewise.InputError, match=r"not valid UTF-8 \(b'a.*rename that column"):
        ask(table)
    parquet.write_table(pyarrow.table({"aQZQZ": A, "b": B}), tmp_path / "t.parquet", store_schema=False)
    file = tmp_path / "bad.parquet"
    file.write_bytes((tmp_path / "t.parquet").read_bytes().replace(b"aQZQZ", bad))
    with pytest.raises(causewise.InputError, match=r"Could not read .*bad\.parquet.* as Parquet"):
        ask(file)


@pytest.mark.parametrize("names", [("a", "b"), ("a", "a")])
def test_a_record_batch_is_a_table(names):
    pyarrow = pytest.importorskip("pyarrow")
    arrays = [pyarrow.array(A), pyarrow.array(B)]
    batch, table = (kind.from_arrays(arrays, names=names) for kind in (pyarrow.RecordBatch, pyarrow.Table))
    assert causewise.infer(batch) == causewise.infer(table)
    rows = causewise.scan(batch, method="igci", engine=ENGINE).to_frame()
    assert isinstance(rows, pyarrow.Table)
    assert rows["x"].to_pylist() == causewise.scan(table, method="igci", engine=ENGINE).to_frame()["x"].to_pylist()
