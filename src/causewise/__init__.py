"""causewise: from two columns of numbers, which one causes the other, how sure, and why.

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
theory, study, bridges, web, cli. Everything is imported on first use, so that `import causewise` costs next to nothing.
(No file is called infer or method: once imported, it would hide the function of that name.)
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from causewise.version import VERSION as __version__

_HOME = {
    "CausalGraph": "causewise.graphs.edges",
    "Decision": "causewise.decision",
    "Direction": "causewise.decision",
    "Evidence": "causewise.decision",
    "InputError": "causewise.pair",
    "LocationScaleNetwork": "causewise.models.network.regressor",
    "LocationScaleRegressor": "causewise.models.estimator",
    "Method": "causewise.protocol",
    "Pair": "causewise.pair",
    "Reading": "causewise.criteria",
    "Stability": "causewise.stability",
    "infer": "causewise.inference",
    "method": "causewise.catalogue",
    "methods": "causewise.catalogue",
    "order": "causewise.graphs.finder",
    "orient": "causewise.bridges.orienting",
    "scan": "causewise.scanning.scanner",
}
_ROOMS = {
    "draw": "causewise.report.picture:draw",
    "draw_causal_graph": "causewise.report.causal_graph:draw_causal_graph",
    "draw_scan_graph": "causewise.report.scan_graph:draw_graph",
    "draw_scan_matrix": "causewise.report.scan_matrix:draw_matrix",
    "half_samples": "causewise.stability:half_samples",
    "replace_with": "causewise.report.files:replace_with",
    "render_card": "causewise.report.card:card",
    "write_report": "causewise.report.page:write",
    "write_scan_report": "causewise.report.scan_page:write",
}
"""What a Decision reaches through this door (see `decision`): name -> module:function."""

__all__ = ["__version__", *sorted(_HOME)]

if TYPE_CHECKING:  # for editors and type checkers, which cannot follow __getattr__
    from causewise.bridges.orienting import orient as orient
    from causewise.catalogue import method as method
    from causewise.catalogue import methods as methods
    from causewise.criteria import Reading as Reading
    from causewise.decision import Decision as Decision
    from causewise.decision import Direction as Direction
    from causewise.decision import Evidence as Evidence
    from causewise.graphs.edges import CausalGraph as CausalGraph
    from causewise.graphs.finder import order as order
    from causewise.inference import infer as infer
    from causewise.models.estimator import LocationScaleRegressor as LocationScaleRegressor
    from causewise.models.network.regressor import LocationScaleNetwork as LocationScaleNetwork
    from causewise.pair import InputError as InputError
    from causewise.pair import Pair as Pair
    from causewise.protocol import Method as Method
    from causewise.scanning.scanner import scan as scan
    from causewise.stability import Stability as Stability


def room(name: str) -> Callable[..., Any]:
    """A function of a higher room, for the records that are drawn, reported and repeated there."""
    module, function = _ROOMS[name].split(":")
    return getattr(import_module(module), function)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'causewise' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
