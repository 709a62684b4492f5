"""The engine on PostgreSQL with pgvector, for a store that several machines share.

schema, migrate  the migrations
engine           transactions on connections of a pool, and locks of namespaces
connect          the pool, timeouts, vectors in pgvector's format
pipeline         statements that are sent together; trips: the round trips of a transaction
database         the SQL that differs, and one connection in one transaction
transaction      the tables of a transaction: those of `store`, and
                 journal, index, search, vectors, notes, runs, outline, copy
work             the queue and the locks of workers
check            checks, repair, and removal of deleted text
administration   grants, cluster and hnsw, each on a connection of its own"""

from ghostmem.store.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
