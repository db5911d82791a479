"""Where output goes: any encoding will do, and any width from 40 columns on."""

import codecs
import io
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN = {
    "→": "->",
    "←": "<-",
    "−": "-",
    "–": "-",
    "·": "*",
    "×": "x",
    "±": "+/-",
    "≥": ">=",
    "≤": "<=",
    "…": "...",
    "σ": "sigma",
    "\u202f": " ",
}
_POWER = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))


def accept_any_encoding() -> None:
    """Write arrows as `->` where the terminal has no arrow, and into the void where a stream is closed: never fail."""
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    codecs.register_error("whence", _ascii_fallback)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="whence")


def terminal(stream: TextIO | None = None) -> "Console":
    """A Rich console that prints what it is given: no emoji, no markup, no colouring of stray numbers."""
    from rich.console import Console

    # Made on use, since Rich is imported on use. Rich itself exits with 1 when the pipe is closed; a reader who has
    # seen enough is no failure.
    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Terminal(file=stream, emoji=False, markup=False, highlight=False)


def paragraph(console: "Console", text: str, style: str = "", bullet: str = "") -> None:
    """Text broken at the console's width, without the blanks that Rich leaves at the end of a line."""
    import textwrap

    lines = textwrap.fill(text, max(console.width, 40), initial_indent=bullet, subsequent_indent=" " * len(bullet))
    console.print(lines, style=style or None, soft_wrap=True)


def _ascii_fallback(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    # Encoders hand over a whole run of letters at once, so one ^ stands before a whole exponent.
    letters = str(problem.object[problem.start : problem.end])
    raised = "^" if letters[0] in _POWER else ""
    return raised + "".join(_PLAIN.get(letter) or _POWER.get(letter, "?") for letter in letters), problem.end
