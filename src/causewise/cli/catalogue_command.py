"""`causewise methods`: every method in one line each; `causewise methods NAME` tells the rest of one."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from causewise.catalogue import Cost, Entry

_FAMILIES = {
    "default": "Several kinds of evidence, added up",
    "loci": "Effect = f(cause) + g(cause)·noise; -h compares independence, -m likelihood",
    "baseline": "Other published methods",
    "control": "Controls, which look at each column alone",
}
_NAME_WIDTH, _PHRASE_WIDTH, _COST_WIDTH = 19, 51, 9


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One method, with its settings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the catalogue, or its one method, as JSON.")] = False,
) -> None:
    """Every method in one line; with a NAME, what it assumes, when it fails, its settings, cost and papers."""
    if as_json:
        from causewise.cli.streams import as_text, put_lines

        put_lines(as_text(_record(name) if name else _records()))
    elif name:
        _show_one(name)
    else:
        _show_all()


def _records() -> list[dict[str, Any]]:
    from causewise.catalogue import CATALOGUE, cost

    priced = [(entry, cost(entry.name)) for entry in CATALOGUE]
    return [asdict(entry) | {"cost": asdict(price) if price else None} for entry, price in priced]


def _record(name: str) -> dict[str, Any]:
    from causewise.catalogue import defaults, entry
    from causewise.report.provenance import references

    known = entry(name).name
    record = next(record for record in _records() if record["name"] == known)
    return record | {"settings": defaults(known), "references": list(references(known))}


def _show_one(name: str) -> None:
    from causewise.catalogue import defaults, entry
    from causewise.cli.streams import paragraph, terminal
    from causewise.report.provenance import references

    console, found = terminal(), entry(name)
    console.print(found.name, style="bold")
    paragraph(console, f"Assumes: {found.assumes}.")
    paragraph(console, f"Fails on: {found.fails}.")
    settings = [f"{key}={'all' if key == 'rows' and value is None else value}" for key, value in defaults(name).items()]
    paragraph(console, f"Settings: {', '.join(settings) or 'none'}.")
    paragraph(console, _cost_sentence(name))
    sampled = f"; {name}:rows=2000 decides by 2,000 rows, drawn with the seed" if "rows" in defaults(name) else ""
    paragraph(console, f"Growth with the n rows: time {found.time}, memory {found.memory}{sampled}.")
    for reference in references(name):
        paragraph(console, f"Paper: {reference}.")
    if found.extra:
        paragraph(console, f'Needs: pip install ".[{found.extra}]"')


def _cost_sentence(name: str) -> str:
    from causewise.catalogue import UNIT, cost

    price = cost(name)
    if price is None:
        return "Cost: not measured."
    cores = f"Cost: {_duration(price.seconds)} on 1000 rows and one core"
    return f"{cores}, {_ratio(price.relative)} times a decision of {UNIT}."


def _show_all() -> None:
    from causewise.catalogue import CATALOGUE, DEFAULT
    from causewise.cli.streams import paragraph, terminal

    console = terminal()
    for family, title in _FAMILIES.items():
        paragraph(console, title, style="bold")
        for entry in CATALOGUE:
            if entry.family == family:
                _show_line(console, entry)
        console.print()
    paragraph(console, f"Cost: one decision on 1000 rows, one core of one machine, no GPU. {_growth()}", style="dim")
    if any(entry.extra for entry in CATALOGUE):
        paragraph(console, '* needs: pip install ".[nn]"', style="dim")
    paragraph(console, f"Default: {DEFAULT}. More: causewise methods NAME. Use: causewise infer FILE --method NAME")


def _growth() -> str:
    """How time and memory grow, of all methods together."""
    from causewise.catalogue import CATALOGUE, LAWS, LINEAR

    near = [entry for entry in CATALOGUE if {entry.time, entry.memory} <= set(LINEAR)]
    time, memory = (max(laws, key=list(LAWS).index) for laws in zip(*((e.time, e.memory) for e in near), strict=True))
    others = [f"{e.name} ({e.time}, {e.memory})" for e in CATALOGUE if e not in near]
    but = f", but for {', '.join(others)}" if others else ""
    return f"With n rows it grows like {time} at most, and memory like {memory}{but}."


def _show_line(console: "Console", entry: "Entry") -> None:
    from causewise.catalogue import cost
    from causewise.cli.streams import paragraph

    name, price = f"  {entry.name}{' *' if entry.extra else ''}", _price(cost(entry.name))
    phrase = entry.brief
    if console.width > _NAME_WIDTH + _PHRASE_WIDTH + _COST_WIDTH:
        console.print(f"{name:<{_NAME_WIDTH}}{phrase:<{_PHRASE_WIDTH}}{price:>{_COST_WIDTH}}", soft_wrap=True)
    else:
        console.print(f"{name}  {price}", soft_wrap=True)
        paragraph(console, phrase, bullet="    ")


def _price(price: "Cost | None") -> str:
    return _duration(price.seconds) if price else "unknown"


def _duration(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.{_digits(1e3 * seconds)}f} ms"


def _ratio(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):.{_digits(ratio)}f}"


def _digits(value: float) -> int:
    """Decimals that show two digits of a number."""
    return 0 if value >= 10 else 1 if value >= 1 else 2 if value >= 0.1 else 3
