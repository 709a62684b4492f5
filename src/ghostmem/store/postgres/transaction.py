"""The tables of one transaction; those that few verbs need are opened when they are asked for."""

from functools import cached_property
from typing import TYPE_CHECKING

from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.index import PostgresIndex
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.postgres.memories import PostgresMemories
from ghostmem.store.postgres.places import Places

if TYPE_CHECKING:
    from ghostmem.store.postgres.aliases import PostgresAliases
    from ghostmem.store.postgres.backups import PostgresBackups
    from ghostmem.store.postgres.copy import PostgresCopy, PostgresMove
    from ghostmem.store.postgres.graph import PostgresGraph
    from ghostmem.store.postgres.listing import PostgresListing
    from ghostmem.store.postgres.mirrors import PostgresMirrors
    from ghostmem.store.postgres.notes import PostgresNotes
    from ghostmem.store.postgres.outline import PostgresOutline
    from ghostmem.store.postgres.quarantine import PostgresQuarantine
    from ghostmem.store.postgres.rules import PostgresRules
    from ghostmem.store.postgres.runs import PostgresRuns
    from ghostmem.store.postgres.search import PostgresSearch
    from ghostmem.store.postgres.sessions import PostgresSessions
    from ghostmem.store.postgres.store_secrets import PostgresSecrets
    from ghostmem.store.postgres.tokens import PostgresTokens
    from ghostmem.store.postgres.vectors import PostgresVectors, Views
    from ghostmem.store.postgres.work import PostgresWork


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
        from ghostmem.store.postgres.listing import PostgresListing

        return PostgresListing(self.db, self.places, self.memories)

    @cached_property
    def search(self) -> "PostgresSearch":
        """Open what a search reads."""
        from ghostmem.store.postgres.search import PostgresSearch

        return PostgresSearch(self.db, self.places)

    @cached_property
    def vectors(self) -> "PostgresVectors":
        """Open the vectors, which need numpy."""
        from ghostmem.store.postgres.vectors import PostgresVectors

        return PostgresVectors(self.db, self.places, self.journal, self._views, self._hnsw)

    @cached_property
    def graph(self) -> "PostgresGraph":
        """Open the edges, which most reads never need."""
        from ghostmem.store.postgres.graph import PostgresGraph

        return PostgresGraph(self.db, self.places, self.memories)

    @cached_property
    def rules(self) -> "PostgresRules":
        """Open the rules, which most commands never need."""
        from ghostmem.store.postgres.rules import PostgresRules

        return PostgresRules(self.db)

    @cached_property
    def runs(self) -> "PostgresRuns":
        """Open the runs of the lifecycle."""
        from ghostmem.store.postgres.runs import PostgresRuns

        return PostgresRuns(self.db)

    @cached_property
    def tokens(self) -> "PostgresTokens":
        """Open the tokens, which only servers need."""
        from ghostmem.store.postgres.tokens import PostgresTokens

        return PostgresTokens(self.db)

    @cached_property
    def notes(self) -> "PostgresNotes":
        """Open the notes of markdown folders."""
        from ghostmem.store.postgres.notes import PostgresNotes

        return PostgresNotes(self.db, self.places)

    @cached_property
    def mirrors(self) -> "PostgresMirrors":
        """Open the mirrors of namespaces."""
        from ghostmem.store.postgres.mirrors import PostgresMirrors

        return PostgresMirrors(self.db)

    @cached_property
    def outline(self) -> "PostgresOutline":
        """Open the cache of the code outline."""
        from ghostmem.store.postgres.outline import PostgresOutline

        return PostgresOutline(self.db)

    @cached_property
    def aliases(self) -> "PostgresAliases":
        """Open the other wordings of memories."""
        from ghostmem.store.postgres.aliases import PostgresAliases

        return PostgresAliases(self.db, self.places)

    @cached_property
    def quarantine(self) -> "PostgresQuarantine":
        """Open what is not trusted."""
        from ghostmem.store.postgres.quarantine import PostgresQuarantine

        return PostgresQuarantine(self.db)

    @cached_property
    def backups(self) -> "PostgresBackups":
        """Open the list of copies."""
        from ghostmem.store.postgres.backups import PostgresBackups

        return PostgresBackups(self.db)

    @cached_property
    def secrets(self) -> "PostgresSecrets":
        """Open the secrets of the store."""
        from ghostmem.store.postgres.store_secrets import PostgresSecrets

        return PostgresSecrets(self.db)

    @cached_property
    def sessions(self) -> "PostgresSessions":
        """Open what hooks remember of sessions."""
        from ghostmem.store.postgres.sessions import PostgresSessions

        return PostgresSessions(self.db)

    @cached_property
    def work(self) -> "PostgresWork":
        """Open the queue that several workers share."""
        from ghostmem.store.postgres.work import PostgresWork

        return PostgresWork(self.db)

    @cached_property
    def copy(self) -> "PostgresCopy":
        """Open the rows of any table as they are."""
        from ghostmem.store.postgres.copy import PostgresCopy

        return PostgresCopy(self.db)

    @cached_property
    def move(self) -> "PostgresMove":
        """Open what a store that is being filled knows of it."""
        from ghostmem.store.postgres.copy import PostgresMove

        return PostgresMove(self.db)

    def owe_scrub(self) -> None:
        """Note that something is deleted for good: what other tables say of it goes with this
        transaction.
        """
        self.owes = True
