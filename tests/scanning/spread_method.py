"""A method of somebody's own, in a module that worker processes can import."""

import os

import numpy as np

from causewise.protocol import Directional


def spread_score(cause, effect):
    """The wider column is the cause."""
    return float(np.std(cause))


class PidMethod:
    """Nothing but a name and `decide_many`; the score's size is the process that gave it."""

    name = "pid"

    def decide_many(self, pairs):
        return Directional("pid", lambda cause, effect: float(os.getpid() * np.sign(np.std(cause) - 2))).decide_many(
            pairs
        )


def build_spread(factor: float = 1.0, seed: int = 0):
    return Directional(f"spread × {factor:g}, seed {seed}", spread_score, {"factor": factor}, seed)


spread = Directional("spread", spread_score)
