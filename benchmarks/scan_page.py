"""The page of a scan of 10 000 pairs: its size, the time to make it, and how long a browser takes to follow.

    python benchmarks/scan_page.py

Needs Debian's chromium and playwright. Times in the browser are those of the script and the layout that follows, the
median of nine.
"""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import causewise
from scan import graph_table

REPEATS = 9
SORT = "document.querySelectorAll('#pairs-table thead button')[{0}].click()"
FILTER = """{{
  const box = document.getElementById('filter-name');
  box.value = '{0}';
  box.dispatchEvent(new Event('input', {{ bubbles: true }}));
}}"""
OPEN = "document.querySelector('#pairs-table tbody button').click()"
CLOSE = "document.getElementById('pair').close()"
REARRANGE = "document.querySelector('#arrangement input:not(:checked)').click()"


def milliseconds(page: Page, action: str, undo: str = "") -> float:
    """Median time of a piece of script together with the layout that it causes."""
    measured = f"const t = performance.now(); {action}; document.body.offsetHeight; return performance.now() - t"
    timed = f"() => {{ {measured}; }}"
    found = []
    for _ in range(REPEATS):
        found.append(float(page.evaluate(timed)))
        if undo:
            page.evaluate(f"() => {{ {undo} }}")
    return statistics.median(found)


def main() -> None:
    """Scan, write, open, and measure."""
    table, _ = graph_table(142, 300, seed=0)
    start = time.process_time()
    scan = causewise.scan(table, engine=causewise.Engine(jobs=1))
    scanned = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "scan.html"
        start = time.process_time()
        scan.report(path)
        print(f"{scan}: {scanned:.1f} s of CPU time")
        print(f"the page: {time.process_time() - start:.1f} s of CPU time, {path.stat().st_size / 1e6:.2f} MB")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        start = time.perf_counter()
        page.goto(path.as_uri())
        print(f"opened in {time.perf_counter() - start:.2f} s")
        print(f"sort by name       {milliseconds(page, SORT.format(0)):6.1f} ms")
        print(f"sort by p          {milliseconds(page, SORT.format(4)):6.1f} ms")
        print(f"filter by a name   {milliseconds(page, FILTER.format('v12'), FILTER.format('')):6.1f} ms")
        print(f"open a pair        {milliseconds(page, OPEN, CLOSE):6.1f} ms")
        print(f"rearrange          {milliseconds(page, REARRANGE):6.1f} ms")
        browser.close()


if __name__ == "__main__":
    main()
