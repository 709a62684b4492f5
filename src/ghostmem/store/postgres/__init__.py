"""The engine on PostgreSQL with pgvector, for a store that several machines share."""

from ghostmem.store.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
