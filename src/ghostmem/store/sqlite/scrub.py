"""Leaving no byte of what was deleted for good: not in rows, indexes, the gaps of pages, or the log
beside the file.

Deleting a row is not enough. Full text keeps the words of a deleted row in its segments until they
are merged; SQLite leaves copies of rows in the gaps of pages when it balances a tree, even with
`secure_delete`; and the write-ahead log holds older pages. So a transaction that deletes for good
counts up `user_version`, and `scrub` merges the indexes, rewrites the file, empties the log, and
only then sets it back to 0: what a crash or a reader prevents, the next scrub finishes."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from ghostmem.atomic import sweep, unfinished
from ghostmem.store.sqlite.frozen import open_frozen
from ghostmem.store.sqlite.schema import MIGRATIONS
from ghostmem.store.tally import tally_keys, tally_without

PATIENCE = 5.0  # seconds to wait for others at most
READING = (
    "another process is reading: its log still holds deleted text; `ghost gc "
    "--vacuum` finishes this once it is done"
)
WRITING = (
    "another process is writing: the file still holds deleted text; `ghost gc "
    "--vacuum` finishes this"
)
FULL = (
    "there is no space to rewrite the file, which still holds deleted text; free some, "
    "then `ghost gc --vacuum` finishes this"
)

# The columns by which a copy is known to hold something: its id, or the very words.
_IDS = (("memories", "id"), ("quarantine", "id"))
_TEXTS = (("memories", "content"), ("quarantine", "content"), ("aliases", "content"))

# What a record of the lifecycle is about: a memory, or `from to relation`.
_FIRST = "substr(subject, 1, instr(subject || ' ', ' ') - 1)"
_REST = "substr(subject, instr(subject, ' ') + 1)"
_SECOND = f"substr({_REST}, 1, instr({_REST} || ' ', ' ') - 1)"


def owe(db: apsw.Connection) -> None:
    """Note in a transaction that deletes for good that a scrub is owed."""
    db.execute(f"PRAGMA user_version={owed(db) + 1}")


def owed(db: apsw.Connection) -> int:
    """Return how many transactions deleted for good since the last scrub."""
    found: int = db.execute("PRAGMA user_version").get
    return found


def scrub(db: apsw.Connection) -> str:
    """Bring a file to the state in which it holds no byte of what was deleted, on a connection of
    its own.

    Returns what prevented that and how to finish, or an empty text.
    """
    try:
        seen = _tidied(db)
        db.execute("VACUUM")
        if not _truncated(db):
            return READING
        _settle(db, seen)
    except (apsw.BusyError, apsw.LockedError):
        return WRITING
    except apsw.FullError:
        return FULL
    _truncated(db)
    return ""


def _tidied(db: apsw.Connection) -> int:
    """Remove what deleted rows left elsewhere, and merge the indexes.

    Return how much was owed by then.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        seen = owed(db)
        tidy(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return seen


def tidy(db: apsw.Connection) -> None:
    """Remove what tables without a reference still say of deleted memories, and their words from
    the segments of full text.
    """
    db.execute(f"DELETE FROM audit WHERE {_FIRST} NOT IN (SELECT id FROM memories)")
    db.execute(
        f"DELETE FROM audit WHERE instr(subject, ' ') AND {_SECOND} NOT IN (SELECT id FROM "
        "memories)"
    )
    _tidy_reports(db)
    db.execute("DELETE FROM threads WHERE chunks = 0")
    db.execute(
        "DELETE FROM spare_vectors"
    )  # they are known by hashes of text, which may be of what was deleted
    for table in ("chunks_fts", "chunks_tri"):
        db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _tidy_reports(db: apsw.Connection) -> None:
    """Take the keys of deleted memories out of the groups that runs of the lifecycle remember."""
    rows = [
        (run, str(report))
        for run, report in db.execute("SELECT id, report FROM runs WHERE report LIKE '[%'")
    ]
    gone = {
        ns: keys - _keys_there(db, ns, keys)
        for ns, keys in tally_keys(*(report for _, report in rows)).items()
    }
    for run, report in rows:
        if (kept := tally_without(report, gone)) != report:
            db.execute("UPDATE runs SET report = ? WHERE id = ?", (kept, run))


def _keys_there(db: apsw.Connection, ns: str, keys: Iterable[str]) -> set[str]:
    """Return which of these keys a namespace has.

    Where the namespace is not known, which any has.
    """
    sql = (
        f"SELECT DISTINCT key FROM memories WHERE {'ns = ? AND ' if ns else ''}key IN "
        "(SELECT value FROM json_each(?))"
    )
    return {key for (key,) in db.execute(sql, (*([ns] if ns else []), json.dumps(sorted(keys))))}


def sweep_copies(db: apsw.Connection, path: str | None) -> None:
    """Remove the unfinished copies that killed backups and migrations left."""
    backups = [found for (found,) in db.execute("SELECT path FROM backups")]
    sweep(map(Path, [*backups, *([] if path is None else copies_beside(path))]), old=True)


def _truncated(db: apsw.Connection) -> bool:
    """Bring the log into the file and empty it; False when a reader still needs it."""
    ((busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not busy


def _settle(db: apsw.Connection, seen: int) -> None:
    """Say that nothing is owed, unless somebody deleted more meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    if owed(db) == seen:
        db.execute("PRAGMA user_version=0")
    db.execute("COMMIT")


def copies_beside(path: str) -> list[str]:
    """Return the copies that migrations made beside a database, and those that a migration may be
    making.
    """
    place = Path(path)
    found = {str(copy) for copy in place.parent.glob(f"{_escaped(place.name)}.before-*.bak")}
    return sorted(found | {f"{path}.before-{name}.bak" for name in MIGRATIONS})


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def holders(paths: Iterable[str], ids: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return which copies hold one of these memories, by its id or its very words, and every copy
    that is being written.

    A file that cannot be read as a database is passed over.
    """
    named = list(dict.fromkeys(paths))
    whole = [path for path in named if os.path.isfile(path) and _holds(path, ids, texts)]
    return whole + [str(path) for path in unfinished(map(Path, named))]


def _holds(path: str, ids: Sequence[str], texts: Sequence[str]) -> bool:
    wanted = [(table, column, ids) for table, column in _IDS] + [
        (table, column, texts) for table, column in _TEXTS
    ]
    try:
        db = open_frozen(path)
    except (apsw.Error, OSError):
        return False
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
        return False
    finally:
        db.close()
