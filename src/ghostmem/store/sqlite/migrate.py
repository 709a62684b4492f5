"""Migrate a database to the present schema, after a copy."""

from datetime import UTC, datetime
from functools import cache

import apsw

from ghostmem._version import __version__
from ghostmem.clock import format_time
from ghostmem.store.engine import pending
from ghostmem.store.sqlite.connect import immediate, is_ours, refuse_foreign
from ghostmem.store.sqlite.schema import APPLICATION_ID, CHUNK_WORDS, LEDGER, MIGRATIONS


def applied(db: apsw.Connection) -> set[str] | None:
    """Return the names of the applied migrations, or None when this is not a Ghost store yet."""
    if not is_ours(db):
        return None
    try:
        return {name for (name,) in db.execute("SELECT name FROM migrations")}
    except apsw.SQLError:
        return None


def migrate(db: apsw.Connection, path: str, now: datetime) -> None:
    """Apply the missing migrations in one transaction, after a copy if the store exists."""
    with immediate(db):
        names = applied(db)
        todo = pending(names, MIGRATIONS)
        if names is None:
            refuse_foreign(db, path)
            db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        elif todo:
            keep_copy(path, todo[0])
        db.execute(LEDGER)
        for name in todo:
            db.execute(MIGRATIONS[name])
            db.execute(
                "INSERT INTO migrations VALUES (?, ?, ?)", (name, format_time(now), __version__)
            )
        if names is not None and {"0009_words", "0010_checksums"} & set(todo):
            finish_rows(db)


def finish_rows(db: apsw.Connection) -> None:
    """Add everything that an older Ghost does not write: threads, words, tags, checksums."""
    from ghostmem.store.sqlite.database import fill_checksums
    from ghostmem.store.sqlite.transaction import SqliteTransaction

    db.execute(MIGRATIONS["0016_turns"])
    db.execute(f"INSERT OR IGNORE INTO words {CHUNK_WORDS}")
    SqliteTransaction(db, {}).index.index_tags()
    fill_checksums(db)


def make_in_memory(db: apsw.Connection, now: datetime) -> None:
    """Make a new store in memory as a copy of an empty one, many times faster than migrating."""
    source = apsw.Connection(":memory:")
    source.deserialize("main", _empty_store())
    with db.backup("main", source, "main") as backup:
        backup.step(-1)
    source.close()
    db.execute("UPDATE migrations SET applied_at = ?", (format_time(now),))


@cache
def _empty_store() -> bytes:
    db = apsw.Connection(":memory:")
    migrate(db, ":memory:", datetime.fromtimestamp(0, UTC))  # `make_in_memory` sets the time
    image = db.serialize("main")
    db.close()
    return image


def keep_copy(path: str, migration: str) -> None:
    """Copy the database to a file next to it before a migration changes it."""
    if path == ":memory:":
        return
    from pathlib import Path

    from ghostmem.store.sqlite.replace import Rows, row_counts, write_database

    def fill(fresh: str) -> Rows:
        writer = apsw.Connection(fresh)
        try:
            with writer.backup("main", reader, "main") as backup:
                while not backup.done:
                    backup.step(1000)
        finally:
            writer.close()
        return row_counts(reader)

    target = Path(f"{path}.before-{migration}.bak")
    reader = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        write_database(target, lambda: None, fill)
    finally:
        reader.close()
