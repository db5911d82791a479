"""SQLite files that take one entry per unit of work, committed as it is made: to resume is to do the same again.

Write-ahead logging lets several runners and a reader share a file; an entry that is already there is left as it is, so
that running twice is the same as running once. The cells of a study are kept this way, and the rows of a benchmark.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from causewise.errors import InputError

BUSY_SECONDS = 60.0


class StoreError(InputError):
    """The file named is no store of ours, or not usable as one; the message is one sentence."""


class DiskError(Exception):
    """The store is sound but cannot take more now; the message is one sentence: what happened, and what to do."""


class Ledger:
    """An open file; a subclass says in `prepare` which table it holds."""

    remedy: ClassVar[str]
    """What to do about a file that cannot be used."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    @contextmanager
    def open(cls, path: str | Path) -> Iterator[Self]:
        """Open for writing; the file is made if it is not there."""
        place = Path(path)
        if not place.parent.is_dir():
            raise StoreError(f"There is no folder {place.parent} for the store {place.name}; make it first.")
        _check_neighbours(place)
        with cls.translate_errors(place):
            connection = sqlite3.connect(place, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            ledger = cls(connection, place)
            with cls.translate_errors(place):
                # Before anything is written: another program's database is left exactly as it was.
                if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() != (0,):
                    ledger.check()
                _log_ahead(connection)
                # A power cut may lose the last entries (they are made again on resume), never the file; kill -9 loses
                # nothing.
                connection.execute("PRAGMA synchronous = NORMAL")
                with ledger.transaction():
                    ledger.prepare()
            yield ledger
        finally:
            connection.close()

    def check(self) -> None:
        """Raise `StoreError` where a file that has tables is not one of this kind."""

    def prepare(self) -> None:
        """Make the table where there is none, inside a transaction."""
        raise NotImplementedError

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it is committed, or nothing."""
        # IMMEDIATE takes the lock now, and waits for it; a plain BEGIN would fail halfway beside a second runner.
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @classmethod
    @contextmanager
    def translate_errors(cls, path: Path) -> Iterator[None]:
        """What SQLite says, in a sentence with what to do."""
        try:
            yield
        except sqlite3.Error as problem:
            raise _translate(path, str(problem), cls.remedy) from problem


def _check_neighbours(place: Path) -> None:
    """Refuse a new store beside files that have the names of its logs: SQLite would delete them."""
    taken = [each for ending in ("-wal", "-shm", "-journal") if (each := Path(f"{place}{ending}")).exists()]
    # In this order, since another runner may just make the store: its logs are never there before it.
    if taken and not place.exists():
        raise StoreError(
            f"Got the file {str(taken[0])!r}, which the new store {place.name!r} would take for a log of its own; "
            "expected none of that name: move it away, or choose another name for the store."
        )


def _log_ahead(connection: sqlite3.Connection) -> None:
    # Changing the journal ignores the busy timeout, and two runners may start on a new file at the same moment.
    patience = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > patience:
                raise
            time.sleep(0.01)


def _translate(path: Path, said: str, remedy: str) -> StoreError | DiskError:
    if "not a database" in said or "malformed" in said:
        return StoreError(f"{path} is not a store of causewise ({said}); {remedy}.")
    if "full" in said or "disk I/O" in said:
        return DiskError(
            f"The disk with {path} is full ({said}); what was finished is kept: free some space and run the same "
            "command again."
        )
    if "locked" in said or "busy" in said:
        return DiskError(f"{path} is held by another program ({said}); run the same command again.")
    if "readonly" in said or "unable to open" in said:
        return StoreError(f"{path} cannot be written ({said}); {remedy}.")
    return StoreError(f"{path} cannot be used ({said}); {remedy}.")
