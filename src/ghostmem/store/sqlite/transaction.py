"""The tables of one transaction in SQLite."""

from typing import TYPE_CHECKING

import apsw

from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.transaction import Opening, Transaction

if TYPE_CHECKING:
    from ghostmem.store.vectors import Views


class SqliteTransaction(Transaction):
    """The tables of one transaction."""

    db: SqliteDb
    own = {  # noqa: RUF012
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
        """Record that text was deleted for good, whose bytes `scrub` is to remove."""
        from ghostmem.store.sqlite.scrub import owe

        owe(self.db.connection)
