"""One profile for property tests: no deadline (machines are busy) and the same examples in every run; one thread."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from browsing import launch_browser
from causewise.parallel import single_threaded

settings.register_profile("causewise", deadline=None, derandomize=True, max_examples=24)
settings.load_profile("causewise")
# Before NumPy is loaded, which reads it once: tests that call the numerics without `infer` around them would have their
# small matrices done by several threads, on processors that other tests use.
os.environ.update(single_threaded())
# A shell's background jobs ignore Ctrl-C, and so would every process they start, which the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the published benchmark files; tests that need it are skipped where it is absent."""
    folder = os.environ.get("CAUSEWISE_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("CAUSEWISE_DATA does not name a folder with the benchmark files")
    return Path(folder)


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """The folder with golden numbers, beside the benchmark files."""
    folder = Path(__file__).parents[2] / "shared" / "golden"
    if not folder.is_dir():
        pytest.skip("no golden numbers beside the checkout")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium for the tests of a file, closed after them: an event loop runs in this thread while it is open."""
    with launch_browser() as found:
        yield found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks for Chromium is a test of the browser's own target."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
