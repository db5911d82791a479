"""The picture of a decision: drawn for every kind, marked, written whole, and leaving matplotlib as it was."""

import threading
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure
from specimens import HOSTILE, SPECIMENS, decided, pair, without_arrays

from causewise.errors import InputError
from causewise.pair import Pair
from causewise.report.decision_picture import MOST_DOTS, draw


def titles(figure: Figure) -> list[str]:
    return [title for title in (ax.get_title(loc="left") for ax in figure.axes) if title]


# Kinds that differ in what is said but not in what is drawn are left to the page.
DRAWN = (
    "clear",
    "failed",
    "one side bare",
    "ten rows",
    "many rows",
    "hostile names",
    "huge values",
    "tied values",
)


@pytest.mark.parametrize("kind", DRAWN)
def test_every_kind_is_drawn_and_written(kind: str, tmp_path: Path) -> None:
    draw(SPECIMENS[kind], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("kind", "panels"), [("clear", 4), ("one side bare", 4), ("no arrays", 2), ("failed", 2)])
def test_panels_follow_what_the_method_gives(kind: str, panels: int) -> None:
    assert len(draw(SPECIMENS[kind]).axes) == panels


def test_titles_say_what_became_of_each_direction() -> None:
    expected = ["altitude → temperature: fits (p = 0.41)", "temperature → altitude: rejected (p = 2×10⁻⁹)"]
    assert titles(draw(SPECIMENS["clear"])) == expected
    assert titles(draw(SPECIMENS["score only"]))[0] == "altitude → temperature: score 0.2"


@pytest.mark.parametrize(("kind", "marked"), [("clear", [0]), ("backward", [1]), ("tie", []), ("failed", [])])
def test_only_the_chosen_direction_is_marked(kind: str, marked: list[int]) -> None:
    figure = draw(SPECIMENS[kind])
    badges = [k for k, ax in enumerate(figure.axes[:2]) if "chosen" in [text.get_text() for text in ax.texts]]
    frames = [k for k, ax in enumerate(figure.axes[:2]) if ax.spines["left"].get_linewidth() > 1]
    assert badges == frames == marked


@pytest.mark.parametrize(
    ("kind", "heading"),
    [
        ("clear", "altitude → temperature   (loci-h, 120 rows, score +0.0037)"),
        ("confident", "altitude → temperature   (causewise, 120 rows, confidence 85 %)"),
        ("withheld", "undecided, 72 % for altitude → temperature   (causewise, 120 rows)"),
        ("withheld backward", "undecided, 71 % for temperature → altitude   (causewise, 120 rows)"),
        ("no usable lean", "undecided, no usable lean: altitude, temperature   (causewise, 120 rows)"),
        ("stopped", "undecided, not scored: altitude, temperature   (causewise, 120 rows)"),
        ("unrelated", "unrelated: altitude, temperature   (causewise, 120 rows)"),
        ("failed", "no answer: altitude, temperature   (loci-h, 120 rows)"),
        ("thinned", "altitude → temperature   (causewise, scored on 20\u202f000 of 21\u202f000 rows, confidence 85 %)"),
    ],
)
def test_the_heading_is_the_verdict_and_how_it_stands(kind: str, heading: str) -> None:
    assert draw(SPECIMENS[kind]).get_suptitle() == heading


def test_axes_carry_the_column_names_and_residuals_stand_below() -> None:
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in draw(SPECIMENS["clear"]).axes]
    assert labels[:2] == [("altitude", "temperature"), ("temperature", "altitude")]
    assert labels[2:] == [("altitude", "standardised residual"), ("temperature", "standardised residual")]


@pytest.mark.parametrize(("n", "mark"), [(MOST_DOTS, "dots"), (MOST_DOTS + 1, "cells")])
def test_many_rows_are_a_density_and_the_caption_says_so(n: int, mark: str) -> None:
    figure = draw(decided(pair(n)))
    assert {line.get_gid() for line in figure.axes[0].lines} - {None} == {mark}
    assert (f"how many of all {n:,} rows".replace(",", "\u202f") in figure.get_supxlabel()) == (mark == "cells")


@pytest.mark.parametrize("ax", range(4))
def test_numbers_along_the_axes_are_written_out(ax: int) -> None:
    rows = pair(200)
    figure = draw(decided(Pair.of(5000 + 2500 * rows.x, rows.y, x_name="price", y_name="weight")))
    axes = figure.axes[ax]
    figure.draw_without_rendering()
    assert [axis.get_offset_text().get_text() for axis in (axes.xaxis, axes.yaxis)] == ["", ""]
    if axes.get_xlabel() == "price":
        assert "10\u202f000" in [label.get_text() for label in axes.get_xticklabels()]


def test_far_residuals_stay_inside_the_frame_and_are_counted() -> None:
    decision = decided(pair())
    assert decision.forward.residual is not None
    decision.forward.residual[:3] = (50.0, -80.0, 7.0)
    ax = draw(decision).axes[2]
    assert ax.get_ylim()[1] < 8
    assert [text.get_text() for text in ax.texts] == ["3 rows beyond ±6"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "SVG"])
def test_same_decision_same_bytes(ending: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        draw(without_arrays(decided(pair())), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_files_of_many_rows_stay_small(tmp_path: Path) -> None:
    draw(without_arrays(SPECIMENS["many rows"]), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size < 600_000


@pytest.mark.parametrize("name", ["picture.bmp", "picture", "picture.", ".png"])
def test_unknown_endings_get_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected \.png, \.svg or \.pdf"):
        draw(SPECIMENS["failed"], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Could not write"):
        draw(SPECIMENS["failed"], tmp_path / "missing" / "picture.png")


def test_the_users_backend_and_style_are_left_alone(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"text.usetex": True, "axes.facecolor": "black", "svg.hashsalt": None}):
        before = dict(matplotlib.rcParams)
        SPECIMENS["score only"].plot()
        draw(SPECIMENS["no arrays"], tmp_path / "picture.svg")
        assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == []


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    kinds = ["clear", "score only", "failed"]
    for kind in kinds:
        draw(SPECIMENS[kind], tmp_path / f"{kind}-alone.svg")
    before = dict(matplotlib.rcParams)
    threads = [threading.Thread(target=draw, args=(SPECIMENS[k], tmp_path / f"{k}-together.svg")) for k in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(matplotlib.rcParams) == before
    for kind in kinds:
        assert (tmp_path / f"{kind}-together.svg").read_bytes() == (tmp_path / f"{kind}-alone.svg").read_bytes()


def test_names_are_never_read_as_formulas(tmp_path: Path) -> None:
    draw(without_arrays(decided(pair(x="$\\alpha$ cost $", y=HOSTILE))), tmp_path / "picture.pdf")
    assert draw(decided(pair(x="$\\alpha$"))).axes[0].get_xlabel() == "$\\alpha$"


def test_one_axes_gets_the_chosen_direction() -> None:
    for kind, label in (("clear", "altitude"), ("backward", "temperature"), ("tie", "altitude")):
        figure = Figure()
        ax = figure.subplots()
        assert draw(SPECIMENS[kind], ax=ax) is figure
        assert (len(figure.axes), ax.get_xlabel()) == (1, label)


@pytest.mark.parametrize("rows", [1, 2])
def test_two_axes_get_both_directions_and_four_the_residuals_too(rows: int) -> None:
    figure = Figure()
    draw(SPECIMENS["clear"], ax=figure.subplots(rows, 2))
    ours = draw(SPECIMENS["clear"]).axes[: 2 * rows]
    assert [ax.get_ylabel() for ax in figure.axes] == [ax.get_ylabel() for ax in ours]
    assert titles(figure) == [ax.get_title(loc="left") for ax in ours[:2]]


@pytest.mark.parametrize(("ax", "words"), [("figure", "Got str"), ([], "Got 0 axes"), (3, "Got int")])
def test_other_things_than_axes_get_a_sentence(ax: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        draw(SPECIMENS["failed"], ax=ax)  # type: ignore[arg-type]  # that is the point


def test_axes_and_a_file_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected one of them"):
        draw(SPECIMENS["failed"], tmp_path / "a.png", ax=Figure().subplots())


def test_a_path_writes_the_figure_that_is_returned(tmp_path: Path) -> None:
    figure = draw(SPECIMENS["clear"], str(tmp_path / "a.svg"))
    assert len(figure.axes) == 4
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_labels_in_the_callers_axes_keep_the_callers_ink() -> None:
    with matplotlib.rc_context({"axes.labelcolor": "white"}):
        ax = Figure().subplots()
    draw(SPECIMENS["clear"], ax=ax)
    assert {text.get_color() for text in (ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels())} == {"white"}
