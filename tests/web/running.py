"""The whole server on a free port, in a thread of the test's own process: real sockets, real worker processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import uvicorn

from causewise.web.application import create
from causewise.web.desk import FrontDesk
from causewise.web.limits import MIB, ServerLimits
from causewise.web.server import Server, bound, patient

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
    """A server that runs, what it remembers, and somebody who asks."""

    desk: FrontDesk
    port: int
    client: httpx.Client


@contextmanager
def running(limits: ServerLimits) -> Iterator[Running]:
    desk, listening, ready = FrontDesk(limits), bound("127.0.0.1", 0), threading.Event()
    config = uvicorn.Config(
        create(desk),
        http=patient(limits.header_seconds),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server, port = Server(config, ready.set), listening.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    assert ready.wait(30)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield Running(desk, port, client)
    finally:
        server.should_exit = True
        thread.join()
