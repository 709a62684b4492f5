"""Remove traces of permanently deleted memories from tables without a reference to them."""

from collections.abc import Iterable, Sequence

from ghostmem.store.postgres.database import Db
from ghostmem.store.tally import tally_keys, tally_without

_AUDIT = (  # a change is of a memory, or of an edge as `from to relation`
    "DELETE FROM audit a WHERE a.ns = ? AND (NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = ? AND m.id = "
    "split_part(a.subject, ' ', 1))"
    " OR (strpos(a.subject, ' ') > 0 AND NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.ns = a.ns AND m.ns = ? AND m.id = "
    "split_part(a.subject, ' ', 2))))"
)


def tidy(db: Db, names: Sequence[str]) -> None:
    """Remove, in some namespaces, deleted memories from the records of runs and other tables."""
    for ns in names:
        db.run(_AUDIT, (ns, ns, ns))
        db.run("DELETE FROM threads WHERE ns = ? AND chunks = 0", (ns,))
        # their hashes may be of deleted text
        db.run("DELETE FROM spare_vectors WHERE ns = ?", (ns,))
    _tidy_reports(db, names)


def _tidy_reports(db: Db, names: Sequence[str]) -> None:
    """Remove the keys of deleted memories from the groups that runs recorded."""
    reports = dict(db.rows("SELECT id, report FROM runs WHERE starts_with(report, '[')"))
    keys = tally_keys(*reports.values())
    gone = {ns: keys[ns] - _keys_there(db, ns, keys[ns]) for ns in ("", *names) if ns in keys}
    for run in sorted(
        run for run, report in reports.items() if tally_without(report, gone) != report
    ):
        # another process may change it too
        report = db.get("SELECT report FROM runs WHERE id = ? FOR NO KEY UPDATE", (run,))
        db.run("UPDATE runs SET report = ? WHERE id = ?", (tally_without(report, gone), run))


def _keys_there(db: Db, ns: str, keys: Iterable[str]) -> set[str]:
    """Return those of some keys that a namespace has.

    An empty namespace stands for all."""
    sql = f"SELECT DISTINCT key FROM memories WHERE {'ns = ? AND ' if ns else ''}key = ANY(?)"
    return {key for (key,) in db.rows(sql, (*([ns] if ns else []), sorted(keys)))}
