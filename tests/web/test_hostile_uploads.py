"""What strangers send: every one of them gets a sentence, and the server goes on."""

import gzip
import io
import json
import os
import socket
import time
import zlib
from collections.abc import Iterator

import httpx
import openpyxl
import pytest
from asking import columns, keep_table, read_sentence, upload, wait_for_job, write_csv
from running import LIMITS, Running

from causewise.serving.job_pool import PoolTask
from causewise.serving.limits import MIB, RequestError

CSV = write_csv(columns(40))
SCRIPT = "</script><script>alert(1)</script>"


@pytest.fixture(autouse=True)
def goes_on(client: httpx.Client) -> Iterator[None]:
    yield
    assert client.get("/").status_code == 200
    assert upload(client, CSV).status_code == 200


def bomb(size: int) -> bytes:
    """Bytes that unpack to `size` of them, without this test holding as many."""
    packer = zlib.compressobj(1, wbits=31)
    line = (b"1.5," * 2000 + b"2.5\n") * 16
    return b"".join(packer.compress(line) for _ in range(size // len(line))) + packer.flush()


def test_a_zip_bomb(client: httpx.Client) -> None:
    packed = bomb(32 * MIB)
    assert len(packed) < MIB
    assert f"more than {LIMITS.table_bytes:,} bytes" in read_sentence(upload(client, packed, "bomb.csv.gz"), 422)


def test_a_bomb_in_a_bomb(client: httpx.Client) -> None:
    read_sentence(upload(client, gzip.compress(bomb(16 * MIB))), 422)


def test_an_endless_body(client: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield bytes(MIB)

    response = client.post("/api/infer", content=endless(), headers={"content-type": "application/json"})
    assert f"more than {LIMITS.upload_bytes:,} bytes" in read_sentence(response, 413)


def test_an_upload_that_is_too_long(client: httpx.Client) -> None:
    assert "at most" in read_sentence(upload(client, b"1,2\n" * (2 * MIB)), 413)


def test_a_slow_head_is_not_waited_for(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.settimeout(30)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


def test_a_silent_client_is_not_waited_for(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.settimeout(30)
        assert b"408" in slow.recv(1000)


@pytest.mark.parametrize("drop", [0.0, 0.15])
def test_a_slow_body_is_not_waited_for(server: Running, drop: float) -> None:
    """Neither one that stops nor one that drips."""
    head = (
        "POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.settimeout(0.05)
        slow.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n")
        response, deadline = b"", time.monotonic() + 30
        while not response and time.monotonic() < deadline:
            if drop:
                slow.sendall(b" ")
                time.sleep(drop)
            try:
                response = slow.recv(1000)
            except TimeoutError:
                continue
        assert response.startswith(b"HTTP/1.1 408")


def test_no_http_at_all(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as odd:
        odd.settimeout(30)
        odd.sendall(bytes(range(200)) + b"\r\n\r\n")
        assert odd.recv(1000).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(("length", "status"), [("x", b"400"), ("-1", b"400"), ("9" * 19, b"413"), ("9" * 30, b"400")])
def test_lengths_that_cannot_be(server: Running, length: str, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as odd:
        odd.settimeout(30)
        head = f"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
        odd.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n")
        assert odd.recv(1000).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\0" * 5000, os.urandom(3000), b"PK\x03\x04" + bytes(50), b"\x1f\x8b" + bytes(50), b"PAR1" + bytes(50)),
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)) * 5, b"ARROW1\0\0" + bytes(50), b"<stata_dta>"),
    ],
    ids=[
        "nothing",
        "zeros",
        "noise",
        "zip",
        "damaged gzip",
        "damaged parquet",
        "damaged xls",
        "damaged arrow",
        "stata",
    ],
)
def test_files_that_are_no_tables(client: httpx.Client, content: bytes) -> None:
    read_sentence(upload(client, content), 422)


@pytest.mark.parametrize("beginning", [b'{"a": [1, 2]}', b"<html><body>", b"\xff\xfea\0,\0"])
def test_files_of_other_kinds(client: httpx.Client, beginning: bytes) -> None:
    read_sentence(upload(client, beginning), 422)


def test_a_hundred_thousand_columns(client: httpx.Client) -> None:
    names = ",".join(f"c{k}" for k in range(100_000))
    content = "\n".join([names, *(",".join(["1.5"] * 100_000) for _ in range(3))]).encode()
    assert "100,000 columns" in read_sentence(upload(client, content), 422)


def test_a_workbook_of_two_cells_that_are_far_apart(client: httpx.Client) -> None:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"], book.active["XFD1048576"] = 1.0, 2.0
    book.save(stream)
    assert "the last cell is XFD1048576" in read_sentence(upload(client, stream.getvalue()), 422)


def test_too_many_rows(client: httpx.Client) -> None:
    assert f"more than {LIMITS.rows:,} rows" in read_sentence(upload(client, b"1,2\n" * (LIMITS.rows + 20)), 422)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("../../../etc/passwd", "passwd"), ("C:\\Users\\me\\t.csv", "t.csv"), ("/", "table"), ("a" * 999, "a" * 120)],
)
def test_names_of_files_are_only_names(client: httpx.Client, name: str, shown: str) -> None:
    assert upload(client, CSV, name).json()["name"] == shown
    assert "/etc" not in read_sentence(upload(client, b"", name), 422)


def test_script_in_the_names_of_columns_never_runs(client: httpx.Client) -> None:
    table = dict(zip((f"a{SCRIPT}", f"b{SCRIPT}"), columns().values(), strict=False))
    seen = upload(client, write_csv(table))
    assert seen.headers["content-type"] == "application/json"
    x, y = (column["name"] for column in seen.json()["columns"])
    assert SCRIPT in x
    question = {"table": seen.json()["table"], "x": x, "y": y}
    for path, asked in (("/api/answers", question), ("/api/scan", {"table": question["table"]})):
        job = wait_for_job(client, client.post(path, json=asked))
        for part in ("", "/report", "/file"):
            assert SCRIPT not in client.get(job["answer"] + part).text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"x": 1, "y": 2}',
        b'{"x": [1], "y": ["a"]}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"x": []}',
    ],
)
@pytest.mark.parametrize("path", ["/api/infer", "/api/tables", "/api/answers", "/api/scan"])
def test_json_that_asks_nothing(client: httpx.Client, path: str, body: bytes) -> None:
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    read_sentence(response, 400, 422)


@pytest.mark.parametrize(
    "body",
    [{"x": [1, 2], "y": [1, 2]}, {"x": [1] * 20, "y": list(range(20))}, {"x": [1e308] * 20, "y": list(range(20))}],
)
def test_columns_that_cannot_be_judged(client: httpx.Client, body: dict[str, list[float]]) -> None:
    read_sentence(client.post("/api/infer", json=body), 422)


@pytest.mark.parametrize(
    "method", ["no-such", "loci-h:n_knots=-1", "loci-h:x", "causewise:threshold='a'", "", "a" * 999]
)
def test_methods_that_cannot_be(client: httpx.Client, method: str) -> None:
    table = columns()
    body = {"x": table["dose"], "y": table["response"], "method": method}
    response = client.post("/api/infer", json=body)
    if method:
        read_sentence(response, 422)
    else:
        assert response.json()["method"] == "causewise"


def test_forms_that_are_damaged(client: httpx.Client) -> None:
    for content, kind in (
        (b"--b\r\n", "multipart/form-data; boundary=b"),
        (b"nothing", "multipart/form-data; boundary=b"),
        (b"x", "multipart/form-data"),
        (b"--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n", "multipart/form-data; boundary=b"),
    ):
        read_sentence(client.post("/api/infer", content=content, headers={"content-type": kind}), 400, 422)
    read_sentence(client.post("/api/tables", files={"other": b"1,2"}), 422)
    read_sentence(client.post("/api/tables", files=[("file", CSV), ("file", CSV)]), 400)
    read_sentence(client.post("/api/tables", files={"file": CSV}, data={"surplus": "1"}), 422)
    read_sentence(client.post("/api/tables", files={"file": CSV}, data={"decimal": "x" * 100_000}), 400)


def test_nothing_is_written_to_disk(server: Running, tmp_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    opened = os.open
    monkeypatch.setattr(
        os, "open", lambda path, *rest, **more: (written.append(str(path)), opened(path, *rest, **more))[1]
    )
    assert upload(server.client, b"a,b\n" + b"1.25,2.75\n" * 300_000).status_code in (200, 422)
    assert not [path for path in written if "tmp" in path]


def test_a_table_that_left_is_said(server: Running) -> None:
    first = keep_table(server.client, CSV)
    for _ in range(LIMITS.cached_tables):
        keep_table(server.client, CSV)
    response = server.client.post("/api/answers", json={"table": first, "x": "dose", "y": "response"})
    assert "made room for newer ones" in read_sentence(response, 404)
    assert len(server.jobs.tables) <= LIMITS.cached_tables


def test_a_client_that_leaves_takes_its_question_along(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[PoolTask] = []
    submit = server.jobs.quick.submit
    monkeypatch.setattr(server.jobs.quick, "submit", lambda *task: tasks.append(submit(*task)) or tasks[-1])
    body = json.dumps({"x": columns(3000)["dose"], "y": columns(3000)["other"], "method": "gpi:max_iter=9999"}).encode()
    head = f"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as one:
        one.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        while not tasks:
            time.sleep(0.01)
    with pytest.raises(RequestError, match="closed before the answer"):
        tasks[0].future.result(60)
