"""Answers as pages: the report's own, with a mark where each response puts the nonce of its policy."""

import secrets
from typing import Any

from causewise.decision import Decision
from causewise.report import page, scan_page
from causewise.scanning.result import Scan


def marked_pair(decision: Decision) -> tuple[str, str]:
    """The page of a decision, and the mark that stands for the nonce in it."""
    return _marked(page.render, decision)


def marked_scan(scan: Scan) -> tuple[str, str]:
    """The page of a scan, and the mark that stands for the nonce in it."""
    return _marked(scan_page.render, scan)


def with_nonce(html: str, mark: str, nonce: str) -> str:
    """The page under a policy that allows this nonce and no other script or style."""
    return html.replace(mark, nonce)


def as_file(html: str, mark: str) -> str:
    """The page as it is kept in a file, which brings its policy along."""
    return html.replace(f' nonce="{mark}"', "").replace(f"'nonce-{mark}'", "'unsafe-inline'")


def _marked(render: Any, answer: Any) -> tuple[str, str]:
    # Drawn anew for every page, so that no column's name can hold it.
    mark = f"mark{secrets.token_hex(16)}"
    return render(answer, nonce=mark), mark
