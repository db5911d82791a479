"""The three outcomes as one bar: the direction that is shown, the other, neither; and a mark where an answer begins."""

import math

WIDTH = 20
"""Letters of a bar in a terminal."""
FILLS = ("█", "▒", "░")
MARK = "│"


def percents(shown: float, neither: float) -> tuple[str, str, str]:
    """Whole per cents of the direction shown, the other and neither, which add up to 100.

    The first is rounded down, as a confidence is everywhere; what that leaves goes to the other two.

    Examples
    --------
    >>> percents(0.798, 0.1)
    ('79 %', '11 %', '10 %')
    """
    first = math.floor(100 * shown)
    last = min(round(100 * neither), 100 - first)
    return f"{first} %", f"{100 - first - last} %", f"{last} %"


def text_bar(shown: float, neither: float, threshold: float) -> str:
    """The bar in letters: the first part reaches the mark where an answer is given.

    Examples
    --------
    >>> text_bar(0.85, 0.1, 0.8)
    '████████████████│█▒░░'
    """
    first = math.floor(WIDTH * shown + 1e-9)
    last = min(round(WIDTH * neither), WIDTH - first)
    bar = "".join(fill * length for fill, length in zip(FILLS, (first, WIDTH - first - last, last), strict=True))
    mark = round(WIDTH * threshold)
    return bar[:mark] + MARK + bar[mark:]


def key(threshold: float) -> str:
    """What the letters mean."""
    one, other, neither = FILLS
    parts = (f"{one} this direction", f"{other} the other", f"{neither} neither")
    return "  ".join(["", *parts, f"{MARK} an answer begins at {100 * threshold:g} %"])
