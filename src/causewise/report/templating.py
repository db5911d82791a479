"""The templates of pages, which are files."""

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@functools.cache
def environment(package: str = "causewise.report") -> "Environment":
    """The templates in a package's folder `templates`; everything is escaped unless it was marked safe in Python."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals["nonce"] = ""  # of a page that is sent by a server; see base.html
    return found
