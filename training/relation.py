"""What stands in the place of the regression error: each alternative with all constants fitted anew.

A row is one form of the method. Its two recorded terms are fitted to simulators and Tübingen pairs as the shipped ones
are; Tübingen numbers are cross-fitted by source table, the others were not fitted to at all.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from causewise.lab.benchmark.metrics import PairScores, accuracy, audrc
from causewise.methods.combined.terms import TERMS
from causewise.pair import FloatArray
from training import simulator_a
from training.alternatives import ALTERNATIVES, read_alternatives
from training.fit import Curves, fit_recorded, fit_smooth, mixed, scores
from training.recorded import FOLDS
from training.table import Table, read

REGRESSION = list(TERMS).index("regression")
RECORDING = list(TERMS).index("recording")
TRIED = ("line", "slope", "sloppy", "qccd", "heci")


class Measured(NamedTuple):
    """One form of the method on one set: log-loss, accuracy and AUDRC in per cent."""

    log_loss: float
    accuracy: float
    audrc: float


class Form(NamedTuple):
    """A form of the method, by name."""

    name: str
    tuebingen: Measured
    lisbon: Measured
    held_out: Measured


def forms(folder: Path, jobs: int) -> list[Form]:
    """None, the recording term alone, the regression error, and each alternative in its place."""
    found = []
    for name in ("neither term", "recording alone", "regression alone", "both (shipped)", *TRIED):
        sets = {
            where: _changed(where, name, folder, jobs)
            for where in ("first", "second", "tuebingen", "lisbon", "held-out")
        }
        found.append(_measured(name, sets))
    return found


def _changed(where: str, name: str, folder: Path, jobs: int) -> Table:
    """The table of a set with other contrasts, in units of their median size so that one start fits all."""
    table = read(where, folder, jobs)
    contrasts = table.contrasts.copy()
    if name in ("neither term", "regression alone"):
        contrasts[:, RECORDING] = 0.0
    if name in ("neither term", "recording alone"):
        contrasts[:, REGRESSION] = 0.0
    if name in ALTERNATIVES:
        column = list(ALTERNATIVES).index(name)
        unit = np.median(np.abs(read_alternatives("tuebingen", folder, jobs)[:, column]))
        contrasts[:, REGRESSION] = 0.5 * read_alternatives(where, folder, jobs)[:, column] / unit
    changed = table._replace(contrasts=contrasts)
    return changed.where(~np.isin(table.family, list(simulator_a.DOUBTS)))


def _measured(name: str, sets: dict[str, Table]) -> Form:
    simulators, recorded = [sets["first"], sets["second"]], sets["tuebingen"]
    smooth, weight = fit_smooth([(found, 0.5) for found in simulators])

    def fit(pairs: Table) -> Curves:
        return {**smooth, **fit_recorded(mixed(simulators, pairs), smooth, weight)}

    crossed = np.empty(len(recorded.truth))
    for fold in range(FOLDS):
        out = recorded.fold == fold
        crossed[out] = scores(recorded.where(out), fit(recorded.where(~out)), weight)
    curves = fit(recorded)
    measured = [measure(sets[where], scores(sets[where], curves, weight)) for where in ("lisbon", "held-out")]
    return Form(name, measure(recorded, crossed), *measured)


def measure(table: Table, score: FloatArray) -> Measured:
    """Over all pairs by their weights."""
    scored = PairScores.of(score, table.truth, table.share)
    loss = float(np.average(np.logaddexp(0, -table.truth * score), weights=table.share))
    return Measured(loss, 100 * accuracy(scored), 100 * audrc(scored))
