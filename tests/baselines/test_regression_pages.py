"""The pages of the regression-based baselines say what their code prints."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "methods"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?")


@pytest.mark.parametrize("page", ["cam", "resit", "fom", "reci", "cdci", "lingam", "pnl"])
def test_examples_print_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = EXAMPLE.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))
    assert len(examples) == 2
    for code, expected in examples:
        exec(code, {})
        printed = capsys.readouterr().out
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected)
        ours, theirs = ([float(v) for v in NUMBER.findall(text)] for text in (printed, expected))
        assert ours == pytest.approx(theirs, rel=0.02)
