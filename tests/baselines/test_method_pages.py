"""The pages of these methods say what their code prints."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "methods"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", ["igci", "grci", "heci", "qccd"])
def test_examples_print_what_the_page_says(page, capsys):
    text = (PAGES / f"{page}.md").read_text()
    examples = EXAMPLE.findall(text)
    assert len(examples) == 2
    for code, printed in examples:
        exec(code, {})
        assert capsys.readouterr().out == printed
