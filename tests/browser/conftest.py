"""One `causewise serve` for the tests of a session, and the pages that causewise writes as files."""

import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from visiting import TABLE, pages_as_files

from browsing import absent

SERVE = [sys.executable, "-m", "causewise", "serve", "--port", "0", "--no-browser", "--jobs", "1"]


@pytest.fixture(scope="session")
def home() -> Iterator[str]:
    """The address of a server that runs as anybody starts it."""
    with subprocess.Popen(SERVE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found
            yield found[0]
        finally:
            server.terminate()
    assert server.returncode == 0


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to give to the page."""
    place = tmp_path_factory.mktemp("table") / "valley.csv.gz"
    place.write_bytes(gzip.compress(TABLE))
    return place


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of a pair's page, a scan's and a benchmark's, each a file."""
    return pages_as_files(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    try:
        import axe_playwright_python
    except ImportError:
        absent("no axe-core in this environment: pip install '.[dev]' brings it")
    return Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
