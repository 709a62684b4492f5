"""The engine on PostgreSQL with pgvector, for a store that several machines share."""

from ghostmem.engine.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
