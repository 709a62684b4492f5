"""The tables of one transaction in PostgreSQL."""

from collections.abc import Callable
from typing import ClassVar, Self

from ghostmem.store.namespace_cache import NamespaceCache
from ghostmem.store.postgres.copy import PostgresCopy
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.index import PostgresIndex
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.postgres.outline import PostgresOutline
from ghostmem.store.postgres.pipeline import BoundStatement
from ghostmem.store.postgres.vectors import PostgresVectors
from ghostmem.store.postgres.work import PostgresWork
from ghostmem.store.transaction import TableClass, Transaction
from ghostmem.store.vectors import Views


class PostgresTransaction(Transaction):
    """The tables of one transaction, with the queue that workers share."""

    own: ClassVar = {
        "copy": TableClass("postgres.copy", "PostgresCopy"),
        "index": TableClass("postgres.index", "PostgresIndex", ("journal",)),
        "journal": TableClass("postgres.journal", "PostgresJournal"),
        "outline": TableClass("postgres.outline", "PostgresOutline"),
        "search": TableClass("postgres.search", "PostgresSearch", ("cache",)),
        "vectors": TableClass("postgres.vectors", "PostgresVectors", ("views", "journal", "hnsw")),
        "work": TableClass("postgres.work", "PostgresWork"),
    }
    db: Db
    copy: PostgresCopy
    index: PostgresIndex
    journal: PostgresJournal
    outline: PostgresOutline
    vectors: PostgresVectors
    work: PostgresWork

    def __init__(
        self, db: Db, views: Views, hnsw: bool, cache: NamespaceCache | None = None
    ) -> None:
        self.db = db
        self.cache = cache
        self.views = views
        self.hnsw = hnsw
        self._bound: dict[str, Self] = {}

    def of(self, ns: str) -> Self:
        """Return the same transaction bound to a namespace, or itself for a filter of several."""
        if self.ns is not None or not ns or ns.endswith("*"):
            return self
        if ns not in self._bound:
            self._bound[ns] = type(self)(self.db, self.views, self.hnsw, self.cache)
            self._bound[ns].ns = str(ns)
        return self._bound[ns]

    def owe_scrub(self) -> None:
        """Record that text was deleted for good: its traces go at the end of the transaction."""
        self.db.owes_scrub = True

    def fresh(self) -> "PostgresTransaction":
        """Return the same transaction as one that has read nothing yet."""
        self.db.answers.clear()
        return PostgresTransaction(self.db, {}, hnsw=False)

    def statements(self, step: Callable[[], object]) -> list[BoundStatement]:
        """Return the statements of a step with their values."""
        statements: list[BoundStatement] = []
        self.db.watch = statements.append
        try:
            step()
        finally:
            self.db.watch = None
        return statements
