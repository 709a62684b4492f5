"""SQLite as table classes see it: the SQL dialect and a connection."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import apsw

from ghostmem.store.database import Dialect
from ghostmem.store.journal import sha256_hex
from ghostmem.store.sqlite.schema import CHUNK_WORDS

# SQLite reads a whole content to cut a piece from it, once for each chunk of a long memory: those
# are NULL here and read once by `Pieces`.
PIECE = (
    "CASE WHEN octet_length(m.content) <= 100000 THEN substr(m.content, c.start + 1, "
    "c.stop - c.start) END"
)

_AMONG = "IN (SELECT value FROM json_each(?))"


def checksum(content: str | bytes) -> str:
    """Return the checksum of a content, as text or as its UTF-8."""
    return sha256_hex(content.encode() if isinstance(content, str) else content)


DIALECT = Dialect(
    name="sqlite",
    array=lambda values: json.dumps(list(values)),
    among=_AMONG,
    among_rows="IN ({})",
    max_bound=4,  # faster than a table of them
    ns_name="name",
    ns_column="ns_id",
    owner=(),
    in_namespace="{}ns_id = (SELECT id FROM namespaces WHERE name = ?)",
    in_same_namespace="",  # an id is enough to join by
    has_row="m.id IN (SELECT x.memory_id FROM {} x WHERE true{})",
    starts=lambda column, prefix: (f"substr({column}, 1, ?) = ?", [len(prefix), prefix]),
    given_memories="json_each(?) j CROSS JOIN memories m ON m.id = j.value",
    chunk_text=PIECE,
    like="GLOB",
    any_text="*",
    position="instr",
    ordered_join="CROSS JOIN",
    of_chunk="CROSS JOIN memories m ON m.id = c.memory_id",
    unindexed="+",
    greatest="max",
    least="min",
    fill_words=f"INSERT INTO words {CHUNK_WORDS}",
    no_limit=-1,
    path="x.path = ?",
    note_path="path = ?",
    root="x.root = ?",
    tag_name="t.value",
    tag_values="json_each(m.tags) t",
    any_tag=f"EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value {_AMONG})",
    tagged="EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)",
    computed=("checksum",),
    compute=lambda content: (checksum(content),),
)


class SqliteDb:
    """One connection inside one transaction; ids are enough to find rows."""

    dialect: Dialect = DIALECT

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.execute = self.iterate = self.run = connection.execute
        self.run_many = connection.executemany

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a statement."""
        return self.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a statement, or None."""
        return self.execute(sql, values).fetchone()

    def get(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first value of the first row, or None."""
        return self.execute(sql, values).get

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Change rows and return their number."""
        self.execute(sql, values)
        return self.connection.changes()

    def ahead(self, reads: Iterable[Callable[[], object]]) -> None:
        """Do nothing: a statement costs no round trip."""

    def lock(self, ns: str) -> None:
        """Do nothing: the transaction has locked the file."""

    def namespaces_of(self, ids: Iterable[Any], table: str) -> list[str]:
        """Return nothing: an id is enough to find a row."""
        return []


def fill_checksums(db: apsw.Connection) -> None:
    """Compute missing checksums, of memories that an older Ghost or another program wrote."""

    def content_checksum(*values: Any) -> str:
        return checksum(values[0])

    db.create_scalar_function("content_checksum", content_checksum, 1, deterministic=True)
    # as bytes, because a damaged content may not be UTF-8
    db.execute(
        "UPDATE memories SET checksum = content_checksum(CAST(content AS BLOB)) WHERE "
        "checksum IS NULL"
    )


def differing_contents(db: apsw.Connection) -> Iterator[tuple[str, str, int]]:
    """Yield namespace, key and version of each memory whose content fails its checksum."""
    sql = (
        "SELECT CAST(ns AS BLOB), CAST(key AS BLOB), version, CAST(content AS BLOB), "
        "CAST(checksum AS BLOB) FROM memories"
    )
    for ns, key, version, content, expected in db.execute(f"{sql} WHERE checksum IS NOT NULL"):
        if checksum(content).encode() != expected:
            yield ns.decode(errors="replace"), key.decode(errors="replace"), version
