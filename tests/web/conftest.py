"""One server for the tests of a session, with bounds that a test can reach."""

from collections.abc import Iterator

import httpx
import pytest
from running import LIMITS, Running, running


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running(LIMITS) as found:
        yield found


@pytest.fixture
def client(server: Running) -> httpx.Client:
    return server.client
