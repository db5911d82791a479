"""What is known beforehand about every pair: `Knowledge.of` a mapping or a file, asked `on` two columns.

Hard statements leave some directions out. Tiers, "before" and required edges are transitive together: they say which
column comes first, and whether there is an edge only where one is required. A forbidden edge speaks of its own pair.
Soft statements are log-odds, and are heard where both directions are left.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from causewise.knowledge.precedence import REQUIRED, Precedence, contradiction, fact
from causewise.knowledge.statements import Edge, Statements, checked

_FORBIDDEN = "forbidden to cause"


class Known(NamedTuple):
    """What is known about x and y; nothing by default."""

    direction: Literal["x->y", "y->x"] | None = None
    """The only one that is possible."""
    unrelated: bool = False
    """Neither is possible."""
    log_odds: float = 0.0
    """> 0 favours x → y; 0 where a hard statement decides."""
    why: str = ""
    """The facts, as part of a sentence."""
    required: bool = False
    """Whether there is an edge in that direction, whatever the data say."""


@dataclass(frozen=True)
class Knowledge:
    """Statements about a table's columns that can hold together.

    Examples
    --------
    >>> known = Knowledge.of({"before": [["a", "b"], ["b", "c"]]}, ["a", "b", "c"])
    >>> known.on("c", "a").direction, known.on("c", "a").why
    ('y->x', "'a' before 'b', 'b' before 'c'")
    """

    soft: Mapping[Edge, float]
    forbidden: Mapping[Edge, None]
    """A set that keeps its order, so that its bytes are the same in every process."""
    precedence: Precedence

    @classmethod
    def of(cls, source: Mapping[str, Any] | str | os.PathLike[str] | None, columns: Sequence[str]) -> "Knowledge":
        """Read and check what is known.

        Parameters
        ----------
        source
            A mapping with any of the keys `first`, `last`, `tiers`, `before`, `required`, `forbidden` and `soft`; the
            path of a YAML file that holds one, or of a CSV file with the columns kind, cause, effect and value; None
            for nothing.
        columns
            Names of the table's columns, those too that are not scanned.

        Raises
        ------
        InputError
            If the file cannot be read, a statement is wrong, or statements contradict each other.
        """
        return cls._joined(checked(_content(source), columns))

    @classmethod
    def _joined(cls, statements: Statements) -> "Knowledge":
        precedence, forbidden = Precedence.of(statements), dict.fromkeys(statements.forbidden)
        for edge in statements.required:
            if edge in forbidden:
                raise contradiction([fact(edge[0], words, edge[1]) for words in (REQUIRED, _FORBIDDEN)])
        return cls(statements.soft, forbidden, precedence)

    def on(self, x: str, y: str) -> Known:
        """What is known about two columns."""
        no_forward, no_backward = self._against(x, y), self._against(y, x)
        if no_forward and no_backward:
            return Known(unrelated=True, why=f"{no_forward}, {no_backward}")
        if no_backward:
            return Known("x->y", why=no_backward, required=self.precedence.requires(x, y))
        if no_forward:
            return Known("y->x", why=no_forward, required=self.precedence.requires(y, x))
        for sign, (cause, effect) in ((1.0, (x, y)), (-1.0, (y, x))):
            if odds := self.soft.get((cause, effect)):
                return Known(log_odds=sign * odds, why=f"{fact(cause, 'to cause', effect)} at log-odds {odds:+.4g}")
        return Known()

    def _against(self, cause: str, effect: str) -> str:
        """The facts that leave a direction out; empty if none do."""
        forbidden = fact(cause, _FORBIDDEN, effect) if (cause, effect) in self.forbidden else ""
        return self.precedence.told(effect, cause) or forbidden


def _content(source: Any) -> Any:
    if isinstance(source, str | os.PathLike):
        from causewise.knowledge.knowledge_file import content_of  # with it comes a reader of YAML

        return content_of(Path(source))
    return {} if source is None else source
