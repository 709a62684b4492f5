"""The tables of one transaction; a table is opened when it is first used.

Classes are named by their modules here: a cold command needs few of them, and loading all takes
more than 10 ms."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from ghostmem.errors import EngineError
from ghostmem.store.database import Database

if TYPE_CHECKING:
    from ghostmem.store.aliases import Aliases, SourceAliases
    from ghostmem.store.copy import Copy
    from ghostmem.store.graph import EdgeTable
    from ghostmem.store.index import Index
    from ghostmem.store.journal import Journal
    from ghostmem.store.listing import Listing
    from ghostmem.store.memories import Memories
    from ghostmem.store.notes import Notes
    from ghostmem.store.outline import OutlineTables
    from ghostmem.store.runs import Runs
    from ghostmem.store.search import Search
    from ghostmem.store.small_tables import (
        Backups,
        Mirrors,
        Quarantine,
        RuleTable,
        Secrets,
        SessionTable,
        Tokens,
    )
    from ghostmem.store.vectors import Vectors


class TableClass(NamedTuple):
    """A table's class by module and name, and the members of the transaction that it takes."""

    module: str
    name: str
    takes: tuple[str, ...] = ()


_SHARED = {
    "aliases": TableClass("aliases", "Aliases"),
    "backups": TableClass("small_tables", "Backups"),
    "graph": TableClass("graph", "EdgeTable", ("memories",)),
    "listing": TableClass("listing", "Listing", ("memories",)),
    "memories": TableClass("memories", "Memories", ("journal",)),
    "mirrors": TableClass("small_tables", "Mirrors"),
    "notes": TableClass("notes", "Notes"),
    "outline": TableClass("outline", "OutlineTables"),
    "quarantine": TableClass("small_tables", "Quarantine"),
    "rules": TableClass("small_tables", "RuleTable"),
    "runs": TableClass("runs", "Runs"),
    "secrets": TableClass("small_tables", "Secrets"),
    "sessions": TableClass("small_tables", "SessionTable"),
    "source_aliases": TableClass("aliases", "SourceAliases"),
    "tokens": TableClass("small_tables", "Tokens"),
}


@cache
def _class_of(table_class: TableClass) -> Any:
    return getattr(import_module(f"ghostmem.store.{table_class.module}"), table_class.name)


class ChangedMeanwhileError(EngineError):
    """The store has changed since it was read, so that nothing was written."""


class Transaction:
    """A consistent view of the store; a write transaction can also change it."""

    own: ClassVar[dict[str, TableClass]] = {}  # the tables that the engine implements itself
    ns: str | None = None  # the only namespace whose rows are read and written, if there is one
    db: Database
    memories: "Memories"
    listing: "Listing"
    index: "Index"
    search: "Search"
    vectors: "Vectors"
    graph: "EdgeTable"
    journal: "Journal"
    rules: "RuleTable"
    runs: "Runs"
    tokens: "Tokens"
    notes: "Notes"
    outline: "OutlineTables"
    mirrors: "Mirrors"
    aliases: "Aliases"
    quarantine: "Quarantine"
    source_aliases: "SourceAliases"
    backups: "Backups"
    secrets: "Secrets"
    sessions: "SessionTable"
    copy: "Copy"

    if not TYPE_CHECKING:  # the type checker knows the tables from the annotations

        def __getattr__(self, name: str) -> Any:
            table_class = self.own.get(name) or _SHARED.get(name)
            if table_class is None:
                raise AttributeError(f"a transaction has no table {name!r}")
            table = _class_of(table_class)(
                self.db, *[getattr(self, member) for member in table_class.takes]
            )
            table.ns = self.ns
            setattr(self, name, table)
            return table

    def of(self, ns: str) -> Self:
        """Return the same transaction bound to a namespace, or itself for a filter of several.

        Rows of other namespaces are not found, and a server need not look for the namespace of an
        id. Where an id is enough to find a row, nothing changes."""
        return self

    def ahead(self, *reads: Callable[[], object]) -> None:
        """Let reads that do not depend on each other share a round trip.

        A caller that is going to make these reads names them here first. They may be called
        several times, and must not change anything. Without a server there is nothing to do."""
        self.db.ahead(reads)

    def carry(self, old_id: str, new_id: str) -> None:
        """Move the edges, days of use and other wordings of a version to the next one."""
        self.graph.relink(old_id, new_id)
        self.journal.carry(old_id, new_id)
        self.aliases.carry(old_id, new_id)

    def owe_scrub(self) -> None:
        """Record that text was deleted for good and its bytes are to be removed."""
        raise NotImplementedError
