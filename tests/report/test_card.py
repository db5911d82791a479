"""The card a notebook shows: small, scoped, self-contained, and there for every kind of decision."""

import re
import subprocess
import sys

import pytest
from specimens import SPECIMENS
from test_page import outline

from causewise.decision import Decision

LIMIT = 70_000


@pytest.fixture(scope="module", params=SPECIMENS)
def kind(request: pytest.FixtureRequest) -> tuple[Decision, str]:
    decision = SPECIMENS[request.param]
    return decision, decision._repr_html_()


def test_every_kind_has_a_card_that_nests_and_loads_nothing(kind: tuple[Decision, str]) -> None:
    parsed = outline(kind[1])
    assert parsed.open == []
    assert parsed.seen.count("svg") == 2 + bool(kind[0].probabilities) and "script" not in parsed.seen
    assert all(target.startswith("#") for target in parsed.loads)
    assert len(kind[1].encode()) < LIMIT


def test_the_verdict_and_both_directions_are_said(kind: tuple[Decision, str]) -> None:
    decision, card = kind
    words = " ".join("".join(outline(card).text).split())
    assert ("Undecided" in words) == (decision.cause is None and not decision.unrelated)
    assert words.count("→") >= 2
    assert "nan" not in re.findall(r"[-_\w]+", words.lower())
    assert "None" not in words


def test_style_reaches_nothing_but_the_card(kind: tuple[Decision, str]) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", kind[1], re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", style)
    assert selectors
    for selector in selectors:
        assert all(".causewise-card" in each or each.strip().startswith("@media") for each in selector.split(","))


def test_every_variable_of_the_pictures_has_a_light_and_a_dark_value(kind: tuple[Decision, str]) -> None:
    used = set(re.findall(r"var\((--[a-z-]+)\)", kind[1]))
    defined = [set(re.findall(r"(--[a-z-]+):", block)) for block in re.findall(r"\{([^{}]*--paper:[^{}]*)\}", kind[1])]
    assert len(defined) == 4
    assert all(used - {"--tone", "--soft"} <= names for names in defined)


def test_a_card_is_made_lazily() -> None:
    code = "import sys, causewise.decision; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_names_are_text_and_never_markup() -> None:
    assert "<script>alert" not in SPECIMENS["hostile names"]._repr_html_()
