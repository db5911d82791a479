"""Runs one published package on one table, in the environment of the peers; imports nothing of ours.

    python graph_worker.py PEER < ROWS.json

Reads a list of rows and prints {"order": […] or null, "edges": [[parent, child], …], "seconds": CPU seconds}.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np


def resit(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """lingam's RESIT with the forest of its own example."""
    from lingam import RESIT
    from sklearn.ensemble import RandomForestRegressor

    model = RESIT(regressor=RandomForestRegressor(max_depth=4, random_state=0)).fit(rows)
    return model.causal_order_, model.adjacency_matrix_.T != 0


def direct_lingam(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """lingam's DirectLiNGAM."""
    from lingam import DirectLiNGAM

    model = DirectLiNGAM(random_state=0).fit(rows)
    return model.causal_order_, model.adjacency_matrix_.T != 0


def cam_uv(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """lingam's CAM-UV; pairs for which it finds a hidden cause have no edge."""
    from lingam import CAMUV

    model = CAMUV().fit(rows)
    return None, np.nan_to_num(model.adjacency_matrix_).T != 0


def dagma(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """DAGMA with a network of ten hidden units, penalties and threshold of its own example, a tenth of its steps.

    With all of them it takes some five minutes a table, however small.
    """
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = DagmaMLP(dims=[rows.shape[1], 10, 1], bias=True, dtype=torch.double)
    found = DagmaNonlinear(network, dtype=torch.double).fit(
        rows, lambda1=0.02, lambda2=0.005, warm_iter=5000, max_iter=8000
    )
    return None, found != 0


PEERS: dict[str, Callable[[np.ndarray], tuple[Any, np.ndarray]]] = {
    "RESIT": resit,
    "DirectLiNGAM": direct_lingam,
    "CAM-UV": cam_uv,
    "DAGMA": dagma,
}


IMPORTED = {
    "RESIT": ("lingam", "sklearn.ensemble"),
    "DirectLiNGAM": ("lingam",),
    "CAM-UV": ("lingam", "pygam"),
    "DAGMA": ("torch", "dagma.nonlinear"),
}
"""What is loaded before the clock runs."""


def timed(peer: str, rows: np.ndarray) -> dict[str, Any]:
    """The answer, and its CPU seconds without those of importing the package."""
    for module in IMPORTED[peer]:
        import_module(module)
    start = time.process_time()
    order, found = PEERS[peer](rows)
    seconds = time.process_time() - start
    listed = None if order is None else [int(k) for k in order]
    return {"order": listed, "edges": np.argwhere(found).tolist(), "seconds": seconds}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        answer = timed(sys.argv[1], np.array(json.load(sys.stdin)))
    print(json.dumps(answer))
