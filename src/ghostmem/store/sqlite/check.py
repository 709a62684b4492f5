"""Check a database for corruption, and rebuild every index from the rows."""

from collections.abc import Callable, Mapping
from functools import partial

import apsw

from ghostmem.store.engine import reindexed
from ghostmem.store.index import UNINDEXED
from ghostmem.store.records import count_unreadable, differing, unreadable_fields
from ghostmem.store.rows import Reindex
from ghostmem.store.sqlite.database import differing_contents, fill_checksums
from ghostmem.store.sqlite.schema import CHUNK_WORDS, FULL_TEXT
from ghostmem.store.sqlite.transaction import SqliteTransaction
from ghostmem.store.tables import Table, tables

_PAGES = "PRAGMA integrity_check(20)"
# Each problem, and the query that counts it.
_COUNTS: tuple[tuple[str, str], ...] = (
    (
        "live memories without chunks",
        "SELECT count(*) FROM memories m WHERE deleted_at IS NULL AND trim(content) <> ''"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)",
    ),
    (
        "chunks of memories that are not live",
        "SELECT count(*) FROM chunks c JOIN memories m ON m.id = c.memory_id"
        " WHERE m.deleted_at IS NOT NULL",
    ),
    (
        "chunks missing from full text",
        "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunks_fts_docsize)",
    ),
    (
        "full-text rows without a chunk",
        "SELECT count(*) FROM chunks_fts_docsize WHERE id NOT IN (SELECT id FROM chunks)",
    ),
    (
        "chunks missing from the substring index",
        "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunks_tri_docsize)",
    ),
    (
        "substring rows without a chunk",
        "SELECT count(*) FROM chunks_tri_docsize WHERE id NOT IN (SELECT id FROM chunks)",
    ),
    (
        "namespaces whose counts differ from their chunks",
        "SELECT count(*) FROM namespaces n WHERE (chunks, length) <>"
        " (SELECT count(*), coalesce(sum(length), 0) FROM chunks c WHERE c.ns_id = n.id)",
    ),
    (
        "threads whose counts differ from their chunks",
        "SELECT count(*) FROM threads t WHERE (chunks, length) <>"
        " (SELECT count(*), coalesce(sum(length), 0) FROM chunks c WHERE c.thread_id = t.id)",
    ),
    (
        "live versions that are not the last of their key",
        "SELECT count(*) FROM memories m WHERE deleted_at IS NULL"
        " AND version < (SELECT max(version) FROM memories n WHERE n.ns = m.ns AND n.key = m.key)",
    ),
    (
        "namespaces without a row",
        "SELECT count(DISTINCT ns) FROM memories WHERE ns NOT IN (SELECT name FROM namespaces)",
    ),
    (
        "edges that cross namespaces",
        "SELECT count(*) FROM memory_edges e JOIN memories a ON a.id = e.from_id"
        " JOIN memories b ON b.id = e.to_id WHERE a.ns <> b.ns",
    ),
    (
        "words that differ from those of the chunks",
        f"WITH held AS MATERIALIZED ({CHUNK_WORDS}) SELECT"
        " (SELECT count(*) FROM (SELECT * FROM held EXCEPT SELECT * FROM words))"
        " + (SELECT count(*) FROM (SELECT * FROM words EXCEPT SELECT * FROM held))",
    ),
    ("memories without a checksum", "SELECT count(*) FROM memories WHERE checksum IS NULL"),
)


def problems(db: apsw.Connection) -> list[str]:
    """Return a message for each problem; an empty list means no corruption."""
    tx = SqliteTransaction(db, {})
    checks: dict[str, Callable[[], list[str]]] = {
        "pages": lambda: [text for (text,) in db.execute(_PAGES) if text != "ok"],
        "contents": lambda: differing(differing_contents(db)),
        "references": lambda: [
            f"row {row} of {table} points to a missing {parent}"
            for table, row, parent, _ in db.execute("PRAGMA foreign_key_check")
        ],
        **{
            meaning: partial(_counted, meaning, partial(tx.db.get, sql)) for meaning, sql in _COUNTS
        },
        "full text": partial(
            _counted, "chunks whose terms differ from full text", lambda: _count_drift(db)
        ),
        "tags": lambda: _counted(UNINDEXED, tx.index.count_unindexed),
        "fields": lambda: count_unreadable(db.execute, "sqlite"),
    }
    return [message for part, check in checks.items() for message in _attempt(part, check)]


def _attempt(part: str, check: Callable[[], list[str]]) -> list[str]:
    """Return the problems of one check; damage that stops it is a problem too."""
    try:
        return check()
    except apsw.BusyError:
        raise
    except Exception as error:  # noqa: BLE001 (a damaged row can raise anything)
        return [f"the file is damaged: {part} cannot be checked ({error})"]


def _counted(meaning: str, count_problems: Callable[[], int]) -> list[str]:
    return [f"{count} {meaning}"] if (count := count_problems()) else []


def _count_drift(db: apsw.Connection) -> int:
    sql = "SELECT c.length, d.sz FROM chunks c JOIN chunks_fts_docsize d ON d.id = c.id"
    return sum(length != _last_varint(size) for length, size in db.execute(sql))


def _last_varint(blob: bytes) -> int:
    """Read the last column's token count from FTS5's size record."""
    values = [0]
    for byte in blob:
        values[-1] = values[-1] << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(0)
    return values[-2]


def repair(tx: "SqliteTransaction", reindex: Reindex) -> Mapping[str, int]:
    """Remove orphans and rebuild every index; return the numbers of changes.

    Fields that cannot be read get their default, so that the rest of their row can be read."""
    db = tx.db.connection
    db.execute("PRAGMA defer_foreign_keys=ON")  # until orphans are removed
    for table in ("chunks_fts", "chunks_tri"):
        # SQLite opens a table to drop it, and refuses one whose version is damaged
        db.execute(f"INSERT OR REPLACE INTO {table}_config VALUES ('version', 4)")
        db.execute(f"DROP TABLE {table}")
    db.execute(FULL_TEXT)
    db.execute("REINDEX")
    for table in ("vectors", "chunks", "words", "threads"):
        db.execute(f"DELETE FROM {table}")
    db.execute("UPDATE namespaces SET chunks = 0, length = 0")
    done = {
        "fields": sum(_reset_fields(db, table) for table in tables("sqlite")),
        "orphans": _remove_orphans(db),
        "demoted": _retire_older_versions(db),
    }
    fill_checksums(db)
    done |= reindexed(tx, reindex)
    for head in tx.journal.heads():  # other processes keep vectors and postings of old chunks
        tx.journal.append(head.name, "", "embed", "")
    return done


def _reset_fields(db: apsw.Connection, table: Table) -> int:
    """Replace the values of a table that cannot be read, and return their number."""
    columns = ", ".join(
        f"CASE typeof({column}) WHEN 'text' THEN CAST({column} AS BLOB) ELSE {column} END"
        for column in table.columns
    )
    same = " AND ".join(f"CAST({column} AS BLOB) = CAST(? AS BLOB)" for column in table.key)
    damaged = [
        (table.key_of(row), values)
        for row in db.execute(f"SELECT {columns} FROM {table.name}")
        if (values := unreadable_fields(table.columns, row))
    ]
    for key, values in damaged:
        names = ", ".join(f"{column} = ?" for column in values)
        db.execute(
            f"UPDATE OR REPLACE {table.name} SET {names} WHERE {same}", (*values.values(), *key)
        )
    return sum(len(values) for _, values in damaged)


def _remove_orphans(db: apsw.Connection) -> int:
    count = 0
    for table in tables("sqlite"):
        for column, parent, target in table.parents:
            sql = f"{column} IS NOT NULL AND {column} NOT IN (SELECT {target} FROM {parent})"
            if (table.name, column) == ("note_links", "to_id"):  # which may be empty
                db.execute(f"UPDATE note_links SET to_id = NULL WHERE {sql}")
            else:
                db.execute(f"DELETE FROM {table.name} WHERE {sql}")
            count += db.changes()
    db.execute(
        "DELETE FROM memory_edges WHERE (SELECT ns FROM memories WHERE id = from_id)"
        " <> (SELECT ns FROM memories WHERE id = to_id)"
    )
    return count + db.changes()


def _retire_older_versions(db: apsw.Connection) -> int:
    """Mark live versions that are not the last of their key as deleted; return their number."""
    db.execute(
        "UPDATE memories AS m SET deleted_at = recorded_at WHERE deleted_at IS NULL"
        " AND version < (SELECT max(version) FROM memories n WHERE n.ns = m.ns AND n.key = m.key)"
    )
    return db.changes()
