"""The picture of a decision: both directions side by side, the fit above, the standardised residual below.

Figures are made without pyplot, so that no window opens, no global figure list grows, and the caller's backend and
style stay as they were.
"""

import io
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.files import replace_with
from causewise.report import panels
from causewise.report.stance import Stance, badge, confidence
from causewise.report.summary import Side, drawn_rows, score, sides_of, unborne
from causewise.report.wording import on_rows, short, shown, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
TITLE_WIDTH = 48
"""Letters that fit above one panel; longer titles take two lines."""

_OTHER_SCRIPTS = (
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Hiragino Sans",
    "Arial Unicode MS",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)
"""Fonts to turn to, where they are installed, for letters that matplotlib's own font lacks."""

# matplotlib keeps these settings in one table for the whole process: they are set only while a figure of ours is made
# or written, one thread at a time, and put back afterwards.
_SETTINGS = threading.RLock()
_LEFT_ALONE = ("backend", "backend_fallback", "interactive", "toolbar", "timezone")


def draw(
    decision: Decision,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | Sequence[Axes] | NDArray[Any] | None" = None,
) -> "Figure":
    """Both directions of a decision as a matplotlib figure; nothing is shown.

    path: also write the figure; the ending says the format: png, svg or pdf.
    ax: draw into these axes of the caller's instead. One gets the chosen direction's fit (that of x → y where the score
    leans nowhere), two get both fits, four the residuals below them, in the order of `plt.subplots(2, 2)`.
    """
    if ax is not None and path is not None:
        raise InputError("Got both a file and axes; expected one of them: save the axes' own figure with savefig.")
    if ax is not None:
        return _draw_into(np.ravel(np.asarray(ax, dtype=object)).tolist(), decision)
    return made(lambda: _figure(decision), decision.pair.x_name + decision.pair.y_name, path)


def made(make: "Callable[[], Figure]", letters: str, path: str | os.PathLike[str] | None) -> "Figure":
    """A figure made under our settings, with fonts for these letters, and written where a path is given."""
    ending = None if path is None else format_of(path)  # a wrong one is refused before anything is drawn
    with settings(**_fonts(letters)):
        figure = make()
    if path is not None and ending is not None:
        with settings():
            content = encode(figure, ending)
        replace_with(path, content)
    return figure


def _figure(decision: Decision) -> "Figure":
    sides = sides_of(decision, panels.MOST_DOTS)
    with_residuals = any(side.drawing.residual is not None for side in sides)
    height = 7.7 if with_residuals else 4.7
    left, middle = (panels.left_margin(side) for side in sides)
    between = 2 * middle / (9.6 - left - middle - 0.12)
    figure = blank(9.6, height, left=left, right=0.12, top=0.82, bottom=0.92, wspace=between, hspace=0.22)
    axes = figure.subplots(2 if with_residuals else 1, 2, squeeze=False)
    _fill(axes.ravel().tolist(), sides)
    figure.suptitle(_heading(decision), color=panels.INK, fontsize=12, y=1 - 0.12 / height, parse_math=False)
    caption = _caption(decision, sides)
    figure.supxlabel(caption, color=panels.MUTED, fontsize=8, y=0.08 / height, va="bottom", parse_math=False)
    return figure


def _draw_into(axes: list[Any], decision: Decision) -> "Figure":
    """The caller's axes, in the caller's style: fonts, sizes and layout are theirs."""
    from matplotlib.axes import Axes

    wrong = [type(each).__name__ for each in axes if not isinstance(each, Axes)]
    if wrong or len(axes) not in (1, 2, 4):
        got = wrong[0] if wrong else f"{len(axes)} axes"
        raise InputError(f"Got {got} as ax; expected one, two or four axes, as plt.subplots(1, 2)[1] makes them.")
    sides = sides_of(decision, panels.MOST_DOTS)
    backward = decision.leaning is Direction.BACKWARD
    inks = [str(each.xaxis.label.get_color()) for each in axes]
    _fill(axes, sides if len(axes) > 1 else (sides[backward],))
    for each, ink in zip(axes, inks, strict=True):
        panels.label_in(each, ink)
    return cast("Figure", axes[0].figure)


def _fill(axes: "Sequence[Axes]", sides: Sequence[Side]) -> None:
    """Fits in the first row of axes, residuals in the second."""
    for k, ax in enumerate(axes):
        row, side = k // len(sides), sides[k % len(sides)]
        (panels.fit, panels.residual)[row](ax, side)
        if row == 0:
            _title(ax, side)


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the ending of a picture's file name asks for."""
    place = Path(path)
    ending = place.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        got = f"the ending {place.suffix!r}" if ending else "no ending"
        raise InputError(
            f"Got {got} in the picture's file name {str(place)!r}; expected .png, .svg or .pdf: choose one of these."
        )
    return ending


def encode(figure: "Figure", ending: str) -> bytes:
    """A figure as the bytes of a file, free of dates, so that equal figures give equal bytes."""
    undated: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[ending]
    buffer = io.BytesIO()
    with boxes_for_unknown_letters():
        figure.savefig(buffer, format=ending, dpi=144, metadata=undated)
    return buffer.getvalue()


@contextmanager
def boxes_for_unknown_letters() -> Iterator[None]:
    """A script the fonts here do not have shows as boxes; that is visible in the picture and needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def blank(
    width: float, height: float, *, left: float, right: float, top: float, bottom: float, **spaces: float
) -> "Figure":
    """An empty figure of this size, with these margins, all in inches, that pyplot does not know of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor=panels.PAPER)
    FigureCanvasAgg(figure)
    sides = {"left": left / width, "right": 1 - right / width, "top": 1 - top / height, "bottom": bottom / height}
    # Fixed margins: constrained layout measures every label first, which doubles the time to draw, and panels with the
    # same margins line up.
    figure.subplots_adjust(**sides, **spaces)
    return figure


@contextmanager
def settings(**extra: Any) -> Iterator[None]:
    """matplotlib's own defaults plus what same bytes for the same decision need, whatever the user's style says."""
    import matplotlib

    chosen: Any = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in _LEFT_ALONE}
    chosen |= {"svg.hashsalt": "causewise", "axes.formatter.limits": (-3, 4)} | extra
    with _SETTINGS, matplotlib.rc_context(chosen):
        yield


def _fonts(letters: str) -> dict[str, Any]:
    # Latin, Greek, Cyrillic and Armenian are in matplotlib's own DejaVu Sans, which looks the same on every machine.
    if all(ord(letter) < 0x590 for letter in letters):
        return {}
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return {"font.family": ["DejaVu Sans", *(font for font in _OTHER_SCRIPTS if font in installed)]}


def _title(ax: "Axes", side: Side) -> None:
    words = f"{side.arrow}: {side.outcome}"
    if width_of(words) > TITLE_WIDTH:
        words = f"{short(side.cause, 22)} → {short(side.effect, 22)}:\n{side.outcome}"
    weight = "bold" if side.chosen else "normal"
    ax.set_title(words, loc="left", fontsize=10, fontweight=weight, color=panels.INK, parse_math=False)
    if side.chosen:
        panels.badge(ax, "chosen", side)


def _heading(decision: Decision) -> str:
    x, y, cause, effect = (short(shown(name or ""), 28) for name in _names(decision))
    if Stance.of(decision) is Stance.WITHHELD:
        verdict = badge(decision)  # names both columns
    else:
        verdict = f"{cause} → {effect}" if decision.cause is not None else f"{badge(decision)}: {x}, {y}"
    return f"{verdict}   ({', '.join(filter(None, (decision.method, on_rows(decision), _strength(decision))))})"


def _strength(decision: Decision) -> str:
    if decision.reason:
        return ""
    sure = confidence(decision)
    return f"confidence {sure}" if sure else f"score {score(decision)}"


def _names(decision: Decision) -> tuple[str | None, ...]:
    return decision.pair.x_name, decision.pair.y_name, decision.cause, decision.effect


def _caption(decision: Decision, sides: tuple[Side, Side]) -> str:
    lines = []
    if any(side.drawing.curve is not None for side in sides):
        lines.append("Line: fitted mean. Band: ± 2 fitted standard deviations.")
    if any(side.drawing.drift is not None for side in sides):
        lines.append("Lower lines: 10, 50 and 90 % of the residual along the cause, level where noise is independent.")
    rest = (unborne(sides), drawn_rows(decision, panels.MOST_DOTS))
    return "\n".join([" ".join(lines), " ".join(filter(None, rest))]).strip()
