"""`scan`: every pair of a table. First which columns are related at all, then which of two causes the other."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from causewise.catalogue import DEFAULT, cost, sample_hint, stated_settings
from causewise.errors import SEEDS, InputError, between, positive
from causewise.inference import prepare_method
from causewise.knowledge.background import Knowledge
from causewise.parallel import DEFAULT_ENGINE, Engine, OnProgress, available_memory, processors
from causewise.protocol import Method, MethodPickle, batch_size
from causewise.scanning.forecast import FEW, cache_size, choose_jobs, forecast
from causewise.scanning.journal import Journal, ScanIdentity
from causewise.scanning.on_dask import DaskPool, on_dask
from causewise.scanning.pair_scorer import (
    PairScorer,
    Screening,
    Tile,
    adjust_p_values,
    blank_row,
    describe_crash,
    orient_pairs,
    pool_of_workers,
    screen_pairs,
    this_process,
)
from causewise.scanning.result import Scan, find_library
from causewise.scanning.scan_row import ScanRow
from causewise.scanning.table import (
    MOST,
    FileColumns,
    Pairs,
    ScanTable,
    choose_pairs,
    cut_tiles,
    read_scan_table,
    refuse_unreadable,
)
from causewise.tables.source import split_reading_options
from causewise.version import VERSION
from causewise.worker import Work
from causewise.worker_pool import Lost, TaskPool

_IN_PROCESS = 40
"""So few pairs are done before a second process has started."""
_WORTH_TRYING = 5.0
"""Seconds that a scan may take, by the method's known cost, before it is foreseen."""


def scan(
    data: Any,
    *,
    method: str | Method = DEFAULT,
    columns: Sequence[str | int] | None = None,
    pairs: Any = None,
    adjust: Sequence[str | int] = (),
    knowledge: Any = None,
    fdr: float = 0.05,
    stability: bool = False,
    seed: int = 0,
    engine: Engine = DEFAULT_ENGINE,
    **settings: Any,
) -> Scan:
    """Score every pair of a table's columns.

    Pairs whose columns are not dependent (HSIC, the false discovery rate over the table below `fdr`) are *unrelated*;
    the others are oriented by `method`. Rows with a missing value are left out pair by pair.

    Parameters
    ----------
    data
        A table: pandas, polars, Arrow, a dict of columns, a matrix, or the path of a file.
    method
        A name from `causewise.list_methods()`, with settings if need be, or an object with a `name` and
        `decide_many(pairs)`. One that other processes cannot import, such as one of a notebook, is asked in this one.
    columns, pairs
        Only these columns; only the pairs with this column (its name or number), or those of a list, or of a CSV file
        (a `Path`) with two names a line.
    adjust
        Columns that all others are adjusted for before their pairs are scored: what a location-scale spline of these
        leaves of them. They are in no pair themselves.
    knowledge
        Background knowledge: tiers, "a before b", required, forbidden and likely edges, as a mapping or the path of a
        YAML or CSV file (see docs/scan.md). It is applied.
    fdr
        False discovery rate of the test of relation.
    stability
        Also decide 20 random halves of the rows of every related pair: as many decisions more, on half the rows each.
    seed
        For methods and halves that are drawn at random.
    engine
        Processes, a Dask cluster, a journal to go on from, and who hears of progress.
    **settings
        Settings of the method by name, as in `infer`: `threshold`, `neither`, `direct`, `recording` of the default. And
        how to read a file: `decimal`, `header`, `sep`, `sheet`, `max_bytes`, `max_lines`. And `exclude`: columns to
        leave out.

    Returns
    -------
    Scan
        One row a pair, in the order of the table's columns.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(-2, 2, 500)
    >>> table = {"a": a, "b": np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500), "c": rng.normal(size=500)}
    >>> print(causewise.scan(table))
    3 pairs of 3 columns: 1 oriented, 0 undecided, 2 unrelated
    """
    positive("scan", 1.0, fdr=fdr)
    between("scan", *SEEDS, seed=seed)
    if not isinstance(stability, bool):
        raise InputError(f"Got stability={stability!r}; expected True, for 20 random halves of every pair, or False.")
    exclude = settings.pop("exclude", None) or ()
    reading, stated = split_reading_options({name: value for name, value in settings.items() if value is not None})
    spelt = {name: f"{name}={value!r}" for name, value in stated.items()}
    settings = stated_settings([method], stated, spelt)[method] if isinstance(method, str) else stated
    built = prepare_method(method, seed, settings)  # refused before a large table is read
    batch, own = batch_size(built), None if isinstance(method, str) else MethodPickle.of(method)
    stays = not isinstance(method, str) and _stays_here(method.name, own, engine)
    adjusted = [adjust] if isinstance(adjust, str | int) else adjust
    table = read_scan_table(data, columns, adjusted, engine.on_progress, exclude, **reading)
    background = Knowledge.of(knowledge, table.every)
    refuse_unreadable(background.required_columns, table.unreadable)
    scorer = PairScorer(table.names, table.values, method, seed, settings, background, stability, table.notes)
    wanted = choose_pairs(table, pairs)
    identity = _identify(table, scorer, wanted, fdr, own.identity if own else b"")
    journal = Journal(None if engine.journal is None else Path(engine.journal), identity)
    # A GPU, on which a batch is larger than any tile, is one for all processes.
    few = stays or batch > MOST or len(wanted) <= _IN_PROCESS
    most, free = 1 if few else processors(), available_memory()
    jobs = choose_jobs(scorer, len(wanted), [engine.jobs] if engine.jobs else range(most, 0, -1), free)
    scorer = replace(scorer, remembered=cache_size(jobs, free))
    # Workers elsewhere read their columns themselves where they see the file.
    there = None if engine.dask is None else FileColumns.of(data, table, reading)
    with _open_pool(scorer, there, jobs, engine, identity.digest) as pool:
        on_gpu = batch > MOST or (isinstance(pool, DaskPool) and pool.gpu)
        if engine.on_forecast is not None and _may_be_long(scorer.method_name, len(wanted)):
            left = (len(wanted) - journal.count("screening"), len(wanted) - journal.count("orienting"))
            at_once = processors() if engine.dask is None else pool.workers
            foreseen = forecast(pool, scorer, wanted, at_once, left, MOST if on_gpu else 1)
            hint = sample_hint(method, table.n, len(wanted)) if isinstance(method, str) else ""
            engine.on_forecast(replace(foreseen, hint=hint))
        # On a CPU a batch of networks takes a minute; no more than that is lost with a process.
        size = MOST if on_gpu or batch == 1 else min(MOST, batch)
        tiled = _Tiles(scorer, pool, journal, engine.on_progress)
        result = _score_pairs(tiled, wanted, size, table, fdr, find_library(data))
    return replace(result, finished=journal.close)


def _open_pool(
    scorer: PairScorer, there: FileColumns | None, jobs: int, engine: Engine, identity: str
) -> AbstractContextManager[TaskPool]:
    """Who does the work: this process, several, or a cluster."""
    if engine.dask is not None:
        journal = None if engine.journal is None else os.fspath(engine.journal)
        return on_dask(scorer, there, engine.dask, jobs, identity, journal)
    return this_process(scorer) if jobs == 1 else pool_of_workers(scorer, jobs)


def _score_pairs(tiled: "_Tiles", wanted: Pairs, size: int, table: ScanTable, fdr: float, kind: str) -> Scan:
    """Screen all pairs, orient those that are related, and put the rows into the order of the table."""
    scorer = tiled.scorer
    tested = [Screening(*each) for each in tiled.results("screening", screen_pairs, list(cut_tiles(wanted)))]
    adjusted = dict(zip(((s.i, s.j) for s in tested), adjust_p_values([s.p for s in tested]), strict=True))
    related = {(s.i, s.j): s for s in tested if s.p is not None and (adjusted[s.i, s.j] or 0.0) <= fdr}
    parts = [[[*related[pair], adjusted[pair]] for pair in part] for part in cut_tiles(sorted(related), size)]
    rows = {(s.i, s.j): scorer.apply_knowledge(blank_row(table.names, s, adjusted[s.i, s.j])) for s in tested}
    place = {name: k for k, name in enumerate(table.names)}
    for each in tiled.results("orienting", orient_pairs, parts):
        row = ScanRow(**{**each, "warnings": tuple(each["warnings"])})
        rows[place[row.x], place[row.y]] = row
    facts: dict[str, Any] = {
        "method": scorer.method_name,
        "seed": scorer.seed,
        "fdr": fdr,
        "stability": scorer.stability,
    }
    facts |= {"adjust": list(table.adjusted), "version": VERSION, **scorer.settings}
    hard = [(pair, scorer.knowledge.on(table.names[pair[0]], table.names[pair[1]]).direction) for pair in wanted]
    before = tuple(
        (table.names[i], table.names[j]) if way == "x->y" else (table.names[j], table.names[i])
        for (i, j), way in hard
        if way
    )
    kinds = {name: str(each) for name, each in table.kinds.items()}
    return Scan(
        tuple(replace(row, x_kind=kinds[row.x], y_kind=kinds[row.y]) for row in (rows[pair] for pair in wanted)),
        table.names,
        table.left_out,
        facts,
        kind,
        before,
        kinds,
        tuple(dict.fromkeys(note for said in table.notes.values() for note in said)),
        scorer,
    )


@dataclass(frozen=True, eq=False)
class _Tiles:
    """Who works on tiles, where finished ones are kept, and who hears of progress."""

    scorer: PairScorer
    pool: TaskPool
    journal: Journal
    on_progress: OnProgress

    def results(self, what: str, work: Work, parts: Sequence[Tile]) -> Iterator[Any]:
        """Results of all tiles, in their order, whoever did them and whenever."""
        keys = [f"{what} {_digest([list(item[:2]) for item in part])}" for part in parts]
        todo = [k for k, key in enumerate(keys) if key not in self.journal.known]
        total, finished = sum(map(len, parts)), dict(self.journal.known)
        done = total - sum(len(parts[k]) for k in todo)
        self.on_progress(what, done, total)
        for number, results in self.pool.map(work, [parts[k] for k in todo]):
            k = todo[number]
            finished[keys[k]] = [
                describe_crash(self.scorer, each.item) if isinstance(each, Lost) else each for each in results
            ]
            self.journal.add(keys[k], finished[keys[k]])
            done += len(parts[k])
            self.on_progress(what, done, total)
        for key in keys:
            yield from finished[key]


def _digest(pairs: Sequence[Sequence[int]]) -> str:
    """A tile goes by its pairs, so that one that was cut otherwise is another."""
    return _shorten(json.dumps(pairs).encode())


def _stays_here(name: str, pickled: MethodPickle | None, engine: Engine) -> bool:
    """Whether a method of somebody's own cannot be handed to another process; refused where it has to be."""
    if pickled is not None and "__main__" not in pickled.modules:
        return False
    wish = (
        f"jobs={engine.jobs}"
        if (engine.jobs or 1) > 1
        else "dask"
        if engine.dask is not None
        else "a journal"
        if engine.journal is not None and pickled is None
        else ""
    )
    if wish:
        raise InputError(
            f"Got {wish} with the method {name!r}, which cannot be pickled for another process or a file; expected one "
            "whose class and functions are at the top of a module that can be imported: put it into a file of its "
            f"own and import it, or leave {wish} out."
        )
    return True


def _shorten(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _identify(
    table: ScanTable, scorer: PairScorer, wanted: Sequence[tuple[int, int]], fdr: float, own: bytes
) -> ScanIdentity:
    digest = blake2b(json.dumps(table.names).encode(), digest_size=16)
    for k in range(len(table.names)):
        digest.update(np.ascontiguousarray(table.values[k]).data)
    kept = [*Screening._fields, *(each.name for each in fields(ScanRow))]
    # Not pickled: its bytes depend on whether equal names are one object.
    stated = repr(scorer.knowledge)
    facts = [dict(scorer.settings), scorer.stability, list(wanted), fdr, dict(scorer.notes), stated]
    return ScanIdentity(
        VERSION,
        _shorten(json.dumps(kept).encode()),
        digest.hexdigest(),
        scorer.method_name,
        scorer.seed,
        _shorten(json.dumps(facts).encode() + own),
    )


def _may_be_long(method: str, pairs: int) -> bool:
    """Whether trying some pairs, which takes a second or two, is little beside the scan."""
    known = cost(method.split(":")[0])
    return pairs >= FEW and (known is None or known.seconds * pairs > _WORTH_TRYING)
