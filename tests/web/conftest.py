"""One server for the tests of a session, with bounds that a test can reach."""

from collections.abc import Iterator

import httpx
import pytest
from running import LIMITS, Running, run_server


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with run_server(LIMITS) as running:
        yield running


@pytest.fixture
def client(server: Running) -> httpx.Client:
    return server.client
