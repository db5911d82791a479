"""R's uniform random numbers: the Mersenne Twister with R's scrambling of the seed."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_UNIT = 2.3283064365386963e-10
"""R's 1/(2³² − 1) to the digits in its source."""


def uniforms(seed: int, count: int) -> FloatArray:
    """What `set.seed(seed); runif(count)` gives in R."""
    twister = np.random.MT19937(0)
    state = dict(twister.state)
    state["state"] = {"key": np.array(_scrambled(seed), dtype=np.uint32), "pos": 624}
    twister.state = state  # type: ignore[assignment]  # NumPy's stub wants its private TypedDict
    drawn = twister.random_raw(count).astype(np.float64) * _UNIT
    return np.clip(drawn, 0.5 * _UNIT, 1.0 - 0.5 * _UNIT)


def _scrambled(seed: int) -> list[int]:
    """R's initial scrambling: 50 steps of a linear congruence, one more for the position, then 624 for the key."""
    value = seed % 2**32
    key = []
    for step in range(50 + 625):
        value = (69069 * value + 1) % 2**32
        if step > 50:
            key.append(value)
    return key
