"""The tables of one transaction in SQLite."""

from typing import TYPE_CHECKING, ClassVar

import apsw

from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.transaction import TableClass, Transaction

if TYPE_CHECKING:
    from ghostmem.store.namespace_cache import NamespaceCache
    from ghostmem.store.sqlite.copy import SqliteCopy
    from ghostmem.store.sqlite.journal import LineCount
    from ghostmem.store.vectors import Views


class SqliteTransaction(Transaction):
    """The tables of one transaction."""

    own: ClassVar = {
        "copy": TableClass("sqlite.copy", "SqliteCopy", ("lines",)),
        "index": TableClass("sqlite.index", "SqliteIndex", ("journal",)),
        "journal": TableClass("sqlite.journal", "SqliteJournal", ("lines",)),
        "search": TableClass("sqlite.search", "SqliteSearch", ("cache",)),
        "vectors": TableClass("sqlite.vectors", "SqliteVectors", ("views", "journal")),
    }
    db: SqliteDb
    copy: "SqliteCopy"

    def __init__(
        self,
        connection: apsw.Connection,
        views: "Views",
        cache: "NamespaceCache | None" = None,
        lines: "LineCount | None" = None,
    ) -> None:
        self.db = SqliteDb(connection)
        self.views = views
        self.cache = cache
        self.lines = lines

    def owe_scrub(self) -> None:
        """Record that text was deleted for good and `scrub` must remove its bytes."""
        from ghostmem.store.sqlite.scrub import owe

        owe(self.db.connection)
