"""Remove traces of permanently deleted memories from tables without a reference to them."""

from collections.abc import Sequence

from ghostmem.store.postgres.database import Db
from ghostmem.store.runs import Runs

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
    Runs(db).tidy(names)
