"""`causewise serve`: one line with the address, a sentence for what cannot be, and nothing left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from click.testing import Result
from typer.testing import CliRunner

from causewise.cli.app import app

SERVE = [sys.executable, "-m", "causewise", "serve", "--no-browser", "--jobs", "1"]


TABLE = b"a,b\n" + b"\n".join(b"%d.5,%d.25" % (k, k * k % 9973) for k in range(70_000))
"""More than a pipe holds: who does not read keeps whoever writes waiting."""


@contextmanager
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, list[psutil.Process]]]:
    """A server, its address, and its workers, one of which has answered already; in the end nothing of it is left."""
    command, environment = [*SERVE, "--port", "0"], os.environ | {"TMPDIR": str(folder)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
            assert found
            assert post(found[0]).status_code == 200
            workers = find_workers(server)
            yield server, found[0], workers
        finally:
            server.kill()
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive
    assert not list(folder.iterdir())


def find_workers(server: subprocess.Popen[str]) -> list[psutil.Process]:
    children = psutil.Process(server.pid).children(recursive=True)
    alive = [each for each in children if each.status() != psutil.STATUS_ZOMBIE]
    return [each for each in alive if "resource_tracker" not in " ".join(each.cmdline())]


def serve(*arguments: str) -> Result:
    """The command within this process, which it leaves before it listens."""
    return CliRunner().invoke(app, ["serve", "--no-browser", *arguments])


def post(address: str) -> httpx.Response:
    return httpx.post(f"{address}api/tables", files={"file": TABLE}, timeout=60, trust_env=False)


def test_a_worker_that_no_longer_reads_does_not_keep_the_server(tmp_path: Path) -> None:
    """A request under way gets the sentence, and the terminal no traceback."""
    with started(tmp_path) as (server, address, workers), ThreadPoolExecutor() as asking:
        for each in workers:
            each.suspend()
        request = asking.submit(post, address)
        time.sleep(1)
        assert not request.done()
        server.send_signal(signal.SIGTERM)
        _, stderr = server.communicate(timeout=30)
        answer = request.result(30)
    assert server.returncode == 0
    assert answer.status_code == 503
    assert answer.json() == {"detail": "The server is closing; expected one that runs: start it anew."}
    assert stderr.strip() == ""


def test_an_upload_that_never_ends_keeps_the_server_for_a_moment_only(tmp_path: Path) -> None:
    with (
        started(tmp_path) as (server, address, _),
        socket.create_connection(("127.0.0.1", httpx.URL(address).port)) as client,
    ):
        head = "POST /api/tables HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=b\r\n"
        client.sendall(f"{head}content-length: 1000\r\n\r\n--b\r\n".encode())
        time.sleep(0.5)
        server.send_signal(signal.SIGINT)
        _, stderr = server.communicate(timeout=30)
        answer = client.recv(10_000)
    assert server.returncode == 130
    assert b"503" in answer.splitlines()[0]
    assert b"The server is closing" in answer
    assert stderr.strip() == "Stopped; nothing is kept."


def test_a_port_in_use_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = serve("--port", port)
    assert done.exit_code == 2
    assert f"port {port}" in done.stderr
    assert "--port" in done.stderr


def test_a_host_that_is_none_is_a_sentence() -> None:
    done = serve("--host", "no.such.host.invalid")
    assert done.exit_code == 2
    assert "no.such.host.invalid" in done.stderr


def test_a_missing_extra_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "causewise.web.server", raising=False)
    done = serve()
    assert done.exit_code == 2
    assert "pip install '.[web]'" in done.stderr


def test_infer_never_loads_the_server() -> None:
    code = (
        "import sys, causewise.cli.app; print([n for n in ('fastapi', 'uvicorn', 'causewise.web') if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
