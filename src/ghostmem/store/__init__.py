"""The store: transactions over tables, on SQLite or PostgreSQL.

validate, fields, narrowing  check the input of callers
opening                      opens the engine for a location; the only module that names engines
protocol                     the contract: Engine and Transaction; administration: shared stores
transaction                  opens the table classes of a transaction when they are used
tables, records              columns declared once; rows as values
database, filters            the interface of table classes to an engine; filters as SQL
memories, listing, graph, ...  one class per table, for both engines; small_tables: the others
sqlite/, postgres/           connections, full text, vectors, checks, scrubbing
indexing, vectoriser         content to index rows and vectors; nearest, sketch: vector search
lookup, work_queue           helpers of operations

Other packages import the names below from here; their modules are loaded when they are first used,
because a cold command needs few of them."""

from typing import TYPE_CHECKING

from ghostmem.lazy import lazy_names

if TYPE_CHECKING:
    from ghostmem.store.copy import Copy
    from ghostmem.store.export_lines import FORMAT, TYPES, AliasLine, line_of, record_of, values_of
    from ghostmem.store.fields import PutFields, put_fields
    from ghostmem.store.indexing import Reindexer, index_rows, retag, spoken, tagged, vector_bytes
    from ghostmem.store.lookup import again, bookkeep, count, find
    from ghostmem.store.narrowing import Narrow, narrowed
    from ghostmem.store.opening import has_tables, open_engine, open_memory, read_original
    from ghostmem.store.protocol import Engine, SharedEngine
    from ghostmem.store.rows import (
        AuditEntry,
        ChunkCandidate,
        ChunkTerms,
        Filter,
        Group,
        IndexedMemory,
        IndexRow,
        Space,
    )
    from ghostmem.store.store import Store
    from ghostmem.store.transaction import SharedTransaction, Transaction
    from ghostmem.store.vectoriser import Vectoriser

_MODULES = {
    "store": "Store",
    "transaction": "SharedTransaction Transaction",
    "copy": "Copy",
    "protocol": "Engine SharedEngine",
    "rows": "AuditEntry ChunkCandidate ChunkTerms Filter Group IndexedMemory IndexRow Space",
    "lookup": "again bookkeep count find",
    "indexing": "Reindexer index_rows retag spoken tagged vector_bytes",
    "export_lines": "FORMAT TYPES AliasLine line_of record_of values_of",
    "fields": "PutFields put_fields",
    "opening": "has_tables open_engine open_memory read_original",
    "narrowing": "Narrow narrowed",
    "vectoriser": "Vectoriser",
}

__all__ = [
    "FORMAT",
    "TYPES",
    "AliasLine",
    "AuditEntry",
    "ChunkCandidate",
    "ChunkTerms",
    "Copy",
    "Engine",
    "Filter",
    "Group",
    "IndexRow",
    "IndexedMemory",
    "Narrow",
    "PutFields",
    "Reindexer",
    "SharedEngine",
    "SharedTransaction",
    "Space",
    "Store",
    "Transaction",
    "Vectoriser",
    "again",
    "bookkeep",
    "count",
    "find",
    "has_tables",
    "index_rows",
    "line_of",
    "narrowed",
    "open_engine",
    "open_memory",
    "put_fields",
    "read_original",
    "record_of",
    "retag",
    "spoken",
    "tagged",
    "values_of",
    "vector_bytes",
]

__getattr__ = lazy_names(__name__, _MODULES)
