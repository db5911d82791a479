"""Networks in a scan train in batches, and nothing of that shows in the rows."""

from dataclasses import replace

import numpy as np
import pytest

import causewise
from causewise.methods.baselines.cgnn import Cgnn
from causewise.methods.neural import NeuralLoci
from causewise.protocol import record_failure
from causewise.scanning import on_dask, pair_scorer, scanner

QUICK = "nn-loci-h:steps=40:hidden=5:device=cpu:engine=compiled"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 90)
    return {f"r{k}": np.sin(a + k) + 0.2 * rng.normal(size=90) for k in range(5)}


@pytest.fixture
def batches(monkeypatch):
    """Sizes of the batches that were decided here."""
    seen = []
    decide = NeuralLoci.decide_many
    monkeypatch.setattr(NeuralLoci, "decide_many", lambda self, pairs: seen.append(len(pairs)) or decide(self, pairs))
    return seen


@pytest.fixture(autouse=True)
def _nothing_is_remembered(monkeypatch):
    monkeypatch.setattr("causewise.models.network.fitting.CACHE_SIZE", 0)


def timeless(scan):
    return [replace(row, seconds=0.0) for row in scan]


def test_a_batch_is_decided_at_once_and_says_what_infer_says(table, batches):
    scan = causewise.scan(table, method=QUICK, engine=causewise.Engine(jobs=1))
    assert batches == [len(scan) - scan.counts["unrelated"]]
    for row in scan:
        if row.status != "unrelated":
            assert row.score == causewise.infer(table, row.x, row.y, method=QUICK).score


@pytest.mark.parametrize("method", [QUICK, QUICK.replace("nn-loci-h", "nn-anm-m")])
def test_no_row_depends_on_the_batch(table, method, batches, monkeypatch):
    whole = timeless(causewise.scan(table, method=method, engine=causewise.Engine(jobs=1)))
    for size in (1, 3):
        monkeypatch.setattr(NeuralLoci, "batch_size", size)
        batches.clear()
        assert timeless(causewise.scan(table, method=method, engine=causewise.Engine(jobs=1))) == whole
        assert max(batches) == size
    monkeypatch.undo()
    assert timeless(causewise.scan(table, method=method, engine=causewise.Engine(jobs=2))) == whole


def test_cgnn_goes_by_batches_too(table, monkeypatch):
    seen = []

    def decide_many(self, pairs):
        seen.append(len(pairs))
        return [record_failure(pair, "cgnn", "Not tried.") for pair in pairs]

    monkeypatch.setattr(Cgnn, "decide_many", decide_many)
    monkeypatch.setattr("causewise.methods.baselines.cgnn.has_gpu", lambda: False)
    scan = causewise.scan(table, method="cgnn", engine=causewise.Engine(jobs=1))
    related = len(scan) - scan.counts["unrelated"]
    assert seen == [4] * (related // 4) + [related % 4] * (related % 4 > 0)
    seen.clear()
    monkeypatch.setattr("causewise.methods.baselines.cgnn.has_gpu", lambda: True)
    causewise.scan(table, method="cgnn", engine=causewise.Engine(jobs=1))
    assert seen == [related]


def test_a_gpu_is_asked_for_where_a_worker_has_one(table):
    distributed = pytest.importorskip("distributed")
    local = {"memory_limit": 0, "dashboard_address": "127.0.0.1:0", "silence_logs": 50, "threads_per_worker": 1}
    one = timeless(causewise.scan(table, method=QUICK, engine=causewise.Engine(jobs=1)))
    with (
        distributed.LocalCluster(n_workers=1, resources={"GPU": 1}, **local) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        judge = scanner.PairScorer((), np.ones((1, 3)), QUICK, 0, {}, None)
        for method, wants in ((QUICK, False), (QUICK.replace(":device=cpu", ""), True), ("igci", False)):
            with on_dask.on_dask(replace(judge, method=method), None, client, 1, "this scan", None) as run:
                assert (run.workers, run.gpu) == (1, wants)
        with on_dask.on_dask(replace(judge, method="nn-loci-h"), None, client, 1, "that scan", None) as run:
            asked = []
            submit = client.submit
            client.submit = lambda *what, **how: asked.append((what[2:3], how.get("resources"))) or submit(*what, **how)
            list(run.map(_nothing, [[1]]))
            list(run.map(pair_scorer.screen_pairs, []))
            assert ((_nothing,), {"GPU": 1}) in asked
            client.submit = submit
        assert timeless(causewise.scan(table, method=QUICK, engine=causewise.Engine(dask=client))) == one


def _nothing(judge, tile):
    return list(tile)
