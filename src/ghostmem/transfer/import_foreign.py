"""Import the memories of another tool."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.memory.draft import NEVER, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import (
    draft_reasons,
    held_note,
    hold,
    would_hold_note,
)
from ghostmem.memory.write import compose, write_new
from ghostmem.model import LOCKED, Edge, Memory, NsFilter, Outcome, SourceKind
from ghostmem.store import Filter, Store, Transaction, put_fields, validate
from ghostmem.transfer.formats.base import Foreign, ForeignMemory, capped
from ghostmem.transfer.formats.choose import read
from ghostmem.transfer.import_ import (
    ImportReport,
    Progress,
    check_options,
    nothing_imported,
    write_batches,
    write_next,
)
from ghostmem.transfer.import_quarantine import JudgedText, judging_note


def import_foreign(
    store: Store,
    path: str | Path,
    ns: str,
    kind: str,
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the memories of another tool, which are only read.

    Args:
        path: File or folder that the tool wrote.
        ns: Namespace of the memories.
        kind: "mem0", "server-memory", "basic-memory" or "markdown".
        on_conflict: As in `import_`.
        dry_run: Change nothing; report what would happen.
        trust: Skip the quarantine.
        progress: Called with the number of memories done.
    """
    check_options(on_conflict, dry_run, trust)
    return load(
        store,
        read(kind, validate.path(path, "path")),
        validate.namespace(ns),
        kind,
        on_conflict,
        dry_run,
        progress,
        trust=trust,
        embed=not dry_run,
    )


def load(
    store: Store,
    foreign: Foreign,
    ns: str,
    kind: str,
    on_conflict: str = "update",
    dry_run: bool = False,
    progress: Progress | None = None,
    *,
    trust: bool = False,
    embed: bool = False,
) -> ImportReport:
    """Write foreign records into a namespace in several transactions, and `embed` them."""
    report = ImportReport(dry_run=dry_run, notes=list(foreign.notes))
    with store.engine.read() as tx:
        keys = _known_keys(tx, ns, kind, foreign)
        drafts = list(_drafts(store, foreign, ns, keys, report))
        for draft in drafts if on_conflict == "fail" else ():
            if _current(store, tx, draft) is not None:
                raise ConflictError(
                    f"{draft.ns}/{draft.key} exists with other content; nothing was imported",
                    "choose --on-conflict update or skip",
                )
    if not trust:
        report.notes += judging_note(store, _texts(drafts))
    held_notes: list[str] = []  # messages about quarantined memories
    left_alone: set[str] = set()  # keys whose stored memory was kept

    def write(tx: Transaction, batch: Sequence[Draft], is_last: bool) -> int:
        _write_batch(store, tx, batch, on_conflict, report, held_notes, left_alone, trust=trust)
        if is_last:
            _link(store, tx, foreign, ns, keys, left_alone, report)
        return len(batch)

    write_batches(
        store, drafts, write, None if trust else _texts, dry_run=dry_run, progress=progress
    )
    report.held = len(held_notes)
    report.notes += capped(held_notes)
    if embed:
        catch_up(store, progress)
    return report


def _texts(drafts: Sequence[Draft]) -> list[JudgedText]:
    return [(draft, draft.fields) for draft in drafts]


def _known_keys(tx: Transaction, ns: str, kind: str, foreign: Foreign) -> dict[str, str]:
    """Return the key of each memory here: that of an earlier import, or else a free one."""
    before = {
        origin["id"]: memory.key
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), source_kind=SourceKind.IMPORT))
        if isinstance(origin := memory.meta.get(kind), Mapping)
        and isinstance(origin.get("id"), str)
    }
    used_keys = set(before.values())
    keys: dict[str, str] = {}
    for memory in foreign.memories:
        free = chain([memory.key], (f"{memory.key}-{number}" for number in count(2)))
        key = before.get(memory.id) or next(key for key in free if key not in used_keys)
        used_keys.add(key)
        keys[memory.key] = key
    return keys


def _drafts(
    store: Store, foreign: Foreign, ns: str, keys: Mapping[str, str], report: ImportReport
) -> Iterator[Draft]:
    """Check every memory, and leave out expired ones."""
    now = store.clock()
    alive = [
        memory
        for memory in foreign.memories
        if memory.expires_at is None or memory.expires_at > now
    ]
    if expired := len(foreign.memories) - len(alive):
        report.notes.append(f"left out {expired} that had expired")
    for memory in alive:
        try:
            content = validate.content(memory.content, store.settings.max_content_bytes)
            key, ttl = validate.key(keys[memory.key]), NEVER if LOCKED in memory.tags else None
            yield Draft(ns, key, content, _fields(memory), ttl, quiet=True)
        except InvalidInputError as error:
            raise nothing_imported(
                InvalidInputError(f"{memory.location}: {error.message}", error.hint)
            ) from None


def _fields(memory: ForeignMemory) -> dict[str, Any]:
    fields = put_fields(
        kind=memory.kind,
        tags=memory.tags,
        meta=memory.meta,
        files=memory.files or None,
        source_user=memory.source_user,
        source_kind=SourceKind.IMPORT,
        created_at=memory.created_at,
    )
    lasting = memory.expires_at is None or LOCKED in memory.tags
    return fields if lasting else {**fields, "expires_at": memory.expires_at}


def _current(store: Store, tx: Transaction, draft: Draft) -> Memory | None:
    if (last := tx.memories.current(draft.ns, draft.key, store.clock())) is None:
        return None
    if "files" in draft.fields:
        last = tx.memories.with_refs([last])[0]
    same = last.content == draft.content and all(
        getattr(last, name) == value for name, value in draft.fields.items()
    )
    return None if same else last


def _write_batch(
    store: Store,
    tx: Transaction,
    drafts: Sequence[Draft],
    policy: str,
    report: ImportReport,
    held_notes: list[str],
    left_alone: set[str],
    *,
    trust: bool,
) -> None:
    """Write memories; new keys that follow each other are written together."""
    stored_keys = set(tx.memories.histories((draft.ns, draft.key) for draft in drafts))
    new: list[Memory] = []
    for draft in drafts:
        place = (draft.ns, draft.key)
        is_new = place not in stored_keys
        current = None if is_new else tx.memories.current(draft.ns, draft.key, store.clock())
        reasons = () if trust else draft_reasons(store.settings, draft, current)
        if reasons:
            message = (
                would_hold_note(reasons)
                if report.dry_run
                else held_note(hold(store, tx, draft, reasons))
            )
            held_notes.append(f"{draft.ns}/{draft.key}: {message}")
        elif is_new:
            new.append(compose(store, draft, None, None, store.clock()))
            stored_keys.add(place)
        else:
            _write_new(store, tx, new, report)
            new = []
            if not _write(store, tx, draft, policy, report):
                left_alone.add(draft.key)
    _write_new(store, tx, new, report)


def _write_new(
    store: Store,
    tx: Transaction,
    memories: Sequence[Memory],
    report: ImportReport,
) -> None:
    """Write memories of new keys, which are linked to similar ones once they have vectors."""
    write_new(store, tx, memories)
    for memory in memories:
        tx.of(memory.ns).index.wait(memory.id)
    report.imported += len(memories)


def _write(store: Store, tx: Transaction, draft: Draft, policy: str, report: ImportReport) -> bool:
    """Write a memory; False if the stored one was kept instead."""
    stored = _current(store, tx, draft)
    if stored is not None and policy == "skip":
        report.skipped += 1
        return False
    if stored is not None and stored.pinned and "expires_at" in draft.fields:
        draft = replace(
            draft,
            fields={name: value for name, value in draft.fields.items() if name != "expires_at"},
        )
    if (written := write_next(store, tx, draft, stored, report)) is None:
        return False
    report.imported += written.outcome is Outcome.CREATED
    report.updated += written.outcome is Outcome.UPDATED
    report.unchanged += written.outcome is Outcome.REINFORCED
    return True


def _link(
    store: Store,
    tx: Transaction,
    foreign: Foreign,
    ns: str,
    keys: Mapping[str, str],
    left_alone: set[str],
    report: ImportReport,
) -> None:
    """Add the edges whose two memories were imported."""
    now = store.clock()
    dangling: list[str] = []
    ids = {
        memory.key: current.id
        for memory in (foreign.memories if foreign.edges else ())
        if (current := tx.memories.current(ns, keys[memory.key], now)) is not None
        and current.key not in left_alone
    }
    for edge in foreign.edges:
        if edge.from_key in ids and edge.to_key in ids:
            report.edges += tx.of(ns).graph.add_edge(
                Edge(ids[edge.from_key], ids[edge.to_key], edge.rel, edge.weight, now)
            )
        else:
            dangling.append(
                f"left out the edge {edge.from_key} {edge.rel} {edge.to_key}: one end was "
                "not imported"
            )
    report.notes += capped(dangling)
