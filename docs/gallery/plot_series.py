"""
Share prices: rows that remember
================================

The daily price of one share (inside matplotlib), and a random walk that has nothing to do with it.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cbook

import causewise

prices = cbook.get_sample_data("goog.npz")["price_data"]["adj_close"].astype(float)
walk = np.cumsum(np.random.default_rng(1).normal(size=len(prices)))

figure, panels = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
panels[0].plot(prices / prices.std(), label="share")
panels[0].plot(walk / walk.std(), label="random walk")
panels[0].set(xlabel="day", ylabel="price, in its own units")
panels[0].legend()
panels[1].plot(walk, prices, ".", alpha=0.4)
panels[1].set(xlabel="random walk", ylabel="share")

# %%
# The right panel looks like a relation. It is not: both columns drift, and any two drifting columns draw such a figure.
# In their order, the rows are recognised as a series and count for few:

decision = causewise.infer({"walk": walk, "share": prices}, "walk", "share")
print(decision)
print(f"weight {decision.weight:.2f}, of which rows {decision.weight_parts['rows']:.2f}")
for warning in decision.warnings:
    print("-", warning)

# %%
# Shuffle the rows, and that protection is gone: nothing in them says that they were a series.

mixed = np.random.default_rng(0).permutation(len(prices))
shuffled = causewise.infer({"walk": walk[mixed], "share": prices[mixed]}, "walk", "share")
print(shuffled)
print(f"weight {shuffled.weight:.2f}, of which rows {shuffled.weight_parts['rows']:.2f}")

# %%
# Look at changes from day to day instead of levels, and the two are what they are:

changes = {"walk": np.diff(walk), "share": np.diff(np.log(prices))}
print(causewise.infer(changes, "walk", "share"))
