"""The tables of one transaction; those that few verbs need are opened when they are asked for."""

from functools import cached_property
from typing import TYPE_CHECKING

import apsw

from ghostmem.store.sqlite.index import SqliteIndex
from ghostmem.store.sqlite.journal import SqliteJournal
from ghostmem.store.sqlite.memories import SqliteMemories

if TYPE_CHECKING:
    from ghostmem.store.sqlite.aliases import SqliteAliases
    from ghostmem.store.sqlite.backups import SqliteBackups
    from ghostmem.store.sqlite.copy import SqliteCopy, SqliteMove
    from ghostmem.store.sqlite.graph import SqliteGraph
    from ghostmem.store.sqlite.listing import SqliteListing
    from ghostmem.store.sqlite.mirrors import SqliteMirrors
    from ghostmem.store.sqlite.notes import SqliteNotes
    from ghostmem.store.sqlite.outline import SqliteOutline
    from ghostmem.store.sqlite.quarantine import SqliteQuarantine
    from ghostmem.store.sqlite.rules import SqliteRules
    from ghostmem.store.sqlite.runs import SqliteRuns
    from ghostmem.store.sqlite.search import SqliteSearch
    from ghostmem.store.sqlite.sessions import SqliteSessions
    from ghostmem.store.sqlite.store_secrets import SqliteSecrets
    from ghostmem.store.sqlite.tokens import SqliteTokens
    from ghostmem.store.sqlite.vectors import SqliteVectors, Views


class SqliteTransaction:
    """The tables of one transaction."""

    def __init__(self, db: apsw.Connection, views: "Views") -> None:
        self.db = db
        self._views = views
        self.journal = SqliteJournal(db)
        self.memories = SqliteMemories(db, self.journal)
        self.index = SqliteIndex(db, self.journal)

    @cached_property
    def listing(self) -> "SqliteListing":
        """Open the listing, which reading by key never needs."""
        from ghostmem.store.sqlite.listing import SqliteListing

        return SqliteListing(self.db, self.memories)

    @cached_property
    def search(self) -> "SqliteSearch":
        """Open what a search reads."""
        from ghostmem.store.sqlite.search import SqliteSearch

        return SqliteSearch(self.db)

    @cached_property
    def vectors(self) -> "SqliteVectors":
        """Open the vectors, which need numpy."""
        from ghostmem.store.sqlite.vectors import SqliteVectors

        return SqliteVectors(self.db, self._views, self.journal)

    @cached_property
    def graph(self) -> "SqliteGraph":
        """Open the edges, which most reads never need."""
        from ghostmem.store.sqlite.graph import SqliteGraph

        return SqliteGraph(self.db, self.memories)

    @cached_property
    def rules(self) -> "SqliteRules":
        """Open the rules, which most commands never need."""
        from ghostmem.store.sqlite.rules import SqliteRules

        return SqliteRules(self.db)

    @cached_property
    def runs(self) -> "SqliteRuns":
        """Open the runs of the lifecycle."""
        from ghostmem.store.sqlite.runs import SqliteRuns

        return SqliteRuns(self.db)

    @cached_property
    def tokens(self) -> "SqliteTokens":
        """Open the tokens, which only servers need."""
        from ghostmem.store.sqlite.tokens import SqliteTokens

        return SqliteTokens(self.db)

    @cached_property
    def notes(self) -> "SqliteNotes":
        """Open the notes of markdown folders."""
        from ghostmem.store.sqlite.notes import SqliteNotes

        return SqliteNotes(self.db)

    @cached_property
    def mirrors(self) -> "SqliteMirrors":
        """Open the mirrors of namespaces."""
        from ghostmem.store.sqlite.mirrors import SqliteMirrors

        return SqliteMirrors(self.db)

    @cached_property
    def outline(self) -> "SqliteOutline":
        """Open the cache of the code outline."""
        from ghostmem.store.sqlite.outline import SqliteOutline

        return SqliteOutline(self.db)

    @cached_property
    def aliases(self) -> "SqliteAliases":
        """Open the other wordings of memories."""
        from ghostmem.store.sqlite.aliases import SqliteAliases

        return SqliteAliases(self.db)

    @cached_property
    def quarantine(self) -> "SqliteQuarantine":
        """Open what is not trusted."""
        from ghostmem.store.sqlite.quarantine import SqliteQuarantine

        return SqliteQuarantine(self.db)

    @cached_property
    def backups(self) -> "SqliteBackups":
        """Open the list of copies."""
        from ghostmem.store.sqlite.backups import SqliteBackups

        return SqliteBackups(self.db)

    @cached_property
    def secrets(self) -> "SqliteSecrets":
        """Open the secrets of the store."""
        from ghostmem.store.sqlite.store_secrets import SqliteSecrets

        return SqliteSecrets(self.db)

    @cached_property
    def sessions(self) -> "SqliteSessions":
        """Open what hooks remember of sessions."""
        from ghostmem.store.sqlite.sessions import SqliteSessions

        return SqliteSessions(self.db)

    @cached_property
    def copy(self) -> "SqliteCopy":
        """Open the rows of any table as they are."""
        from ghostmem.store.sqlite.copy import SqliteCopy

        return SqliteCopy(self.db)

    @cached_property
    def move(self) -> "SqliteMove":
        """Open what a store that is being filled knows of it."""
        from ghostmem.store.sqlite.copy import SqliteMove

        return SqliteMove(self.db)

    def owe_scrub(self) -> None:
        """Note that something is deleted for good, whose bytes `scrub` is to remove."""
        from ghostmem.store.sqlite.scrub import owe

        owe(self.db)
