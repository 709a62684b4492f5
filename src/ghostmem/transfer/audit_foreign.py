"""audit PATH: how tidy somebody else's store is, with the checks that ours has to pass."""

from dataclasses import replace
from pathlib import Path
from shlex import quote

from ghostmem.clock import Clock, now
from ghostmem.errors import NotADatabaseError
from ghostmem.lifecycle.audit import AuditReport, audit
from ghostmem.memory.embedding import catch_up
from ghostmem.settings import Settings
from ghostmem.store.store import Store
from ghostmem.store.vectoriser import Vectoriser
from ghostmem.transfer.formats.choose import DATABASE, read, recognise
from ghostmem.transfer.import_ import ImportReport, Progress
from ghostmem.transfer.import_foreign import load
from ghostmem.transfer.import_ghost import import_ghost

ORIGINAL = "original Ghost"
_UNKNOWN = (
    "stale",
    "never_used",
    "unembedded",
    "expired",
    "rule_churn",
)  # what only a Ghost keeps a record of


def audit_foreign(
    path: str | Path, settings: Settings, *, clock: Clock = now, progress: Progress | None = None
) -> AuditReport:
    """Score what another tool or the original Ghost wrote.

    It is only read, into a store that lives as long as this call.

    Vectors are made by the static model, which is fast and sends nothing anywhere, unless the
    provider is none. The next step for each finding is to import it: only here can it be mended.
    """
    kind = recognise(path)
    provider = "none" if settings.embed_provider == "none" else "static"
    given = replace(settings, db=":memory:", embed_provider=provider)
    from ghostmem.store.opening import open_memory

    store = Store(open_memory(clock), given, clock, Vectoriser(given))
    try:
        if kind == DATABASE:
            done, tool = _original(store, str(path), progress), ORIGINAL
        else:
            done, tool = load(store, read(kind, path), kind, kind, trust=True), kind
            with store.engine.write() as tx:
                tx.graph.linked(
                    sorted(tx.graph.waiting())
                )  # the links that are judged are those it has
            catch_up(store, progress)
        report = audit(store, skip=_skipped(tool, done))
    finally:
        store.engine.close()
    ours = f"ghost import --from-ghost {quote(str(path))}" if kind == DATABASE else ""
    next_step = ours or f"ghost import --from {kind} {quote(str(path))} -n {kind}"
    findings = tuple(
        replace(one, advice=next_step) if one.count else one for one in report.findings
    )
    return replace(report, source=f"{path} ({tool})", findings=findings, notes=tuple(done.notes))


def _original(store: Store, path: str, progress: Progress | None) -> ImportReport:
    try:
        return import_ghost(store, path, progress=progress, trust=True)
    except NotADatabaseError as error:
        raise NotADatabaseError(
            error.message, f"if it is a store of yours, audit it with `ghost --db {path} audit`"
        ) from None


def _skipped(tool: str, done: ImportReport) -> dict[str, str]:
    """Return the checks that a source gives no ground for, with the reason."""
    if tool != ORIGINAL:
        return dict.fromkeys(_UNKNOWN, f"{tool} keeps no record of that")
    reasons = {
        "unembedded": "its vectors cannot be compared with ours",
        "rule_churn": "it keeps no record of that",
    }
    return (
        reasons if done.accesses else {**reasons, "never_used": "this version kept no log of use"}
    )
