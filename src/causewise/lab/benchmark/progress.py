"""How far a run is, and how long it will still take: a bar on a terminal, plain lines elsewhere."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from causewise.catalogue import cost
from causewise.lab.benchmark.store import Row, Status

if TYPE_CHECKING:
    from rich.console import Console

LINE_SECONDS = 10.0
"""Where there is no terminal, one line at most so often."""


@dataclass
class Forecast:
    """Forecasts from the seconds each method took so far, or else from its measured cost (`causewise.catalogue`)."""

    todo: Counter[str]
    jobs: int = 1
    known: Mapping[str, float] = field(default_factory=dict)
    """Seconds per pair of a method, from earlier runs."""
    done: Counter[str] = field(default_factory=Counter)
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def learn(self, rows: Sequence[Row]) -> None:
        """Some rows were made."""
        for row in rows:
            self.done[row.method] += 1
            # The first pair of a method in each worker pays for compiling.
            if self.done[row.method] > self.jobs:
                self.spent[row.method] += row.seconds

    def words(self) -> str | None:
        """`about 9 s`, `at least 9 s` where what some of the work costs is not known, None where nothing is."""
        left = {method: count - self.done[method] for method, count in self.todo.items() if count > self.done[method]}
        pace = self._pace()
        costs = {method: self._seconds(method, pace) for method in left}
        known = {method: seconds for method, seconds in costs.items() if seconds is not None}
        if left and not known:
            return None
        work = sum(left[method] * seconds for method, seconds in known.items()) / self.jobs
        return f"{'at least' if len(known) < len(left) else 'about'} {duration(work)}"

    def _seconds(self, method: str, pace: float) -> float | None:
        """Of a pair, on this machine: as timed, else as measured elsewhere."""
        timed, measured = self._timed(method), _measured(method)
        return pace * measured if timed is None and measured is not None else timed

    def _pace(self) -> float:
        """Seconds here for one on the machine of the measured costs, over the methods that were timed here as well."""
        both = [(self._timed(method), _measured(method)) for method in self.todo]
        timed = [(here, there) for here, there in both if here is not None and there is not None]
        return sum(here for here, _ in timed) / sum(there for _, there in timed) if timed else 1.0

    def _timed(self, method: str) -> float | None:
        if self.done[method] > self.jobs:
            return self.spent[method] / (self.done[method] - self.jobs)
        return self.known.get(method)


def _measured(method: str) -> float | None:
    found = cost(method.split(":")[0])
    return None if found is None else found.seconds


class Progress:
    """Counts rows and shows them; `show` is a context that hands out the listener for the runner."""

    def __init__(self, console: "Console", forecast: Forecast) -> None:
        self._console, self._forecast = console, forecast
        self._total = sum(forecast.todo.values())
        self._made = self._broken = 0
        self._last_line = time.monotonic()

    @contextmanager
    def show(self) -> Iterator["Progress"]:
        """A bar while the run lasts, or lines."""
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        if not self._console.is_terminal:
            self._bar = None
            yield self
            return
        columns = (TextColumn("{task.completed}/{task.total} pairs"), BarColumn(), TextColumn("{task.description}"))
        with Bar(*columns, console=self._console, transient=True) as bar:
            self._bar = (bar, bar.add_task(self._words(), total=self._total))
            yield self

    def __call__(self, rows: Sequence[Row]) -> None:
        """Count the rows of a commit."""
        self._forecast.learn(rows)
        self._made += len(rows)
        self._broken += sum(Status(row.status).broken for row in rows)
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=self._made, description=self._words())
        elif time.monotonic() - self._last_line > LINE_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{self._made} of {self._total} pairs, {self._words()}", highlight=False)

    def _words(self) -> str:
        left = self._forecast.words()
        failed = f"{self._broken} failed, " if self._broken else ""
        return failed + ("how long is not known yet" if left is None else f"{left} left")


def duration(seconds: float) -> str:
    """Seconds in the words one would use."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
