"""The store in one SQLite file."""

from ghostmem.store.sqlite.engine import SqliteEngine

__all__ = ["SqliteEngine"]
