"""Removing what tables without a reference still say of memories that were deleted for good."""

from collections.abc import Iterable, Sequence

from ghostmem.store.postgres.database import Db
from ghostmem.store.tally import tally_keys, tally_without

_AUDIT = (  # a change is of a memory, or of an edge as `from to relation`
    "DELETE FROM audit a WHERE a.ns = %s AND (NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = %s AND m.id = "
    "split_part(a.subject, ' ', 1))"
    " OR (strpos(a.subject, ' ') > 0 AND NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = %s AND m.id = "
    "split_part(a.subject, ' ', 2))))"
)


def tidy(db: Db, names: Sequence[str]) -> None:
    """Forget, in these namespaces, what runs did to deleted memories, their keys in what runs
    counted, and what is left over.
    """
    for ns in names:
        db.run(_AUDIT, (ns, ns, ns))
        db.run("DELETE FROM threads WHERE ns = %s AND chunks = 0", (ns,))
        # they are known by hashes of text, which may be of what was deleted
        db.run("DELETE FROM spare_vectors WHERE ns = %s", (ns,))
    _tidy_reports(db, names)


def _tidy_reports(db: Db, names: Sequence[str]) -> None:
    """Take the keys of deleted memories out of the groups that runs of the lifecycle remember."""
    reports = dict(db.rows("SELECT id, report FROM runs WHERE starts_with(report, '[')"))
    named = tally_keys(*reports.values())
    gone = {ns: named[ns] - _keys_there(db, ns, named[ns]) for ns in ("", *names) if ns in named}
    for run in sorted(
        run for run, report in reports.items() if tally_without(report, gone) != report
    ):
        # another may count in it, or tidy it for his namespaces
        report = db.get("SELECT report FROM runs WHERE id = %s FOR NO KEY UPDATE", (run,))
        db.run("UPDATE runs SET report = %s WHERE id = %s", (tally_without(report, gone), run))


def _keys_there(db: Db, ns: str, keys: Iterable[str]) -> set[str]:
    """Return which of these keys a namespace has.

    Where the namespace is not known, which any has.
    """
    sql = f"SELECT DISTINCT key FROM memories WHERE {'ns = %s AND ' if ns else ''}key = ANY(%s)"
    return {key for (key,) in db.rows(sql, (*([ns] if ns else []), sorted(keys)))}
