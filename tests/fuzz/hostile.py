"""A hostile corpus, made at run time: names, values and files that programs choke on."""

import gzip
import io
import math
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

NAMES = (
    "a';touch pwned;'",
    "[red]alarm[/red]",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe",
    "\x9b31m",
    "\x7f",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "-x",
    "--json",
    "$(id)",
    "`id`",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "%s%n",
    "NaN",
    "0",
    "1e5",
    " ",
    "\u200b",
    "é" * 300,
    "💥",
    "\ud7ff",
    "nul\u0000byte",
    "x,y",
    'say "hi"',
    "two\nlines",
)
VALUES: tuple[Any, ...] = (
    *(0, -0.0, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, 2**53, 2**53 + 1, 2**64, 10**400),
    *(True, None, "", "1", "1,5", "abc", b"1", 1j, Decimal("1.5"), Fraction(1, 3), np.float16(1), np.int8(-128)),
    *(np.datetime64("2020-01-01"), np.timedelta64(1, "D"), object(), [1], {}),
)
BEGINNINGS = (
    *(b"", b"\x1f\x8b\x08", b"PAR1", b"ARROW1\0\0", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<stata_dta>"),
    *(b"\x72\x01\x01\x00", b"$FL2", b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", b"HEADER RECORD*******LIBRARY"),
)
"""How files of every format begin."""
AMOUNTS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 3, 0.5, 1e-300, 1e300, math.nan, math.inf, -math.inf, 10**30, 2**63, -(2**63), True, None, "1", ""),
)
SETTINGS = (
    "",
    "=",
    "n_knots=",
    "n_knots=0",
    "n_knots=-1",
    "n_knots=nan",
    "n_knots=abc",
    "nothing=1",
    "seed=1:seed=2",
    ":",
)


def files() -> Iterator[tuple[str, bytes]]:
    """Names of files with what is in them; small, whatever they claim to be."""
    rows = "".join(f"{k / 7},{(k * 37) % 23}\n" for k in range(30)).encode()
    whole = b"x,y\n" + rows
    yield "empty.csv", b""
    yield "line ends.csv", b"\r\n\r\r\n\n"
    yield "zeros.csv", b"\0" * 1000
    yield "half.csv.gz", gzip.compress(whole)[:-20]
    yield "garbage.csv.gz", b"\x1f\x8b" + b"\xff" * 100
    yield "twice.csv.gz", gzip.compress(gzip.compress(whole))
    yield "no table.parquet", b"PAR1" + b"\0" * 100 + b"PAR1"
    yield "utf16.csv", whole.decode().encode("utf-16")
    yield "utf32.csv", whole.decode().encode("utf-32")
    yield "quote.csv", b'x,y\n"1,2\n' + rows
    yield "ragged.csv", whole + b"1,2,3,4\n5\n"
    yield "wide.csv", b",".join(b"%d" % k for k in range(3000)) + b"\n"
    yield "same names.csv", b"x,x\n" + rows
    yield "no names.csv", b",\n" + rows
    yield "spaces.csv", b" \t \n" * 50
    yield "comment.csv", b"#" * 5000
    yield "high.csv", b"x,y\n\xff\xfe\xfd,1\n" + rows
    yield "huge.csv", b"x,y\n" + b"9" * 5000 + b",1\n" + rows
    yield "page.csv", b"<!doctype html><table><tr><td>1</td></tr></table>"
    yield "object.csv", b'{"x": [1, 2], "y": [3, 4]}'
    for number, beginning in enumerate(BEGINNINGS):
        yield f"beginning {number}", beginning + bytes(range(256)) * 3
    for number, part in enumerate((b"", b"<workbook/>", b"<workbook", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("xl/workbook.xml", part)
            archive.writestr("xl/_rels/workbook.xml.rels", part)
        yield f"workbook {number}.xlsx", buffer.getvalue()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.csv", whole)
    yield "archive.csv", buffer.getvalue()
