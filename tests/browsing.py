"""A browser to look with, if there is one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def absent(reason: str) -> NoReturn:
    """Skip; but where all is to be tested, what never runs must not pass for what holds."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def launch_browser() -> Iterator[Any]:
    """Headless Chromium, `CAUSEWISE_CHROMIUM` or the one on the path, driven by Playwright."""
    place = os.environ.get("CAUSEWISE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if place is None:
        absent("no Chromium on this machine: .ci/browser installs it, or CAUSEWISE_CHROMIUM names one")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("no playwright in this environment: make test-browser brings it")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=place, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
