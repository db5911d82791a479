"""Run every compiled loop on awkward columns and print what came out, to the bit; the tests beside start it."""

import hashlib

import numpy as np

import causewise
from causewise.models.additive import fit_coefficients
from causewise.models.natural import Targets, climb, differentiate, stack_lines
from causewise.pair import Pair
from causewise.parallel import one_thread

LONG = 2600
"""Above this many rows the kernel's features are made in boxes; the long column takes that way."""


FEW_STEPS = {"gpi": {"max_iter": 3}, "anm-mm": {"max_iter": 3}, "cure": {"levels": 8, "max_iter": 3}}
"""Their descents are NumPy's; the loops they call are called in the first step."""


def columns():
    """Lengths that are no multiple of any vector, ties, an outlier, heavy tails."""
    rng = np.random.default_rng(0)
    for n in (12, 57, 203, LONG):
        x = rng.normal(size=n)
        yield x, np.sin(2 * x) + (0.1 + 0.3 * np.abs(x)) * rng.normal(size=n)
    x = rng.standard_t(2, size=131)
    yield np.round(x, 1), np.round(x**3 + rng.standard_t(2, size=131), 1)
    x = rng.uniform(size=77)
    yield np.append(x, 1e6), np.append(x * rng.uniform(size=77), -3e5)


def numbers(decision):
    """All that a decision has computed."""
    parts = [decision.score]
    for side in (decision.forward, decision.backward):
        parts += [side.score, side.hsic, side.log_p_value, side.log_likelihood, side.location, side.scale]
    return [np.asarray(part, np.float64) for part in parts if part is not None]


def methods():
    """Every method that trains no network, and a few steps of each kind of network in both precisions."""
    for entry in causewise.list_methods():
        if not entry.extra:
            yield entry.name, causewise.method(entry.name, **FEW_STEPS.get(entry.name, {}))
    for name in ("nn-loci-m", "nn-anm-m", "roche"):
        for precision in ("float64", "float32"):
            settings = {"steps": 4, "engine": "compiled", "device": "cpu", "precision": precision}
            yield f"{name} {precision}", causewise.method(name, **settings)


def climbs():
    """What natural parameters reach from some coefficients, and how steep it is there."""
    for x, y in columns():
        lines = stack_lines([np.stack([np.tanh(x), np.tanh(x) ** 2])])
        optimum = climb(lines, Targets.of(y), np.full(7, 0.1))
        yield from (
            optimum.vector,
            np.array(optimum.log_likelihood),
            *differentiate(lines, Targets.of(y), optimum.vector),
        )


def sums():
    """Coefficients of mean and log-variance."""
    for x, y in columns():
        lines = stack_lines([np.stack([np.tanh(x), np.tanh(x) ** 2, np.cos(x), np.sin(x)])])
        yield from fit_coefficients(lines, lines[:3].copy(), y / np.std(y), np.zeros(3))
        yield from fit_coefficients(lines[:2].copy(), lines[:1].copy(), y / np.std(y), np.zeros(1))


def main():
    """Print one line a method: its name and the digest of its numbers."""
    with one_thread():
        for name, method in methods():
            digest = hashlib.sha256()
            for x, y in columns():
                for part in numbers(method.decide_many([Pair.of(x, y)])[0]):
                    digest.update(part.tobytes())
            print(name, digest.hexdigest())
        for name, parts in (("natural parameters", climbs()), ("sums", sums())):
            print(name, hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())


if __name__ == "__main__":
    main()
