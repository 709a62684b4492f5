"""The tables of one transaction in SQLite."""

from typing import TYPE_CHECKING, ClassVar

import apsw

from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.transaction import Opening, Transaction

if TYPE_CHECKING:
    from ghostmem.store.sqlite.copy import SqliteCopy
    from ghostmem.store.sqlite.outline import SqliteOutline
    from ghostmem.store.vectors import Views


class SqliteTransaction(Transaction):
    """The tables of one transaction."""

    db: SqliteDb
    copy: "SqliteCopy"
    outline: "SqliteOutline"
    own: ClassVar = {
        "copy": Opening("sqlite.copy", "SqliteCopy"),
        "index": Opening("sqlite.index", "SqliteIndex", ("journal",)),
        "journal": Opening("sqlite.journal", "SqliteJournal"),
        "notes": Opening("sqlite.notes", "SqliteNotes"),
        "outline": Opening("sqlite.outline", "SqliteOutline"),
        "search": Opening("sqlite.search", "SqliteSearch"),
        "vectors": Opening("sqlite.vectors", "SqliteVectors", ("views", "journal")),
    }

    def __init__(self, connection: apsw.Connection, views: "Views") -> None:
        self.db = SqliteDb(connection)
        self.views = views

    def owe_scrub(self) -> None:
        """Record that text was deleted for good and `scrub` must remove its bytes."""
        from ghostmem.store.sqlite.scrub import owe

        owe(self.db.connection)
