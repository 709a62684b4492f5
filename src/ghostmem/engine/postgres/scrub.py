"""Removing what tables without a reference still say of memories that were deleted for good."""

from ghostmem.engine.postgres.connect import Db
from ghostmem.engine.records import tally_among, tally_of

_AUDIT = (  # a change is of a memory, or of an edge as `from to relation`
    "DELETE FROM audit a WHERE a.ns = %s AND (NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = %s AND m.id = split_part(a.subject, ' ', 1))"
    " OR (strpos(a.subject, ' ') > 0 AND NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = %s AND m.id = split_part(a.subject, ' ', 2))))"
)


def tidy(db: Db) -> None:
    """Forget what runs did to deleted memories, their keys in what runs counted, empty threads, and kept vectors."""
    for (ns,) in db.rows("SELECT DISTINCT ns FROM audit ORDER BY ns"):
        db.run(_AUDIT, (ns, ns, ns))
    _tidy_reports(db)
    db.run("DELETE FROM threads WHERE chunks = 0")
    db.run("DELETE FROM spare_vectors")  # they are known by hashes of text, which may be of what was deleted


def _tidy_reports(db: Db) -> None:
    """Take the keys of deleted memories out of the groups that runs of the lifecycle remember."""
    rows = db.rows("SELECT id, report FROM runs WHERE starts_with(report, '[')")
    named = {key for _, report in rows for group in tally_of(report)[2] for key in group}
    if not named:
        return
    there = {key for (key,) in db.rows("SELECT DISTINCT key FROM memories WHERE key = ANY(%s)", (list(named),))}
    for run, report in rows:
        if (kept := tally_among(report, there)) != report:
            db.run("UPDATE runs SET report = %s WHERE id = %s", (kept, run))
