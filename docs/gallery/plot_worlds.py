"""
Seven worlds, eight methods
===========================

Every method is right where its assumption holds. Here are seven ways in which two columns can come about, each in
standard units, and who recognises the direction.
"""

import matplotlib.pyplot as plt
import numpy as np

import causewise


def additive(rng, n):
    cause = rng.uniform(-2, 2, n)
    return cause, np.sin(1.5 * cause) + cause / 2 + 0.3 * rng.normal(size=n)


def growing_noise(rng, n):
    cause = rng.normal(size=n)
    return cause, np.tanh(2 * cause) + (0.1 + 0.3 * np.abs(cause)) * rng.normal(size=n)


def skewed_cause(rng, n):
    cause = rng.exponential(size=n)
    return cause, np.log(0.3 + cause) + 0.4 * rng.normal(size=n)


def straight_line(rng, n):
    cause = rng.laplace(size=n)
    return cause, cause + rng.uniform(-2, 2, n)


def bent_sensor(rng, n):
    cause = rng.normal(size=n)
    return cause, np.exp(0.8 * (np.tanh(cause) + 0.3 * rng.normal(size=n)))


def little_noise(rng, n):
    cause = rng.uniform(size=n)
    return cause, cause**3 + 0.005 * rng.normal(size=n)


def hidden_cause(rng, n):
    hidden = rng.normal(size=n)
    return np.tanh(hidden) + 0.3 * rng.normal(size=n), hidden**2 / 2 + hidden + 0.5 * rng.normal(size=n)


WORLDS = {
    "additive noise": additive,
    "growing noise": growing_noise,
    "skewed cause": skewed_cause,
    "straight line": straight_line,
    "bent sensor": bent_sensor,
    "little noise": little_noise,
    "hidden cause": hidden_cause,
}
METHODS = ("causewise", "mdl", "loci-h", "loci-m", "anm-h", "lingam", "pnl", "igci")

figure, panels = plt.subplots(2, 4, figsize=(11, 5), layout="constrained")
for panel, (name, world) in zip(panels.flat, WORLDS.items(), strict=False):
    panel.plot(*world(np.random.default_rng(0), 300), ".", alpha=0.5)
    panel.set(title=name, xticks=[], yticks=[])
panels.flat[-1].axis("off")

# %%
# Forty pairs of 300 rows each. The order of columns is tossed, so that “always the first” scores a half.

PAIRS, ROWS = 40, 300


def right_share(method, world):
    """Percent of pairs on which the score leans rightly, and on which an answer is given."""
    pairs, truths = [], []
    for number in range(PAIRS):
        rng = np.random.default_rng(number)
        pair = causewise.Pair.of(*world(rng, ROWS))
        truths.append(rng.choice([-1, 1]))
        pairs.append(pair if truths[-1] > 0 else pair.swap())
    decisions = causewise.method(method).decide_many(pairs)
    leans = [decision.score * truth > 0 for decision, truth in zip(decisions, truths, strict=True)]
    return 100 * np.mean(leans), 100 * np.mean([decision.status == "oriented" for decision in decisions])


found = np.array([[right_share(method, world) for method in METHODS] for world in WORLDS.values()])
shown = np.vstack([found[:-1, :, 0], found[-1:, :, 1]])

figure, panel = plt.subplots(figsize=(9, 5), layout="constrained")
panel.imshow(np.vstack([shown[:-1], 100 - shown[-1:]]), cmap="PiYG", vmin=-60, vmax=160, aspect="auto")
for (row, column), percent in np.ndenumerate(shown):
    panel.text(column, row, f"{percent:.0f}", ha="center", va="center")
names = [*list(WORLDS)[:-1], "hidden cause: answered"]
panel.set(xticks=range(len(METHODS)), xticklabels=METHODS, yticks=range(len(names)), yticklabels=names)
panel.set_title("leans the right way, in percent (green is good)")
panel.xaxis.tick_top()

# %%
# No method is right everywhere. The default is wrong more often than right where the cause is skewed; but it says
# *undecided* there, and it is the only one that can. How much it answers in each world, and how it leans:

for name, (leans, answers) in zip(list(WORLDS)[:-1], found[:-1, 0], strict=True):
    print(f"{name}: leans rightly in {leans:.0f} %, answers {answers:.0f} %")
