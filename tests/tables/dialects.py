"""Known numbers in any dialect, and the check that they come back exactly or with a sentence: never other numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hypothesis import event
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.tables import read_pair

SPACES = (" ", "\u00a0", "\u2009", "\u202f")
KINDS: dict[str, Callable[[Random], float]] = {
    "small": lambda draw: draw.randint(-50, 50),
    "thousands": lambda draw: draw.randint(1000, 9999),
    "hundreds and thousands": lambda draw: draw.randint(100, 5000),
    "signed": lambda draw: draw.randint(-(10**7), 10**7),
    "beyond 2^53": lambda draw: 2**53 + draw.randint(-50, 10**6),
    "nanoseconds": lambda draw: 1_700_000_000_000_000_000 + draw.randint(0, 10**9),
    "64 bits": lambda draw: draw.randint(-(2**63), 2**64),
    "three decimals": lambda draw: round(draw.uniform(1, 999), 3),
    "money": lambda draw: round(draw.uniform(1000, 99999), 2),
    "tenths": lambda draw: round(draw.uniform(0, 10), 1),
    "normal": lambda draw: draw.gauss(0, 1),
    "any size": lambda draw: draw.gauss(0, 1) * 10.0 ** draw.randint(-30, 30),
}
"""Numbers of every kind that a mark can hide in."""


@dataclass(frozen=True)
class Dialect:
    delimiter: str
    decimal: str
    thousands: str
    header: str
    quoted: bool
    before: str
    end: str
    trailing: bool
    missing: str | None

    def cell(self, value: float | int) -> str:
        digits = str(value) if isinstance(value, int) or float(f"{value:.3f}") != value else f"{value:.3f}"
        whole, point, rest = digits.partition(".")
        if self.thousands and "e" not in digits:
            whole = f"{int(whole):,}".replace(",", self.thousands) if int(whole) else whole
        text = whole + (self.decimal if point else "") + rest
        return f'"{text}"' if self.quoted or self.delimiter in text else text

    def table(self, rows: list[tuple[float, float]]) -> str:
        heads = {"names": ["rain", "river"], "quoted names": ['"rain"', '"river"'], "pandas": ["0", "1"]}
        lines = [heads[self.header]] if self.header else []
        lines += [[self.cell(a), self.cell(b)] for a, b in rows]
        if self.missing is not None:
            lines.append([self.missing, self.cell(rows[0][1])])
        tail = self.delimiter if self.trailing else ""
        return self.before + self.end.join(self.delimiter.join(cells) + tail for cells in lines) + self.end


@st.composite
def dialects(draw) -> Dialect:
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    decimal = draw(st.sampled_from([".", ","]))
    # With commas between the cells a bare point is a decimal point, by rule, which a note states.
    free = [mark for mark in ("", "", ",", ".", "'", "’", *SPACES) if mark not in (decimal, delimiter)]
    thousands = draw(st.sampled_from([mark for mark in free if (delimiter, mark) != (",", ".")]))
    return Dialect(
        delimiter,
        decimal,
        thousands,
        draw(st.sampled_from(["", "names", "quoted names", "pandas"])),
        draw(st.booleans()),
        draw(st.sampled_from(["", "\ufeff", "# measured in May\n", "\n\n"])),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.booleans()) and delimiter != " ",
        draw(st.sampled_from([None, None, "NA", "", "?"])),
    )


@st.composite
def columns(draw) -> list[float]:
    kind, random = KINDS[draw(st.sampled_from(sorted(KINDS)))], draw(st.randoms(use_true_random=False))
    seeded = Random(random.randint(0, 2**32))
    return [kind(seeded) for _ in range(24)]


def come_back_or_are_refused(folder: Path, a: list[float], b: list[float], dialect: Dialect) -> None:
    """Write two columns and read them."""
    path = folder / "table.csv"
    path.write_bytes(dialect.table(list(zip(a, b, strict=True))).encode())
    try:
        pair = read_pair(str(path), nan_policy="omit")
    except InputError as refusal:
        event("refused")
        assert "expected" in str(refusal)
        return
    event("read")
    for column, written in zip((pair.x, pair.y), (a, b), strict=True):
        offset = 0 if float(column[0]) == float(written[0]) else min(written)
        assert column.tolist() == [float(value - offset) for value in written]
        assert not offset or any("subtracted" in note for note in pair.notes)
