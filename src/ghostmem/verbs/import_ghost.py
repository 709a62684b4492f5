"""import --from-ghost: take over a database of the original Ghost."""

from ghostmem.verbs.import_ import ImportReport, Progress, merge
from ghostmem.verbs.store import Store


def import_ghost(
    store: Store,
    path: str,
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Bring in memories with all versions, edges, links, files, own rules and counters; the source is never written to.

    Keys with a text that looks like instructions are held in quarantine unless the caller says `trust`.
    """
    from ghostmem.engine.sqlite.original import read_original

    original = read_original(path)
    report = merge(store, original.records, on_conflict, dry_run, progress, trust=trust)
    report.notes[:0] = original.notes
    return report
