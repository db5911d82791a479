"""What each channel of `whence` is worth: alone, left out, all together; on generated cells and on the recorded sets.

    python benchmarks/whence_ablation.py --readings out/whence --cache out/ablation --out docs/whence-ablation.md

Readings of every set are computed once and cached. The combination is refitted, on the generated training pairs only,
for every row of the tables; recorded sets are read where WHENCE_DATA is set.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whence.benchmark.metrics import Scored, accuracy, audrc
from whence.catalogue import method
from whence.datasets import load
from whence.datasets.collection import LabelledPair
from whence.datasets.generators import generate, generator_names
from whence.evidence.channels import CHANNELS, READINGS
from whence.evidence.fitting import fit, log_odds
from whence.evidence.training import Labelled, load_chunks, readings_of
from whence.evidence.trees import Trees
from whence.pair import FloatArray

REAL = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")
CONTROLS = ("control-gaussian", "control-distinct", "control-kurtosis")
SINGLE = ("mdl", "loci-h", "loci-m", "cdci", "grci")
SEED = 101


class Readable(NamedTuple):
    """A set with its readings and, for comparison, the scores of other methods."""

    name: str
    readings: Labelled
    weight: FloatArray
    others: dict[str, FloatArray]


def readable(name: str, pairs: Sequence[LabelledPair], cache: Path) -> Readable:
    """Readings of a set, from the cache where it has them; a cached set may be longer than the one asked for."""
    target = cache / f"{name.replace('/', '__')}.npz"
    if not target.exists():
        listed = list(pairs)
        found = readings_of([(p.pair, p.truth) for p in listed])
        others = {n: [d.score for d in method(n).decide_many([p.pair for p in listed])] for n in (*SINGLE, *CONTROLS)}
        np.savez(target, weight=[p.weight for p in listed], **found._asdict(), **others)
    with np.load(target) as stored:
        first = {key: stored[key][: len(pairs)] for key in stored.files}
    labelled = Labelled(*(first[field] for field in Labelled._fields))
    return Readable(name, labelled, first["weight"], {n: first[n] for n in (*SINGLE, *CONTROLS)})


def places(channels: Iterable[str]) -> tuple[int, ...]:
    """Places of the readings of some channels."""
    return tuple(READINGS.index(name) for channel in channels for name in CHANNELS[channel])


def variants() -> dict[str, tuple[int, ...]]:
    """Name of a row -> readings that are silent in it."""
    rows: dict[str, tuple[int, ...]] = {"all channels": ()}
    for channel in CHANNELS:
        rows[f"only {channel}"] = places(set(CHANNELS) - {channel})
        rows[f"without {channel}"] = places([channel])
    return rows


def calibration_error(score: FloatArray, truth: FloatArray, weight: FloatArray, bins: int = 10) -> float:
    """Expected calibration error of the confidence, bins of equal width on [½, 1]."""
    confidence, right = 1 / (1 + np.exp(-np.abs(score))), score * truth > 0
    which = np.minimum(((confidence - 0.5) * 2 * bins).astype(int), bins - 1)
    gaps = [abs(np.sum(weight[which == b] * (right - confidence)[which == b])) for b in range(bins)]
    return float(sum(gaps) / np.sum(weight))


def error_at(score: FloatArray, truth: FloatArray, weight: FloatArray, coverage: float) -> float:
    """Share of wrong answers among the most certain `coverage` of the pairs."""
    order = np.argsort(-np.abs(score), kind="stable")[: max(1, round(coverage * len(score)))]
    return float(np.average(score[order] * truth[order] <= 0, weights=weight[order]))


def measured(score: FloatArray, group: Readable) -> tuple[float, float]:
    """Accuracy and AUDRC in per cent."""
    scored = Scored.of(score, group.readings.truth, group.weight)
    return 100 * accuracy(scored), 100 * audrc(scored)


def table(rows: dict[str, Callable[[Readable], FloatArray]], groups: list[Readable]) -> list[str]:
    """Accuracy / AUDRC of every row on every set, and the mean."""
    lines = ["| | " + " | ".join(g.name for g in groups) + " | mean |", "|---" * (len(groups) + 2) + "|"]
    for name, score in rows.items():
        cells = [measured(score(group), group) for group in groups]
        mean = np.mean(cells, axis=0)
        shown = " | ".join(f"{a:.0f} / {b:.0f}" for a, b in cells)
        lines.append(f"| {name} | {shown} | {mean[0]:.1f} / {mean[1]:.1f} |")
    return lines


def grid_table(rows: dict[str, Callable[[Readable], FloatArray]], groups: list[Readable]) -> list[str]:
    """Mean over the cells of each axis, over all cells, and the worst decile of cells."""
    axes = sorted({g.name.split("/")[1] for g in groups})
    lines = ["| | " + " | ".join(axes) + " | all cells | worst decile |", "|---" * (len(axes) + 3) + "|"]
    for name, score in rows.items():
        cells = {g.name: measured(score(g), g) for g in groups}
        by_axis = [np.mean([v for k, v in cells.items() if k.split("/")[1] == axis], axis=0) for axis in axes]
        every = np.array(list(cells.values()))
        worst = np.mean(np.sort(every[:, 0])[: max(1, len(every) // 10)])
        shown = " | ".join(f"{a:.0f} / {b:.0f}" for a, b in by_axis)
        lines.append(f"| {name} | {shown} | {every[:, 0].mean():.1f} / {every[:, 1].mean():.1f} | {worst:.0f} |")
    return lines


def calibration_lines(trees: Trees, kinds: dict[str, list[Readable]]) -> list[str]:
    """Calibration and risk at full and at 80 % coverage, pooled over the sets of a kind."""
    lines = ["| | pairs | calibration error | error at 100 % | at 80 % | at 50 % |", "|---" * 6 + "|"]
    for kind, groups in kinds.items():
        score = np.concatenate([log_odds(trees, g.readings) for g in groups])
        truth = np.concatenate([g.readings.truth for g in groups])
        weight = np.concatenate([g.weight for g in groups])
        risk = " | ".join(f"{100 * error_at(score, truth, weight, c):.1f} %" for c in (1.0, 0.8, 0.5))
        lines.append(f"| {kind} | {len(score)} | {calibration_error(score, truth, weight):.3f} | {risk} |")
    return lines


def rows_of(labelled: Labelled) -> dict[str, Callable[[Readable], FloatArray]]:
    """Every row of the tables: the variants, single methods, controls."""

    def variant(silent: tuple[int, ...]) -> Callable[[Readable], FloatArray]:
        trees = fit(labelled, silent=silent)
        return lambda group: log_odds(trees, group.readings, silent)

    rows = {name: variant(silent) for name, silent in variants().items()}
    return rows | {name: (lambda group, name=name: group.others[name]) for name in (*SINGLE, *CONTROLS)}


def main() -> None:
    """Command line of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=Path, default=Path("out/whence"))
    parser.add_argument("--cache", type=Path, default=Path("out/ablation"))
    parser.add_argument(
        "--pairs", type=int, default=20, help="pairs per cell of the grid; three times as many elsewhere"
    )
    parser.add_argument("--out", type=Path, default=Path("docs/whence-ablation.md"))
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    names = generator_names()
    cells = [
        readable(n, generate(n, given.pairs, seed=SEED).pairs, given.cache) for n in names if n.startswith("grid/")
    ]
    alike = [
        readable(n, generate(n, 3 * given.pairs, seed=SEED).pairs, given.cache)
        for n in names
        if not n.startswith("grid/")
    ]
    kinds = {"robustness grid": cells, "generated look-alikes": alike}
    real = (
        [readable(f"recorded__{n}", load(n).pairs, given.cache) for n in REAL] if os.environ.get("WHENCE_DATA") else []
    )
    real = [group._replace(name=group.name.removeprefix("recorded__")) for group in real]
    kinds |= {"recorded sets": real, "Tübingen alone": real[-1:]} if real else {}
    labelled = load_chunks(given.readings)
    rows = rows_of(labelled)
    parts = ["# What each channel of `whence` is worth", "", __doc__ or "", f"Training pairs: {len(labelled.truth)}."]
    parts += ["", "## Robustness grid: accuracy / AUDRC", "", *grid_table(rows, cells)]
    parts += ["", "## Generated look-alikes: accuracy / AUDRC", "", *table(rows, alike)]
    if real:
        parts += ["", "## Recorded sets: accuracy / AUDRC", "", *table(rows, real)]
    parts += ["", "## Calibration and risk", "", *calibration_lines(fit(labelled), kinds)]
    given.out.write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
