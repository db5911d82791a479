"""The generated world in three thirds that share no law, function or mechanism.

What has learnt from two thirds is judged on the last: a picture network of two thirds reads the pairs of the third when
the combination is fitted. So the combination learns how far the picture can be trusted on mechanisms that it has never
seen, which is what it will meet in use. Numbers are weights.
"""

from typing import NamedTuple


class Third(NamedTuple):
    """Names of ingredients and how often each is drawn."""

    laws: dict[str, float]
    functions: dict[str, float]
    mechanisms: dict[str, float]
    recipes: dict[str, float]
    """Published simulators, with their own constants."""
    published: float
    """Share of pairs that follow one of them."""
    hidden_step: float
    """Share of the other pairs whose effect comes about in two steps."""
    common_cause: float
    """Share of the other pairs with a hidden common cause beside the effect of one on the other."""


A = Third(
    laws={"density": 3, "gamma": 2, "mixture": 2, "laplace": 1, "normal": 2.5},
    functions={"process": 3, "line": 1, "log": 0.5, "hinge": 0.5},
    mechanisms={"additive": 2, "network": 1, "inside": 2},
    recipes={"SIM": 3, "SIMc": 3, "SIMln": 3, "SIMG": 3, "AN": 1, "ANs": 1, "Net": 2},
    published=0.35,
    hidden_step=0.2,
    common_cause=0.0,
)
B = Third(
    laws={"beta": 2, "arcsinh": 2, "student": 1, "uniform": 1.5, "lognormal": 1},
    functions={"increasing": 2, "sigmoid": 1, "power": 0.5, "square": 0.5},
    mechanisms={"scaled": 3, "multiplied": 1, "outer": 1},
    recipes={"LS": 1, "LSs": 1, "MNU": 1, "Multi": 2},
    published=0.2,
    hidden_step=0.0,
    common_cause=0.2,
)
C = Third(
    laws={"weibull": 1, "logistic": 1, "gumbel": 1, "triangular": 1, "censored": 1, "wave": 1, "binomial": 1},
    functions={"sine": 1, "saturation": 1, "steps": 1, "cubic": 1},
    mechanisms={
        "counts": 1,
        "waiting": 1,
        "growth": 1,
        "equilibrium": 1,
        "regimes": 1,
        "ratio": 1,
        "moved_quantiles": 1,
        "ceiling": 1,
    },
    recipes={},
    published=0.0,
    hidden_step=0.0,
    common_cause=0.0,
)
THIRDS: dict[str, Third] = {"A": A, "B": B, "C": C}


def families(third: Third) -> dict[str, float]:
    """Every family of a third with its probability: mechanisms, what hides beside them, published recipes."""
    own = {name: weight * (1 - third.hidden_step - third.common_cause) for name, weight in third.mechanisms.items()}
    total = sum(third.mechanisms.values())
    own |= {"hidden_step": third.hidden_step * total, "common_cause": third.common_cause * total}
    shares = {name: (1 - third.published) * weight / total for name, weight in own.items() if weight}
    recipes = sum(third.recipes.values())
    return shares | {name: third.published * weight / recipes for name, weight in third.recipes.items()}
