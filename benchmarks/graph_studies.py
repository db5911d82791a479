"""What `causewise.graph` costs, and what it says of cells.

    python benchmarks/graph_studies.py cost         CPU seconds by columns and rows
    python benchmarks/graph_studies.py sachs        the protein-signalling table inside the `cdt` package

Tables are those of `graph_worlds.py`; `cdt` is looked for in out/peers.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import causewise
from graph_worlds import Setting, simulated

PEERS = Path(__file__).parents[1] / "out" / "peers"


def cost() -> None:
    """CPU seconds of one sparse table of each size."""
    from graphs import ours, warm

    warm()
    for columns, rows in ((10, 500), (20, 500), (30, 500), (40, 500), (20, 1000), (20, 4000)):
        seconds = ours(simulated(Setting(columns, rows, 1.0, "heteroscedastic"), 0).rows)["seconds"]
        unit = seconds / (columns**2 * rows) * 1e6
        print(f"{columns} columns × {rows} rows: {seconds:.1f} s, {unit:.0f} µs a row and squared column", flush=True)


def sachs() -> None:
    """11 proteins in 7466 cells, against the consensus network that ships with the table."""
    folder = next((PEERS / "lib").glob("python*/site-packages/cdt/data/resources"), None)
    if folder is None:
        print("cdt is not installed in out/peers: run a peer of graphs.py first.")
        return
    lines = (folder / "cyto_full_target.csv").read_text().replace('"', "").split()[1:]
    truth = {(a, b) for a, b in (line.split(",") for line in lines)}
    rows = np.loadtxt(folder / "cyto_full_data.csv", delimiter=",", skiprows=1)
    names = (folder / "cyto_full_data.csv").read_text().split("\n", 1)[0].replace('"', "").split(",")
    for scale, values in (("as they are", rows), ("logarithms", np.log(rows))):
        start = time.process_time()
        found = causewise.graph(dict(zip(names, values.T, strict=True)), engine=causewise.Engine(jobs=1))
        seconds = time.process_time() - start
        known = {(a, b) for a, b in truth if a in found.order and b in found.order}
        right = sum(found.order.index(a) < found.order.index(b) for a, b in known)
        edges = {(edge.parent, edge.child) for edge in found.edges}
        turned = len(edges & {(b, a) for a, b in known})
        print(f"{scale}: {right} of {len(known)} consensus edges agree with the order; {seconds:.1f} s")
        print(f"  {len(edges)} edges: {len(edges & known)} in the consensus, {turned} turned round; {found.order}")
        print(f"  {len(found.warnings)} warnings; left out: {dict(found.left_out)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("cost", "sachs"))
    {"cost": cost, "sachs": sachs}[parser.parse_args().study]()
