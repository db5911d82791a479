"""Results: a row per method and pair, in file orientation; one SQLite file of them, never doubled, never lost.

Runners that share the file claim a pair before they work on it, so that none is done twice. A claim holds for a few
seconds and is renewed by a runner that lives: of one that was killed it lapses, and nobody waits for it longer.

A file of an earlier layout is read as it is, and gains the columns it lacks when it is first written to.
"""

import math
import secrets
import sqlite3
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from enum import Enum
from pathlib import Path

from causewise.decision import Decision, Direction
from causewise.formatting import csv_text, shell_word
from causewise.lab.benchmark.ledger import BUSY_SECONDS, Ledger, StoreError
from causewise.worker_pool import BEAT_SECONDS

# ---- rows


class Status(Enum):
    """How the work on one pair ended."""

    OK = "ok"
    UNDECIDED = "undecided"
    """The two directions tie exactly."""
    NOT_CONVERGED = "not-converged"
    """There is an answer, and it counts, but a fit stopped short."""
    FAILED = "failed"
    """The method raised, refused the pair, or gave NaN."""
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    """The process died."""

    @property
    def answered(self) -> bool:
        """Whether there is a direction to compare with the truth."""
        return self in (Status.OK, Status.NOT_CONVERGED)

    @property
    def broken(self) -> bool:
        """Whether the pair is listed as failed."""
        return self in (Status.FAILED, Status.TIMEOUT, Status.CRASHED)


@dataclass(frozen=True)
class Outcome:
    """What comes back from a worker for one pair, in the orientation the method saw."""

    score: float
    forward: float
    backward: float
    status: Status
    message: str
    seconds: float
    confidence: float = math.nan
    withheld: bool = False


@dataclass(frozen=True)
class Row:
    """One row of the store; the first six fields are its key."""

    dataset: str
    pair_id: str
    method: str
    seed: int
    settings_hash: str
    version: str
    score: float
    """Positive = the file's first column causes the second, whatever flip the run used."""
    forward: float
    backward: float
    confidence: float
    """How sure the method says it is; NaN where it says nothing."""
    decision: str
    """Which way the score leans, also where the answer is withheld."""
    withheld: bool
    """The method leans but gives no answer; `message` says why. Metrics count the leaning all the same."""
    truth: int
    weight: float
    correct: bool
    flipped: bool
    seconds: float
    status: str
    message: str
    n: int
    settings: str
    """JSON of everything the method was set to."""

    @property
    def answered(self) -> bool:
        """Whether a user would have been given a direction."""
        return Status(self.status).answered and not self.withheld


def outcome_of(decision: Decision, seconds: float) -> Outcome:
    """Read a decision: a failure and a score that is not finite are failed, an exact tie is undecided."""
    forward, backward = decision.forward, decision.backward
    short = forward.converged is False or backward.converged is False
    if decision.failed:
        status, message = Status.FAILED, decision.reason
    elif not math.isfinite(decision.score):
        status, message = Status.FAILED, f"{decision.method} returned {decision.score} as its score."
    elif Direction.of(decision.score) is Direction.UNDECIDED:
        status, message = Status.UNDECIDED, "The two directions tie exactly."
    elif short:
        reasons = (decision.reason, forward.message or backward.message)
        status, message = Status.NOT_CONVERGED, " ".join(filter(None, reasons))
    else:
        status, message = Status.OK, decision.reason
    numbers = (float(decision.score), float(forward.score), float(backward.score))
    confidence = math.nan if decision.confidence is None else float(decision.confidence)
    return Outcome(*numbers, status, message, seconds, confidence, status.answered and bool(decision.reason))


def no_answer(status: Status, message: str, seconds: float) -> Outcome:
    """The outcome of a pair without an answer: no number stands in for it."""
    return Outcome(math.nan, math.nan, math.nan, status, message, seconds)


# What readers of the file rely on comes first; columns that join later come after.
_FIRST = ("dataset", "pair_id", "method", "score", "truth", "correct", "seconds", "status")
COLUMNS = (*_FIRST, *(field.name for field in fields(Row) if field.name not in _FIRST))


def export_rows(rows: Sequence[Row], raw: bool = False) -> str:
    """CSV text, one line per row; NaN is an empty cell, `correct` and `flipped` are 1 or 0."""
    return csv_text([COLUMNS, *([_cell(getattr(row, name)) for name in COLUMNS] for row in rows)], raw)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value


# ---- the file

APPLICATION_ID = 0x77686E63  # "whnc"
SCHEMA = 2
LEASE_SECONDS = 6.0
"""So long a claim holds that is not renewed."""

_KEY = ("dataset", "pair_id", "method", "seed", "settings_hash", "version")
_TYPES = {"str": "TEXT NOT NULL", "int": "INTEGER NOT NULL", "bool": "INTEGER NOT NULL", "float": "REAL"}
_DECLARED = {field.name: _TYPES[getattr(field.type, "__name__", str(field.type))] for field in fields(Row)}
_COLUMNS = tuple(_DECLARED)
_CREATE = "CREATE TABLE IF NOT EXISTS result ({}, PRIMARY KEY ({})) WITHOUT ROWID".format(
    ", ".join(f"{name} {kind}" for name, kind in _DECLARED.items()), ", ".join(_KEY)
)
# Not INSERT OR IGNORE, which would also drop, without a word, a row that breaks a NOT NULL.
_INSERT = (
    f"INSERT INTO result ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT ({', '.join(_KEY)}) DO NOTHING"
)
_IS_KEY = " AND ".join(f"{name} = ?" for name in _KEY)
# Times of the day, since a claim outlives the process that made it; one from a clock that was set back is not believed.
_CREATE_CLAIMS = (
    f"CREATE TABLE IF NOT EXISTS claim ({', '.join(f'{name} {_DECLARED[name]}' for name in _KEY)}, "
    f"runner TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY ({', '.join(_KEY)})) WITHOUT ROWID"
)
_CLAIM = f"INSERT INTO claim VALUES ({', '.join('?' * (len(_KEY) + 2))}) ON CONFLICT DO NOTHING"
# What layout 1 says of a column it does not have: it kept a message beside an "ok" for a withheld answer only.
_LATER = {"confidence": "NULL", "withheld": "(status = 'ok' AND message <> '')"}

Key = tuple[str, str, str, int, str, str]


class Store(Ledger):
    """An open store. Use `Store.open` to write and `Store.read` to look."""

    remedy = "name another file with --store"

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._runner, self._renewed = secrets.token_hex(8), -math.inf

    @classmethod
    @contextmanager
    def read(cls, path: str | Path) -> Iterator["Store"]:
        """Open an existing store without changing it, also in a folder that cannot be written to."""
        place = Path(path)
        if not place.is_file():
            command = f"causewise bench run --store {shell_word(place)} …"
            raise StoreError(f"There is no store at {place}; make one with: {command}")
        with cls.translate_errors(place):
            connection = _reader(place)
        try:
            store = cls(connection, place)
            with cls.translate_errors(place):
                store.check()
            yield store
        finally:
            connection.close()

    def check(self) -> None:
        """Neither another program's nor a later layout's."""
        (identity,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if identity != APPLICATION_ID:
            raise StoreError(f"{self.path} is a database, but not one of causewise's; {self.remedy}.")
        if version > SCHEMA:
            raise StoreError(
                f"{self.path} has layout {version} and this causewise knows up to {SCHEMA}; update causewise or name "
                "another file."
            )

    def prepare(self) -> None:
        """Make the table, or give one of an earlier layout the columns it lacks."""
        self._connection.execute(_CREATE)
        self._connection.execute(_CREATE_CLAIMS)
        for name in _missing_columns(self._connection):
            kind = _DECLARED[name]
            default = " DEFAULT 0" if "NOT NULL" in kind else ""
            self._connection.execute(f"ALTER TABLE result ADD COLUMN {name} {kind}{default}")
            self._connection.execute(f"UPDATE result SET {name} = {_LATER[name]}")
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def add(self, rows: Iterable[Row]) -> int:
        """Commit rows in one transaction, which ends their claims; says how many were new."""
        values = [tuple(_plain(value) for value in astuple(row)) for row in rows]
        with self.translate_errors(self.path), self.transaction() as connection:
            new = connection.executemany(_INSERT, values).rowcount
            connection.executemany(f"DELETE FROM claim WHERE {_IS_KEY}", [row[: len(_KEY)] for row in values])
            return new

    def claim(self, keys: Iterable[Key]) -> tuple[set[Key], set[Key]]:
        """Which of these are now this runner's to do, and which another's; those that are there are neither."""
        with self.translate_errors(self.path), self.transaction() as connection:
            now = time.time()  # not before: claims of others, made while this one waited, would be later than it knows
            connection.execute("DELETE FROM claim WHERE NOT until BETWEEN ? AND ?", (now, now + LEASE_SECONDS))
            missing = [key for key in keys if not self._has(key)]
            connection.executemany(_CLAIM, [(*key, self._runner, now + LEASE_SECONDS) for key in missing])
            query = f"SELECT 1 FROM claim WHERE {_IS_KEY} AND runner = ?"
            mine = {key for key in missing if connection.execute(query, (*key, self._runner)).fetchone()}
            return mine, set(missing) - mine

    def renew(self) -> None:
        """Hold on to what is claimed; to be called often, and writes seldom."""
        if time.monotonic() - self._renewed < BEAT_SECONDS:
            return
        with self.translate_errors(self.path), self.transaction() as connection:
            until = time.time() + LEASE_SECONDS
            connection.execute("UPDATE claim SET until = ? WHERE runner = ?", (until, self._runner))
        self._renewed = time.monotonic()

    def release(self) -> None:
        """Leave to others what is claimed and not done."""
        with self.translate_errors(self.path), self.transaction() as connection:
            connection.execute("DELETE FROM claim WHERE runner = ?", (self._runner,))

    def keys(self) -> set[Key]:
        """The keys that are there."""
        with self.translate_errors(self.path):
            return set(self._connection.execute(f"SELECT {', '.join(_KEY)} FROM result"))

    def rows(self) -> list[Row]:
        """Every row, in an order that does not depend on when it was made."""
        with self.translate_errors(self.path):
            lacking = _missing_columns(self._connection)
            names = [_LATER[name] if name in lacking else name for name in _COLUMNS]
            records = self._connection.execute(f"SELECT {', '.join(names)} FROM result").fetchall()
        return sorted((_row(record) for record in records), key=_place)

    def seconds(self) -> dict[str, float]:
        """Per method the usual (median) seconds of a pair, to forecast what a run will cost."""
        spent: dict[str, list[float]] = {}
        with self.translate_errors(self.path):
            for method, seconds in self._connection.execute("SELECT method, seconds FROM result"):
                spent.setdefault(method, []).append(seconds or 0.0)
        return {method: statistics.median(values) for method, values in spent.items()}

    def forget(self, statuses: Iterable[str]) -> int:
        """Delete the rows of these statuses, so that the next run makes them again."""
        values = tuple(statuses)
        with self.translate_errors(self.path), self.transaction():
            marks = ", ".join("?" * len(values))
            return self._connection.execute(f"DELETE FROM result WHERE status IN ({marks})", values).rowcount

    def _has(self, key: Key) -> bool:
        return self._connection.execute(f"SELECT 1 FROM result WHERE {_IS_KEY}", key).fetchone() is not None


def natural(identifier: str) -> tuple[int, str]:
    """Sorts 2 before 10, and both before words."""
    numbered = identifier.isdecimal() and len(identifier) <= 18
    return (int(identifier) if numbered else 10**18, identifier)


def _place(row: Row) -> tuple[object, ...]:
    return (row.dataset, row.method, row.seed, row.version, row.settings_hash, *natural(row.pair_id))


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _row(values: tuple[object, ...]) -> Row:
    fields = {name: math.nan if value is None else value for name, value in zip(_COLUMNS, values, strict=True)}
    flags = {name: bool(fields[name]) for name in ("correct", "flipped", "withheld")}
    return Row(**(fields | flags))  # type: ignore[arg-type]  # the columns are the fields of Row


def _missing_columns(connection: sqlite3.Connection) -> list[str]:
    there = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('result')")}
    return [name for name in _LATER if name not in there]


def _reader(path: Path) -> sqlite3.Connection:
    address = path.resolve().as_uri()
    for options in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(f"{address}?{options}", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:  # a write-ahead log cannot be opened where its index cannot be written
            connection.close()
            continue
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection
    raise StoreError(f"{path} cannot be opened; check that you may read it.")
