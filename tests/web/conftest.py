"""One server for the tests of a session, with bounds that a test can reach."""

from collections.abc import Iterator

import httpx
import pytest
from running import Running, running

from whence.web.limits import MIB, Limits

LIMITS = Limits(
    upload_bytes=4 * MIB,
    json_bytes=MIB,
    table_bytes=8 * MIB,
    rows=50_000,
    columns=300,
    processes=1,
    header_seconds=0.4,
    pause_seconds=0.6,
)


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running(LIMITS) as found:
        yield found


@pytest.fixture
def client(server: Running) -> httpx.Client:
    return server.client
