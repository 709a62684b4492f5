"""import --from-ghost: take over a database of the original Ghost."""

from ghostmem.store.store import Store
from ghostmem.transfer.import_ import ImportReport, Progress, merge


def import_ghost(
    store: Store,
    path: str,
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Bring in memories with all versions, edges, links, files, own rules and counters.

    The source is never written to.

    Keys with a text that looks like instructions are held in quarantine unless the caller says
    `trust`."""
    from ghostmem.store.opening import read_original

    original = read_original(path)
    report = merge(store, original.records, on_conflict, dry_run, progress, trust=trust)
    report.notes[:0] = original.notes
    return report
