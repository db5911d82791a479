"""`causewise serve`: one line with the address, a sentence for what cannot be, and nothing left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

SERVE = [sys.executable, "-m", "causewise", "serve", "--no-browser", "--jobs", "1"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_with_everything_removed(tmp_path: Path, number: int, code: int) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [*SERVE, "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address, line
        content = b"a,b\n" + b"\n".join(b"%d.5,%d.25" % (k, k * k % 9973) for k in range(20_000))
        seen = httpx.post(f"{address[0]}api/tables", files={"file": content}, timeout=60, trust_env=False)
        assert seen.json()["rows"] == 20_000
        damaged = {"content-type": "multipart/form-data; boundary=b"}
        refused = httpx.post(f"{address[0]}api/tables", content=b"x", headers=damaged, timeout=60, trust_env=False)
        assert refused.status_code == 400
        children = psutil.Process(server.pid).children(recursive=True)
        server.send_signal(number)
        _, stderr = server.communicate(timeout=60)
    assert server.returncode == code
    assert stderr.strip() == ("Stopped; nothing is kept." if number == signal.SIGINT else "")
    psutil.wait_procs(children, timeout=10)
    assert not [child for child in children if child.is_running()]
    assert not list(tmp_path.iterdir())


def test_a_port_in_use_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([*SERVE, "--port", port], capture_output=True, text=True)
    assert done.returncode == 2
    assert f"port {port}" in done.stderr
    assert "--port" in done.stderr


def test_a_host_that_is_none_is_a_sentence() -> None:
    done = subprocess.run([*SERVE, "--host", "no.such.host.invalid"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no.such.host.invalid" in done.stderr


def test_a_missing_extra_names_its_command(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('No module', name='uvicorn')")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(SERVE, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 2
    assert "pip install '.[web]'" in done.stderr


def test_infer_never_loads_the_server() -> None:
    code = (
        "import sys, causewise.cli.app; print([n for n in ('fastapi', 'uvicorn', 'causewise.web') if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
