"""Workers that share a job on PostgreSQL: every piece is done once, whoever does it, and what a dead worker had is taken over."""

import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.store.work_queue import shared

PLAIN = Settings(embed_provider="none")
SPAWN = mp.get_context("spawn")
SPACES = ("a:one", "a:two", "b:three")


def numbers(texts: Sequence[str]) -> list[list[float]]:
    """Embed so that every text has its own direction."""
    made = [np.random.default_rng(abs(hash(text)) % 2**32).normal(size=16) for text in texts]
    return [(one / np.linalg.norm(one)).tolist() for one in made]


def filled(url: str, each: int) -> None:
    """Fill three namespaces with memories that have no vectors."""
    with Ghost.open(url, settings=PLAIN) as ghost:
        for ns in SPACES:
            for number in range(each):
                ghost.put(
                    ns,
                    f"k{number}",
                    f"The {number}th lamp of {ns} hangs over door {number * 7}.",
                    tier="sensory",
                )


def backfill(url: str, results: Any, stall: bool = False) -> None:
    """Embed what is to be embedded, in a process of its own; with `stall`, stop dead in the middle of the first batch."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        if stall and len(texts) > 1:
            results.put(("stalled", len(texts)))
            threading.Event().wait()
        results.put(("texts", list(texts)))
        return numbers(texts)

    embed.__qualname__ = numbers.__qualname__  # the name that its vectors have
    with Ghost.open(url, settings=PLAIN, embedder=embed) as ghost:
        results.put(("done", ghost.admin.embed_backfill()))


def test_two_processes_embed_each_chunk_once(pg_url: str) -> None:
    """What each of them embedded adds up to all there is, and no text was embedded twice."""
    filled(pg_url, 70)
    results = SPAWN.Queue()
    workers = [SPAWN.Process(target=backfill, args=(pg_url, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    done: list[int] = []
    texts: list[str] = []
    while len(done) < 2:
        kind, value = results.get(timeout=120)
        if kind == "done":
            done.append(value)
        elif value != ["how long are your vectors?"]:
            texts += value
    for worker in workers:
        worker.join(60)
    assert sum(done) == len(texts) == len(set(texts)) == 3 * 70
    with Ghost.open(pg_url, settings=PLAIN, embedder=numbers) as ghost:
        assert ghost.admin.embed_status().pending == 0
        assert ghost.admin.check().problems == ()


def test_a_dead_worker_is_replaced_at_once(pg_url: str) -> None:
    """What a killed worker had claimed is done by the next one, without waiting for a time to run out."""
    filled(pg_url, 30)
    results = SPAWN.Queue()
    victim = SPAWN.Process(target=backfill, args=(pg_url, results, True))
    victim.start()
    while results.get(timeout=120)[0] != "stalled":
        pass
    os.kill(victim.pid or 0, signal.SIGKILL)
    victim.join(60)
    with Ghost.open(pg_url, settings=PLAIN, embedder=numbers) as ghost:
        assert ghost.admin.embed_backfill() == 3 * 30
        assert ghost.admin.embed_status().pending == 0


def test_a_claim_of_somebody_who_is_there_is_respected(pg_url: str) -> None:
    """A piece in another's hands is not taken, and is free as soon as he is gone."""
    filled(pg_url, 1)
    with Ghost.open(pg_url, settings=PLAIN) as ghost:
        engine = shared(ghost.store)
        assert engine is not None
        now = ghost.store.clock()
        with engine.present() as other, engine.write(within=()) as tx:
            tx.work.offer("test", [("a:one", "1"), ("a:one", "2")])
            assert tx.work.claim("test", other, now.replace(year=now.year + 1), 1, now) == [
                ("a:one", "1")
            ]
            assert tx.work.is_present(other)
            assert tx.work.free_the_dead("test") == 0
        with engine.write(within=()) as tx:
            assert not tx.work.is_present(other)
            assert tx.work.free_the_dead("test") == 1
            assert tx.work.left("test") == 2


def reflecting(url: str, clock: Any) -> dict[str, Any]:
    """Reflect in a connection pool of its own."""
    with Ghost.open(url, settings=PLAIN, clock=clock) as ghost:
        return ghost.reflect().to_dict()


@pytest.mark.parametrize(
    "spaces", [SPACES, SPACES[:1]], ids=["several namespaces", "one namespace"]
)
def test_two_reflect_workers_do_each_piece_once(
    pg_url: str, clock: Any, spaces: tuple[str, ...]
) -> None:
    """Two at once change what one alone would have changed, each memory once, in one run or in two that follow."""
    with Ghost.open(pg_url, settings=PLAIN, clock=clock) as ghost:
        for ns in spaces:
            for number in range(60):
                ghost.put(
                    ns,
                    f"k{number}",
                    f"The {number}th lamp of {ns} hangs over door {number * 7}.",
                    tier="sensory",
                )
        clock.forward(days=2)
        alone = ghost.reflect(dry_run=True)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: reflecting(pg_url, clock), range(2)))
    with Ghost.open(pg_url, settings=PLAIN, clock=clock) as ghost:
        runs = ghost.lifecycle.runs()
        assert sum(run.changes for run in runs) == len(alone.changes) == 60 * len(spaces)
        assert {one["run"] for one in found} <= {run.id for run in runs}
        assert ghost.list() == []
        assert ghost.admin.check().problems == ()
        for run in runs:
            ghost.lifecycle.undo(run.id)
        assert len(ghost.list(limit=1000)) == 60 * len(spaces)


def test_groups_are_told_by_namespace(pg_url: str, clock: Any) -> None:
    """A run names what it linked in the order of a dry run, whichever namespace was planned first."""

    def alike(texts: Sequence[str]) -> list[list[float]]:
        return [numbers([text.partition(" ")[0]])[0] for text in texts]

    settings = Settings(embed_provider="local", freshness="off")
    with Ghost.open(pg_url, settings=settings, clock=clock, embedder=alike) as ghost:
        for ns in "hcafdbge":
            for number in range(3):
                ghost.put(ns, f"{ns}{number}", f"lamp number {number} in {ns}")
            for edge in ghost.edges(ns):
                ghost.graph.rm_edge(ns, str(edge.from_key), str(edge.to_key), edge.rel)
        wanted = tuple((f"{ns}0", f"{ns}1", f"{ns}2") for ns in "abcdefgh")
        assert ghost.reflect(dry_run=True).linked_clusters == wanted
        assert ghost.reflect().linked_clusters == wanted


def crash(url: str, results: Any) -> None:
    """Begin a reflect and die while changes are made."""
    from ghostmem.lifecycle import run_log as applying

    real: Callable[..., Any] = applying._new_values
    count = 0

    def dying(*given: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        if count == 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)

    applying._new_values = dying
    with Ghost.open(url, settings=PLAIN) as ghost:
        results.put("begun")
        ghost.reflect()


def test_a_run_of_a_dead_worker_is_finished_by_the_next(pg_url: str) -> None:
    """A run whose maker was killed is gone on with at once, from another process and as if from another machine."""
    from datetime import UTC, datetime, timedelta

    past = datetime.now(UTC) - timedelta(days=3)
    with Ghost.open(pg_url, settings=PLAIN, clock=lambda: past) as ghost:
        for number in range(50):
            ghost.put(
                "a:one",
                f"k{number}",
                f"The {number}th lamp hangs over door {number * 7}.",
                tier="sensory",
            )
    results = SPAWN.Queue()
    victim = SPAWN.Process(target=crash, args=(pg_url, results))
    victim.start()
    assert results.get(timeout=120) == "begun"
    victim.join(120)
    assert victim.exitcode == -signal.SIGKILL
    with Ghost.open(pg_url, settings=PLAIN) as ghost:
        report = ghost.reflect()
        assert report.resumed
        assert len(report.changes) == 50
        assert ghost.list() == []
        assert len(ghost.lifecycle.runs()) == 1
