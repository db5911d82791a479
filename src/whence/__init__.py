"""whence: from two columns of numbers, which one causes the other, how sure, and why.

The top-level files are the road; read in this order they tell the method:

    pair        two finite columns with names: what a valid pair is, the only standardising and row order
    criteria    how plausible is one direction, given its fit: likelihood, independence; what two tests say together
    decision    Direction, Evidence, Decision: records
    protocol    what a method is, what a failure becomes, ranges of settings
    loci        LOCI = model × criterion: one direction's evidence, and the difference of two
    catalogue   every method by name, one table of facts
    inference   infer(): a table in, a decision out
    scanning    scan(): every pair of a table
    graphs      order(): all columns of a table together

    neural      LOCI with networks, all fits at once
    kinds       what a column is: continuous, rounded, count, heaped, few levels
    preflight   what a look at the rows tells before any fit
    heaps       the rows beside a value that stands out
    stability   random halves of the rows decided anew
    consensus   several methods on one pair
    threads     one thread for numerical libraries

Rooms beside the road: combined (the default method), numerics, models, baselines, tables, datasets, benchmark, report,
theory, study, bridges, web, cli. Everything is imported on first use, so that `import whence` costs next to nothing.
(No file is called infer or method: once imported, it would hide the function of that name.)
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from whence.version import VERSION as __version__

_HOME = {
    "CausalGraph": "whence.graphs.edges",
    "Decision": "whence.decision",
    "Direction": "whence.decision",
    "Evidence": "whence.decision",
    "InputError": "whence.pair",
    "LocationScaleNetwork": "whence.models.network.regressor",
    "LocationScaleRegressor": "whence.models.estimator",
    "Method": "whence.protocol",
    "Pair": "whence.pair",
    "Reading": "whence.criteria",
    "Stability": "whence.stability",
    "infer": "whence.inference",
    "method": "whence.catalogue",
    "methods": "whence.catalogue",
    "order": "whence.graphs.finder",
    "orient": "whence.bridges.orienting",
    "scan": "whence.scanning.scanner",
}
_ROOMS = {
    "draw": "whence.report.picture:draw",
    "draw_causal_graph": "whence.report.causal_graph:draw_causal_graph",
    "draw_scan_graph": "whence.report.scan_graph:draw_graph",
    "draw_scan_matrix": "whence.report.scan_matrix:draw_matrix",
    "half_samples": "whence.stability:half_samples",
    "replace_with": "whence.report.files:replace_with",
    "render_card": "whence.report.card:card",
    "write_report": "whence.report.page:write",
    "write_scan_report": "whence.report.scan_page:write",
}
"""What a Decision reaches through this door (see `decision`): name -> module:function."""

__all__ = ["__version__", *sorted(_HOME)]

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from whence.bridges.orienting import orient as orient
    from whence.catalogue import method as method
    from whence.catalogue import methods as methods
    from whence.criteria import Reading as Reading
    from whence.decision import Decision as Decision
    from whence.decision import Direction as Direction
    from whence.decision import Evidence as Evidence
    from whence.graphs.edges import CausalGraph as CausalGraph
    from whence.graphs.finder import order as order
    from whence.inference import infer as infer
    from whence.models.estimator import LocationScaleRegressor as LocationScaleRegressor
    from whence.models.network.regressor import LocationScaleNetwork as LocationScaleNetwork
    from whence.pair import InputError as InputError
    from whence.pair import Pair as Pair
    from whence.protocol import Method as Method
    from whence.scanning.scanner import scan as scan
    from whence.stability import Stability as Stability


def room(name: str) -> Callable[..., Any]:
    """A function of a higher room, for the records that are drawn, reported and repeated there."""
    module, function = _ROOMS[name].split(":")
    return getattr(import_module(module), function)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'whence' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
