"""The page of a decision: whole, self-contained, small, safe and repeatable, for every kind of decision."""

import html
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from scans import HOSTILE as NAMES
from scans import drawn_scan
from specimens import SPECIMENS, decided, pair, without_arrays

import causewise
from causewise.decision import Decision
from causewise.errors import InputError
from causewise.inference import Answer, Stability
from causewise.report import scan_wording
from causewise.report.html_pages import environment, render_decision, write_decision
from causewise.report.score_bars import place_halves, round_score, stack_terms

LIMIT = 400_000
CARD_LIMIT = 70_000
VOID = {"meta", "br", "link", "img", "hr", "input"}
LOADING = {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "formaction", "background"}


class Outline(HTMLParser):
    """Checks that tags nest, and remembers ids, texts and everything that could load something."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.loads: list[str] = []
        self.referred: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            if key in LOADING:
                self.loads.append(value or "")
            if key in ("aria-labelledby", "data-copies"):
                self.referred.append(value or "")
            # Neither would pass a Content-Security-Policy without unsafe-inline.
            assert key != "style" and not key.startswith("on"), f"{key} in the markup of <{tag}>"

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    return parser


Rendered = tuple[Decision, str, Outline]


@cache
def rendered(kind: str) -> str:
    return render_decision(SPECIMENS[kind])


@pytest.fixture(scope="module", params=SPECIMENS)
def kind(request: pytest.FixtureRequest) -> Rendered:
    page = rendered(request.param)
    return SPECIMENS[request.param], page, outline(page)


def test_tags_nest_and_ids_are_unique(kind: Rendered) -> None:
    _, page, parsed = kind
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert set(parsed.referred) <= set(parsed.ids)
    assert parsed.seen.count("script") == 1
    assert page.count('<div class="panels"><svg') == 2
    assert 20_000 < len(page.encode()) < LIMIT


def test_nothing_is_loaded(kind: Rendered) -> None:
    _, page, parsed = kind
    assert all(target.startswith("#") for target in parsed.loads)
    assert all(target.startswith("#") for target in re.findall(r"url\(\s*['\"]?([^)'\"]*)", page))
    assert "@import" not in page
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in page


def test_a_nonce_is_the_only_thing_let_in() -> None:
    plain, sent = rendered("clear"), render_decision(SPECIMENS["clear"], nonce="r4nd0m+/=")
    assert "style-src 'nonce-r4nd0m+/='; script-src 'nonce-r4nd0m+/=';" in sent
    assert "unsafe-inline" not in sent
    assert re.findall(r"<(?:style|script)[^>]*>", sent) == ['<style nonce="r4nd0m+/=">', '<script nonce="r4nd0m+/=">']
    assert "nonce" not in plain


def test_every_reference_inside_a_picture_is_defined(kind: Rendered) -> None:
    _, page, parsed = kind
    wanted = {target[1:] for target in parsed.loads} | set(re.findall(r"url\(#([^)]*)\)", page))
    assert wanted <= set(parsed.ids)


def test_verdict_and_both_directions_are_said(kind: Rendered) -> None:
    decision, _, parsed = kind
    words = " ".join("".join(parsed.text).split())
    assert ("Undecided" in words) == (decision.cause is None and not decision.unrelated)
    assert (f"{decision.pair.x_name} and {decision.pair.y_name} are unrelated" in words) == decision.unrelated
    assert words.count("→") >= 2
    assert "nan" not in re.findall(r"[-_\w]+", words.lower())
    assert "None" not in words.replace("None were raised", "")


def test_same_decision_same_bytes() -> None:
    assert render_decision(decided(pair())) == render_decision(decided(pair()))


def test_names_are_text_and_never_markup() -> None:
    page = rendered("hostile names")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in html.unescape(page)
    assert "\x00" not in page
    assert "\u202e" not in page


def test_warnings_are_listed_with_those_of_a_fit_that_stopped_short() -> None:
    page = html.unescape(rendered("not converged"))
    assert "Few rows: get more." in page
    assert "altitude → temperature: stopped after 500 steps; raise max_iter." in page


def test_warnings_carry_a_badge_each() -> None:
    page = rendered("warned")
    for level in ("stops", "lowers confidence", "note"):
        assert f'<li data-level="{level}"><span class="level">{level}</span>' in page
        assert level == "note" or f'[data-level="{level}"]' in page


@pytest.mark.parametrize("kind", ["confident", "withheld", "no usable lean", "unrelated"])
def test_the_sum_is_shown_with_its_readings_and_the_tests_stand_alone(kind: str) -> None:
    decision = SPECIMENS[kind]
    words = " ".join("".join(outline(rendered(kind)).text).split())
    found = round_score(decision)
    assert found is not None
    for text in (*found.terms.values(), found.total, found.weight, found.score, *found.factors.values()):
        assert text in words
    assert words.index("How the score adds up") < words.index("What the two tests alone say")
    assert ("Confidence" in words) == (kind != "unrelated")


def test_a_stopped_page_has_the_reason_and_neither_sum_nor_tests() -> None:
    decision = SPECIMENS["stopped"]
    words = " ".join("".join(outline(rendered("stopped")).text).split())
    assert decision.reason in words
    for absent in ("How the score adds up", "What the two tests alone say", "Confidence", "Score", "fits", "chosen"):
        assert absent not in words.split("To the answer")[1].split("The picture")[0]


@pytest.mark.parametrize("kind", ["confident", "confident backward", "withheld", "unrelated"])
def test_the_bars_of_the_terms_lie_end_to_end(kind: str) -> None:
    decision = SPECIMENS[kind]
    found = stack_terms([term for term in decision.contributions.values() if term], decision.weight or 0.0)
    ends = [found.zero, *(bar.end for bar in found.terms)]
    for start, bar in zip(ends, found.terms, strict=False):
        assert sorted((start, bar.end)) == pytest.approx([bar.x, bar.x + bar.width], abs=0.02)
    assert found.total.end == found.terms[-1].end
    assert found.score.end - found.zero == pytest.approx(
        (decision.weight or 0) * (found.total.end - found.zero), abs=0.1
    )
    assert all(bar.kind == "for" for bar in (found.total, found.score))
    assert rendered(kind).count('<rect class="') == 5 + 3 * bool(decision.probabilities)


def test_halves_are_dots_on_a_line_and_none_is_lost() -> None:
    scores = (1.2, -0.3, 0.8, 0.8)
    decision = replace(SPECIMENS["confident"], half_samples=Stability(0.75, -0.3, 1.2, 4, 0, scores))
    page = render_decision(decision)
    assert page.count("<circle") == 4
    assert "75 % lean the same way" in html.unescape(page)
    line = place_halves(decision)
    assert line is not None
    assert sorted((dot.x < line.zero, dot.height) for dot in line.dots) == [
        (False, 0),
        (False, 0),
        (False, 1),
        (True, 0),
    ]


def test_other_methods_are_shown_only_where_they_were_asked(tmp_path: Path) -> None:
    decision = SPECIMENS["confident"]
    assert "What the other methods say" not in rendered("confident")
    answers = [Answer("igci", SPECIMENS["score only"], 0.25), Answer("odd", SPECIMENS["failed"], 1.5)]
    words = " ".join(" ".join(outline(render_decision(decision, answers=answers)).text).split())
    assert re.search(r"causewise altitude → temperature \+\d\.\d+ \d\d % –", words)
    assert "igci altitude → temperature +0.3 – 0.25" in words
    assert "odd no answer – – 1.5" in words
    assert "2 of 3 methods: altitude → temperature; odd: no answer." in words


def test_report_asks_what_it_is_told_to(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 200)
    decision = causewise.infer(x, np.sin(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=200))
    decision.report(tmp_path / "page.html", stability=True, methods=["mdl", "loci-h:n_knots=5"])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<circle") == 20
    for name in ("mdl", "loci-h:n_knots=5"):
        assert re.search(rf'<th scope="row">{name}</th>.*<td>[\d.]+</td></tr>', page)


def test_no_sum_is_shown_where_there_is_none() -> None:
    assert "How the score adds up" not in rendered("clear")


def test_many_rows_are_a_density() -> None:
    page = render_decision(without_arrays(SPECIMENS["many rows"]))
    assert "Shades: how many of all 30\u202f000 rows lie in a cell" in page
    assert ('class="cells"' in page, 'class="dots"' in page) == (True, False)
    assert "Shades" not in rendered("failed")


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    heavy = ("matplotlib", "jinja2", "scipy")
    code = f"import sys, causewise.report.html_pages; print([m for m in {heavy} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_write_is_what_render_gives(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    decision = SPECIMENS["score only"]
    write_decision(decision, target)
    assert target.read_text(encoding="utf-8") == rendered("score only")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_any_path_like_object_will_do(tmp_path: Path) -> None:
    class Place:
        def __fspath__(self) -> str:
            return str(tmp_path / "report.html")

    write_decision(SPECIMENS["failed"], Place())
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == rendered("failed")


def test_one_environment_serves_the_templates_of_any_package() -> None:
    assert environment() is environment()
    assert environment("causewise.lab.benchmark").get_template("leaderboard.html").name == "leaderboard.html"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a POSIX thing")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        write_decision(SPECIMENS["failed"], pipe)
        assert read.result().startswith(b"<!doctype html>")
    assert pipe.is_fifo()


def test_decision_report_writes_this_page(tmp_path: Path) -> None:
    SPECIMENS["failed"].report(str(tmp_path / "report.html"))
    assert "broke down on this pair" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["missing/report.html", "", "a-file/report.html", "bad\0name.html"])
def test_a_place_that_cannot_be_written_gets_a_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-file").write_text("")
    with pytest.raises(InputError, match=r"Could not write .* expected a file name in a folder"):
        write_decision(SPECIMENS["failed"], tmp_path / place if place else tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


def luminance(colour: str) -> float:
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return sum(
        share * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
        for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


def contrast(above: str, below: str) -> float:
    darker, lighter = sorted((luminance(above), luminance(below)))
    return (lighter + 0.05) / (darker + 0.05)


def theme_of(name: str) -> dict[str, str]:
    folder = resources.files("causewise.report").joinpath("templates")
    text = folder.joinpath("style.css" if name == "print" else name).read_text()
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", text))


@pytest.mark.parametrize("theme", ["light.css", "dark.css", "print"])
def test_words_can_be_read_on_every_ground(theme: str) -> None:
    colours = theme_of(theme)
    pairs = [("ink", ground) for ground in ("paper", "ground", "good-soft", "doubt-soft", "bad-soft")]
    pairs += [(tone, "paper") for tone in ("muted", "plain", "good", "doubt", "bad", "chosen", "other")]
    pairs += [(tone, f"{tone}-soft") for tone in ("good", "doubt", "bad")] + [("plain", "ground"), ("muted", "ground")]
    pairs += [("paper", "chosen"), ("paper", "ink"), ("chosen", "ground")]
    assert {pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 4.5} == set()


@pytest.mark.parametrize("theme", ["light.css", "dark.css", "print"])
def test_lines_dots_and_the_focus_can_be_seen(theme: str) -> None:
    colours = theme_of(theme)
    pairs = [(mark, "paper") for mark in ("dot", "muted", "chosen", "other", "plain")] + [("chosen", "ground")]
    assert {pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 3} == set()


@pytest.mark.parametrize("place", ["light", "dark"])
def test_the_leaderboard_can_be_read_too(place: str) -> None:
    text = resources.files("causewise.lab.benchmark").joinpath("templates/leaderboard.html").read_text(encoding="utf-8")
    blocks = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block)) for block in text.split(":root")[1:3]]
    colours = blocks[place == "dark"]
    pairs = [(tone, ground) for tone in ("ink", "soft", "best") for ground in ("paper", "head")] + [("bad", "paper")]
    assert {pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 4.5} == set()


def test_nothing_moves() -> None:
    """So that there is nothing to stop for readers who ask for reduced motion."""
    page = rendered("repeated")
    assert not re.search(r"animation|transition|scroll-behavior|@keyframes|<animate", page)


@pytest.fixture(scope="module", params=SPECIMENS)
def card_of(request: pytest.FixtureRequest) -> Rendered:
    decision = SPECIMENS[request.param]
    card = decision._repr_html_()
    return decision, card, outline(card)


def test_every_kind_has_a_card_that_nests_and_loads_nothing(card_of: Rendered) -> None:
    parsed = card_of[2]
    assert parsed.open == []
    assert parsed.seen.count("svg") == 2 + bool(card_of[0].probabilities) and "script" not in parsed.seen
    assert all(target.startswith("#") for target in parsed.loads)
    assert len(card_of[1].encode()) < CARD_LIMIT


def test_the_verdict_and_both_directions_are_said(card_of: Rendered) -> None:
    decision, _, parsed = card_of
    words = " ".join("".join(parsed.text).split())
    assert ("Undecided" in words) == (decision.cause is None and not decision.unrelated)
    assert words.count("→") >= 2
    assert "nan" not in re.findall(r"[-_\w]+", words.lower())
    assert "None" not in words


def test_style_reaches_nothing_but_the_card(card_of: Rendered) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", card_of[1], re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", style)
    assert selectors
    for selector in selectors:
        assert all(".causewise-card" in each or each.strip().startswith("@media") for each in selector.split(","))


def test_every_variable_of_the_pictures_has_a_light_and_a_dark_value(card_of: Rendered) -> None:
    used = set(re.findall(r"var\((--[a-z-]+)\)", card_of[1]))
    defined = [
        set(re.findall(r"(--[a-z-]+):", block)) for block in re.findall(r"\{([^{}]*--paper:[^{}]*)\}", card_of[1])
    ]
    assert len(defined) == 4
    assert all(used - {"--tone", "--soft"} <= names for names in defined)


def test_a_scan_has_a_card_of_its_surest_pairs() -> None:
    scan = drawn_scan(NAMES)
    card = outline(scan._repr_html_())
    words = " ".join(" ".join(card.text).split())
    assert card.open == [] and card.seen.count("tr") == 11 and "script" not in card.seen
    assert scan_wording.title(scan) in words and "… and 26 more." in words
    assert "<img src=x" not in scan._repr_html_() and len(scan._repr_html_().encode()) < CARD_LIMIT


def test_a_card_is_made_lazily() -> None:
    code = "import sys, causewise.decision; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_names_in_a_card_are_text_and_never_markup() -> None:
    assert "<script>alert" not in SPECIMENS["hostile names"]._repr_html_()
