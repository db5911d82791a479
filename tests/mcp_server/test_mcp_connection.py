"""Calls at the same time, progress, cancelling, and every way in which it can end: nothing is left behind."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest
from assistant import Assistant, Reply, find_processes, find_workers, talk
from typer.testing import CliRunner

from causewise.cli.app import app

WIDE: dict[str, Any] = {"file": "wide.csv", "picture": False}
TRIAL: dict[str, Any] = {"file": "trial.csv", "x": "dose", "y": "response", "picture": False}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_two_calls_at_once_do_not_wait_for_each_other(folder: Path) -> None:
    async def ask(assistant: Assistant) -> list[tuple[str, Reply]]:
        ended: list[tuple[str, Reply]] = []

        async def call(tool: str, **arguments: Any) -> None:
            ended.append((tool, await assistant.call(tool, **arguments)))

        await asyncio.gather(call("scan", **WIDE), call("infer", **TRIAL), call("infer", **TRIAL))
        return ended

    ended = talk(folder, ask)
    assert [tool for tool, _ in ended] == ["infer", "infer", "scan"]
    assert not any(reply.is_error for _, reply in ended)
    assert ended[0][1] == ended[1][1]
    # More pairs than there is room for: the surest of them, and a word on it.
    scan = ended[2][1]
    assert len(scan.record["rows"]) < 780
    assert f"The JSON has {len(scan.record['rows'])} of the 780 pairs" in scan.words


def test_a_long_scan_reports_progress_that_grows(folder: Path) -> None:
    told: list[tuple[float, str]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message or ""))

    async def ask(assistant: Assistant) -> Reply:
        return await assistant.call("scan", on_progress=note, **WIDE)

    assert not talk(folder, ask).is_error
    values = [value for value, _ in told]
    assert len(values) > 3
    assert all(a < b for a, b in pairwise(values))
    assert any(message.startswith("orienting: ") and "of 780" in message for _, message in told)


def test_a_cancelled_scan_ends_its_process_and_nothing_else(folder: Path) -> None:
    async def ask(assistant: Assistant) -> tuple[set[int], set[int], Reply]:
        begun = asyncio.Event()

        async def note(progress: float, total: float | None, message: str | None) -> None:
            if progress > 0:
                begun.set()

        scan = asyncio.create_task(assistant.call("scan", on_progress=note, **WIDE))
        await begun.wait()
        busy = {each.pid for each in find_processes(folder)}
        scan.cancel()
        with pytest.raises(asyncio.CancelledError):
            await scan
        # The next one in the same queue is answered, so that the scan does not go on.
        reply = await assistant.call("graph", file="trial.csv", bootstrap=2, picture=False)
        return busy, {each.pid for each in find_processes(folder)}, reply

    busy, left, reply = talk(folder, ask)
    assert not reply.is_error
    assert len(busy - left) == 1  # the worker of the scan; the server stays


def test_a_call_that_takes_too_long_is_a_sentence(folder: Path) -> None:
    async def ask(assistant: Assistant) -> tuple[Reply, Reply]:
        return await assistant.call("graph", **WIDE), await assistant.call("infer", **TRIAL)

    late, next_one = talk(folder, ask, "--max-seconds", "1")
    assert late.is_error
    assert "longer than the 1 seconds" in late.words
    assert not next_one.is_error


@contextmanager
def bare_server(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server without the SDK's client, which has answered a call, so that it has a worker."""
    command = [sys.executable, "-m", "causewise", "mcp"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, **pipes) as server:
        try:
            send(server, id=1, method="initialize", params=INITIALIZE)
            assert read(server)["result"]["serverInfo"]["name"] == "causewise"
            send(server, method="notifications/initialized")
            yield server
        finally:
            server.kill()


def send(server: subprocess.Popen[bytes], **message: Any) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
    server.stdin.flush()


def read(server: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next message; whatever else stood on standard output would be no JSON."""
    assert server.stdout is not None
    return json.loads(server.stdout.readline())


def call(server: subprocess.Popen[bytes], number: int, tool: str, **arguments: Any) -> None:
    send(server, id=number, method="tools/call", params={"name": tool, "arguments": arguments})


@pytest.mark.parametrize("how", ["end of input", "end of output", "SIGINT", "SIGTERM", "SIGKILL"])
def test_however_it_ends_no_process_is_left(how: str, folder: Path) -> None:
    if how == "SIGKILL" and sys.platform != "linux":
        pytest.skip("elsewhere a worker ends after its task")
    with bare_server(folder) as server:
        call(server, 2, "infer", **TRIAL)
        assert read(server)["id"] == 2
        call(server, 3, "scan", **WIDE)  # in the middle of which it ends
        deadline = time.monotonic() + 30
        while len(workers := find_workers(server.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(workers) == 2
        if how == "end of input":
            assert server.stdin is not None
            server.stdin.close()
        elif how == "end of output":
            assert server.stdout is not None
            server.stdout.close()
            send(server, id=4, method="ping")  # its answer has nowhere to go
        else:
            server.send_signal(getattr(signal, how))
        assert server.wait(10) == {"end of input": 0, "end of output": 0, "SIGKILL": -9}.get(how, 130)
        assert server.stderr is not None
        said = server.stderr.read().decode()
    assert said == ("Stopped.\n" if how in ("SIGINT", "SIGTERM") else "")
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive


def test_ctrl_c_before_any_call_ends_it_at_once(folder: Path) -> None:
    with bare_server(folder) as server:
        server.send_signal(signal.SIGINT)
        assert server.wait(5) == 130


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_a_worker_prints_does_not_reach_the_client(folder: Path) -> None:
    with bare_server(folder) as server:
        call(server, 2, "infer", **TRIAL)
        assert read(server)["id"] == 2
        [worker] = find_workers(server.pid)
        output, errors = (Path(f"/proc/{pid}/fd/{k}").readlink() for pid, k in ((worker.pid, 1), (server.pid, 2)))
        assert output == errors
        opened = {each.readlink() for each in Path(f"/proc/{worker.pid}/fd").iterdir() if each.is_symlink()}
        assert server.stdin is not None
        assert server.stdout is not None
        for ours in (server.stdin, server.stdout):
            assert Path(f"/proc/self/fd/{ours.fileno()}").readlink() not in opened


def test_lines_that_are_no_message_do_not_end_it(folder: Path) -> None:
    with bare_server(folder) as server:
        assert server.stdin is not None
        for line in (b"hello", b"", b"{", b"\xff\xfe", b"[" * 3000, b'{"long": "' + b"a" * (5 << 20) + b'"}'):
            server.stdin.write(line + b"\n")
        call(server, 2, "infer", file="nothing.csv")
        reply = read(server)
        while reply.get("id") != 2:  # the SDK may answer such a line with an error
            assert "error" in reply
            reply = read(server)
        assert reply["result"]["isError"]


def test_a_missing_extra_names_its_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "causewise.mcp_server.server", raising=False)
    done = CliRunner().invoke(app, ["mcp", "--allow", str(tmp_path)])
    assert done.exit_code == 2
    assert "pip install '.[mcp]'" in done.stderr


def test_the_root_and_the_home_folder_are_no_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for place, called in ((Path(tmp_path.anchor), "the root"), (tmp_path, "your home folder")):
        monkeypatch.chdir(place)
        done = CliRunner().invoke(app, ["mcp"])
        assert done.exit_code == 2
        assert called in done.stderr
        assert "--allow DIR" in done.stderr


def test_without_standard_input_it_is_a_sentence(tmp_path: Path) -> None:
    command = f"exec '{sys.executable}' -m causewise mcp --allow . <&-"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Standard input or output is closed")


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["mcp", "--allow", str(tmp_path / "nowhere")])
    assert done.exit_code == 2
    assert "is no folder" in done.stderr


def test_infer_never_loads_the_sdk() -> None:
    heavy = "('mcp', 'pydantic', 'causewise.mcp_server')"
    code = f"import sys, causewise.cli.app; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
