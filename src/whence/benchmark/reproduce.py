"""All of the paper that is present: the sets found × the methods that can be built, into one folder."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.benchmark import leaderboard, paper, tables
from whence.benchmark.contest import RESOLVER, enter
from whence.benchmark.export import export
from whence.benchmark.figures import gallery
from whence.benchmark.figures.style import FORMATS
from whence.benchmark.metrics import METRICS
from whence.benchmark.process import Task
from whence.benchmark.row import Row
from whence.benchmark.runner import Plan
from whence.benchmark.summary import summarise
from whence.decision import Decision
from whence.pair import InputError


@dataclass(frozen=True)
class Available:
    """Names that can be used, and why the others cannot."""

    names: tuple[str, ...]
    missing: tuple[str, ...]


def available_methods(names: Iterable[str] | None = None, resolver: str = RESOLVER) -> Available:
    """Of the paper's methods (or those named), those that can be built, in their published form if they have one."""
    found, missing = [], []
    for name in names or paper.methods():
        for spec in (f"{name}:published=true", name):
            try:
                enter(spec, 0, resolver)
            except (InputError, ImportError, AttributeError) as problem:
                reason = str(problem)
                continue
            found.append(spec)
            break
        else:
            missing.append(f"{name} is left out: {reason}")
    return Available(tuple(found), tuple(missing))


def sample(plan: Plan, known: Mapping[str, float], jobs: int) -> Plan:
    """The first few pairs, or one batch, of every method whose cost is not known; their rows are kept like all others.

    Each worker's first pair pays for compiling, so there are enough for the median to be a later one.
    """
    enough = 2 * jobs + 1
    taken: Counter[str] = Counter()
    tasks = []
    for task in plan.tasks:
        method = task.contender.method
        for batch in task.batches:
            if method not in known and taken[method] < enough:
                taken[method] += len(batch)
                tasks.append(Task(task.contender, (batch,)))
    return replace(plan, tasks=tuple(tasks))


def write(
    rows: Sequence[Row], folder: Path, decisions: Mapping[str, Decision], formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Tables, figures, the page and the rows themselves, from what is stored."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"rows.csv": export(rows), "cost.md": tables.cost(summarise(rows, intervals=False))}
    for metric in METRICS:
        summary = summarise(rows, metric)
        look = tables.Look(intervals=True, paper=metric in ("accuracy", "audrc"))
        endings = {"md": "md", "csv": "csv", "latex": "tex", "json": "json"}
        texts |= {f"{metric}.{ending}": tables.render(summary, form, look) for form, ending in endings.items()}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    leaderboard.write(rows, folder / "leaderboard.html")
    drawn = gallery.draw(rows, folder, decisions, formats)
    return [*(folder / name for name in texts), folder / "leaderboard.html", *drawn]
