"""The whole server on a free port, in a thread of the test's own process: real sockets, real worker processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from causewise.serving.limits import MIB
from causewise.web.jobs import JobManager
from causewise.web.limits import ServerLimits
from causewise.web.server import Server, open_socket

LIMITS = ServerLimits(
    upload_bytes=4 * MIB,
    json_bytes=MIB,
    table_bytes=8 * MIB,
    rows=50_000,
    columns=300,
    processes=1,
    header_seconds=0.4,
    pause_seconds=0.6,
)
"""Bounds that a test can reach."""


@dataclass(frozen=True)
class Running:
    """A server that runs, its jobs, and a client."""

    jobs: JobManager
    port: int
    client: httpx.Client


@contextmanager
def run_server(limits: ServerLimits) -> Iterator[Running]:
    jobs, listener, ready = JobManager(limits), open_socket("127.0.0.1", 0), threading.Event()
    server, port = Server(jobs, "127.0.0.1", ready.set), listener.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(30)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield Running(jobs, port, client)
    finally:
        server.should_exit = True
        thread.join()
