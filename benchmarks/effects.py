"""Do the bounds of effects hold, what do effects cost, and does a machine do what is predicted?

    python benchmarks/effects.py coverage [--tables 40] [--from 0] [--bootstrap 8] [--worlds sums,network] [--jobs N]
                                          [--store ROWS.jsonl]  a line a table as it is done; the same command goes on
    python benchmarks/effects.py cost        all pairs of 10 columns with 50 parts, against the graph itself
    python benchmarks/effects.py chamber     the light tunnel of CAUSEWISE_DATA: rows that were set, and rows kept apart

Tables are drawn from equations that can be asked again with a column set, so that the true effect is the mean of 20 000
such rows. An effect that is answered though the arrow runs the other way counts as missed.
"""

import argparse
import csv
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

import causewise
from causewise.report.html_pages import render_graph

Equation = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Of the parents' values, a line each, and the noise."""
LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(-1.73, 1.73, n),
    "Laplace": lambda rng, n: rng.laplace(0, 0.71, n),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
}
WORLDS = {"lines": "fitted", "sums": "fitted", "scales": "fitted", "network": "held out", "noise inside": "held out"}
TRUTH = 20_000
COLUMNS, ROWS, DEGREE = 5, 600, 1.2
LONG = 50
"""Parts of the rows in the table of costs."""
ACTUATORS = ("red", "green", "blue", "pol_1", "pol_2", "l_11", "l_12", "l_21", "l_22", "l_31", "l_32")
SENSORS = ("current", "ir_1", "vis_1", "ir_2", "vis_2", "ir_3", "vis_3", "angle_1", "angle_2")


class System(NamedTuple):
    """Equations of columns, each behind its parents."""

    parents: list[list[int]]
    equations: list[Equation]
    laws: list[str]

    def draw(self, rng: np.random.Generator, rows: int, setting: dict[int, float] | None = None) -> np.ndarray:
        """Rows, a line a column, with some columns set."""
        out, setting = np.zeros((len(self.parents), rows)), setting or {}
        for k, parents in enumerate(self.parents):
            noise = LAWS[self.laws[k]](rng, rows)
            out[k] = setting[k] if k in setting else self.equations[k](out[parents], noise)
        return out


def draw_system(rng: np.random.Generator, world: str, columns: int = COLUMNS, degree: float = DEGREE) -> System:
    """A random graph with random equations."""
    share = min(1.0, 2 * degree / (columns - 1))
    parents = [[int(p) for p in np.flatnonzero(rng.random(k) < share)] for k in range(columns)]
    laws = list(LAWS)[1:] if world == "lines" else list(LAWS)
    return System(
        parents, [draw_equation(rng, world, len(each)) for each in parents], [str(rng.choice(laws)) for _ in parents]
    )


def draw_equation(rng: np.random.Generator, world: str, count: int) -> Equation:
    """One column's."""
    if not count:
        return lambda _, noise: noise
    weights = rng.choice([-1, 1], count) * rng.uniform(0.6, 1.4, count)
    if world == "lines":
        return lambda u, noise: weights @ u + 0.7 * noise
    bends, shifts = rng.uniform(0.6, 1.5, count), rng.uniform(-1, 1, count)
    if world in ("sums", "scales"):
        by_scale = rng.choice([-1, 1], count) * rng.uniform(0.2, 0.5, count) if world == "scales" else np.zeros(count)
        waves = rng.random(count) < 0.5

        def evaluate(u: np.ndarray, noise: np.ndarray) -> np.ndarray:
            inner = bends[:, None] * u + shifts[:, None]
            curves = np.where(waves[:, None], np.sin(1.5 * inner), np.tanh(1.5 * inner))
            return weights @ curves + 0.5 * np.exp(by_scale @ np.clip(u, -3, 3)) * noise

        return evaluate
    inside = world == "noise inside"
    first = rng.normal(size=(8, count + inside)) / np.sqrt(count)
    of_mean, of_scale, bias = rng.normal(size=8), 0.25 * rng.normal(size=8), rng.normal(size=8)

    def network(u: np.ndarray, noise: np.ndarray) -> np.ndarray:
        hidden = np.tanh(first @ (np.vstack([u, noise]) if inside else u) + bias[:, None])
        return of_mean @ hidden + (0.3 if inside else 0.5 * np.exp(of_scale @ hidden)) * noise

    return network


class Score(NamedTuple):
    """One effect that was answered."""

    world: str
    covered: bool
    """The change between the quartiles."""
    means: float
    """The share of values at which the mean is covered."""
    scales: float
    right_sign: bool
    probability: float
    width: float
    """Of the bounds of the change, over the effect's standard deviation."""
    is_descendant: bool


def score_table(world: str, seed: int, bootstrap: int) -> tuple[list[Score], int, int]:
    """Scores of all effects that are answered; how many true ones there are, and how many of them are answered."""
    rng = np.random.default_rng([seed, sorted(WORLDS).index(world)])
    system = draw_system(rng, world)
    rows = system.draw(rng, ROWS)
    names = [f"c{k}" for k in rng.permutation(COLUMNS)]
    graph = causewise.graph(dict(zip(names, rows, strict=True)), bootstrap=bootstrap, engine=causewise.Engine(jobs=1))
    descendants = [{k} for k in range(COLUMNS)]
    for child, parents in enumerate(system.parents):
        for each in descendants:
            if each & set(parents):
                each.add(child)
    scores = []
    for a in range(COLUMNS):
        for b in range(COLUMNS):
            try:
                effect = graph.effect(names[a], names[b])
            except causewise.InputError:
                continue
            scores.append(score_effect(world, system, effect, a, b, b in descendants[a], rows))
    true = sum(len(each) - 1 for each in descendants)
    return scores, true, sum(score.is_descendant for score in scores)


def score_effect(
    world: str, system: System, effect: causewise.Effect, a: int, b: int, is_descendant: bool, rows: np.ndarray
) -> Score:
    """An effect beside rows in which the cause was set."""
    values = [*effect.at, effect.from_to.start, effect.from_to.end]
    truth = [system.draw(np.random.default_rng(1), TRUTH, {a: float(value)})[b] for value in values]
    means, scales = np.array([each.mean() for each in truth]), np.array([each.std() for each in truth])
    change = means[-1] - means[-2]
    return Score(
        world,
        bool(effect.from_to.low <= change <= effect.from_to.high),
        float(np.mean((effect.low <= means[:-2]) & (means[:-2] <= effect.high))),
        float(np.mean((effect.scale_low <= scales[:-2]) & (scales[:-2] <= effect.scale_high))),
        bool(np.sign(change) == np.sign(effect.from_to.mean)) and is_descendant,
        effect.probability,
        float((effect.from_to.high - effect.from_to.low) / rows[b].std()),
        is_descendant,
    )


def measure_coverage(options: argparse.Namespace) -> None:
    """A line a world, and one for those that are fitted and those that are held out."""
    worlds = options.worlds.split(",") if options.worlds else list(WORLDS)
    tasks = [(world, seed) for seed in range(options.first, options.first + options.tables) for world in worlds]
    done = read_store(options)
    todo = [task for task in tasks if task not in done]
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        found = pool.map(score_table, *zip(*((*task, options.bootstrap) for task in todo), strict=True)) if todo else ()
        for task, result in zip(todo, found, strict=True):
            done[task] = result
            if options.store:
                with options.store.open("a") as store:
                    store.write(json.dumps([*task, options.bootstrap, *result]) + "\n")
    print(f"{options.tables} tables a world, {COLUMNS} columns × {ROWS} rows, {options.bootstrap} parts, 90 % bounds")
    print("world                 effects  change  means  scales  width  sign where sure  answered")
    for label, chosen in (
        *((world, [world]) for world in worlds),
        *((f"all {kind}", [w for w in worlds if WORLDS[w] == kind]) for kind in ("fitted", "held out")),
    ):
        picked = [done[task] for task in tasks if task[0] in chosen]
        scores = [score for each, _, _ in picked for score in each]
        if scores:
            print(f"{label:20s} {summarise_scores(scores)} {answered_share(picked):6.1%}")


Scored = tuple[list[Score], int, int]


def read_store(options: argparse.Namespace) -> dict[tuple[str, int], Scored]:
    """What an earlier call has done with as many parts."""
    if not options.store or not options.store.exists():
        return {}
    lines = [json.loads(line) for line in options.store.read_text().splitlines()]
    return {
        (world, seed): ([Score(*score) for score in scores], true, answered)
        for world, seed, bootstrap, scores, true, answered in lines
        if bootstrap == options.bootstrap
    }


def summarise_scores(scores: list[Score]) -> str:
    """How many, the shares in the bounds, the width, and how often the sign is right."""
    sure = [score.right_sign for score in scores if score.probability >= 0.95]
    return (
        f"{len(scores):8d} {np.mean([s.covered for s in scores]):7.1%}"
        f" {np.mean([s.means for s in scores]):6.1%} {np.mean([s.scales for s in scores]):7.1%}"
        f" {np.median([s.width for s in scores]):6.2f} {np.mean(sure) if sure else np.nan:8.1%} of {len(sure):<5d}"
    )


def answered_share(picked: list[Scored]) -> float:
    """Of the true effects."""
    true, answered = (sum(each[k] for each in picked) for k in (1, 2))
    return answered / max(true, 1)


def measure_cost(options: argparse.Namespace) -> None:
    """CPU seconds of the graph of 10 columns with 50 parts, and of all effects in it."""
    rng = np.random.default_rng(options.first)
    rows = draw_system(rng, "scales", 10, 2.0).draw(rng, 1000)
    start = time.process_time()
    graph = causewise.graph(
        {f"c{k}": row for k, row in enumerate(rows)}, bootstrap=LONG, engine=causewise.Engine(jobs=1)
    )
    middle, answered = time.process_time(), 0
    for a in graph.order:
        for b in graph.order:
            try:
                graph.effect(a, b)
                answered += 1
            except causewise.InputError:
                continue
    seconds = time.process_time() - middle
    render_graph(graph)
    page = time.process_time() - middle - seconds
    whole = middle - start
    print(f"graph {whole:.1f} s, {answered} effects of 90 pairs {seconds:.1f} s: {seconds / whole:.2f}")
    print(f"its report, which has all of them along the range of each cause, {page:.1f} s: {page / whole:.2f}")


def read_rows(name: str) -> dict[str, np.ndarray]:
    """A file of the light tunnel."""
    with gzip.open(Path(os.environ["CAUSEWISE_DATA"]) / "chamber" / f"{name}.csv.gz", "rt") as lines:
        rows = list(csv.DictReader(lines))
    return {column: np.array([float(row[column]) for row in rows]) for column in (*ACTUATORS, *SENSORS)}


def adjust_means(rows: dict[str, np.ndarray], cause: str, sensor: str, bins: list[np.ndarray]) -> np.ndarray:
    """The sensor's mean in each part, less what chance gave the other actuators there: a linear regression on them."""
    others = np.array([rows[name] for name in ACTUATORS if name != cause])
    inside = np.array(bins).any(axis=0)
    parts = np.array(bins, dtype=float)[:, inside]
    parts /= parts.sum(axis=0)
    means = parts @ rows[cause][inside] / parts.sum(axis=1)
    within = rows[cause][inside] - means @ parts
    design = np.vstack([parts, within, (others - others.mean(axis=1, keepdims=True))[:, inside]]).T
    return np.linalg.lstsq(design, rows[sensor][inside], rcond=None)[0][: len(bins)]


def compare_values(
    graph: causewise.CausalGraph, rows: dict[str, np.ndarray], cause: str, seen: dict[str, np.ndarray] | None = None
) -> Iterator[str]:
    """Each sensor that the actuator moves: its mean in rows with about the same value, beside the prediction.

    seen: the rows that the graph was found on, whose own means in the same ranges are compared, too.
    """
    edges = np.quantile(rows[cause], np.linspace(0, 1, 6))
    for sensor in SENSORS:
        if sensor not in graph.order:
            continue
        bins = [(rows[cause] >= low) & (rows[cause] <= high) for low, high in pairwise(edges)]
        bins = [each for each in bins if each.sum() > 20]
        effect = graph.ask_effect(cause, sensor, at=[rows[cause][each].mean() for each in bins])
        if not isinstance(effect, causewise.Effect):
            if "no path" not in effect.reason or effect.beyond:
                told = f"; named as beyond: {len(effect.beyond)} of {len(bins)}" if effect.beyond else ""
                yield f"  {cause} → {sensor}: refused: {effect.reason[:90]}…{told}"
            continue
        deviation = float(np.std(graph.values[sensor]))
        real = np.array([rows[sensor][each].mean() for each in bins])
        error = np.array([rows[sensor][each].std() / np.sqrt(each.sum()) for each in bins]) / deviation
        off = np.abs(effect.mean - real) / deviation
        fair = adjust_means(rows, cause, sensor, bins)
        adjusted = np.abs(effect.mean - fair) / deviation
        inside = ~np.isin(effect.at, effect.beyond)
        covered = np.mean((effect.low <= real) & (real <= effect.high))
        own = ""
        if seen is not None:
            same = [
                (seen[cause] >= rows[cause][each].min()) & (seen[cause] <= rows[cause][each].max()) for each in bins
            ]
            gap = np.abs(adjust_means(seen, cause, sensor, same) - fair) / deviation
            own = f" (the means of the rows seen: {gap.max():.2f})"
        if inside.any():
            yield (
                f"  {cause} → {sensor}: off by {off[inside].max():.2f} (± {error[inside].max():.2f}) standard "
                f"deviations, {adjusted[inside].max():.2f} adjusted for other actuators{own}; in the bounds "
                f"{covered:.0%}"
            )
        if (~inside).any():
            yield (
                f"  {cause} → {sensor}: {(~inside).sum()} of {len(inside)} named as beyond, off by "
                f"{off[~inside].max():.2f}; in the bounds {covered:.0%}"
            )


def compare_chamber(options: argparse.Namespace) -> None:
    """Predict rows that were kept apart, and those in which an actuator was set otherwise."""
    reference = read_rows("uniform_reference")
    order = np.random.default_rng(0).permutation(len(reference["red"]))
    seen, kept = order[: options.rows], order[options.rows :]
    graph = causewise.graph(
        {name: column[seen] for name, column in reference.items()},
        knowledge={"first": list(ACTUATORS)},
        bootstrap=options.bootstrap,
        engine=causewise.Engine(jobs=options.jobs),
    )
    print(graph)
    print("Rows of the reference kept apart, in five parts by the actuator:")
    apart, own = ({name: column[rows] for name, column in reference.items()} for rows in (kept, seen))
    for cause in (name for name in ACTUATORS if name in graph.order):
        for line in compare_values(graph, apart, cause, own):
            print(line)
    for name, cause in (("red_strong", "red"), ("pol_1_strong", "pol_1"), ("l_31_mid", "l_31")):
        rows = read_rows(f"uniform_{name}")
        print(
            f"{name}: {cause} from {rows[cause].min():g} to {rows[cause].max():g}; observed in the reference "
            f"{reference[cause].min():g} to {reference[cause].max():g}"
        )
        for line in compare_values(graph, rows, cause):
            print(line)


def main() -> None:
    """As the docstring says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("coverage", "cost", "chamber"))
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--bootstrap", type=int, default=8)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--worlds", default="")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    {"coverage": measure_coverage, "cost": measure_cost, "chamber": compare_chamber}[options.what](options)


if __name__ == "__main__":
    main()
