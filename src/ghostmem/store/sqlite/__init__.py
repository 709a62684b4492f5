"""The engine on one SQLite file.

schema, migrate    the migrations, with a copy kept before
connect, frozen    opening a file, also on read-only media; forks: use after a fork
waiting            the queue for the write lock
database, dialect  one connection in one transaction; the SQL that differs
transaction        the tables of a transaction: those of `store`, and
journal, index, pieces, search, vectors, notes, outline, copy
check, checksums   checks and repair
scrub, replace     removal of deleted bytes; backups
original           databases of the original Ghost"""

from ghostmem.store.sqlite.engine import SqliteEngine

__all__ = ["SqliteEngine"]
