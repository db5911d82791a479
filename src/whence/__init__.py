"""whence: from two columns of numbers, which one causes the other, how sure, and why.

The top-level files are the road; read in this order they tell the method:

    pair        two finite columns with names: what a valid pair is
    criteria    how plausible is one direction, given its fit: likelihood, independence
    decision    Direction, Evidence, Decision, and the Method protocol
    methods     LOCI = model × criterion, and infer()
    catalogue   every method by name, with what it assumes

    neural      the same with networks, all fits at once

Rooms beside the road: numerics, models, baselines, combined (the default method), tables, datasets, benchmark, report,
theory, study, cli.
Everything below is imported on first use, so that `import whence` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Decision": "whence.decision",
    "Direction": "whence.decision",
    "Evidence": "whence.decision",
    "InputError": "whence.pair",
    "LocationScaleNetwork": "whence.models.network.regressor",
    "LocationScaleRegressor": "whence.models.estimator",
    "Method": "whence.decision",
    "Pair": "whence.pair",
    "Reading": "whence.decision",
    "infer": "whence.methods",
    "method": "whence.catalogue",
}

__all__ = ["__version__", *sorted(_HOME)]

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from whence.catalogue import method as method
    from whence.decision import Decision as Decision
    from whence.decision import Direction as Direction
    from whence.decision import Evidence as Evidence
    from whence.decision import Method as Method
    from whence.decision import Reading as Reading
    from whence.methods import infer as infer
    from whence.models.estimator import LocationScaleRegressor as LocationScaleRegressor
    from whence.models.network.regressor import LocationScaleNetwork as LocationScaleNetwork
    from whence.pair import InputError as InputError
    from whence.pair import Pair as Pair


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'whence' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
