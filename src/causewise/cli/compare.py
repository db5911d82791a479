"""Several methods on one pair, as they are asked for and as they are recorded."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from causewise.consensus import Answer, consensus
from causewise.errors import InputError


def method_names(methods: str) -> list[str]:
    """The methods asked for: names with a comma between."""
    names = [name.strip() for name in methods.split(",")] if "," in methods else [methods]
    if len(names) > 1 and ("" in names or len(set(names)) < len(names)):
        raise InputError(
            f"Got --method {methods!r}; expected different names with a comma between, for instance "
            "causewise,mdl,loci-h."
        )
    return names


def record(answers: Sequence[Answer]) -> dict[str, Any]:
    """One method's own record; of several each one's, and the consensus. Without seconds, the same bytes every time."""
    methods = [answer.decision.to_dict() for answer in answers]
    return {"methods": methods, "consensus": asdict(consensus(answers))} if len(methods) > 1 else methods[0]
