"""The tables of one transaction; those that few verbs need are opened when they are asked for."""

from functools import cached_property
from typing import TYPE_CHECKING

from ghostmem.engine.postgres.connect import Db
from ghostmem.engine.postgres.index import PostgresIndex
from ghostmem.engine.postgres.journal import PostgresJournal
from ghostmem.engine.postgres.memories import PostgresMemories
from ghostmem.engine.postgres.places import Places

if TYPE_CHECKING:
    from ghostmem.engine.postgres.aliases import PostgresAliases
    from ghostmem.engine.postgres.backups import PostgresBackups
    from ghostmem.engine.postgres.copy import PostgresCopy, PostgresMove
    from ghostmem.engine.postgres.graph import PostgresGraph
    from ghostmem.engine.postgres.listing import PostgresListing
    from ghostmem.engine.postgres.mirrors import PostgresMirrors
    from ghostmem.engine.postgres.notes import PostgresNotes
    from ghostmem.engine.postgres.outline import PostgresOutline
    from ghostmem.engine.postgres.quarantine import PostgresQuarantine
    from ghostmem.engine.postgres.rules import PostgresRules
    from ghostmem.engine.postgres.runs import PostgresRuns
    from ghostmem.engine.postgres.search import PostgresSearch
    from ghostmem.engine.postgres.sessions import PostgresSessions
    from ghostmem.engine.postgres.store_secrets import PostgresSecrets
    from ghostmem.engine.postgres.tokens import PostgresTokens
    from ghostmem.engine.postgres.vectors import PostgresVectors, Views
    from ghostmem.engine.postgres.work import PostgresWork


class PostgresTransaction:
    """The tables of one transaction."""

    def __init__(self, db: Db, views: "Views", hnsw: bool) -> None:
        self.db = db
        self._views = views
        self._hnsw = hnsw
        self.owes = False
        self.places = Places(db)
        self.journal = PostgresJournal(db, self.places)
        self.memories = PostgresMemories(db, self.places, self.journal)
        self.index = PostgresIndex(db, self.places, self.journal)

    @cached_property
    def listing(self) -> "PostgresListing":
        """Open the listing, which reading by key never needs."""
        from ghostmem.engine.postgres.listing import PostgresListing

        return PostgresListing(self.db, self.places, self.memories)

    @cached_property
    def search(self) -> "PostgresSearch":
        """Open what a search reads."""
        from ghostmem.engine.postgres.search import PostgresSearch

        return PostgresSearch(self.db, self.places)

    @cached_property
    def vectors(self) -> "PostgresVectors":
        """Open the vectors, which need numpy."""
        from ghostmem.engine.postgres.vectors import PostgresVectors

        return PostgresVectors(self.db, self.places, self.journal, self._views, self._hnsw)

    @cached_property
    def graph(self) -> "PostgresGraph":
        """Open the edges, which most reads never need."""
        from ghostmem.engine.postgres.graph import PostgresGraph

        return PostgresGraph(self.db, self.places, self.memories)

    @cached_property
    def rules(self) -> "PostgresRules":
        """Open the rules, which most commands never need."""
        from ghostmem.engine.postgres.rules import PostgresRules

        return PostgresRules(self.db)

    @cached_property
    def runs(self) -> "PostgresRuns":
        """Open the runs of the lifecycle."""
        from ghostmem.engine.postgres.runs import PostgresRuns

        return PostgresRuns(self.db)

    @cached_property
    def tokens(self) -> "PostgresTokens":
        """Open the tokens, which only servers need."""
        from ghostmem.engine.postgres.tokens import PostgresTokens

        return PostgresTokens(self.db)

    @cached_property
    def notes(self) -> "PostgresNotes":
        """Open the notes of markdown folders."""
        from ghostmem.engine.postgres.notes import PostgresNotes

        return PostgresNotes(self.db, self.places)

    @cached_property
    def mirrors(self) -> "PostgresMirrors":
        """Open the mirrors of namespaces."""
        from ghostmem.engine.postgres.mirrors import PostgresMirrors

        return PostgresMirrors(self.db)

    @cached_property
    def outline(self) -> "PostgresOutline":
        """Open the cache of the code outline."""
        from ghostmem.engine.postgres.outline import PostgresOutline

        return PostgresOutline(self.db)

    @cached_property
    def aliases(self) -> "PostgresAliases":
        """Open the other wordings of memories."""
        from ghostmem.engine.postgres.aliases import PostgresAliases

        return PostgresAliases(self.db, self.places)

    @cached_property
    def quarantine(self) -> "PostgresQuarantine":
        """Open what is not trusted."""
        from ghostmem.engine.postgres.quarantine import PostgresQuarantine

        return PostgresQuarantine(self.db)

    @cached_property
    def backups(self) -> "PostgresBackups":
        """Open the list of copies."""
        from ghostmem.engine.postgres.backups import PostgresBackups

        return PostgresBackups(self.db)

    @cached_property
    def secrets(self) -> "PostgresSecrets":
        """Open the secrets of the store."""
        from ghostmem.engine.postgres.store_secrets import PostgresSecrets

        return PostgresSecrets(self.db)

    @cached_property
    def sessions(self) -> "PostgresSessions":
        """Open what hooks remember of sessions."""
        from ghostmem.engine.postgres.sessions import PostgresSessions

        return PostgresSessions(self.db)

    @cached_property
    def work(self) -> "PostgresWork":
        """Open the queue that several workers share."""
        from ghostmem.engine.postgres.work import PostgresWork

        return PostgresWork(self.db)

    @cached_property
    def copy(self) -> "PostgresCopy":
        """Open the rows of any table as they are."""
        from ghostmem.engine.postgres.copy import PostgresCopy

        return PostgresCopy(self.db)

    @cached_property
    def move(self) -> "PostgresMove":
        """Open what a store that is being filled knows of it."""
        from ghostmem.engine.postgres.copy import PostgresMove

        return PostgresMove(self.db)

    def owe_scrub(self) -> None:
        """Note that something is deleted for good: what other tables say of it goes with this transaction."""
        self.owes = True
