"""Every table in terms that no engine owns: the one place where its columns are declared.

Column lists, the conversion of values (`records`), inserts (`database`), export and the move to
another engine derive from here; a new column is a name here and a line in `ADDED`.

A row is a tuple of a table's columns in their order, without its namespace: SQLite knows the
namespace of some rows by a number or through their memory, PostgreSQL has `ns` in each. A
vector is its float16 numbers as bytes. Tables that can be rebuilt are not described:
those of the code outline, `spare_vectors` and `work`; neither is derived data (full
text, substrings, words, checksums, PostgreSQL's digests)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Row = tuple[Any, ...]
Key = tuple[Any, ...]


class ColumnName(str):
    """The name of a column, with the type of its values.

    That is one of `records.CODECS`, `int` or `share` (from 0 to 1); without a type it is any text
    or number. A type with a question mark may be empty."""

    type: str

    def __new__(cls, text: str) -> "ColumnName":
        name, _, kind = text.partition(":")
        column = super().__new__(cls, name)
        column.type = kind
        return column


class Table(NamedTuple):
    """One table: its columns, its key, and how its rows belong to a namespace.

    `via` is how SQLite knows the namespace: "" when the table belongs to the whole store,
    "name" by its own row, "ns" by a column, "number" by `ns_id`, "memory" through the memory in
    the first column of the key, "folder" through the folder of the note."""

    name: str
    columns: tuple[ColumnName, ...]
    key: tuple[str, ...]
    via: str = ""
    parents: tuple[tuple[str, str, str], ...] = ()  # column, table it points to, column there
    unique: tuple[str, ...] = ()  # PostgreSQL's key after `ns`, where that differs
    only: str = ""  # the one engine that has it
    unique_in_ns: bool = False  # the key is unique in a namespace only, on every engine

    @property
    def owned(self) -> bool:
        """Say whether rows belong to a namespace."""
        return self.via != ""

    @property
    def names_ns(self) -> bool:
        """Say whether the table has a column `ns` on every engine."""
        return self.via == "ns" or self.name == "memories" or "ns" in self.columns

    def key_of(self, row: Row) -> Key:
        """Return the key of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)

    def at(self, column: str) -> int:
        """Return the position of a column in a row."""
        return self.columns.index(column)


_MEMORY = (("memory_id", "memories", "id"),)
_PAIR = (("from_id", "memories", "id"), ("to_id", "memories", "id"))


def _columns(text: str) -> tuple[ColumnName, ...]:
    return tuple(map(ColumnName, text.split()))


# Parents come before the tables that point to them.
TABLES: tuple[Table, ...] = (
    Table("models", _columns("id name dimension chunker"), ("id",)),
    Table(
        "reflect_rules",
        _columns(
            "id ns name priority scope created_by cond_tier cond_age_gt_hours "
            "cond_importance_lt cond_access_lt:int? cond_access_gt:int? cond_utility_lt cond_kind "
            "cond_tag_includes cond_similarity_gt cond_unaccessed_gt_hours action_op "
            "action_params:params? rule_expires_at:time? created_at:time"
        ),
        ("id",),
    ),
    Table(
        "runs",
        _columns("id verb scope at:time place holder finished_at:time? undone_at:time? report"),
        ("id",),
    ),
    Table(
        "tokens",
        _columns(
            "id name hash grants:list created_at:time expires_at:time? revoked_at:time? "
            "last_used_at:time?"
        ),
        ("id",),
    ),
    Table(
        "note_folders",
        _columns(
            "id root layout ns added_at:time reconciled_at:time? unavailable "
            "source_kind:source_kind"
        ),
        ("id",),
    ),
    Table("mirrors", _columns("id root layout ns added_at:time"), ("id",)),
    Table(
        "mirror_items",
        _columns("mirror_id key path hash tags:set about"),
        ("mirror_id", "key"),
        parents=(("mirror_id", "mirrors", "id"),),
    ),
    Table("backups", _columns("path at:time"), ("path",)),
    Table("store_secrets", _columns("name value"), ("name",)),
    Table(
        "hook_sessions",
        _columns("session_id ns at:time shown:list captured_to asked_to"),
        ("session_id",),
    ),
    Table("namespace_grants", _columns("role ns scope"), ("role", "ns"), only="postgresql"),
    Table("namespaces", _columns("id sequence chunks length head"), ("id",), "name", unique=()),
    Table(
        "memories",
        _columns(
            "id key content kind:kind tags:tags? version:int supersedes created_at:time "
            "deleted_at:time? priority:priority access_count:int last_accessed_at:time? "
            "meta:params? expires_at:time? importance:share utility_count:int tier:tier "
            "est_tokens:int "
            "pinned:flag source_user source_kind:source_kind? source_scope source_client "
            "valid_from:time? valid_to:time? recorded_at:time"
        ),
        ("id",),
        "memory",
    ),
    Table("threads", _columns("id scope chunks length"), ("scope",), "number"),
    Table(
        "chunks",
        _columns(
            "id memory_id seq start stop start_line end_line terms length chunker thread_id place"
        ),
        ("memory_id", "seq"),
        "memory",
        _MEMORY,
    ),
    Table(
        "vectors",
        _columns("model_id chunk_id vector"),
        ("model_id", "chunk_id"),
        "number",
        (("chunk_id", "chunks", "id"),),
    ),
    Table(
        "memory_edges",
        _columns(
            "from_id to_id rel:rel weight:share access_count:int last_accessed_at:time? "
            "created_at:time "
            "automatic:flag"
        ),
        ("from_id", "to_id", "rel"),
        "memory",
        _PAIR,
    ),
    Table(
        "memory_links",
        _columns("from_id to_id rel:rel created_at:time"),
        ("from_id", "to_id", "rel"),
        "memory",
        _PAIR,
    ),
    Table(
        "memory_files",
        _columns("memory_id path rel:file_rel created_at:time"),
        ("memory_id", "path"),
        "memory",
        _MEMORY,
        ("memory_id", "digest"),
    ),
    Table(
        "memory_symbols",
        _columns("memory_id root language name path hash rel:file_rel created_at:time"),
        ("memory_id", "root", "language", "name", "path"),
        "memory",
        _MEMORY,
        ("memory_id", "digest"),
    ),
    Table(
        "accesses",
        _columns("memory_id day used:int shown:int"),
        ("memory_id", "day"),
        "memory",
        _MEMORY,
    ),
    Table(
        "inferences",
        _columns("from_id to_id answer model at:time"),
        ("from_id", "to_id"),
        "memory",
        _PAIR,
    ),
    Table("unlinked", _columns("memory_id"), ("memory_id",), "memory", _MEMORY),
    Table(
        "aliases",
        _columns(
            "memory_id content at:time source_user source_kind:source_kind? source_scope "
            "source_client"
        ),
        ("memory_id", "content"),
        "memory",
        _MEMORY,
        ("memory_id", "digest"),
    ),
    Table("quarantine", _columns("id key content fields:json reasons:list at:time"), ("id",), "ns"),
    Table(
        "source_aliases",
        _columns("alias canonical created_at:time"),
        ("alias",),
        "ns",
        unique_in_ns=True,
    ),
    Table(
        "audit",
        _columns("run_id seq subject rule op hash before:change? after:change? done"),
        ("run_id", "seq"),
        "ns",
        (("run_id", "runs", "id"),),
    ),
    Table(
        "notes",
        _columns("folder_id path id size mtime_ns inode hash names problem missing_at:time?"),
        ("folder_id", "path"),
        "folder",
        (("folder_id", "note_folders", "id"),),
        unique=("folder_id", "digest"),
    ),
    Table(
        "note_sections",
        _columns("memory_id note_id name line hash"),
        ("memory_id",),
        "memory",
        (*_MEMORY, ("note_id", "notes", "id")),
    ),
    Table(
        "note_links",
        _columns("memory_id word target to_id"),
        ("memory_id", "word", "target"),
        "memory",
        (*_MEMORY, ("to_id", "memories", "id")),
        ("memory_id", "digest"),
    ),
    Table(
        "changes",
        _columns("ns_id seq memory_id op at actor hash line"),
        ("seq",),
        "number",
    ),
)
BY_NAME: Mapping[str, Table] = {table.name: table for table in TABLES}
# Columns that were added to tables of earlier stores, as `table.column` by migration. The numbers
# of migrations go on over both engines.
ADDED: Mapping[str, tuple[str, ...]] = {}
LEFT_OUT = (
    "outline_files",
    "outline_facts",
    "outline_graphs",
    "outline_nodes",
    "outline_links",
    "outline_unresolved",
    "spare_vectors",
    "work",
)
DERIVED = ("words",)  # written from the chunks, like full text
# Tables that number their rows.
COUNTED = ("namespaces", "threads", "chunks", "models", "note_folders", "mirrors")


def additions(types: Mapping[str, str]) -> dict[str, str]:
    """Return the migrations that add columns, from the SQL of each type of column of an engine.

    Text has the type ""; a column of a type without a question mark is 0 where it was not set."""

    def add(full_name: str) -> str:
        table, name = full_name.split(".")
        kind = BY_NAME[table].columns[BY_NAME[table].at(name)].type
        sql = types.get(kind.removesuffix("?"), types[""])
        default = " NOT NULL DEFAULT 0" if kind and kind in types else ""
        return f"ALTER TABLE {table} ADD COLUMN {name} {sql}{default};"

    return {migration: "\n".join(map(add, names)) for migration, names in ADDED.items()}


def tables(*engines: str) -> tuple[Table, ...]:
    """Return the tables that all these engines have."""
    return tuple(table for table in TABLES if not table.only or set(engines) == {table.only})


def canonical(row: Row) -> bytes:
    """Return a row as JSON that is the same bytes on every engine."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=bytes.hex).encode()


def combined(digests: Sequence[str]) -> str:
    """Return one checksum of several."""
    from hashlib import sha256

    return sha256("\n".join(digests).encode()).hexdigest()


def indexed(terms: str) -> str:
    """Return the full-text tokens of a chunk's terms."""
    from ghostmem.text.terms import encode

    return " ".join(map(encode, terms.split(" "))) if terms else ""


def folded(key: str, content: str, seq: int, start: int, stop: int) -> str:
    """Return the text for substring search of a chunk; the first chunk starts with the key."""
    from ghostmem.text.scripts import fold

    text = content[start:stop]
    return fold(f"{key}\n{text}" if seq == 0 else text).lower()
