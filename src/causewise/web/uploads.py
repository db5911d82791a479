"""A form or JSON, as it comes, into bytes and settings: in memory alone, and never more than may be."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import PurePath
from typing import cast

from python_multipart.exceptions import FormParserError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from causewise.formatting import visible
from causewise.web.bodies import InFlight, body
from causewise.web.limits import ServerLimits
from causewise.web.refusal import Refusal

_FIELDS = 16


@dataclass(frozen=True)
class UploadForm:
    """A file and what is said beside it."""

    name: str
    content: bytes
    fields: dict[str, str]


def is_form(request: Request) -> bool:
    """Whether a request brings a file."""
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


async def read_json(request: Request, limits: ServerLimits, flight: InFlight, most: int | None = None) -> bytes:
    """The bytes of a question in JSON."""
    pieces = [piece async for piece in body(request, limits, most or limits.json_bytes, flight)]
    return b"".join(pieces)


async def read_form(request: Request, limits: ServerLimits, flight: InFlight) -> UploadForm:
    """The one file of a form, and its fields."""
    pieces = cast(AsyncGenerator[bytes, None], body(request, limits, limits.upload_bytes, flight))
    parser = MultiPartParser(request.headers, pieces, max_files=1, max_fields=_FIELDS, max_part_size=1 << 16)
    parser.spool_max_size = limits.upload_bytes + 1  # files stay in memory: beyond this size they would go to disk
    try:
        form = await parser.parse()
    except (MultiPartException, FormParserError) as problem:  # older versions of starlette let the latter through
        raise Refusal(400, f"Got a form that cannot be read ({visible(problem)}); expected one file.") from None
    try:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise Refusal(422, "Got a form without a file; expected the table in a field called 'file'.")
        fields = {key: value for key, value in form.multi_items() if isinstance(value, str)}
        return UploadForm(plain_name(file.filename), await file.read(), fields)
    finally:
        await form.close()


def plain_name(name: str | None) -> str:
    """The last part of a file's name, whatever system it comes from: no folder of anybody is named here."""
    last = PurePath((name or "").replace("\\", "/")).name
    return visible(last)[:120] or "table"
