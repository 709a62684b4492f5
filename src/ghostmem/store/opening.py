"""Open the engine for a location: a file, memory, or a PostgreSQL URL."""

from typing import TYPE_CHECKING

from ghostmem.clock import Clock
from ghostmem.errors import EngineError
from ghostmem.settings import Settings
from ghostmem.store.sqlite import SqliteEngine

if TYPE_CHECKING:
    from ghostmem.store.protocol import Engine
    from ghostmem.store.sqlite.original import Original

POSTGRES = ("postgresql://", "postgres://")
_CONNECTION_STRING = ("host=", "dbname=", "user=", "port=", "service=")


def open_engine(settings: Settings, clock: Clock) -> "Engine":
    """Open the store that the settings name, creating it if it does not exist."""
    path = settings.path
    if path.startswith(POSTGRES):
        try:
            from ghostmem.store.postgres import PostgresEngine
        except ImportError as error:
            hint = "pip install 'ghostmem[postgres]'"
            raise EngineError(
                f"a store in PostgreSQL needs a package that is not installed ({error.name})", hint
            ) from None
        return PostgresEngine(
            path,
            clock,
            settings.synchronous,
            settings.busy_timeout,
            settings.pg_connections,
            settings.pg_hnsw,
        )
    if "://" in path:
        raise EngineError(
            f"{settings.shown} is not a store that this Ghost can open",
            "give a file, :memory:, or a postgresql:// URL",
        )
    if path.startswith(_CONNECTION_STRING):
        raise EngineError(
            f"{path.partition('=')[0]}=… is a connection string, not a file",
            "write it as a URL: postgresql://USER@HOST:PORT/DATABASE",
        )
    return SqliteEngine(path, clock, settings.synchronous, settings.busy_timeout)


def open_memory(clock: Clock) -> "Engine":
    """Open an empty store in memory."""
    return SqliteEngine(":memory:", clock)


def read_original(path: str) -> "Original":
    """Read a database of the original Ghost."""
    from ghostmem.store.sqlite.original import read_original

    return read_original(path)


def refuse_special(path: str) -> None:
    """Refuse a device or a FIFO as a store: opening it could block."""
    from ghostmem.store.sqlite.connect import refuse_special

    refuse_special(path)


def has_tables(url: str, location: str) -> bool:
    """Say whether a PostgreSQL database has Ghost's tables, without creating anything."""
    from ghostmem.store.postgres.migrate import has_tables

    return has_tables(url, location)


def same_database(one: str, other: str) -> bool:
    """Say whether two PostgreSQL URLs name one database."""
    from ghostmem.store.postgres.migrate import same_database

    return same_database(one, other)
