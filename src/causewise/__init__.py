"""causewise: from two columns of numbers, which one causes the other, how sure, and why.

The top-level modules are the method; read in this order they tell it, and imports point from a later line to an
earlier one:

    formatting    text made safe for terminals, JSON, shells and spreadsheets; numbers as people read them
    errors        InputError, and the ranges of settings
    files         writing a file whole or not at all
    numerics      arrays in, arrays out, C loops
    parallel      threads of numerical libraries, signals, memory
    worker        one spawned process that does tasks
    worker_pool   tasks mapped over workers, whoever crashes
    pair          two finite columns with names: what a valid pair is, the only standardising and row order
    examples      tables and pairs to try
    criteria      how plausible is one direction, given its fit: likelihood, independence
    tables        CSV, Parquet, spreadsheets, data frames -> columns
    diagnostics   gaps, repeats, autocorrelation and noise of two columns, before any fit
    column_types  what a column is: continuous, rounded, count, point mass, few values; the rows beside a point mass
    decision      Direction, Evidence, Decision: records
    data_checks   defects of the rows before any fit, as warnings
    protocol      what a method is, and what a failure becomes
    models        conditional models of an effect given its cause
    methods       LOCI, its networks, the default method, other people's methods
    catalogue     every method by name, one table of facts
    inference     infer(): a table in, a decision out; stability; several methods on one pair
    knowledge     background knowledge and its constraints
    scanning      scan(): every pair of a table
    graphs        all columns of a table together
    report        pictures and pages of a result
    lab           benchmarks, their data, studies, theory: imported by the command line only
    integrations  objects that other packages accept
    serving       questions of clients, answered by worker processes within bounds
    web           the page in the browser
    mcp_server    tools for assistants, over standard input and output
    cli           the command line

Everything is imported on first use, so that `import causewise` costs next to nothing. (No module is called infer, scan
or graph: once imported, it would hide the function of that name.)
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from causewise.version import VERSION as __version__

_MODULES = {
    name: module
    for module, name in re.findall(
        r"^from (\S+) import \w+ as (\w+)$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
__all__ = ["__version__", *sorted(_MODULES.keys() - {"__version__"})]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'causewise' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
