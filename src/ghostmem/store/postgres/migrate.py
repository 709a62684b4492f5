"""Migrate a database to the present schema.

A lock lets one process do so at a time, because every server may try when it starts."""

from datetime import datetime
from typing import Any

import psycopg

from ghostmem._version import __version__
from ghostmem.clock import format_time
from ghostmem.errors import NotADatabaseError
from ghostmem.store.engine import pending
from ghostmem.store.postgres.connect import WRITERS, Connection, translated
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.schema import LEDGER, MIGRATIONS, OF_NAMESPACE
from ghostmem.store.postgres.trips import RoundTrips


def applied(connection: "psycopg.Connection[Any]") -> set[str] | None:
    """Return the names of the applied migrations, or None when this is not a Ghost store yet."""
    # not to_regclass: it may not see yet what another process made while this one waited
    row = connection.execute(
        "SELECT count(*) FROM pg_class WHERE relname IN ('migrations', 'namespaces')"
        " AND pg_table_is_visible(oid)"
    ).fetchone()
    if not row or row[0] < 2:
        return None
    return {name for (name,) in connection.execute("SELECT name FROM migrations")}


def migrate(connection: Connection, where: str, now: datetime) -> None:
    """Apply the missing migrations in one transaction."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s::bigint)", (WRITERS,))
        names = applied(connection)
        if names is None:
            _refuse_foreign(connection, where)
        connection.execute(LEDGER)
        for name in pending(names, MIGRATIONS):
            connection.execute(MIGRATIONS[name].encode())
            connection.execute(
                "INSERT INTO migrations VALUES (%s, %s, %s)", (name, format_time(now), __version__)
            )
        if names is not None and "0002_words" not in names:
            _index_tags(connection)


def _index_tags(connection: Connection) -> None:
    from ghostmem.store.postgres.transaction import PostgresTransaction
    from ghostmem.store.tag_index import TAGGED, index_tags

    trips = RoundTrips.over(connection)
    db = Db(trips, writes=True)
    db.holds_all = True
    index_tags(PostgresTransaction(db, {}, hnsw=False).index, db.rows(TAGGED))
    trips.ask([])


def _refuse_foreign(connection: "psycopg.Connection[Any]", where: str) -> None:
    """Refuse to write into a database of another program."""
    rows = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename "
        "= ANY(%s) ORDER BY 1",
        (["migrations", *OF_NAMESPACE],),
    ).fetchall()
    if rows:
        names = ", ".join(name for (name,) in rows[:5])
        hint = (
            "choose another database, or another schema with ?options=-csearch_path%3DNAME,public"
        )
        raise NotADatabaseError(f"{where} has tables of another program (tables: {names})", hint)


def has_tables(url: str, location: str) -> bool:
    """Say whether a database has Ghost's tables, without creating anything."""
    with translated(location), psycopg.connect(url, autocommit=True) as connection:
        return applied(connection) is not None
