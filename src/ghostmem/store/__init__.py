"""The store: transactions over tables, on SQLite or PostgreSQL.

validate, fields, narrowing  check the input of callers
opening                      opens the engine for a location; the only module that names engines
store                        an open store with its settings, clock and vectoriser
engine                       the state that all engines have
administration, work_queue   stores that several machines share, and workers on them
transaction                  opens the table classes of a transaction when they are used
tables, records, rows        columns declared once; rows as values, and values of operations
database, filters            the interface of table classes to an engine; filters as SQL
memories, listing, graph, index, vectors, search, journal, notes, runs, aliases, outline,
copy                         one class per table, for both engines; small_tables: the others
sqlite/, postgres/           connections, full text, vectors, checks, scrubbing
indexing                     content to index rows
vectoriser                   texts to vectors; nearest, sketch: comparison of vectors
namespace_cache              what searches of a namespace have read, until it changes
lookup, tally                helpers of operations; export_lines: records as lines of JSON

Other packages import the names below from here; their modules are loaded when they are first used,
because a cold command needs few of them."""

from typing import TYPE_CHECKING

from ghostmem.lazy import lazy_names

if TYPE_CHECKING:
    from ghostmem.store.copy import Copy
    from ghostmem.store.export_lines import FORMAT, TYPES, AliasLine, line_of, record_of, values_of
    from ghostmem.store.fields import QUARANTINE, PutFields, put_fields
    from ghostmem.store.indexing import (
        index_rows,
        reindexed_rows,
        retag,
        spoken,
        tagged,
        vector_bytes,
    )
    from ghostmem.store.journal import ChainLine, Head, LatestChange, chained, rolled
    from ghostmem.store.lookup import (
        Written,
        again,
        bookkeep,
        count,
        find,
        locked_error,
        names_of,
        not_found,
        written,
    )
    from ghostmem.store.narrowing import Narrow, narrowed
    from ghostmem.store.opening import open_engine, open_memory
    from ghostmem.store.postgres.migrate import has_tables, same_database
    from ghostmem.store.rows import (
        AuditEntry,
        ChunkCandidate,
        ChunkTerms,
        Filter,
        Group,
        IndexedMemory,
        IndexRow,
        Space,
        StoreCopies,
    )
    from ghostmem.store.small_tables import HookSession, Mirror, MirrorItem
    from ghostmem.store.sqlite.connect import refuse_special
    from ghostmem.store.sqlite.original import read_original
    from ghostmem.store.store import Store
    from ghostmem.store.tally import Tally
    from ghostmem.store.transaction import ChangedMeanwhileError, Transaction
    from ghostmem.store.vectoriser import Vectoriser

_MODULES = {
    "store": "Store",
    "transaction": "ChangedMeanwhileError Transaction",
    "copy": "Copy",
    "rows": "AuditEntry ChunkCandidate ChunkTerms Filter Group IndexedMemory IndexRow Space "
    "StoreCopies",
    "lookup": "Written again bookkeep count find locked_error names_of not_found written",
    "indexing": "index_rows reindexed_rows retag spoken tagged vector_bytes",
    "export_lines": "FORMAT TYPES AliasLine line_of record_of values_of",
    "fields": "PutFields QUARANTINE put_fields",
    "opening": "open_engine open_memory",
    "postgres.migrate": "has_tables same_database",
    "sqlite.connect": "refuse_special",
    "sqlite.original": "read_original",
    "narrowing": "Narrow narrowed",
    "vectoriser": "Vectoriser",
    "journal": "ChainLine Head LatestChange chained rolled",
    "small_tables": "HookSession Mirror MirrorItem",
    "tally": "Tally",
}

__all__ = [
    "FORMAT",
    "QUARANTINE",
    "TYPES",
    "AliasLine",
    "AuditEntry",
    "ChainLine",
    "ChangedMeanwhileError",
    "ChunkCandidate",
    "ChunkTerms",
    "Copy",
    "Filter",
    "Group",
    "Head",
    "HookSession",
    "IndexRow",
    "IndexedMemory",
    "LatestChange",
    "Mirror",
    "MirrorItem",
    "Narrow",
    "PutFields",
    "Space",
    "Store",
    "StoreCopies",
    "Tally",
    "Transaction",
    "Vectoriser",
    "Written",
    "again",
    "bookkeep",
    "chained",
    "count",
    "find",
    "has_tables",
    "index_rows",
    "line_of",
    "locked_error",
    "names_of",
    "narrowed",
    "not_found",
    "open_engine",
    "open_memory",
    "put_fields",
    "read_original",
    "record_of",
    "refuse_special",
    "reindexed_rows",
    "retag",
    "rolled",
    "same_database",
    "spoken",
    "tagged",
    "values_of",
    "vector_bytes",
    "written",
]

__getattr__ = lazy_names(__name__, _MODULES)
