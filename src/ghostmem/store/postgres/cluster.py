"""A Citus cluster: its nodes, the distribution of tables by namespace, and isolated shards."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from ghostmem.errors import EngineError, InvalidInputError, NotFoundError
from ghostmem.settings import masked
from ghostmem.store.administration import ClusterNode, Distribution, Isolation
from ghostmem.store.postgres.connect import WRITERS, checked_url, configure, translated
from ghostmem.store.postgres.schema import OF_NAMESPACE, OF_STORE

ANCHOR = "namespaces"  # the table with which all others of namespaces are colocated
_DOCS = "docs/postgres.md says how a cluster is set up"


class AdminConnection(psycopg.Connection[Any]):
    """A connection for the administration of a database."""

    location = ""  # as it may be shown


@contextmanager
def administered(url: str) -> Iterator[AdminConnection]:
    """Lend a new connection in autocommit mode."""
    with (
        translated(masked(url)),
        AdminConnection.connect(
            checked_url(url), autocommit=True, application_name="ghost admin"
        ) as connection,
    ):
        connection.location = masked(url)
        configure(connection)
        yield connection


def require_citus(connection: AdminConnection) -> None:
    """Raise an error with the next step if this database has no Citus."""
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'citus'"
    ).fetchone()
    if row is not None:
        return
    if connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'citus'").fetchone():
        raise EngineError(
            f"{connection.location} does not use Citus",
            f"run CREATE EXTENSION citus in it on every node; {_DOCS}",
        )
    raise EngineError(
        f"the server of {connection.location} has no Citus",
        f"install Citus, preload it, and add its workers; {_DOCS}",
    )


def nodes(connection: AdminConnection) -> list[ClusterNode]:
    """List the servers of a cluster, the coordinator first."""
    require_citus(connection)
    return [
        ClusterNode(host, port, "worker" if group else "coordinator", active, shards, int(size))
        for host, port, group, active, shards, size in connection.execute(
            "SELECT n.nodename, n.nodeport, n.groupid, n.isactive, count(s.shardid), "
            "coalesce(sum(s.shard_size), 0)"
            " FROM pg_dist_node n LEFT JOIN citus_shards s ON s.nodename = n.nodename AND "
            "s.nodeport = n.nodeport"
            " WHERE n.noderole = 'primary' GROUP BY 1, 2, 3, 4 ORDER BY n.groupid <> 0, 1, 2"
        )
    ]


def kinds(connection: AdminConnection) -> dict[str, str]:
    """Return Ghost's Citus tables by kind: "distributed", or "reference" for a copy per node."""
    rows = connection.execute(
        "SELECT c.relname, t.citus_table_type FROM citus_tables t JOIN pg_class c ON c.oid "
        "= t.table_name"
        " WHERE c.relnamespace = current_schema()::regnamespace"
    )
    return {name: kind for name, kind in rows if kind in ("distributed", "reference")}


def distribute(
    connection: AdminConnection,
    shards: int,
    progress: Callable[[int], None] | None = None,
) -> Distribution:
    """Copy the tables of the store to every node, and distribute those of namespaces.

    It is one transaction."""
    require_citus(connection)
    if not any(node.role == "worker" and node.active for node in nodes(connection)):
        raise EngineError(
            f"{connection.location} has no worker",
            f"add some with SELECT citus_add_node('HOST', 5432); {_DOCS}",
        )
    done: dict[str, list[str]] = {"distributed": [], "copied": [], "already": []}
    with connection.transaction():
        connection.execute("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
        # no other process writes meanwhile
        connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (WRITERS,))
        kinds_by_table = kinds(connection)
        for position, table in enumerate((*OF_STORE, *OF_NAMESPACE)):
            if table in kinds_by_table:
                done["already"].append(table)
            elif table in OF_STORE:
                connection.execute("SELECT create_reference_table(%s)", (table,))
                done["copied"].append(table)
            else:
                colocated = "'none', shard_count => %s" if table == ANCHOR else "%s"
                connection.execute(
                    f"SELECT create_distributed_table(%s, 'ns', colocate_with => {colocated})",
                    (table, shards if table == ANCHOR else ANCHOR),
                )
                done["distributed"].append(table)
            if progress is not None:
                progress(position + 1)
        row = connection.execute(
            "SELECT shard_count FROM citus_tables WHERE table_name = %s::regclass", (ANCHOR,)
        ).fetchone()
    return Distribution(
        int(row[0]) if row else 0,
        *(tuple(done[name]) for name in ("distributed", "copied", "already")),
    )


def isolate(connection: AdminConnection, ns: str, to: tuple[str, int] | None) -> Isolation:
    """Give a namespace a shard to itself and optionally move that shard to another node.

    Other namespaces can be written meanwhile."""
    require_citus(connection)
    if kinds(connection).get(ANCHOR) != "distributed":
        raise InvalidInputError(
            f"{connection.location} is not distributed over a cluster yet",
            "run `ghost admin distribute` first",
        )
    if connection.execute("SELECT 1 FROM namespaces WHERE ns = %s", (ns,)).fetchone() is None:
        raise NotFoundError(f"there is no namespace {ns}", "`ghost ns list` shows which there are")
    if to is not None and (*to,) not in {(node.host, node.port) for node in nodes(connection)}:
        raise NotFoundError(
            f"{to[0]}:{to[1]} is not a node of {connection.location}",
            "`ghost admin nodes` shows which there are",
        )
    alone, moved = _alone(connection, ns), False
    try:
        if not alone:
            connection.execute(
                "SELECT isolate_tenant_to_new_shard(%s, %s::text, 'CASCADE', "
                "shard_transfer_mode => 'auto')",
                (ANCHOR, ns),
            )
        shard, host, port = _place(connection, ns)
        if to is not None and (host, port) != to:
            # every table has a primary key, so that rows can be copied while writes continue
            connection.execute(
                "SELECT citus_move_shard_placement(%s, %s, %s, %s, %s, 'auto')",
                (shard, host, port, *to),
            )
            moved = True
            shard, host, port = _place(connection, ns)
    except (psycopg.errors.InternalError_, psycopg.errors.ObjectNotInPrerequisiteState) as error:
        raise EngineError(
            f"{ns} could not be moved ({' '.join(str(error).split())})",
            "workers need wal_level = logical, and citus in output_plugin_libraries "
            "where their PostgreSQL has that",
        ) from error
    return Isolation(ns, shard, host, port, not alone, moved)


def _place(connection: AdminConnection, ns: str) -> tuple[int, str, int]:
    row = connection.execute(
        "SELECT s.shardid, s.nodename, s.nodeport FROM citus_shards s"
        " WHERE s.shardid = get_shard_id_for_distribution_column(%s, %s::text)",
        (ANCHOR, ns),
    ).fetchone()
    assert row is not None
    return int(row[0]), str(row[1]), int(row[2])


def _alone(connection: AdminConnection, ns: str) -> bool:
    """Say whether a namespace's shard has one hash only, as an isolated shard does."""
    row = connection.execute(
        "SELECT shardminvalue = shardmaxvalue FROM pg_dist_shard"
        " WHERE shardid = get_shard_id_for_distribution_column(%s, %s::text)",
        (ANCHOR, ns),
    ).fetchone()
    return bool(row and row[0])


def shards(connection: AdminConnection, statements: Iterable[tuple[str, Any]]) -> list[int | None]:
    """Return the number of shards that each statement asks; None if the coordinator answers."""
    counts = []
    for sql, bound in statements:
        plan = [line.strip() for (line,) in connection.execute(f"EXPLAIN {sql}", bound or None)]
        tasks = [line for line in plan if line.startswith("Task Count:")]
        counts.append(int(tasks[0].partition(":")[2]) if tasks else None)
    return counts
