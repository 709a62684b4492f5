"""A real Citus cluster: GHOST_TEST_CITUS names the coordinator of one with at least two workers, and an empty database on it.

With GHOST_TEST_CITUS_STOP and GHOST_TEST_CITUS_START, commands that stop and start the worker whose HOST:PORT they are given, the
test also takes one node away.
"""

import os
import subprocess
from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
import pytest

from ghostmem import Ghost, GhostError
from ghostmem.admin import cluster as admin
from ghostmem.settings import Settings
from ghostmem.store.postgres.cluster import administered

URL = os.environ.get("GHOST_TEST_CITUS", "")
STOP, START = (
    os.environ.get("GHOST_TEST_CITUS_STOP", ""),
    os.environ.get("GHOST_TEST_CITUS_START", ""),
)
pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(not URL, reason="GHOST_TEST_CITUS names no coordinator"),
]
TEXT = "The harbour ferry departs from pier {}."
_names = count(1)


@pytest.fixture
def cluster(clock: Any) -> Iterator[Ghost]:
    """Open the store on the cluster, spread over it."""
    with Ghost.open(URL, settings=Settings(embed_provider="static"), clock=clock) as ghost:
        admin.distribute(ghost.store, shards=8)
        yield ghost
        for one in ghost.admin.namespaces("citus:*"):
            ghost.admin.rm_namespace(one.ns, hard=True)
        assert ghost.admin.check().problems == ()


@pytest.fixture
def ns() -> str:
    """Return a namespace that no other test has."""
    return f"citus:{os.getpid()}-{next(_names)}"


def test_everyday_statements_ask_one_shard(cluster: Ghost) -> None:
    """Distributing again changes nothing, and finds every plan to be a router's."""
    done = admin.distribute(cluster.store, shards=8)
    assert (done.distributed, done.copied, done.wide) == ((), (), ())
    assert done.statements > 40
    roles = [node.role for node in admin.administration(cluster.store).nodes()]
    assert roles.count("worker") >= 2


def test_the_same_verbs_work_on_a_cluster(cluster: Ghost, ns: str, clock: Any) -> None:
    """Everything that touches several tables, shards or the whole store."""
    other = f"{ns}-other"
    for number in range(6):
        cluster.put(
            ns,
            f"k{number}",
            TEXT.format(number),
            tags=["t"],
            source_user="Ann",
            source_scope="talk",
        )
        cluster.put(other, f"k{number}", TEXT.format(number))
    cluster.put(ns, "k0", TEXT.format("nine"))
    cluster.edge(ns, "k0", "k1", "depends_on")
    cluster.consolidate(ns, "sum", "Ferries depart from piers.", ["k0", "k1"])
    assert [hit.key for hit in cluster.search("pier nine", ns)][0] == "k0"
    assert {hit.ns for hit in cluster.search("harbour ferry pier", f"{ns}*")} == {ns, other}
    assert cluster.context("where does the ferry depart?", ns).keys
    assert [tag.tag for tag in cluster.admin.tags(ns)] == ["t"]
    clock.forward(days=4)
    report = cluster.reflect(ns)
    assert report.decayed > 0
    assert cluster.lifecycle.undo(report.run).undone > 0
    lines = list(cluster.export(f"{ns}*"))
    cluster.admin.rm_namespace(other, hard=True)
    cluster.lifecycle.gc()
    with Ghost.open(":memory:", embedder="none") as here:
        here.import_(lines)
        assert list(here.export()) == lines
    assert cluster.admin.verify_log().ok
    assert cluster.admin.stats().total_memories >= 7


def test_vectors_are_filled_in_by_workers_that_share(cluster: Ghost, ns: str) -> None:
    """The queue is on the cluster too."""
    with Ghost.open(URL, settings=Settings(embed_provider="none")) as plain:
        for number in range(5):
            plain.put(ns, f"k{number}", TEXT.format(number))
    assert cluster.admin.embed_backfill() == 5
    assert cluster.admin.embed_status().pending == 0


def test_a_namespace_gets_a_shard_and_a_node_of_its_own(cluster: Ghost, ns: str) -> None:
    """It is isolated once, moved to the node that is named, and goes on answering."""
    cluster.put(ns, "k", TEXT.format("nine"))
    first = admin.isolate(cluster.store, ns)
    again = admin.isolate(cluster.store, ns)
    assert first.isolated
    assert not again.isolated
    assert first.shard == again.shard
    elsewhere = next(
        node
        for node in admin.administration(cluster.store).nodes()
        if node.role == "worker" and (node.host, node.port) != (first.host, first.port)
    )
    moved = admin.isolate(cluster.store, ns, to=f"{elsewhere.host}:{elsewhere.port}")
    assert moved.moved
    assert (moved.host, moved.port) == (elsewhere.host, elsewhere.port)
    assert cluster.put(ns, "k", TEXT.format("ten")).version == 2
    assert [hit.key for hit in cluster.search("harbour ferry", ns)] == ["k"]


def test_namespaces_are_separate_on_a_cluster(cluster: Ghost, ns: str) -> None:
    """A role of the database reads what it was granted, on whichever node it lies."""
    for name in (ns, f"{ns}-other"):
        cluster.put(name, "k", TEXT.format(1))
    with administered(URL) as owner:
        owner.execute("DROP ROLE IF EXISTS ghost_citus_reader")
        owner.execute("CREATE ROLE ghost_citus_reader LOGIN")
        try:
            admin.grant(cluster.store, "ghost_citus_reader", ns)
            with psycopg.connect(URL, user="ghost_citus_reader", autocommit=True) as reader:
                assert reader.execute("SELECT DISTINCT ns FROM memories").fetchall() == [(ns,)]
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    reader.execute("DELETE FROM memories WHERE ns = %s", (ns,))
        finally:
            admin.revoke(cluster.store, "ghost_citus_reader")
            owner.execute("DROP OWNED BY ghost_citus_reader; DROP ROLE ghost_citus_reader")


@pytest.mark.skipif(
    not (STOP and START), reason="no commands that stop and start a worker were given"
)
def test_with_a_worker_down_the_others_answer(cluster: Ghost, clock: Any) -> None:
    """Namespaces of the node that is gone fail with a clear error; all others are read and written."""
    names = [f"citus:{os.getpid()}-down-{number}" for number in range(12)]
    for name in names:
        cluster.put(name, "k", TEXT.format(1))
    place = {name: _node(name) for name in names}
    gone = place[names[0]]
    assert set(place.values()) != {gone}
    subprocess.run([*STOP.split(), gone], check=True, capture_output=True)
    try:
        settings = Settings(embed_provider="static", busy_timeout=3)
        with Ghost.open(URL, settings=settings, clock=clock) as ghost:
            for name in names:
                if place[name] == gone:
                    with pytest.raises(GhostError):
                        ghost.search("harbour ferry", name)
                else:
                    assert [hit.key for hit in ghost.search("harbour ferry", name)] == ["k"]
                    assert ghost.put(name, "k", TEXT.format(2)).version == 2
    finally:
        subprocess.run([*START.split(), gone], check=True, capture_output=True)
    assert cluster.get(names[0], "k").version == 1


def _node(ns: str) -> str:
    with administered(URL) as connection:
        row = connection.execute(
            "SELECT nodename || ':' || nodeport FROM citus_shards WHERE shardid ="
            " get_shard_id_for_distribution_column('namespaces', %s::text)",
            (ns,),
        ).fetchone()
    assert row is not None
    return str(row[0])
