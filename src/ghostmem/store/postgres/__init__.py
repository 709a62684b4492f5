"""The engine on PostgreSQL with pgvector, for a store that several machines share.

schema         the migrations
connect        the pool, timeouts, vectors in pgvector's format
database       one connection in one transaction; dialect: the SQL that differs
transaction    the tables of a transaction: those of `store`, and
journal, index, search, vectors, remote, notes, runs, outline, copy
work, presence the queue and the locks of workers
check, scrub   checks, repair, and removal of deleted text
administration grants, cluster and hnsw, each on a connection of its own"""

from ghostmem.store.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
