"""The call that the page shows has the answer that the page shows."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
DIGITS = re.compile(r"\d+(?:\.\d+)?")


def test_the_call_on_the_page_is_answered_so(tmp_path: Path) -> None:
    [code], [shown] = (re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL) for kind in ("python", "text"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    # The page breaks lines, and another machine may round otherwise.
    printed, expected = (DIGITS.sub("#", text).split() for text in (done.stdout, shown))
    assert printed == expected
