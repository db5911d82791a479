"""Runs published packages on tables, in the environment of the peers; imports nothing of ours.

    python graph_worker.py PEER SECONDS < TABLES

Reads a table a line, as a list of rows, and prints a line for each: {"order": […] or null, "edges": [[parent, child],
…], "undirected": [[one, other], …], "two_headed": [[one, other], …], "seconds": CPU seconds}, or {"failed": why}. A
table has so many seconds of CPU time.
"""

import json
import signal
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
    """lingam's CAM-UV; pairs for which it finds a hidden cause are not numbers."""
    from lingam import CAMUV

    return None, CAMUV().fit(rows).adjacency_matrix_.T


def pc_kernel(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """causal-learn's PC with the kernel test (KCI)."""
    from causallearn.search.ConstraintBased.PC import pc

    return read_ends(pc(rows, indep_test="kci", show_progress=False).G.graph)


def pc_fisher(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """causal-learn's PC with Fisher's z, its own choice."""
    from causallearn.search.ConstraintBased.PC import pc

    return read_ends(pc(rows, show_progress=False).G.graph)


def ges(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """causal-learn's GES with the Gaussian BIC, its own choice."""
    from causallearn.search.ScoreBased.GES import ges as search

    return read_ends(search(rows)["G"].graph)


def grasp(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """causal-learn's GRaSP with the Gaussian BIC."""
    from causallearn.search.PermutationBased.GRaSP import grasp as search

    return read_ends(search(rows, score_func="local_score_BIC_from_cov", verbose=False).graph)


def boss(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """causal-learn's BOSS with the Gaussian BIC."""
    from causallearn.search.PermutationBased.BOSS import boss as search

    return read_ends(search(rows, score_func="local_score_BIC_from_cov", verbose=False).graph)


def read_ends(ends: np.ndarray) -> tuple[Any, np.ndarray]:
    """Of causal-learn's matrix, [i, j] the end at i: 1 a head, −1 a tail; no direction is told both ways."""
    undirected = (ends == -1) & (ends.T == -1)
    found = undirected | ((ends == -1) & (ends.T == 1))
    return extension(found), found


def extension(found: np.ndarray) -> list[int] | None:
    """An order that keeps all directions and makes no new collider (Dor and Tarsi 1992); None where there is none."""
    left, order = list(range(len(found))), list[int]()
    while left:
        for k in left:
            near = [j for j in left if found[k, j] or found[j, k]]
            loose = [j for j in near if found[k, j] and found[j, k]]
            sink = all(found[j, k] for j in near)
            if sink and all(found[i, j] or found[j, i] for i in loose for j in near if i != j):
                break
        else:
            return None
        left.remove(k)
        order.insert(0, k)
    return order


def dagma(rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """DAGMA with a network of ten hidden units, penalties, steps and threshold of its own example."""
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = DagmaMLP(dims=[rows.shape[1], 10, 1], bias=True, dtype=torch.double)
    found = DagmaNonlinear(network, dtype=torch.double).fit(rows, lambda1=0.02, lambda2=0.005)
    return None, found != 0


PEERS: dict[str, Callable[[np.ndarray], tuple[Any, np.ndarray]]] = {
    "RESIT": resit,
    "DirectLiNGAM": direct_lingam,
    "CAM-UV": cam_uv,
    "PC": pc_kernel,
    "PC-Fisher": pc_fisher,
    "GES": ges,
    "GRaSP": grasp,
    "BOSS": boss,
    "DAGMA": dagma,
}
"""Each gives an order or None, and which column (line) is a parent of which; not a number: a hidden common cause."""


IMPORTED = {
    "RESIT": ("lingam", "sklearn.ensemble"),
    "DirectLiNGAM": ("lingam",),
    "CAM-UV": ("lingam", "pygam"),
    "PC": ("causallearn.search.ConstraintBased.PC",),
    "PC-Fisher": ("causallearn.search.ConstraintBased.PC",),
    "GES": ("causallearn.search.ScoreBased.GES",),
    "GRaSP": ("causallearn.search.PermutationBased.GRaSP",),
    "BOSS": ("causallearn.search.PermutationBased.BOSS",),
    "DAGMA": ("torch", "dagma.nonlinear"),
}
"""What is loaded before the clock runs."""


def answer(peer: str, rows: np.ndarray) -> dict[str, Any]:
    """What the package says, and its CPU seconds."""
    start = time.process_time()
    order, marks = PEERS[peer](rows)
    seconds = time.process_time() - start
    listed = None if order is None else [int(k) for k in order]
    hidden = np.isnan(marks.astype(float))
    found = (marks != 0) & ~hidden & ~hidden.T
    loose = found & found.T
    return {
        "order": listed,
        "edges": np.argwhere(found & ~loose).tolist(),
        "undirected": np.argwhere(np.triu(loose)).tolist(),
        "two_headed": np.argwhere(np.triu(hidden | hidden.T, 1)).tolist(),
        "seconds": seconds,
    }


def stop(number: int, frame: Any) -> None:
    """The time of a table is over."""
    raise TimeoutError


def answer_in_time(peer: str, rows: np.ndarray, seconds: float) -> dict[str, Any]:
    """An answer, or why there is none; CPU time, since others may use the processor."""
    try:
        for module in IMPORTED[peer]:
            import_module(module)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        return answer(peer, rows)
    except TimeoutError:
        return {"failed": f"stopped after {seconds:.0f} s"}
    except Exception as problem:
        return {"failed": f"{type(problem).__name__}: {problem}".replace("\n", " ")[:200]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, stop)
    for line in sys.stdin:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            told = answer_in_time(sys.argv[1], np.array(json.loads(line)), float(sys.argv[2]))
        print(json.dumps(told), flush=True)
