"""Audit the store of another tool with the checks for our own."""

from dataclasses import replace
from pathlib import Path
from shlex import quote

from ghostmem.clock import Clock, now
from ghostmem.errors import NotADatabaseError
from ghostmem.lifecycle.audit import AuditReport, audit
from ghostmem.memory.embedding import catch_up
from ghostmem.settings import Settings
from ghostmem.store import Store, Vectoriser, open_memory
from ghostmem.transfer.formats.choose import DATABASE, read, recognise
from ghostmem.transfer.import_ import ImportReport, Progress, import_ghost
from ghostmem.transfer.import_foreign import load

ORIGINAL = "original Ghost"
# Checks that need records only Ghost keeps.
_GHOST_ONLY = ("stale", "never_used", "unembedded", "expired", "rule_churn")


def audit_foreign(
    path: str | Path, settings: Settings, *, clock: Clock = now, progress: Progress | None = None
) -> AuditReport:
    """Score the store of another tool or of the original Ghost, which is only read.

    It is imported into a temporary store and embedded with the static model, which is fast and
    local, unless the provider is none. The advice of each finding is to import the store."""
    kind = recognise(path)
    settings = replace(
        settings,
        db=":memory:",
        embed_provider="none" if settings.embed_provider == "none" else "static",
    )
    store = Store(open_memory(clock), settings, clock, Vectoriser(settings))
    try:
        if kind == DATABASE:
            imported, tool = _original(store, str(path), progress), ORIGINAL
        else:
            imported, tool = load(store, read(kind, path), kind, kind, trust=True), kind
            with store.engine.write() as tx:
                # No automatic links: the audit counts those of the tool.
                tx.graph.linked(sorted(tx.graph.waiting()))
            catch_up(store, progress)
        report = audit(store, skip=_skipped(tool, imported))
    finally:
        store.engine.close()
    advice = (
        f"ghost import --from-ghost {quote(str(path))}"
        if kind == DATABASE
        else f"ghost import --from {kind} {quote(str(path))} -n {kind}"
    )
    return replace(
        report,
        source=f"{path} ({tool})",
        findings=tuple(
            replace(finding, advice=advice) if finding.count else finding
            for finding in report.findings
        ),
        notes=tuple(imported.notes),
    )


def _original(store: Store, path: str, progress: Progress | None) -> ImportReport:
    try:
        return import_ghost(store, path, progress=progress, trust=True)
    except NotADatabaseError as error:
        raise NotADatabaseError(
            error.message,
            f"if it is a store of yours, audit it with `ghost --db {quote(path)} audit`",
        ) from None


def _skipped(tool: str, imported: ImportReport) -> dict[str, str]:
    """Return the checks that a source has no data for, with the reason."""
    if tool != ORIGINAL:
        return dict.fromkeys(_GHOST_ONLY, f"{tool} keeps no record of that")
    reasons = {
        "unembedded": "its vectors cannot be compared with ours",
        "rule_churn": "it keeps no record of that",
    }
    if not imported.accesses:
        reasons["never_used"] = "this version kept no log of use"
    return reasons
