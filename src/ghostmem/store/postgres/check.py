"""Check a database for corruption, and rebuild every index from the rows."""

from collections.abc import Mapping, Sequence

from ghostmem.store.engine import reindexed
from ghostmem.store.index import UNINDEXED
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.schema import CHUNK_WORDS, OF_STORE
from ghostmem.store.postgres.transaction import PostgresTransaction
from ghostmem.store.records import count_unreadable, differing
from ghostmem.store.rows import Reindex
from ghostmem.store.runs import Runs
from ghostmem.store.tables import TABLES

_WORDS = "string_to_array(nullif(c.terms, ''), ' ')"
_NOT_LAST = (
    "m.deleted_at IS NULL AND m.version < (SELECT max(n.version) FROM memories n "
    "WHERE n.ns = m.ns AND n.key = m.key)"
)

_LOST_TARGETS = (
    "l.to_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.ns = "
    "l.ns AND m.id = l.to_id)"
)
# Each problem, and the query that counts it.
_COUNTS: tuple[tuple[str, str], ...] = (
    (
        "links of notes lead to memories that are gone",
        f"SELECT count(*) FROM note_links l WHERE {_LOST_TARGETS}",
    ),
    (
        "live memories without chunks",
        "SELECT count(*) FROM memories m WHERE m.deleted_at IS NULL AND trim(m.content) <> ''"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.ns = m.ns AND c.memory_id = m.id)",
    ),
    (
        "chunks of memories that are not live",
        "SELECT count(*) FROM chunks c JOIN memories m ON m.ns = c.ns AND m.id = c.memory_id"
        " WHERE m.deleted_at IS NOT NULL",
    ),
    (
        "chunks whose terms differ from full text",
        "SELECT count(*) FROM chunks c"
        f" WHERE c.length <> coalesce(cardinality({_WORDS}), 0)"
        f" OR length(c.codes) <> (SELECT count(DISTINCT word) FROM unnest({_WORDS}) AS word)",
    ),
    (
        "namespaces whose counts differ from their chunks",
        "SELECT count(*) FROM namespaces n WHERE (n.chunks, n.length) <>"
        " (SELECT count(*), coalesce(sum(c.length), 0) FROM chunks c WHERE c.ns = n.ns)",
    ),
    (
        "threads whose counts differ from their chunks",
        "SELECT count(*) FROM threads t WHERE (t.chunks, t.length) <>"
        " (SELECT count(*), coalesce(sum(c.length), 0) FROM chunks c"
        " WHERE c.ns = t.ns AND c.thread_id = t.id)",
    ),
    (
        "live versions that are not the last of their key",
        f"SELECT count(*) FROM memories m WHERE {_NOT_LAST}",
    ),
    (
        "keys with several live versions",
        "SELECT count(*) FROM (SELECT 1 FROM memories WHERE deleted_at IS NULL"
        " GROUP BY ns, key HAVING count(*) > 1) twice",
    ),
    (
        "ids that several memories have",
        "SELECT count(*) FROM (SELECT 1 FROM memories GROUP BY id HAVING count(*) > 1) twice",
    ),
    (
        "namespaces without a row",
        "SELECT count(DISTINCT m.ns) FROM memories m"
        " WHERE NOT EXISTS (SELECT 1 FROM namespaces n WHERE n.ns = m.ns)",
    ),
    (
        "words that differ from those of the chunks",
        f"WITH held AS MATERIALIZED ({CHUNK_WORDS}) SELECT (SELECT count(*) FROM"
        " (SELECT ns, word FROM held EXCEPT SELECT ns, word FROM words) missing)"
        " + (SELECT count(*) FROM"
        " (SELECT ns, word FROM words EXCEPT SELECT ns, word FROM held) extra)",
    ),
    (
        "vectors whose length differs from their model's",
        "SELECT count(*) FROM vectors v JOIN models m ON m.id = v.model_id"
        " WHERE vector_dims(v.vector) <> m.dimension",
    ),
    (
        "notes in another namespace than their folder",
        "SELECT count(*) FROM notes n JOIN note_folders f ON f.id = n.folder_id WHERE f.ns <> n.ns",
    ),
)

# Tables with a column that holds ids of another table; those that others point to come first.
_POINTERS: tuple[tuple[str, str, str], ...] = (
    *(
        (table.name, column, parent)
        for table in TABLES
        for column, parent, _ in table.parents
        if (table.name, column) != ("note_links", "to_id")  # which may be empty
    ),
    ("vectors", "model_id", "models"),
    ("spare_vectors", "model_id", "models"),
)
_LOST_SPACES = (  # a namespace whose row is gone goes on where its log ends
    "INSERT INTO namespaces (ns, id, sequence, head) SELECT DISTINCT ON (c.ns) c.ns, "
    "c.ns_id, c.seq, c.hash FROM changes c"
    " WHERE NOT EXISTS (SELECT 1 FROM namespaces n WHERE n.ns = c.ns) ORDER BY c.ns, c.seq DESC"
)
_INVALID = (
    "SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    " JOIN pg_namespace s ON s.oid = c.relnamespace WHERE NOT i.indisvalid AND s.nspname = "
    "current_schema() ORDER BY 1"
)

_AUDIT = (  # a change is of a memory, or of an edge as `from to relation`
    "DELETE FROM audit a WHERE a.ns = ? AND (NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = ? AND m.id = "
    "split_part(a.subject, ' ', 1))"
    " OR (strpos(a.subject, ' ') > 0 AND NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = ? AND m.id = "
    "split_part(a.subject, ' ', 2))))"
)


def problems(tx: PostgresTransaction) -> list[str]:
    """Return a message for each problem; an empty list means no corruption."""
    db = tx.db
    messages = [f"index {name} is not valid" for (name,) in db.rows(_INVALID)]
    counts = [
        *(
            (
                f"rows of {table} point to a missing row of {parent}",
                db.get(f"SELECT count(*) FROM {table} t WHERE {_points_nowhere(column, parent)}"),
            )
            for table, column, parent in _POINTERS
        ),
        *((meaning, db.get(query)) for meaning, query in _COUNTS),
        (UNINDEXED, tx.index.count_unindexed()),
    ]
    messages += [f"{count} {meaning}" for meaning, count in counts if count]
    messages += differing(
        db.rows(
            "SELECT ns, key, version FROM memories WHERE checksum <> md5(content) ORDER BY 1, 2, 3"
        )
    )
    return messages + count_unreadable(db.stream, "postgresql")


def _points_nowhere(column: str, parent: str) -> str:
    same = "" if parent in OF_STORE else "p.ns = t.ns AND "
    return f"NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same}p.id = t.{column})"


def repair(tx: PostgresTransaction, reindex: Reindex) -> Mapping[str, int]:
    """Remove orphans and rebuild every index; return the numbers of changes."""
    db = tx.db
    for (name,) in db.rows(_INVALID):
        db.execute(f"REINDEX INDEX {name}")
    done = {
        "orphans": _remove_orphans(db),
        "demoted": db.change(f"UPDATE memories m SET deleted_at = m.recorded_at WHERE {_NOT_LAST}"),
    }
    for table in ("vectors", "chunks", "threads", "words"):
        db.run(f"DELETE FROM {table}")
    db.run(_LOST_SPACES)
    db.run("UPDATE namespaces SET chunks = 0, length = 0")
    done |= reindexed(tx, reindex)
    # other servers drop the vectors that they hold in memory
    for (ns,) in db.rows("SELECT DISTINCT ns FROM memories ORDER BY ns"):
        tx.journal.append(ns, "", "embed", "")
    return done


def _remove_orphans(db: Db) -> int:
    return sum(
        db.change(f"DELETE FROM {table} t WHERE {_points_nowhere(column, parent)}")
        for table, column, parent in _POINTERS
    ) + db.change(f"UPDATE note_links l SET to_id = NULL WHERE {_LOST_TARGETS}")


def tidy(db: Db, names: Sequence[str]) -> None:
    """Remove, in some namespaces, deleted memories from the records of runs and other tables."""
    for ns in names:
        db.run(_AUDIT, (ns, ns, ns))
        db.run("DELETE FROM threads WHERE ns = ? AND chunks = 0", (ns,))
        # their hashes may be of deleted text
        db.run("DELETE FROM spare_vectors WHERE ns = ?", (ns,))
    Runs(db).tidy(names)
