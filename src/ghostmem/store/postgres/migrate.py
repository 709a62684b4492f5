"""Migrate a database to the present schema.

A lock lets one process do so at a time, because every server may try when it starts."""

from datetime import datetime
from secrets import randbits
from typing import Any

import psycopg
from psycopg import errors as pg

from ghostmem._version import __version__
from ghostmem.clock import format_time
from ghostmem.errors import EngineError, NotADatabaseError, ReadOnlyStoreError
from ghostmem.settings import masked
from ghostmem.store.engine import pending
from ghostmem.store.postgres.connect import (
    WRITERS,
    Connection,
    checked_url,
    translated,
    unreachable,
)
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.schema import LEDGER, MIGRATIONS, OF_NAMESPACE
from ghostmem.store.postgres.transaction import PostgresTransaction
from ghostmem.store.postgres.trips import RoundTrips

_FIRST_NAME = "trim(split_part(current_setting('search_path'), ',', 1))"
# The schema that the search path names first; NULL if it does not exist.
_FIRST = f"to_regnamespace(nullif({_FIRST_NAME}, ''))"
# A role need not have the schema of its name: "$user" is usually followed by another one.
_IN_FIRST = f"""(relnamespace = {_FIRST} OR {_FIRST} IS NULL AND {_FIRST_NAME} = '"$user"')"""
_EXTENSIONS = (
    "CREATE EXTENSION vector; CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin"  # as in schema
)


def applied(connection: "psycopg.Connection[Any]") -> set[str] | None:
    """Return the names of the applied migrations, or None when this is not a Ghost store yet.

    If the URL names a schema, only a store in that schema counts."""
    # not to_regclass: it may not see yet what another process made while this one waited
    row = connection.execute(
        "SELECT count(*) FROM pg_class WHERE relname IN ('migrations', 'namespaces')"
        f" AND pg_table_is_visible(oid) AND {_IN_FIRST if _names_schema(connection) else 'true'}"
    ).fetchone()
    return (
        {name for (name,) in connection.execute("SELECT name FROM migrations")}
        if row and row[0] >= 2
        else None
    )


def _names_schema(connection: "psycopg.Connection[Any]") -> bool:
    """Say whether the URL has a search path; that of a role or a database is only a default."""
    return "search_path" in connection.info.get_parameters().get("options", "")


def migrate(connection: Connection, location: str, now: datetime) -> None:
    """Apply the missing migrations in one transaction."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s::bigint)", (WRITERS,))
        names = applied(connection)
        if names is None:
            _refuse_unsuitable(connection, location)
            _refuse_foreign(connection, location)
        _run(connection, LEDGER, location)
        for name in pending(names, MIGRATIONS):
            _run(connection, MIGRATIONS[name], location)
            connection.execute(
                "INSERT INTO migrations VALUES (%s, %s, %s)", (name, format_time(now), __version__)
            )
        if names is not None and "0002_words" not in names:
            trips = RoundTrips.over(connection)
            db = Db(trips, writes=True)
            db.holds_all = True
            PostgresTransaction(db, {}, hnsw=False).index.index_tags()
            trips.ask([])


_SCHEMA = "?options=-csearch_path%3DNAME,public"
# Errors of statements that create tables: what went wrong, and the step that is left to the user.
_REFUSALS: tuple[tuple[type[psycopg.Error], type[EngineError], str, str], ...] = (
    (
        pg.InsufficientPrivilege,
        ReadOnlyStoreError,
        "the tables of Ghost cannot be created in {location} ({reason})",
        "connect as the owner of the database or of the schema, or GRANT this role CREATE "
        "on the schema",
    ),
    *(
        (
            error,
            EngineError,
            "the server of {location} lacks an extension ({reason})",
            "install pgvector 0.8 or newer and PostgreSQL's contrib modules (pg_trgm, btree_gin) "
            "on the server",
        )
        for error in (pg.FeatureNotSupported, pg.UndefinedFile)
    ),
    (
        pg.InvalidSchemaName,
        EngineError,
        "the search path of {location} has no schema that exists",
        f"create the schema, or name another: {_SCHEMA}",
    ),
    *(
        (
            error,
            EngineError,
            "an extension is not visible in {location} ({reason})",
            f"add the schema of the extensions to the search path: {_SCHEMA}",
        )
        for error in (pg.UndefinedObject, pg.UndefinedFunction)
    ),
)


def _run(connection: Connection, statements: str, location: str) -> None:
    """Run statements that create tables; an error names the step that is left to the user."""
    try:
        connection.execute(statements.encode())
    except psycopg.Error as error:
        reason = error.diag.message_primary or ""
        for their_type, our_type, words, step in _REFUSALS:
            if isinstance(error, their_type):
                if our_type is ReadOnlyStoreError and "extension" in reason:
                    step = f"run as an administrator of the database: {_EXTENSIONS}"
                raise our_type(words.format(location=location, reason=reason), step) from error
        raise


def _refuse_unsuitable(connection: "psycopg.Connection[Any]", location: str) -> None:
    """Refuse a new store in a database that is not UTF-8, or in a schema that does not exist."""
    encoding, path, schema = connection.execute(
        "SELECT current_setting('server_encoding'), current_setting('search_path'), "
        f"{_FIRST}::oid::bigint"
    ).fetchone() or ("UTF8", "", 0)
    if encoding != "UTF8":
        raise EngineError(
            f"{location} has the encoding {encoding}, which cannot store every text",
            "create a database with UTF-8: createdb -E UTF8 -T template0 NAME",
        )
    name = path.partition(",")[0].strip()
    if name and schema is None and _names_schema(connection):
        step = f"create it first: CREATE SCHEMA {name}"
        row = connection.execute(
            "SELECT relnamespace::regnamespace::text FROM pg_class"
            " WHERE relname = 'namespaces' AND pg_table_is_visible(oid)"
        ).fetchone()
        if row is not None:
            step += f"; to use the store in {row[0]}, remove {name} from the URL"
        raise EngineError(f"{location} has no schema {name}", step)


def _refuse_foreign(connection: "psycopg.Connection[Any]", location: str) -> None:
    rows = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename "
        "= ANY(%s) ORDER BY 1",
        (["migrations", *OF_NAMESPACE],),
    ).fetchall()
    if rows:
        names = ", ".join(name for (name,) in rows[:5])
        raise NotADatabaseError(
            f"{location} has tables of another program (tables: {names})",
            "choose another database, or another schema with ?options=-csearch_path%3DNAME,public",
        )


def has_tables(url: str, location: str) -> bool:
    """Say whether a database has Ghost's tables, without creating anything."""
    with translated(location), _connected(url) as connection:
        return applied(connection) is not None


def same_database(one: str, other: str) -> bool:
    """Say whether two URLs name one database, also in other words: a lock of one is seen there."""
    key = randbits(62)
    lock = "SELECT pg_try_advisory_xact_lock(%s::bigint)"
    with (
        translated(masked(one)),
        _connected(one) as first,
        _connected(other) as second,
        first.transaction(),
        second.transaction(),
    ):
        first.execute(lock, (key,))
        row = second.execute(lock, (key,)).fetchone()
        return row is not None and not row[0]


def _connected(url: str) -> "psycopg.Connection[Any]":
    try:
        return psycopg.connect(checked_url(url), autocommit=True, connect_timeout=10)
    except psycopg.Error as error:
        raise unreachable(masked(url), " ".join(str(error).split())) from error
