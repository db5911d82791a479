"""Runs one published package, in the environment that `peers.environment` made for it; imports nothing of ours.

Reads one JSON request a line, {"peer": name, "x": [...], "y": [...]}, and answers with one line: the CPU seconds of the
call and the package's own verdict (> 0 favours x → y, 0 undecided), or the error it ended with. A request may have the
"columns" of a whole table instead; the verdict is then their order, causes first. One package a process: some change
global settings when imported, and then break the others.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np

PNL_EPOCHS, PNL_SHARE = 3000, 30
"""causal-learn's PNL trains for 3000 epochs, a minute or more; a thirtieth of them is run, and the time multiplied."""


def cdt_igci(x: np.ndarray, y: np.ndarray, reference: str) -> float:
    """Slope-free form, as ours."""
    from cdt.causality.pairwise import IGCI

    return IGCI().predict_proba((x, y), ref_measure=reference, estimator="entropy")


def cdt_model(x: np.ndarray, y: np.ndarray, name: str) -> float:
    """Any of cdt's pairwise models, as it comes."""
    import cdt.causality.pairwise

    return getattr(cdt.causality.pairwise, name)().predict_proba((x, y))


def causal_learn_anm(x: np.ndarray, y: np.ndarray) -> float:
    """Gaussian process regression and a kernel independence test: difference of p-values."""
    from causallearn.search.FCMBased.ANM.ANM import ANM

    forward, backward = ANM().cause_or_effect(x[:, None], y[:, None])
    return float(forward) - float(backward)


def causal_learn_pnl(x: np.ndarray, y: np.ndarray) -> float:
    """Two networks a direction; its own p-values."""
    from causallearn.search.FCMBased.PNL.PNL import PNL

    forward, backward = PNL(epochs=PNL_EPOCHS // PNL_SHARE).cause_or_effect(x[:, None], y[:, None])
    return float(forward) - float(backward)


def causal_learn_lingam(x: np.ndarray, y: np.ndarray) -> float:
    """DirectLiNGAM."""
    from causallearn.search.FCMBased.lingam import DirectLiNGAM

    return _order(DirectLiNGAM(), x, y)


def lingam_direct(x: np.ndarray, y: np.ndarray) -> float:
    """DirectLiNGAM."""
    return _order(lingam_model("DirectLiNGAM"), x, y)


def lingam_resit(x: np.ndarray, y: np.ndarray) -> float:
    """RESIT."""
    return _order(lingam_model("RESIT"), x, y)


def lingam_model(name: str) -> Any:
    """A model of that package, RESIT with the regressor of the package's own example."""
    import lingam
    from sklearn.ensemble import RandomForestRegressor

    more = {"regressor": RandomForestRegressor(max_depth=4, random_state=0)} if name == "RESIT" else {}
    return getattr(lingam, name)(**more)


def castle_anm(x: np.ndarray, y: np.ndarray) -> float:
    """The edges of its matrix."""
    from castle.algorithms import ANMNonlinear

    model = ANMNonlinear()
    model.learn(np.column_stack([x, y]))
    edges = np.asarray(model.causal_matrix)
    return float(edges[0, 1] - edges[1, 0])


def _order(model: Any, x: np.ndarray, y: np.ndarray) -> float:
    model.fit(np.column_stack([x, y]))
    return 1.0 if list(model.causal_order_) == [0, 1] else -1.0


PEERS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "cdt IGCI": lambda x, y: cdt_igci(x, y, "uniform"),
    "cdt IGCI, Gaussian": lambda x, y: cdt_igci(x, y, "gaussian"),
    "cdt RECI": lambda x, y: cdt_model(x, y, "RECI"),
    "cdt CDS": lambda x, y: cdt_model(x, y, "CDS"),
    "cdt ANM": lambda x, y: cdt_model(x, y, "ANM"),
    "causal-learn ANM": causal_learn_anm,
    "causal-learn PNL": causal_learn_pnl,
    "causal-learn DirectLiNGAM": causal_learn_lingam,
    "lingam DirectLiNGAM": lingam_direct,
    "lingam RESIT": lingam_resit,
    "gcastle ANM": castle_anm,
}


def order_of(peer: str, table: np.ndarray) -> list[int]:
    """Places of a table's columns, causes first."""
    model = lingam_model(peer.removeprefix("lingam "))
    model.fit(table)
    return [int(k) for k in model.causal_order_]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """CPU seconds and verdict of one call; an error becomes its text."""
    columns = [np.array(request[name]) for name in ("x", "y")] if "x" in request else np.array(request["columns"])
    start = time.process_time()
    try:
        with redirect_stdout(sys.stderr):  # some of them print
            if "columns" in request:
                verdict: Any = order_of(request["peer"], columns.T)
            else:
                verdict = float(PEERS[request["peer"]](*columns))
    except Exception as problem:  # whatever a package does, the run goes on and says so
        return {"error": f"{type(problem).__name__}: {problem}"[:200]}
    seconds = time.process_time() - start
    if request["peer"] == "causal-learn PNL":  # a part of the training is no verdict
        return {"seconds": seconds * PNL_SHARE, "verdict": None}
    return {"seconds": seconds, "verdict": verdict}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
