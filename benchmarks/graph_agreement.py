"""Does `graph.agreement()` tell good graphs from bad ones? Its rank correlation with F1 on simulated tables.

    python benchmarks/graph_agreement.py [--first-seed 100] [--tables 3]

Tables of eight columns and 500 rows of worlds on both sides of what can be found; graphs without halves of the rows.
"""

import argparse

import networkx as nx
from scipy.stats import spearmanr

import causewise
from graph_worlds import Setting, simulated

WORLDS = (
    "skewed noise",
    "polynomial sums",
    "GP of all parents",
    "linear Gumbel",
    "linear uniform",
    "natural parameters, linear",
    "quadratic",
    "index models",
    "noise inside a GP",
    "measurement error",
    "heavy tails",
    "linear, normal",
)
COLUMNS, ROWS, PARENTS = 8, 500, 1.5


def main() -> None:
    """Print every table and the correlations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--tables", type=int, default=3, help="of each world")
    asked = parser.parse_args()
    engine, lines = causewise.Engine(jobs=1), []
    for world in WORLDS:
        for seed in range(asked.first_seed, asked.first_seed + asked.tables):
            table = simulated(Setting(COLUMNS, ROWS, PARENTS, world), seed)
            truth = nx.DiGraph((str(a), str(b)) for a, b in table.edges)
            truth.add_nodes_from(map(str, range(COLUMNS)))
            columns = {str(k): table.rows[:, k] for k in range(COLUMNS)}
            graph = causewise.graph(columns, bootstrap=0, engine=engine)
            beside, agreement = graph.compare(truth), graph.agreement(engine=engine)
            print(f"{world:28} F1 {beside.f1:.2f}   {agreement}", flush=True)
            if agreement.above_chance is not None:
                lines.append((beside.f1, agreement.score, agreement.above_chance, agreement.chance))
    f1, *others = zip(*lines, strict=True)
    for name, values in zip(("score", "above chance", "chance alone"), others, strict=True):
        found = spearmanr(f1, values)
        print(f"rank correlation with F1 of {len(f1)} tables: {name} {found.statistic:+.2f} (p = {found.pvalue:.2g})")


if __name__ == "__main__":
    main()
