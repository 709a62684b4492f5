"""Every table in words that no engine owns: what moves when a store moves to another engine, and
how its rows compare.

A row is a tuple of a table's columns in their order, without its namespace, which is said beside
it: SQLite knows some rows' namespace by a number or through their memory, PostgreSQL has `ns` in
each. A vector is its float16 numbers as bytes, everything else is what the columns hold. Left out
is what is made again when it is needed: `outline_files`, `outline_facts`, `spare_vectors` and
`work`; and what a row of another table says already: full text, substrings, words, checksums,
PostgreSQL's digests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

Row = tuple[Any, ...]
Key = tuple[Any, ...]

PARKED = "\x01moving "  # the start of a key that a row has while others take theirs


class Table(NamedTuple):
    """One table: its columns, what they are found by in order, and how its rows belong to a
    namespace.

    `via` is how SQLite knows the namespace: "" when the table is of the whole store, "name" by its
    own row, "ns" by a column, "number" by `ns_id`, "memory" through the memory in the first column
    of the key, "folder" through the folder of the note."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    via: str = ""
    parents: tuple[
        tuple[str, str, str], ...
    ] = ()  # column, the table it points to, and that one's column
    ends: tuple[str, ...] = ()  # the columns that name memories
    unique: tuple[str, ...] = ()  # PostgreSQL's key behind `ns`, where that is another
    replaced: bool = (
        False  # a changed row is deleted and written anew, since more than its key is unique
    )
    logged: bool = False  # large, and never changed without a line in the change log
    only: str = ""  # the one engine that has it

    @property
    def owned(self) -> bool:
        """Say whether rows belong to a namespace."""
        return self.via != ""

    def key_of(self, row: Row) -> Key:
        """Return what a row is found by."""
        return tuple(row[self.columns.index(name)] for name in self.key)

    def at(self, column: str) -> int:
        """Return where a column stands in a row."""
        return self.columns.index(column)


_MEMORY = (("memory_id", "memories", "id"),)
_PAIR = (("from_id", "memories", "id"), ("to_id", "memories", "id"))
_ENDS = ("from_id", "to_id")


def _columns(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# In an order in which what a row points to comes before it.
TABLES: tuple[Table, ...] = (
    Table("models", _columns("id name dimension chunker"), ("id",)),
    Table(
        "reflect_rules",
        _columns(
            "id ns name priority scope created_by cond_tier cond_age_gt_hours "
            "cond_importance_lt cond_access_lt cond_access_gt"
            " cond_utility_lt cond_kind cond_tag_includes cond_similarity_gt "
            "cond_unaccessed_gt_hours action_op action_params"
            " rule_expires_at created_at"
        ),
        ("id",),
    ),
    Table("runs", _columns("id verb scope at place holder finished_at undone_at report"), ("id",)),
    Table(
        "tokens",
        _columns("id name hash grants created_at expires_at revoked_at last_used_at"),
        ("id",),
    ),
    Table(
        "note_folders",
        _columns("id root layout ns added_at reconciled_at unavailable source_kind"),
        ("id",),
    ),
    Table("mirrors", _columns("id root layout ns added_at"), ("id",)),
    Table(
        "mirror_items",
        _columns("mirror_id key path hash tags about"),
        ("mirror_id", "key"),
        parents=(("mirror_id", "mirrors", "id"),),
    ),
    Table("backups", _columns("path at"), ("path",)),
    Table("store_secrets", _columns("name value"), ("name",)),
    Table(
        "hook_sessions", _columns("session_id ns at shown captured_to asked_to"), ("session_id",)
    ),
    Table("namespace_grants", _columns("role ns scope"), ("role", "ns"), only="postgresql"),
    Table("namespaces", _columns("id sequence chunks length head"), ("id",), "name", unique=()),
    Table(
        "memories",
        _columns(
            "id key content kind tags version supersedes created_at deleted_at priority "
            "access_count last_accessed_at meta"
            " expires_at importance utility_count tier est_tokens pinned source_user "
            "source_kind source_scope source_client"
            " valid_from valid_to recorded_at"
        ),
        ("id",),
        "memory",
        ends=("id",),
    ),
    Table("threads", _columns("id scope chunks length"), ("scope",), "number", replaced=True),
    Table(
        "chunks",
        _columns(
            "id memory_id seq start stop start_line end_line terms length chunker thread_id place"
        ),
        ("memory_id", "seq"),
        "memory",
        _MEMORY,
        ("memory_id",),
        replaced=True,
        logged=True,
    ),
    Table(
        "vectors",
        _columns("model_id chunk_id vector"),
        ("model_id", "chunk_id"),
        "number",
        (("chunk_id", "chunks", "id"),),
        logged=True,
    ),
    Table(
        "memory_edges",
        _columns("from_id to_id rel weight access_count last_accessed_at created_at automatic"),
        ("from_id", "to_id", "rel"),
        "memory",
        _PAIR,
        _ENDS,
    ),
    Table(
        "memory_links",
        _columns("from_id to_id rel created_at"),
        ("from_id", "to_id", "rel"),
        "memory",
        _PAIR,
        _ENDS,
    ),
    Table(
        "memory_files",
        _columns("memory_id path rel created_at"),
        ("memory_id", "path"),
        "memory",
        _MEMORY,
        ("memory_id",),
        ("memory_id", "digest"),
    ),
    Table(
        "memory_symbols",
        _columns("memory_id root language name path hash rel created_at"),
        ("memory_id", "root", "language", "name", "path"),
        "memory",
        _MEMORY,
        ("memory_id",),
        ("memory_id", "digest"),
    ),
    Table(
        "accesses",
        _columns("memory_id day used shown"),
        ("memory_id", "day"),
        "memory",
        _MEMORY,
        ("memory_id",),
    ),
    Table(
        "inferences",
        _columns("from_id to_id answer model at"),
        ("from_id", "to_id"),
        "memory",
        _PAIR,
        _ENDS,
    ),
    Table("unlinked", ("memory_id",), ("memory_id",), "memory", _MEMORY, ("memory_id",)),
    Table(
        "aliases",
        _columns("memory_id content at source_user source_kind source_scope source_client"),
        ("memory_id", "content"),
        "memory",
        _MEMORY,
        ("memory_id",),
        ("memory_id", "digest"),
    ),
    Table("quarantine", _columns("id key content fields reasons at"), ("id",), "ns"),
    Table(
        "audit",
        _columns("run_id seq subject rule op hash before after done"),
        ("run_id", "seq"),
        "ns",
        (("run_id", "runs", "id"),),
    ),
    Table(
        "notes",
        _columns("folder_id path id size mtime_ns inode hash names problem missing_at"),
        ("folder_id", "path"),
        "folder",
        (("folder_id", "note_folders", "id"),),
        unique=("folder_id", "digest"),
        replaced=True,
    ),
    Table(
        "note_sections",
        _columns("memory_id note_id name line hash"),
        ("memory_id",),
        "memory",
        (*_MEMORY, ("note_id", "notes", "id")),
        ("memory_id",),
    ),
    Table(
        "note_links",
        _columns("memory_id word target to_id"),
        ("memory_id", "word", "target"),
        "memory",
        (*_MEMORY, ("to_id", "memories", "id")),
        ("memory_id", "to_id"),
        ("memory_id", "digest"),
    ),
    Table(
        "changes",
        _columns("ns_id seq memory_id op at actor hash line"),
        ("seq",),
        "number",
        logged=True,
    ),
)
BY_NAME: Mapping[str, Table] = {table.name: table for table in TABLES}
LEFT_OUT = ("outline_files", "outline_facts", "spare_vectors", "work")
DERIVED = ("words",)  # written from the chunks, like full text
COUNTED = (
    "namespaces",
    "threads",
    "chunks",
    "models",
    "note_folders",
    "mirrors",
)  # tables that number their rows
# Columns that say how often and when; a memory that differs in nothing else keeps everything that
# was made of it.
BOOKKEEPING = frozenset({"access_count", "utility_count", "last_accessed_at"})


def tables(*engines: str) -> tuple[Table, ...]:
    """Return the tables that all these engines have."""
    return tuple(table for table in TABLES if not table.only or set(engines) == {table.only})


def canonical(row: Row) -> bytes:
    """Return a row as JSON that is the same bytes on every engine."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=bytes.hex).encode()


def digest(rows: Iterable[Row]) -> str:
    """Return the checksum of rows in the order of their keys."""
    made = sha256()
    for row in rows:
        made.update(canonical(row) + b"\n")
    return made.hexdigest()


def combined(digests: Sequence[str]) -> str:
    """Return one checksum of several."""
    return sha256("\n".join(digests).encode()).hexdigest()


def indexed(terms: str) -> str:
    """Return the tokens that full text holds of a chunk's terms."""
    from ghostmem.text.terms import encode

    return " ".join(map(encode, terms.split(" "))) if terms else ""


def folded(key: str, content: str, seq: int, start: int, stop: int) -> str:
    """Return the text in which substrings of a chunk are found: its own, behind the key when it is
    the first.
    """
    from ghostmem.text.scripts import fold

    text = content[start:stop]
    return fold(f"{key}\n{text}" if seq == 0 else text).lower()
