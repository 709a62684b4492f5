"""The engine on PostgreSQL with pgvector, for a store that several machines share.

schema         the migrations
connect        the pool, timeouts, vectors in pgvector's format
pipeline       statements that are sent together; trips: the round trips of a transaction
database       one connection in one transaction; dialect: the SQL that differs
transaction    the tables of a transaction: those of `store`, and
journal, index, search, vectors, notes, runs, outline, copy
work, presence the queue and the locks of workers
check, scrub   checks, repair, and removal of deleted text
administration grants, cluster and hnsw, each on a connection of its own"""

from ghostmem.store.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
