"""What the server answers is what the command line prints and what the report's file holds."""

import gzip
import io
import json
import multiprocessing

import httpx
import numpy as np
import pytest
from asking import columns, keep_table, read_sentence, upload, wait_for_job, write_csv
from running import Running

import causewise
from causewise.report.html_pages import render_decision, render_graph
from causewise.web.routes import file_name

TABLE = columns()
CSV = write_csv(TABLE)
PAIR = causewise.infer(TABLE, "dose", "response")


def test_arrays_in_json_are_judged_like_arrays_in_python(client: httpx.Client) -> None:
    response = client.post("/api/infer", json={"x": TABLE["dose"], "y": TABLE["response"]})
    expected = causewise.infer(TABLE["dose"], TABLE["response"]).to_dict()
    assert response.json() == json.loads(json.dumps(expected))


@pytest.mark.parametrize("stated", [{"neither": 0.3}, {"direct": True}, {"recording": False, "threshold": 0.9}])
def test_what_is_stated_about_the_outcomes_is_heard(client: httpx.Client, stated: dict[str, float]) -> None:
    expected = json.loads(json.dumps(causewise.infer(TABLE, "dose", "response", **stated).to_dict()))
    form = {"x": "dose", "y": "response"} | {name: json.dumps(value) for name, value in stated.items()}
    assert client.post("/api/infer", files={"file": ("t.csv", CSV)}, data=form).json() == expected
    assert sum(expected["probabilities"].values()) == pytest.approx(1)
    job = wait_for_job(client, client.post("/api/scan", json={"table": keep_table(client, CSV), **stated}))
    (row,) = [row for row in job["result"]["rows"] if (row["x"], row["y"]) == ("dose", "response")]
    assert (row["confidence"], row["neither"]) == (expected["confidence"], expected["probabilities"]["neither"])


def test_a_pair_that_is_stopped_has_null_and_the_reason(client: httpx.Client) -> None:
    record = client.post("/api/infer", json={"x": TABLE["dose"], "y": [float(v > 0) for v in TABLE["dose"]]}).json()
    assert (record["score"], record["confidence"], record["probabilities"]) == (None, None, None)
    assert (record["leaning"], record["contributions"]) == ("undecided", {})
    assert "distinct values" in record["reason"]


@pytest.mark.parametrize("method", ["os:getpid", "subprocess:Popen:args=true", "causewise.examples:EXAMPLES"])
def test_a_method_by_its_import_path_is_refused(client: httpx.Client, method: str) -> None:
    """That is for the command line: what a stranger names is never imported."""
    question = {"x": TABLE["dose"], "y": TABLE["response"], "method": method}
    assert "which causewise does not have" in read_sentence(client.post("/api/infer", json=question), 422)
    job = wait_for_job(client, client.post("/api/scan", json={"table": keep_table(client, CSV), "method": method}))
    assert "which causewise does not have" in job["detail"]


def test_outcomes_that_contradict_each_other_are_refused(client: httpx.Client) -> None:
    question = {"x": TABLE["dose"], "y": TABLE["response"]}
    assert "expected one of them" in read_sentence(
        client.post("/api/infer", json=question | {"direct": True, "neither": 0.3}), 422
    )
    assert "'direct' for loci-h" in read_sentence(
        client.post("/api/infer", json=question | {"direct": True, "method": "loci-h"}), 422
    )


@pytest.mark.parametrize("method", ["loci-h", "loci-m:n_knots=15"])
def test_a_file_is_judged_as_by_the_command_line(client: httpx.Client, method: str) -> None:
    form = {"x": "dose", "y": "response", "method": method}
    response = client.post("/api/infer", files={"file": ("t.csv", gzip.compress(CSV))}, data=form)
    assert response.json() == json.loads(
        json.dumps(causewise.infer(TABLE, "dose", "response", method=method).to_dict())
    )


def test_parquet_is_read_too(client: httpx.Client) -> None:
    polars = pytest.importorskip("polars")
    stream = io.BytesIO()
    polars.DataFrame(TABLE).write_parquet(stream)
    response = client.post("/api/infer", files={"file": stream.getvalue()}, data={"x": "1", "y": "2"})
    assert response.json()["cause"] == PAIR.cause
    assert "name and type" in upload(client, stream.getvalue()).json()["understood"][0]


def test_a_workbook_is_read_too_and_its_other_sheets_are_offered(client: httpx.Client) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for sheet in (book.active, book.create_sheet("back")):
        order = list(TABLE) if sheet.title != "back" else list(TABLE)[::-1]
        for row in (order, *zip(*(TABLE[name] for name in order), strict=True)):
            sheet.append([float(cell) if not isinstance(cell, str) else cell for cell in row])
    book.save(stream)
    seen = upload(client, stream.getvalue(), "t.xlsx").json()
    assert seen["choices"] == [{"sheet": "back"}]
    assert "the sheet 'Sheet' of 't.xlsx'" in seen["understood"][0]
    assert [column["name"] for column in seen["columns"]] == list(TABLE)
    form = {"x": "dose", "y": "response", "sheet": "back"}
    assert client.post("/api/infer", files={"file": stream.getvalue()}, data=form).json()["cause"] == PAIR.cause
    files = {"file": ("t.xlsx", stream.getvalue())}
    kept = client.post("/api/tables", files=files, data={"sheet": "2"}).json()
    assert [column["name"] for column in kept["columns"]] == list(TABLE)[::-1]


def test_missing_values_are_refused_or_left_out_and_counted(client: httpx.Client) -> None:
    question = {"x": [None, *TABLE["dose"]], "y": [0.5, *TABLE["response"]]}
    assert "missing" in read_sentence(client.post("/api/infer", json=question), 422)
    left = client.post("/api/infer", json=question | {"nan_policy": "omit"}).json()
    assert (left["dropped_rows"], left["score"]) == (1, PAIR.score)


def test_an_answer_has_a_page_a_file_and_a_link(client: httpx.Client) -> None:
    table = keep_table(client, CSV)
    job = wait_for_job(client, client.post("/api/answers", json={"table": table, "x": "dose", "y": "response"}))
    assert job["result"] == client.get(f"/api{job['answer']}").json() == json.loads(json.dumps(PAIR.to_dict()))
    report, file = client.get(f"{job['answer']}/report"), client.get(f"{job['answer']}/file")
    assert file.text == render_decision(PAIR)
    nonce = report.text.partition('<style nonce="')[2].partition('"')[0]
    assert len(nonce) > 16
    assert f"'nonce-{nonce}'" in report.headers["content-security-policy"]
    assert report.text == render_decision(PAIR, nonce=nonce)
    assert nonce not in client.get(f"{job['answer']}/report").text
    assert "attachment" in file.headers["content-disposition"]
    page = client.get(job["answer"])
    assert PAIR.verdict in page.text
    assert f'data-table="{table}"' in page.text


def test_a_whole_table_is_judged_like_a_scan(client: httpx.Client) -> None:
    job = wait_for_job(client, client.post("/api/scan", json={"table": keep_table(client, CSV)}))
    scan, result = causewise.scan(TABLE), job["result"]
    assert [(row["x"], row["y"], row["status"], row["score"]) for row in result["rows"]] == [
        (row.x, row.y, row.status, row.score) for row in scan
    ]
    assert (job["kind"], job["state"], result["columns"]) == ("table", "done", list(scan.columns))
    assert client.get(f"{job['answer']}/report").status_code == 200


def test_a_file_can_be_scanned_at_once(client: httpx.Client) -> None:
    form = {"columns": "dose,other", "method": "loci-h"}
    job = wait_for_job(client, client.post("/api/scan", files={"file": CSV}, data=form))
    assert [(row["x"], row["y"]) for row in job["result"]["rows"]] == [("dose", "other")]


def test_a_graph_is_that_of_the_command_line(client: httpx.Client) -> None:
    stated = {"first": ["dose"], "forbidden": [["other", "response"]]}
    expected = causewise.graph(TABLE, knowledge=stated, bootstrap=2, engine=causewise.Engine(jobs=1))
    question = {"table": keep_table(client, CSV), **stated, "bootstrap": 2}
    job = wait_for_job(client, client.post("/api/graph", json=question))
    assert (job["kind"], job["state"], job["title"]) == ("graph", "done", str(expected))
    assert job["result"] == json.loads(json.dumps(expected.to_dict()))
    file = client.get(f"{job['answer']}/file").text
    assert file == render_graph(expected)


@pytest.mark.parametrize(
    "known",
    [
        "first: [dose]\nforbidden: [[other, response]]",
        "kind,cause,effect,value\nfirst,dose,,\nforbidden,other,response,\n",
    ],
)
def test_a_file_of_knowledge_and_fields_are_taken_together(client: httpx.Client, known: str) -> None:
    form = {"knowledge": known, "last": "response", "required": '[["dose", "response"]]', "bootstrap": "0"}
    graph = wait_for_job(client, client.post("/api/graph", files={"file": ("t.csv", CSV)}, data=form))
    (edge,) = [edge for edge in graph["result"]["edges"] if edge["child"] == "response"]
    assert edge["required"] and edge["direction_given"]
    del form["bootstrap"]
    scan = wait_for_job(client, client.post("/api/scan", files={"file": ("t.csv", CSV)}, data=form))
    given = {(row["cause"], row["effect"]) for row in scan["result"]["rows"] if row["is_given"] and row["cause"]}
    assert ("dose", "response") in given


@pytest.mark.parametrize("path", ["/api/scan", "/api/graph"])
@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({"knowledge": "/etc/passwd"}, "as knowledge; expected lists"),
        ({"knowledge": "[1, 2"}, "as YAML"),
        ({"knowledge": {"befor": []}}, "'befor'"),
        ({"first": ["nobody"]}, "'nobody'"),
        ({"required": [["dose"]]}, "two columns"),
        ({"required": [["dose", "response"]], "forbidden": [["dose", "response"]]}, "contradicts itself"),
    ],
)
def test_wrong_knowledge_is_one_sentence(client: httpx.Client, path: str, known: dict, sentence: str) -> None:
    job = wait_for_job(client, client.post(path, json={"table": keep_table(client, CSV), **known}))
    assert job["state"] == "failed" and sentence in job["detail"]


def test_a_job_can_be_cancelled(client: httpx.Client) -> None:
    wide = {f"c{k}": columns(400, seed=k)["response"] for k in range(60)}
    job = client.post("/api/scan", json={"table": keep_table(client, write_csv(wide))}).json()
    record = client.delete(f"/api/jobs/{job['id']}").json()
    assert (record["state"], record["detail"]) == ("cancelled", "Cancelled.")
    assert client.get(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    again = client.delete(f"/api/jobs/{job['id']}")
    assert again.json()["state"] == "cancelled"


def test_a_process_that_is_killed_costs_one_job_its_answer(client: httpx.Client) -> None:
    # All related, so that there is much to orient: the process dies in the middle of it.
    shared = np.random.default_rng(0).normal(size=400)
    related = {f"c{k}": (shared + 0.5 * np.random.default_rng(k + 1).normal(size=400)).tolist() for k in range(40)}
    table = keep_table(client, write_csv(related))
    job = client.post("/api/scan", json={"table": table}).json()
    while job["state"] == "waiting" or (job["state"] == "working" and not job["done"]):
        job = client.get(f"/api/jobs/{job['id']}").json()
    assert job["state"] == "working"
    for worker in multiprocessing.active_children():
        worker.kill()
    while job["state"] == "working":
        job = client.get(f"/api/jobs/{job['id']}").json()
    assert (job["state"], "died" in job["detail"]) == ("failed", True)
    job = wait_for_job(client, client.post("/api/scan", json={"table": table, "columns": ["c0", "c1"]}))
    assert (job["state"], len(job["result"]["rows"])) == ("done", 1)
    assert client.post("/api/infer", json={"x": TABLE["dose"], "y": TABLE["response"]}).status_code == 200


def test_a_job_that_nobody_asks_about_is_given_up(server: Running) -> None:
    job = server.client.post("/api/scan", files={"file": CSV}, data={"method": "loci-h"}).json()
    server.jobs.get(job["id"]).asked_at -= server.jobs.limits.patience + 1
    server.jobs.stop_abandoned()
    record = server.client.get(f"/api/jobs/{job['id']}").json()
    assert record["state"] == "cancelled"
    assert "nobody asked" in record["detail"]


def test_what_is_understood_can_be_corrected(client: httpx.Client) -> None:
    unclear = "\n".join(["a;b", *(f"{k}.{k + 100};{k % 7}" for k in range(100, 140))]).encode()
    seen = upload(client, unclear).json()
    assert "decimal mark" in seen["columns"][0]["why"]
    assert seen["choices"] == [{"decimal": "."}, {"decimal": ","}]
    counting = "\n".join(["1,2,3", *(f"{k}.5,{k % 7}.5,{k % 5}.5" for k in range(30))]).encode()
    response = upload(client, counting)
    assert "names or the first row" in read_sentence(response, 422)
    assert response.json()["choices"] == [{"header": True}, {"header": False}]
    assert upload(client, unclear, decimal=",").json()["columns"][0]["least"] == 100200
    assert upload(client, unclear, decimal=".").json()["columns"][0]["least"] == 100.2


def test_pasted_lines_and_examples_are_tables(client: httpx.Client) -> None:
    pasted = client.post("/api/tables", json={"text": CSV.decode()}).json()
    assert [each["name"] for each in pasted["columns"]] == list(TABLE)
    for example in ("dose", "patients", "valley", "invisible"):
        seen = client.post("/api/tables", json={"example": example}).json()
        assert seen["judged"] >= 2
        assert client.get(f"/api/tables/{seen['table']}").json() == seen


@pytest.mark.parametrize(
    "path", ["/api/tables/x", "/api/jobs/x", "/api/answers/x", "/answers/x/report", "/static/x.js"]
)
def test_what_is_not_there_is_said(client: httpx.Client, path: str) -> None:
    assert "There is no" in read_sentence(client.get(path), 404)


def test_the_navigation_says_what_its_pages_are_for(client: httpx.Client) -> None:
    page = client.get("/").text
    assert '<a href="/teach">Try it yourself</a>' in page and '<a href="/openapi.json">API</a>' in page


def test_an_answer_that_made_room_is_said_on_the_page(client: httpx.Client) -> None:
    response = client.get("/answers/gone")
    assert response.status_code == 404
    assert "made room for newer ones" in response.text


@pytest.mark.parametrize("title", ['a → "b"', "../../etc/passwd", "\r\nSet-Cookie: a=b", "药 → 病", "a" * 500, ""])
def test_the_name_of_a_download_is_plain(title: str) -> None:
    name = file_name(title)
    assert name.isascii()
    assert name.startswith("causewise")
    assert name.endswith(".html")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")
    assert len(name) < 100
