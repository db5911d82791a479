"""How fast networks train, against the floor of the machine.

    python benchmarks/network.py cpu                 fits of n = 1000 in a batch of 16: compiled loops beside plain JAX
    python benchmarks/network.py gpu                 ceilings of the card, plain JAX, the fused kernel, agreement
    python benchmarks/network.py shapes              the fused kernel cut in other ways
    python benchmarks/network.py paper --out FILE    ten data sets, four methods, both directions: accuracy and time

`gpu` needs a GPU; `paper` needs the data sets (CAUSEWISE_DATA). Times are wall clock; compilation is told apart.
"""

import argparse
import csv
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from causewise.models.network.fitting import train
from causewise.models.network.heads import ADDITIVE, LOCATION_SCALE, Head
from causewise.models.network.training import Problem, Training, canonicalise, problem

SETS = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")
METHODS = ("nn-loci-m", "nn-loci-h", "nn-anm-m", "nn-anm-h")


def problems(fits: int, n: int, head: Head = LOCATION_SCALE, hidden: int = 100) -> list[Problem]:
    """Fits of random location-scale data."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(fits):
        x = rng.normal(size=n)
        y = np.sin(rng.uniform(0.5, 3) * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n)
        made.append(problem(canonicalise(x, y), head, hidden, seed=0))
    return made


def flops(fits: int, n: int, steps: int, outputs: int = 2, hidden: int = 100) -> float:
    """Operations of forward, backward and tanh (counted as five); Adam and the head are a hundredth of it."""
    return float(fits) * n * hidden * steps * (2 * (3 + 3 * outputs) + 2 + 5)


def traffic(fits: int, n: int, steps: int, itemsize: int, hidden: int = 100) -> float:
    """Bytes that unfused code must move at least: activations written, and read again twice."""
    return 3.0 * fits * n * hidden * steps * itemsize


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of wall clock, and the result."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def report(label: str, seconds: float, first: float, fits: int, n: int, steps: int, itemsize: int) -> None:
    """One line of the table; `first` is what the first call or the compilation took."""
    rate = flops(fits, n, steps) / seconds
    moved = traffic(fits, n, steps, itemsize) / seconds
    print(
        f"{label:<34}{seconds:8.2f} s {fits / seconds:9.1f} fits/s {rate / 1e12:8.2f} TFLOP/s "
        f"{moved / 1e12:7.2f} TB/s if unfused   first {first:6.1f} s",
        flush=True,
    )


def cpu(fits: int, steps: int) -> None:
    """Compiled loops beside plain JAX, float32 and float64; times are scaled to 5000 steps."""
    batch = problems(fits, 1000)
    for precision in ("float32", "float64"):
        for engine in ("compiled", "xla"):
            training = Training(steps=steps, precision=precision, device="cpu", engine=engine)
            train(batch, LOCATION_SCALE, training)
            own = time.process_time()
            seconds, _ = timed(lambda training=training: train(batch, LOCATION_SCALE, training))
            own = time.process_time() - own
            scale = 5000 / steps / fits
            print(
                f"{engine:<10}{precision}: {seconds * scale:6.2f} s a fit of 5000 steps "
                f"({own * scale:5.2f} core-seconds), batch of {fits}",
                flush=True,
            )


def ceilings() -> None:
    """What the card reaches: copying, multiply-adds in registers, and exponentials (two of which make a tanh cost)."""
    import jax
    import jax.numpy as jnp

    x = jnp.ones((1 << 28,), jnp.float32)
    copy = jax.jit(lambda a: a + 1.0)
    copy(x).block_until_ready()
    seconds, _ = timed(lambda: [copy(x) for _ in range(20)][-1].block_until_ready())
    print(f"ceiling: copy {20 * 2 * x.nbytes / seconds / 1e12:.2f} TB/s")
    for precision in ("float32", "float64"):
        adds = in_registers(precision, lambda a: a * 1.0001 + 0.5)
        powers = in_registers(precision, lambda a: jnp.exp2(a * -0.5))
        print(
            f"ceiling: {precision} multiply-add {2 * adds / 1e12:.1f} TFLOP/s, exponential {powers / 1e12:.2f} · 10¹²/s"
        )


def in_registers(
    precision: str, operation: Callable[[Any], Any], programs: int = 1 << 14, turns: int = 2048, interpret: bool = False
) -> float:
    """How many times a second an operation is done on numbers that stay in registers."""
    import jax
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    from causewise.models.network.jax_runtime import precision_scope

    lanes, chains = 256, 4

    def kernel(source: Any, target: Any) -> None:
        start = tuple(source[...] + i for i in range(chains))
        end = jax.lax.fori_loop(0, turns, lambda _, held: tuple(operation(a) for a in held), start)
        target[...] = sum(end)

    with precision_scope(precision):
        tile = pl.BlockSpec((lanes,), lambda i: (i,))
        column = jax.numpy.zeros(programs * lanes, precision)
        call = pl.pallas_call(
            kernel,
            grid=(programs,),
            in_specs=[tile],
            out_specs=tile,
            out_shape=jax.ShapeDtypeStruct(column.shape, column.dtype),
            compiler_params=triton.CompilerParams(num_warps=2),
            interpret=interpret,
        )
        run = jax.jit(call)
        run(column).block_until_ready()
        seconds, _ = timed(lambda: run(column).block_until_ready())
    return programs * lanes * chains * turns / seconds


def gpu(fits: int, steps: int) -> None:
    """Plain JAX and the fused kernel on the card, and how far they are from the CPU."""
    ceilings()
    batch = problems(fits, 1000)
    for precision, engine, count in (
        ("float32", "xla", fits),
        ("float32", "fused", fits),
        ("float64", "xla", fits // 10),
        ("float64", "fused", fits // 10),
        ("float64", "fused", fits),
    ):
        training = Training(steps=steps, precision=precision, device="gpu", engine=engine, memory=64 << 30)
        first, _ = timed(lambda t=training, c=count: train(batch[:c], LOCATION_SCALE, t))
        seconds, _ = timed(lambda t=training, c=count: train(batch[:c], LOCATION_SCALE, t))
        report(f"{engine} {precision}, {count} fits", seconds, first, count, 1000, steps, np.dtype(precision).itemsize)
    agreement(steps)
    independence(steps)


def independence(steps: int) -> None:
    """Largest difference in log-likelihood between a fit on its own and the same fit among others, float64."""
    for engine, n in (("fused", 1000), ("xla", 700), ("xla", 5000)):
        batch = problems(1, n) + problems(6, n - 50)[1:] + problems(16, n // 2)[7:]
        training = Training(steps=steps, device="gpu", engine=engine)
        together = train(batch, LOCATION_SCALE, training)
        alone = {i: train([batch[i]], LOCATION_SCALE, training)[0] for i in (0, len(batch) - 1)}
        gaps = [abs(one.loss - together[i].loss) for i, one in alone.items()]
        print(f"alone against among {len(batch)}, {engine}, n = {n}: largest gap {max(gaps):.2e}", flush=True)


def agreement(steps: int) -> None:
    """Largest difference in log-likelihood between CPU and GPU, float64."""
    for head in (LOCATION_SCALE, ADDITIVE):
        batch = [problems(1, n, head)[0] for n in (94, 349, 1000, 1500)] + problems(4, 700, head)
        host = train(batch, head, Training(steps=steps, device="cpu"))
        for engine in ("fused", "xla"):
            card = train(batch, head, Training(steps=steps, device="gpu", engine=engine))
            gaps = [abs(a.loss - b.loss) for a, b in zip(host, card, strict=True)]
            print(f"CPU against GPU, {head.name}, {engine}, {steps} steps: largest gap {max(gaps):.2e}", flush=True)


CUTS = ((128, 2, 1), (128, 4, 1), (128, 8, 1), (128, 8, 2), (128, 16, 2), (32, 4, 1), (16, 2, 1), (8, 4, 1), (8, 8, 2))
"""Hidden units a chunk, rows a block, warps a fit."""


def shapes(fits: int, steps: int) -> None:
    """The fused kernel cut in other ways; times are scaled to 5000 steps and leave out compilation."""
    import jax

    from causewise.models.network.jax_engines import KernelShape, fused_engine, launch

    batch = problems(fits, 1000)
    group = launch([1000] * fits)
    everyone = np.ones(fits, dtype=bool)
    for precision in ("float32", "float64"):
        training = Training(precision=precision, device="gpu")
        for cut in CUTS:
            try:
                compiling, engine = timed(
                    partial(fused_engine, batch, group, LOCATION_SCALE, training, KernelShape(*cut))
                )
                engine.advance(0, 10, everyone)
                jax.block_until_ready(engine._state)
                seconds, _ = timed(lambda e=engine: [e.advance(10, 10 + steps, everyone), e.best()])
            except Exception as problem:
                print(precision, cut, "failed:", str(problem)[:200], flush=True)
                continue
            itemsize = np.dtype(precision).itemsize
            report(f"{precision} {cut}", seconds * 5000 / steps, compiling, fits, 1000, 5000, itemsize)


def paper(out: str, sets: list[str], methods: list[str], settings: dict[str, Any]) -> None:
    """Accuracy and AUDRC on data sets; every pair's scores go to `out`."""
    from causewise.catalogue import method
    from causewise.lab.benchmark.metrics import PairScores, accuracy, audrc
    from causewise.lab.datasets import load

    start = time.perf_counter()
    labelled = [(name, each) for name in sets for each in load(name).pairs]
    pairs = [each.pair for _, each in labelled]
    print(f"{len(pairs)} pairs read in {time.perf_counter() - start:.1f} s", flush=True)
    rows = []
    for spec in methods:
        begin = time.perf_counter()
        decisions = method(spec, **settings).decide_many(pairs)
        print(f"{spec}: {time.perf_counter() - begin:.1f} s, accuracy / AUDRC")
        for name in sets:
            mine = [(each, d) for (own, each), d in zip(labelled, decisions, strict=True) if own == name]
            scored = PairScores.of([d.score for _, d in mine], [e.truth for e, _ in mine], [e.weight for e, _ in mine])
            print(f"    {name:<6}{100 * accuracy(scored):6.1f} / {100 * audrc(scored):5.1f}", flush=True)
        rows += [
            (
                name,
                each.pair_id,
                spec,
                each.truth,
                each.weight,
                d.score,
                d.forward.log_likelihood,
                d.backward.log_likelihood,
            )
            for (name, each), d in zip(labelled, decisions, strict=True)
        ]
    with Path(out).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "pair_id", "method", "truth", "weight", "score", "forward", "backward"])
        writer.writerows(rows)
    print(f"{len(rows)} decisions in {time.perf_counter() - start:.1f} s, compilation and reading included")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cpu", "gpu", "shapes", "paper"])
    parser.add_argument("--fits", type=int)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--set", action="append", default=[], help="a setting of the methods, key=value")
    parser.add_argument("--out", default=os.devnull)
    given = parser.parse_args()
    if given.what == "cpu":
        cpu(given.fits or 16, given.steps or 500)
    elif given.what == "gpu":
        gpu(given.fits or 2000, given.steps or 5000)
    elif given.what == "shapes":
        shapes(given.fits or 2000, given.steps or 200)
    else:
        settings = dict(setting.split("=", 1) for setting in given.set)
        numbers = {key: int(value) if value.isdigit() else value for key, value in settings.items()}
        paper(given.out, given.sets.split(","), given.methods.split(","), numbers)


if __name__ == "__main__":
    main()
