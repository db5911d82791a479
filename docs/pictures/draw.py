"""The pictures of the front page and of the README: `python docs/pictures/draw.py [FOLDER]` draws each of them anew.

pair.png, scan.png and effect.png show a generated table whose arrows are known (`causewise.examples.make_valley`),
graph.png the recorded patients of scikit-learn. page.png is the page of `causewise serve` in Chromium, which
`.ci/browser` installs; where there is none it stays as it is. example.png is the first picture of `causewise demo`.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.figure import Figure
from PIL import Image, ImageOps

import causewise
from causewise.examples import load_patients, make_dose_response, make_valley

HERE = Path(__file__).parent
TESTS = HERE.parents[1] / "tests"
SERVE = [sys.executable, "-m", "causewise", "serve", "--port", "0", "--no-browser", "--jobs", "1"]
SHOWN = {"first": ["age", "sex"], "last": ["progression after a year"]}
DESK = {"width": 1100, "height": 1120}
COLOURS, MARGIN = 128, 12


def draw_figures() -> Iterator[tuple[str, Figure]]:
    """Every picture but that of the page, as matplotlib has it."""
    yield "example", causewise.infer(make_dose_response().pair).plot()
    with TemporaryDirectory() as folder:
        valley, patients = Path(folder, "valley.csv"), Path(folder, "patients.csv")
        valley.write_bytes(make_valley())
        patients.write_bytes(load_patients())
        yield "pair", causewise.infer(valley, "altitude", "temperature").plot()
        yield "scan", causewise.scan(valley).plot()
        yield "effect", causewise.graph(valley).effect("altitude", "growth", at=range(300, 2501, 50)).plot()
        yield "graph", causewise.graph(patients, knowledge=SHOWN, exclude=["cholesterol ratio"]).plot()


def save(figure: Figure, path: Path, dpi: int = 110) -> None:
    """Write a picture without empty margins, and with no more colours than the eye tells apart."""
    figure.savefig(path, dpi=dpi)
    with Image.open(path) as picture:
        drawn = picture.convert("RGB")
    drawn = drawn.crop(ImageOps.invert(drawn).getbbox())
    ImageOps.expand(drawn, MARGIN, "white").save(path)
    shrink(path)


def shrink(path: Path) -> None:
    """Reduce a picture to a palette: a third of the bytes."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def looks_alike(first: Path, second: Path) -> bool:
    """Whether two pictures are the same from afar: versions of matplotlib differ in pixels."""
    small = [np.asarray(Image.open(path).convert("L").resize((48, 48)), dtype=float) for path in (first, second)]
    return bool(np.abs(small[0] - small[1]).mean() < 4)


@contextmanager
def serve() -> Iterator[str]:
    """The address of a page that runs as anybody starts it."""
    with subprocess.Popen(SERVE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found
            yield found[0]
        finally:
            server.terminate()


def photograph_page(path: Path) -> None:
    """The page with a table, and what it answers of two columns."""
    sys.path[:0] = [str(TESTS), str(TESTS / "browser")]
    from visiting import give, judge, open_page

    from browsing import launch_browser

    with TemporaryDirectory() as folder, launch_browser() as browser, serve() as home:
        table = Path(folder, "valley.csv")
        table.write_bytes(make_valley())
        with open_page(browser, home, viewport=DESK, reduced_motion="reduce") as page:
            give(page, table)
            judge(page, "altitude", "temperature", "altitude → temperature")
            page.wait_for_timeout(500)  # the frame grows with its report
            top = page.locator("#seen").bounding_box()["y"] + page.evaluate("scrollY")
            whole = page.frame_locator("#report").locator("h2").first.bounding_box()["y"] + page.evaluate("scrollY")
            clip = {"x": 0, "y": top - 15, "width": DESK["width"], "height": whole - top - 20}
            page.screenshot(path=path, full_page=True, clip=clip)
    shrink(path)


def has_browser() -> bool:
    """Whether the page can be looked at."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return False
    sys.path.insert(0, str(TESTS))
    from browsing import NAMES

    return any(map(shutil.which, NAMES))


def main(folder: Path = HERE) -> None:
    """Draw all, and say what could not be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in draw_figures():
        save(figure, folder / f"{name}.png")
    if has_browser():
        photograph_page(folder / "page.png")
    else:
        print("page.png is left as it is: there is no Chromium or no playwright (.ci/browser, make .venv/.browser).")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
