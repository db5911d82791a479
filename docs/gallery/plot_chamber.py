"""
A light tunnel: a machine whose graph is known
==============================================

The light tunnel of the causal chambers (Gamella, Peters and Bühlmann 2025) is a box with coloured lamps, polarisers and
sensors. A computer sets the lamps at random and reads the sensors, so that 39 edges are known by design, and all other
pairs are known not to be one: two sensors under the same lamp are related, and neither causes the other.

Its rows are not ours to ship. What causewise says of 1000 of them was kept by ``python
docs/benchmarks/chamber_rows.py``, and is read here, in a checkout.
"""

import sys

import matplotlib.pyplot as plt

sys.path.insert(0, "../benchmarks")
from chamber_rows import LOOKS, count, draw, kept

rows = kept()
edges = [row for row in rows if row["design"] in ("->", "<-")]
sensors = [row for row in rows if row["design"] == "<->"]
print(f"{len(rows)} pairs: {len(edges)} edges, {len(sensors)} pairs of sensors with a common cause")

# %%
# Pairs first, each by its two columns alone, with nothing given. Sensors under the same light are what a method for two
# columns is most easily misled by:

for kind, said in count(rows, "status").items():
    print(f"{kind}: {said}")

# %%
# All answers on edges are right. Of the sensors with a common cause one pair is answered, wrongly, at 80 %. And of the
# pairs that nothing joins none is called related.
#
# Then the graph of all 20 columns, again with nothing given, and with what is set given as first:

for column in ("graph", "given"):
    for kind, said in count(rows, column).items():
        print(f"{column}, {kind}: {said}")

# %%
# Of the sensors that see the same light, infrared and visible at one place, two pairs are marked with a common cause,
# as it is. The machine, and both answers: the three wrong arrows of the graph run between the two sensors at the third
# place, behind the polarisers, between two that see infrared light, and from the angle of a polariser as it is measured
# to a sensor.

figure, panels = plt.subplots(1, 3, figsize=(11, 4.8), layout="constrained")
titles = {"design": "by design", "status": "what a scan says of the pairs", "graph": "the graph, with nothing given"}
for panel, (column, title) in zip(panels, titles.items(), strict=True):
    draw(panel, rows, column)
    panel.set_title(title, fontsize=10)
lines = [plt.Line2D([], [], **look) for look in LOOKS.values()]
labels = ["right", "wrong", "related, no direction", "an edge that is not seen"]
key = figure.legend(lines, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)

# %%
# What is not seen: the small lamps at the sensors (``l_11`` to ``l_32``), whose light is faint beside the others, and
# the polarisers, which act by the angle between them. What effects the graph predicts, and how far they are from rows
# in which something was set otherwise: :doc:`/effect`.
