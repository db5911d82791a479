"""How long a run will still take, from the seconds each method took so far."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from causewise.catalogue import cost
from causewise.formatting import duration
from causewise.lab.benchmark.row import Row, Status


@dataclass
class Forecast:
    """Forecasts from the seconds each method took so far, or else from its measured cost (`causewise.catalogue`)."""

    todo: Counter[str]
    jobs: int = 1
    known: Mapping[str, float] = field(default_factory=dict)
    """Seconds per pair of a method, from earlier runs."""
    done: Counter[str] = field(default_factory=Counter)
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    broken: int = 0

    def learn(self, rows: Sequence[Row]) -> None:
        """Some rows were made."""
        for row in rows:
            self.done[row.method] += 1
            self.broken += Status(row.status).broken
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

    def remark(self) -> str:
        """What is said beside a bar: how many rows are listed as failed, and how long the rest will take."""
        left = self.words()
        failed = f"{self.broken} failed, " if self.broken else ""
        return failed + ("how long is not known yet" if left is None else f"{left} left")

    def _seconds(self, method: str, pace: float) -> float | None:
        """Of a pair, on this machine: as timed, else as measured elsewhere."""
        timed, measured = self._timed(method), _measured_seconds(method)
        return pace * measured if timed is None and measured is not None else timed

    def _pace(self) -> float:
        """Seconds here for one on the machine of the measured costs, over the methods that were timed here as well."""
        both = [(self._timed(method), _measured_seconds(method)) for method in self.todo]
        timed = [(here, there) for here, there in both if here is not None and there is not None]
        return sum(here for here, _ in timed) / sum(there for _, there in timed) if timed else 1.0

    def _timed(self, method: str) -> float | None:
        if self.done[method] > self.jobs:
            return self.spent[method] / (self.done[method] - self.jobs)
        return self.known.get(method)


def _measured_seconds(method: str) -> float | None:
    measured = cost(method.split(":")[0])
    return None if measured is None else measured.seconds
