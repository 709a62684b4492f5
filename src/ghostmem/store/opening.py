"""Open the engine for a location: a file, memory, or a PostgreSQL URL.

Callers open `engine.read()` or `engine.write()` and use the tables of the transaction. Several
processes may write at once: a write transaction sees everything that was committed before it began,
and transactions do not nest. A write that names its namespaces with `within` may run in parallel
with writes to others, on engines that can do that. A transaction within one namespace is bound to
it, as by `Transaction.of`."""

from typing import TYPE_CHECKING

from ghostmem.clock import Clock
from ghostmem.errors import EngineError
from ghostmem.settings import Settings
from ghostmem.store.sqlite import SqliteEngine

if TYPE_CHECKING:
    from ghostmem.store.postgres.engine import PostgresEngine

    Engine = SqliteEngine | PostgresEngine

POSTGRES = ("postgresql://", "postgres://")
_CONNECTION_STRING = ("host=", "dbname=", "user=", "port=", "service=")


def open_engine(settings: Settings, clock: Clock) -> "Engine":
    """Open the store that the settings name, creating it if it does not exist."""
    path = settings.path
    if path.startswith(POSTGRES):
        try:
            from ghostmem.store.postgres import PostgresEngine
        except ImportError as error:
            raise EngineError(
                f"a store in PostgreSQL needs a package that is not installed ({error.name})",
                "pip install 'ghostmem[postgres]'",
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
