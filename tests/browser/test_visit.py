"""A visit: a table in, a verdict, other columns, a scan, a cancelled one, a file to take along that opens offline."""

from pathlib import Path
from typing import Any

import pytest
from visiting import TABLE, answer, find_graph, give, judge, judge_all, open_page


def wide(columns: int) -> dict[str, Any]:
    """A table whose scan takes long enough to be cancelled."""
    lines = [line.split(";")[1] for line in TABLE.decode().splitlines()[1:]]
    turned = [[f"c{k}", *lines[7 * k :], *lines[: 7 * k]] for k in range(columns)]
    text = "\n".join(map(";".join, zip(*turned, strict=True)))
    return {"name": "wide.csv", "mimeType": "text/csv", "buffer": text.encode()}


def test_a_table_goes_in_and_answers_come_out(browser: Any, home: str, table: Path) -> None:
    with open_page(browser, home) as page:
        give(page, table)
        said = page.locator("#understood").inner_text()
        assert "semicolons" in said
        assert "a comma" in said
        assert "9 cells without a value" in said
        assert "no: it holds text" in page.locator("#columns tr", has_text="station").inner_text()
        report = judge(page, "temperature", "growth", "temperature → growth")
        assert report.locator("svg").first.is_visible()
        link = page.url
        page.get_by_role("button", name="Exchange the two columns").click()
        assert page.get_by_label("First column").input_value() == "growth"
        judge(page, "altitude", "noise", "unrelated")
        assert page.locator("#answers li").count() == 2
        page.goto(link)
        answer(page, "temperature → growth")
        assert page.locator("#columns tr").count() == 7


def test_a_scan_is_sorted_filtered_opened_and_taken_along(browser: Any, home: str, table: Path, tmp_path: Path) -> None:
    with open_page(browser, home) as page:
        give(page, table)
        scan = judge_all(page)
        assert scan.locator(".left-out li").all_inner_texts() == [
            "station: it holds text",
            "sensor: it is 3 in every row",
        ]
        look_around(scan)
        with page.expect_download() as download:
            page.get_by_role("link", name="Download").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
    with open_page(browser, file.as_uri(), offline=True) as page:
        look_around(page)


def look_around(scan: Any) -> None:
    """Sort, filter and open a pair, on the scan's page wherever it stands."""
    shown = scan.locator("#pairs-table tbody tr")
    assert shown.count() == 10
    head = scan.locator("#pairs-table thead th", has_text="Pair")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    names = shown.locator("th").all_inner_texts()
    assert [name.split()[0] for name in names] == sorted(name.split()[0] for name in names)
    scan.get_by_label("Column", exact=True).fill("growth")
    assert shown.count() == 4
    assert "4 of 10 pairs" in scan.locator("#pairs-said").inner_text()
    shown.filter(has_text="temperature").get_by_role("button").click()
    dialog = scan.get_by_role("dialog")
    dialog.locator("svg").first.wait_for()
    assert "growth" in dialog.get_by_role("heading").first.inner_text()
    dialog.press("Escape")
    dialog.wait_for(state="hidden")
    scan.get_by_role("button", name="Show all").click()
    shown.nth(9).wait_for()


def test_a_graph_is_found_with_knowledge_and_taken_along(browser: Any, home: str, table: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text("forbidden: [[noise, growth]]\n")
    with open_page(browser, home) as page:
        give(page, table)
        page.get_by_text("Background knowledge about the whole table").click()
        page.get_by_label("No other column causes these").fill("altitude")
        page.get_by_label("Order in tiers").fill("temperature\ngrowth, noise")
        page.get_by_label("Causes that are certain").fill("altitude -> temperature")
        page.get_by_label("a file of knowledge").set_input_files(known)
        with page.expect_request("**/api/graph") as asked:
            graph = find_graph(page)
        said = asked.value.post_data_json
        assert (said["first"], said["tiers"]) == (["altitude"], [["temperature"], ["growth", "noise"]])
        assert said["required"] == [["altitude", "temperature"]] and "noise" in said["knowledge"]
        assert "given" in graph.locator("#answer").inner_text()
        look_at_edges(graph)
        look_at_effects(graph, page)
        with page.expect_download() as download:
            page.get_by_role("link", name="Download").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
    with open_page(browser, file.as_uri(), offline=True) as page:
        look_at_edges(page)
        look_at_effects(page, page)


def look_at_edges(graph: Any) -> None:
    """Open an edge in the list and by its line in the picture, on the graph's page wherever it stands."""
    edges = graph.locator("details.edge")
    edges.first.locator("summary").press("Enter")
    edges.first.locator("figure").nth(1).wait_for()
    assert edges.first.locator("figure .mean").count() == edges.first.locator("figure .band").count() == 2
    edges.first.locator("summary").press("Enter")
    link = graph.locator(".causal .link").last
    opened = graph.locator(f"#{link.get_attribute('data-edge')}")
    assert opened.get_attribute("open") is None
    link.dispatch_event("click")
    opened.locator("figure").first.wait_for()
    assert opened.evaluate("(edge) => edge.contains(document.activeElement)")
    graph.get_by_role("button", name="Open all").click()
    assert edges.count() == graph.locator("details.edge[open]").count()


def look_at_effects(graph: Any, page: Any) -> None:
    """Set a column by a key and by dragging in the picture, and see another move, wherever the page stands."""
    graph.get_by_role("button", name="altitude → temperature").click()
    slider, mean = graph.get_by_role("slider", name="altitude"), graph.locator("#what-if-mean")
    means = [mean.inner_text()]
    slider.press("Home")
    means.append(mean.inner_text())
    assert graph.locator("#what-if-beyond").is_visible()
    box = graph.locator("#what-if-drawn").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + 80, steps=4)
    page.mouse.up()
    means.append(mean.inner_text())
    assert len(set(means)) == 3 and graph.locator("#what-if-beyond").is_hidden()
    graph.get_by_label("and look at").select_option("noise")
    assert "noise" in graph.locator("#what-if-refused").inner_text()


def test_a_line_of_knowledge_that_is_no_edge_is_said(browser: Any, home: str, table: Path) -> None:
    with open_page(browser, home) as page:
        give(page, table)
        page.locator("#knowledge summary").click()
        page.get_by_label("Causes that cannot be").fill("growth temperature")
        page.get_by_role("button", name="Find its graph").click()
        page.get_by_role("alert").filter(has_text="expected lines such as dose -> response").wait_for()


def test_what_is_said_about_the_outcomes_is_asked(browser: Any, home: str, table: Path) -> None:
    with open_page(browser, home) as page:
        give(page, table)
        page.get_by_label("of a hundred related pairs").fill("30")
        page.get_by_label("how coarsely").uncheck()
        with page.expect_request("**/api/answers") as asked:
            judge(page, "temperature", "growth", "temperature")
        assert (asked.value.post_data_json["neither"], asked.value.post_data_json["recording"]) == (0.3, False)
        page.get_by_label("surely causes the other").check()
        assert page.get_by_label("of a hundred related pairs").is_disabled()
        with page.expect_request("**/api/answers") as asked:
            judge(page, "temperature", "growth", "temperature")
        assert asked.value.post_data_json["direct"] is True
        page.get_by_label("Method").select_option("loci-h")
        with page.expect_request("**/api/answers") as asked:
            judge(page, "temperature", "growth", "temperature")
        assert not {"direct", "neither", "recording"} & set(asked.value.post_data_json)


def test_a_scan_is_cancelled_from_the_keyboard(browser: Any, home: str) -> None:
    with open_page(browser, home) as page:
        give(page, wide(60))
        page.get_by_role("button", name="Scan the whole table").press("Enter")
        page.locator("#status", has_text="Judging the whole table").wait_for()
        page.get_by_role("button", name="Cancel").press("Enter")
        page.get_by_role("alert").filter(has_text="Cancelled.").wait_for()
        assert page.locator("#answer").is_hidden()
        assert page.get_by_role("button", name="Scan the whole table").is_enabled()


def test_what_is_unclear_is_said_and_can_be_answered(browser: Any, home: str) -> None:
    with open_page(browser, home, note="status of 422") as page:
        unclear = {"name": "t.csv", "mimeType": "text/csv", "buffer": b"1,2\n" + b"0.5,1.5\n" * 30}
        page.set_input_files("#file", unclear)
        page.get_by_role("button", name="The first line holds names").click()
        page.wait_for_selector("#seen:not([hidden])")
        assert page.get_by_role("alert").is_hidden()
        assert "no: it is" in page.inner_text("#columns")


def test_names_that_are_script_are_shown_as_they_are(browser: Any, home: str) -> None:
    script = "<img src=x onerror=alert(1)>"
    with open_page(browser, home) as page:
        page.on("dialog", lambda opened: pytest.fail(opened.message))
        lines = [
            f"a {script};b {script}",
            *(";".join(line.split(";")[1:3]) for line in TABLE.decode().splitlines()[1:]),
        ]
        page.get_by_label("or paste two columns").fill("\n".join(lines))
        page.get_by_role("button", name="Read it").click()
        page.wait_for_selector("#seen:not([hidden])")
        assert script in page.locator("#columns").inner_text()
        report = judge(page, f"a {script}", f"b {script}", script)
        assert report.locator("img").count() == page.locator("img").count() == 0


@pytest.mark.parametrize("path", ["", "teach"])
def test_everything_is_reached_with_the_tab_key_and_seen_to_be(browser: Any, home: str, path: str) -> None:
    with open_page(browser, home) as page:
        page.goto(home + path)
        page.locator("#drawn figure, .examples .card").first.wait_for()
        wanted = page.evaluate(
            """() => [...document.querySelectorAll("a, button, input, select, textarea")]
                .filter((each) => each.checkVisibility() && !each.disabled).length"""
        )
        reached = []
        while (now := page.evaluate(f"({FOCUSED})()")) not in reached:
            reached.append(now)
            page.keyboard.press("Tab")
        assert len([each for each in reached if each["control"]]) == wanted
        assert not [each for each in reached if each["control"] and not each["seen"]]


FOCUSED = """() => {
    const at = document.activeElement, look = getComputedStyle(at), around = getComputedStyle(at.parentElement);
    const outlined = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
    return { place: [...document.querySelectorAll("*")].indexOf(at), control: at !== document.body,
        seen: outlined(look) || outlined(around) };
}"""


def test_nothing_moves_for_those_who_ask_for_rest(browser: Any, home: str, table: Path) -> None:
    with open_page(browser, home, reduced_motion="reduce") as page:
        give(page, table)
        moving = page.evaluate(
            """() => [...document.querySelectorAll("*")].map((each) => getComputedStyle(each))
                .filter((look) => parseFloat(look.transitionDuration) > 0 || look.animationName !== "none"
                    || look.scrollBehavior === "smooth").length"""
        )
        assert moving == 0
