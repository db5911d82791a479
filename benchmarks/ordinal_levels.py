"""How far `ordinal` can be trusted: pairs with a column of few levels, by what the levels are, their number, the rows.

    python benchmarks/ordinal_levels.py [--pairs 40] [--seed 21] [--acting] [--families]

2, 3, 4 and 7 levels at random quantiles, 300 and 1000 rows. With --families a line for each of the families of
`training/held_out.py`, whose columns were cut. Right is a count of the answers at the level that the method has by
itself, which was fixed before any of these lines was seen; the first column is always the cause.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import causewise
from causewise.decision import Decision
from causewise.errors import InputError
from causewise.lab.datasets.laws import NOISE_LAWS, NOISE_SD, Columns, draw_any, location_scale
from causewise.lab.datasets.simulators import BASE, WHERE, damage_columns
from causewise.pair import Pair
from column_types import acting, levelled
from training.held_out import FAMILIES

Random = np.random.Generator
Law = Callable[[Random, int, int], Columns]
LEVELS, ROWS = (2, 3, 4, 7), (300, 1000)


def acting_on_levels(rng: Random, levels: int, n: int) -> Columns:
    """Levels that act themselves, on an effect that is cut."""
    cause, effect = acting(levels, rng, n)
    return cause, levelled(levels, rng, effect)


def cut(draw: Callable[[Random, int], Columns], where: str, rng: Random, levels: int, n: int) -> Columns:
    """A continuous pair, of which cause, effect or both are recorded in levels."""
    return damage_columns(partial(levelled, levels), where, rng, *draw(rng, n))


def held_out(rng: Random, n: int) -> Columns:
    """A pair of any of the families."""
    return list(FAMILIES.values())[rng.integers(len(FAMILIES))](rng, n)


def common(rng: Random, n: int) -> Columns:
    """A hidden common cause and no direction."""
    hidden = rng.normal(size=n)
    x, y = (location_scale(rng, hidden, draw_any(NOISE_LAWS, rng, n), NOISE_SD) for _ in range(2))
    return x, y


LAWS: dict[str, Law] = {
    "levels act, on a continuous effect": lambda rng, levels, n: acting(levels, rng, n),
    "levels act, on levels": acting_on_levels,
    **{f"location-scale, {where} cut": partial(cut, BASE, where) for where in WHERE},
    **{f"held-out simulators, {where} cut": partial(cut, held_out, where) for where in WHERE},
    **{
        f"common cause, {'one' if where == 'cause' else where} cut": partial(cut, common, where) for where in WHERE[::2]
    },
}


def drawn(law: Law, levels: int, n: int, pairs: int, seed: int = 20) -> Iterator[Pair]:
    """Pairs of a law; those that are none are passed over."""
    for k in range(pairs):
        rng = np.random.default_rng(np.random.SeedSequence([k, levels, n, seed]))
        try:
            yield Pair.of(*law(rng, levels, n))
        except InputError:
            continue


def told(decisions: list[Decision]) -> str:
    """Share answered, and how many of these forward."""
    answers = [each.direction.value for each in decisions if each.direction.value != "undecided"]
    right = f"{answers.count('x->y')}/{len(answers)}"
    return f"{100 * len(answers) / max(1, len(decisions)):3.0f} % {right:>8}"


def said(decision: Decision) -> str:
    """The kind of an answer: what is said to cause what."""
    few = [len(np.unique(column)) <= 12 for column in (decision.pair.x, decision.pair.y)]
    kinds = ["levels" if each else "continuous" for each in few]
    return " → ".join(kinds if decision.direction.value == "x->y" else kinds[::-1])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=21, help="20 are the pairs that were looked at along the way")
    parser.add_argument("--only", default="")
    parser.add_argument("--acting", action="store_true", help="rule out that levels are cut from a continuous cause")
    parser.add_argument("--families", action="store_true")
    given = parser.parse_args()
    method = causewise.method("ordinal", acting=given.acting)
    laws = LAWS
    if given.families:
        laws = {f"{name}, {where}": partial(cut, FAMILIES[name], where) for name in FAMILIES for where in WHERE}
    by_kind, by_size = defaultdict[tuple[str, str], list[Decision]](list), defaultdict[int, list[Decision]](list)
    print(f"{'law':<40}" + "".join(f"{f'{k} levels, {n}':>16}" for n in ROWS for k in LEVELS) + f"{'all':>16}")
    for law in (law for law in laws if given.only in law):
        cells, everything = list[str](), list[Decision]()
        for n in ROWS:
            for levels in LEVELS:
                found = method.decide_many(list(drawn(laws[law], levels, n, given.pairs, given.seed)))
                cells.append(told(found))
                everything += found
        for each in everything:
            if each.direction.value != "undecided":
                by_kind[law.split(",")[0], said(each)].append(each)
                if "common" not in law:
                    by_size[min(int(abs(each.score)) // 2, 4)].append(each)
        print(f"{law:<40}" + "".join(f"{cell:>16}" for cell in (*cells, told(everything))), flush=True)
    print("\nright, by what is said")
    for (law, kind), found in by_kind.items():
        print(f"{law:<28}{kind:<28}{told(found)}")
    print("\nright, by the score in standard errors (without the common causes)")
    for size in sorted(by_size):
        print(f"{f'{2 * size} to {2 * size + 2}' if size < 4 else '8 and more':<28}{told(by_size[size])}")


if __name__ == "__main__":
    main()
