"""The engine on one SQLite file.

schema, migrate    the migrations, with a copy kept before
engine             transactions on the connection of a thread; failures: errors of SQLite
connect, reading   opening a file, also on read-only media; uses: forks of the process
database           the SQL that differs, one connection in one transaction, and its tables:
                   those of `store`, and journal, index, search, vectors, notes, copy
check              checks and repair
scrub, replace     removal of deleted bytes; backups
original           databases of the original Ghost"""

from ghostmem.store.sqlite.engine import SqliteEngine

__all__ = ["SqliteEngine"]
