"""The store in one SQLite file."""

from ghostmem.engine.sqlite.engine import SqliteEngine

__all__ = ["SqliteEngine"]
