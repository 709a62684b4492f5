"""Remove every byte of permanently deleted text: rows, indexes, gaps of pages, and the log.

Deleting a row is not enough. Full text keeps the words of a deleted row in its segments until
they are merged; SQLite leaves copies of rows in the gaps of pages when it balances a tree, even
with `secure_delete`; and the write-ahead log holds older pages. So a transaction that deletes
for good increments `user_version`, and `scrub` merges the indexes, rewrites the file, empties
the log, and only then sets it back to 0: if a crash or a reader prevents that, the next scrub
finishes it."""

import json
from collections.abc import Iterable, Sequence
from glob import escape
from pathlib import Path

import apsw

from ghostmem.atomic import existing, sweep, unfinished
from ghostmem.store.rows import StoreCopies
from ghostmem.store.runs import Runs
from ghostmem.store.sqlite.connect import immediate
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.sqlite.reading import open_copy
from ghostmem.store.sqlite.schema import MIGRATIONS

PATIENCE = 5.0  # maximum seconds to wait for other processes
READING = (
    "another process is reading: its log still contains deleted text; `ghost gc "
    "--vacuum` finishes this once it is done"
)
WRITING = (
    "another process is writing: the file still contains deleted text; `ghost gc "
    "--vacuum` finishes this"
)
FULL = (
    "there is no space to rewrite the file, which still contains deleted text; free some, "
    "then `ghost gc --vacuum` finishes this"
)

# The columns by which a copy is found to hold a memory: its id, or its exact text.
_IDS = (("memories", "id"), ("quarantine", "id"))
_TEXTS = (("memories", "content"), ("quarantine", "content"), ("aliases", "content"))

# The subject of a change of the lifecycle: a memory, or `from to relation`.
_FIRST = "substr(subject, 1, instr(subject || ' ', ' ') - 1)"
_REST = "substr(subject, instr(subject, ' ') + 1)"
_SECOND = f"substr({_REST}, 1, instr({_REST} || ' ', ' ') - 1)"


def owe(db: apsw.Connection) -> None:
    """Record in a transaction that deletes for good that a scrub is due."""
    db.execute(f"PRAGMA user_version={owed(db) + 1}")


def owed(db: apsw.Connection) -> int:
    """Return the number of transactions that deleted for good since the last scrub."""
    return int(db.execute("PRAGMA user_version").get)


def scrub(db: apsw.Connection) -> str:
    """Remove every byte of deleted text from a file, on its own connection.

    Returns what prevented that and how to finish, or an empty text."""
    try:
        with immediate(db):
            seen = owed(db)
            tidy(db)
        db.execute("VACUUM")
        if not _truncated(db):
            return READING
        with immediate(db):
            if owed(db) == seen:  # otherwise more was deleted meanwhile
                db.execute("PRAGMA user_version=0")
    except (apsw.BusyError, apsw.LockedError):
        return WRITING
    except apsw.FullError:
        return FULL
    _truncated(db)
    return ""


def tidy(db: apsw.Connection) -> None:
    """Remove traces of deleted memories from tables without a reference, and from full text."""
    db.execute(f"DELETE FROM audit WHERE {_FIRST} NOT IN (SELECT id FROM memories)")
    db.execute(
        f"DELETE FROM audit WHERE instr(subject, ' ') AND {_SECOND} NOT IN (SELECT id FROM "
        "memories)"
    )
    Runs(SqliteDb(db)).tidy()
    db.execute("DELETE FROM threads WHERE chunks = 0")
    db.execute("DELETE FROM spare_vectors")  # their hashes may be of deleted text
    for table in ("chunks_fts", "chunks_tri"):
        db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def sweep_copies(db: apsw.Connection, path: str | None) -> None:
    """Remove unfinished copies of backups and migrations that were killed."""
    backups = [backup for (backup,) in db.execute("SELECT path FROM backups")]
    sweep(map(Path, [*backups, *([] if path is None else copies_beside(path))]), old=True)


def _truncated(db: apsw.Connection) -> bool:
    """Write the log into the file and empty it; return False when a reader still needs it."""
    ((busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not busy


def copies_beside(path: str) -> list[str]:
    """Return the paths of copies that migrations made, or may be making, next to a database."""
    place = Path(path)
    existing = {str(copy) for copy in place.parent.glob(f"{escape(place.name)}.before-*.bak")}
    return sorted(existing | {f"{path}.before-{name}.bak" for name in MIGRATIONS})


def holders(paths: Iterable[str], ids: Sequence[str], texts: Sequence[str]) -> StoreCopies:
    """Return the copies that hold some memories by id or exact text, and those being written.

    Files that cannot be read as a database are named as unchecked; missing ones are skipped."""
    unique = list(dict.fromkeys(paths))
    checked = {path: _holds(path, ids, texts) for path in unique}
    holding = [path for path, holds in checked.items() if holds]
    return StoreCopies(
        (*holding, *(str(path) for path in unfinished(map(Path, unique)))),
        tuple(path for path, holds in checked.items() if holds is None),
    )


def _holds(path: str, ids: Sequence[str], texts: Sequence[str]) -> bool | None:
    """Say whether a copy exists and holds one of these memories; None if it cannot be read."""
    wanted = [(table, column, ids) for table, column in _IDS] + [
        (table, column, texts) for table, column in _TEXTS
    ]
    try:
        if existing(path) is None:
            return False
        db = open_copy(path)
    except (apsw.Error, OSError):
        return None
    try:
        tables = {
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        return any(
            db.execute(
                f"SELECT 1 FROM {table} WHERE {column} IN (SELECT value FROM json_each(?)) LIMIT 1",
                (json.dumps(list(values)),),
            ).get
            for table, column, values in wanted
            if values and table in tables
        )
    except apsw.Error:
        return None
    finally:
        db.close()
