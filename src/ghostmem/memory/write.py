"""Write a draft in an open transaction: its row, index, links, and the corrections it makes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ghostmem.caller import CLIENT
from ghostmem.clock import later, parse_ttl
from ghostmem.errors import ConflictError, InvalidInputError, VersionConflictError
from ghostmem.memory.draft import (
    INHERITED,
    NEVER,
    SOURCE_FIELDS,
    UNPREPARED,
    USE_COUNTS,
    Draft,
    Prepared,
)
from ghostmem.memory.verdict import CORRECTIONS, Judgement
from ghostmem.model import (
    HEARSAY,
    LOCKED,
    Alias,
    Kind,
    Memory,
    Outcome,
    SourceKind,
    Tier,
    Verdict,
    VerdictKind,
    estimate_tokens,
)
from ghostmem.store import (
    IndexedMemory,
    IndexRow,
    Store,
    Transaction,
    find,
    index_rows,
    locked_error,
    spoken,
    tagged,
)
from ghostmem.truth.corrections import (
    check_supersede,
    importance_when_open,
    is_superseded,
    share_contradictions,
    successor_key,
    suggest_correction,
    supersede,
)


def write_put(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared, judgement: Judgement
) -> Memory:
    """Write a draft and the consequences of its verdict.

    A restatement may reinforce the memory it restates, and a correction is linked to the memories
    it corrects."""
    now, tx = store.clock(), tx.of(draft.ns)
    if draft.supersedes is not None:
        return _write_successor(store, tx, draft, prepared, now)
    judgement = judgement.still_valid(tx, now)
    verdict, other = judgement.verdict, judgement.memory
    if other is None or other.key == draft.key or judgement.is_tentative:
        return _with_verdict(write_draft(store, tx, draft, prepared), verdict)
    is_restatement = verdict.kind is VerdictKind.RESTATEMENT
    if is_restatement and draft.dedup and not tx.memories.current(draft.ns, draft.key, now):
        return _reinforce_restated(tx, draft, verdict, other, now)
    corrected = [*([other] if verdict.kind in CORRECTIONS else []), *judgement.also]
    if judgement.of_turn:
        corrected = [old for old in corrected if old.conversation is None]
    if corrected and store.settings.freshness == "close" and "importance" not in draft.fields:
        draft = _as_important(tx, draft, [old.importance for old in corrected], now)
    memory = write_draft(store, tx, draft, prepared)
    if memory.outcome is not Outcome.REINFORCED and store.settings.freshness != "off":
        for old in corrected:
            suggest_correction(store, tx, memory, old, store.clock())
        if is_restatement:
            share_contradictions(tx, memory, other, store.clock())
    return _with_verdict(memory, verdict)


def _with_verdict(memory: Memory, verdict: Verdict) -> Memory:
    if memory.requested_key is not None:  # another key has the same text
        verdict = Verdict(VerdictKind.RESTATEMENT, memory.key, {"same": True})
    return replace(memory, verdict=verdict)


def _reinforce_restated(
    tx: Transaction, draft: Draft, verdict: Verdict, other: Memory, now: datetime
) -> Memory:
    """Count a restatement and keep its wording as an alias of the restated memory."""
    source = {name: draft.fields.get(name) for name in SOURCE_FIELDS}
    if draft.content != other.content:
        tx.aliases.add(other.id, Alias(draft.content, now, **source))
    wordings = tx.aliases.texts(other.id)
    memory = _reinforce(
        tx,
        tx.memories.by_ids([other.id])[other.id],
        now,
        used=source["source_kind"] in (None, SourceKind.STATED),
    )
    return replace(memory, requested_key=draft.key, aliases=wordings, verdict=verdict)


def _write_successor(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared, now: datetime
) -> Memory:
    """Write a draft and close the memory that it names as superseded; a repetition does neither."""
    old = find(tx, draft.ns, draft.supersedes or "", now)
    check_supersede(tx, old, draft.fields.get("source_kind"), draft.key)
    draft = _as_important(tx, draft, [importance_when_open(old, now)], now)
    memory = write_draft(store, tx, draft, prepared)
    is_closed = is_superseded(old, now) and successor_key(old) == draft.key
    if not is_closed or memory.outcome is not Outcome.REINFORCED:
        supersede(store, tx, memory, old, store.clock(), draft.unlock)
    return replace(memory, verdict=Verdict(VerdictKind.UPDATE, old.key, {"said": True}))


def _as_important(tx: Transaction, draft: Draft, replaced: list[float], now: datetime) -> Draft:
    """Return a draft that is at least as important as the memories it replaces."""
    own_importance = draft.fields.get(
        "importance", getattr(tx.memories.current(draft.ns, draft.key, now), "importance", 0.5)
    )
    return replace(draft, fields={**draft.fields, "importance": max(own_importance, *replaced)})


def write_draft(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared = UNPREPARED
) -> Memory:
    """Store a draft as the next version of its key, or reinforce the memory that it repeats."""
    now, tx = store.clock(), tx.of(draft.ns)
    last = _last_version(tx, draft, prepared)
    current = last if last is not None and last.is_current(now) else None
    check_base(draft, current)
    if current is None:
        if draft.dedup and (same := tx.listing.same_content(draft.ns, draft.content, now)):
            return replace(_reinforce(tx, same, now), requested_key=draft.key)
    else:
        current = tx.memories.with_refs([current])[0]
        if _is_repetition(draft, current):
            return (
                replace(current, outcome=Outcome.REINFORCED)
                if draft.quiet
                else _reinforce(tx, current, now, _expiry(draft.ttl, now, current.expires_at))
            )
        _check_replaceable(tx, draft, current)
    memory = compose(store, draft, last, current, now)
    if last is not None and last.deleted_at is None:
        tx.index.remove(last)
        tx.memories.change(last, "supersede", now, deleted_at=now)
    tx.memories.insert(memory)
    before = last if draft.revive else current
    if before is not None:
        tx.carry(before.id, memory.id)
    rows = index_memory(store, tx, memory, prepared)
    if prepared.waits and not prepared.vectors:
        tx.index.wait(memory.id)
    return replace(
        memory, chunks=len(rows), outcome=Outcome.CREATED if current is None else Outcome.UPDATED
    )


def _last_version(tx: Transaction, draft: Draft, prepared: Prepared) -> Memory | None:
    """Return the last version of a draft's key, and lock its namespace."""
    if prepared.new_in is not None:
        tx.journal.assume(prepared.new_in)
        return None
    tx.ahead(lambda: tx.memories.last(draft.ns, draft.key), lambda: tx.journal.namespace(draft.ns))
    return tx.memories.last(draft.ns, draft.key)


def check_base(draft: Draft, current: Memory | None) -> None:
    """Refuse a draft whose base version is not the current one."""
    version = 0 if current is None else current.version
    if draft.base_version is not None and draft.base_version != version:
        state = f"is at version {version}" if version else "does not exist"
        raise VersionConflictError(
            f"{draft.ns}/{draft.key} {state}, not at version {draft.base_version}"
        )


def _is_repetition(draft: Draft, current: Memory) -> bool:
    # a repetition extends an expiry, but does not remove one or let a protected memory expire
    extends = current.expires_at is None if draft.ttl == NEVER else not current.protected
    return (
        draft.content == current.content
        and (draft.ttl is None or extends)
        and all(getattr(current, name) == value for name, value in draft.fields.items())
    )


def _check_replaceable(tx: Transaction, draft: Draft, current: Memory) -> None:
    """Refuse to replace a locked memory, or the user's own statement by hearsay."""
    if current.locked and not draft.unlock:
        raise locked_error(tx, current)
    source = draft.fields.get("source_kind")
    if source in HEARSAY and is_users_own(current):
        raise ConflictError(
            f"{draft.ns}/{draft.key} is the user's own statement; "
            f"{source} content cannot replace it",
            "put it under another key; the user can decide which of the two is right",
        )


def is_users_own(memory: Memory) -> bool:
    """Say whether hearsay cannot replace a memory: the user stated or pinned it."""
    return memory.source_kind is SourceKind.STATED or (memory.pinned and memory.from_user)


def _expiry(ttl: str | None, now: datetime, before: datetime | None) -> datetime | None:
    return before if ttl is None else None if ttl == NEVER else later(now, parse_ttl(ttl))


def _reinforce(
    tx: Transaction,
    memory: Memory,
    now: datetime,
    expires_at: datetime | None = None,
    used: bool = True,
) -> Memory:
    """Count a repetition of a memory; a new expiry is changed in place."""
    tx.memories.touch([memory], now, used)
    if expires_at is not None and expires_at != memory.expires_at:
        tx.memories.change(memory, "extend", now, expires_at=expires_at)
        memory = replace(memory, expires_at=expires_at)
    return replace(
        tx.memories.with_refs([memory])[0],
        access_count=memory.access_count + 1,
        last_accessed_at=now,
        chunks=tx.index.count(memory.id),
        outcome=Outcome.REINFORCED,
    )


def compose(
    store: Store, draft: Draft, last: Memory | None, current: Memory | None, now: datetime
) -> Memory:
    """Build the version to write from the draft, the inherited fields and the defaults.

    `current` comes with its files and symbols."""
    inherited = {
        name: getattr(current, name)
        for name in (() if current is None else (*INHERITED, *USE_COUNTS))
    }
    fields: dict[str, Any] = {"tier": Tier.STM, "created_at": now} | inherited | dict(draft.fields)
    if "source_client" not in draft.fields and (client := CLIENT.get()):
        fields["source_client"] = client
    if fields.get("source_kind") in HEARSAY:
        fields["pinned"] = False  # a pinned memory is in every context
    kind = store.settings.default_kind
    if kind == "tier":
        kind = Kind.SEMANTIC if fields["tier"] in (Tier.LTM, Tier.DORMANT) else Kind.EPISODIC
    fields.setdefault("kind", Kind(kind))
    fields["expires_at"] = _expiry(draft.ttl, now, fields.get("expires_at"))
    memory = Memory(
        id=store.new_id(now),
        ns=draft.ns,
        key=draft.key,
        content=draft.content,
        version=1 if last is None else last.version + 1,
        supersedes=None if last is None else last.id,
        est_tokens=estimate_tokens(draft.content),
        recorded_at=now,
        **fields,
    )
    if memory.expires_at is not None:
        check_expiry(draft, memory.pinned, memory.tags)
    return memory


def check_expiry(draft: Draft, pinned: bool, tags: Iterable[str]) -> None:
    """Refuse an expiry of a pinned or locked memory."""
    if pinned or LOCKED in tags:
        state = "pinned" if pinned else "locked"
        hint = f"give {NEVER} as ttl"  # it may inherit the expiry of the previous version
        raise InvalidInputError(
            f"{draft.ns}/{draft.key} is {state} and cannot expire",
            hint if draft.ttl is None else f"leave the ttl out, or {hint}",
        )


def dormant_note(memory: Memory, draft: Draft) -> tuple[str, ...]:
    """Return a note if a put left a memory dormant without asking for that."""
    if memory.tier is not Tier.DORMANT or "tier" in draft.fields:
        return ()
    return (
        f"{memory.ns}/{memory.key} is dormant, so search and context do not show it; "
        "a put with the tier stm (--tier stm) brings it back",
    )


def index_memory(
    store: Store, tx: Transaction, memory: Memory, prepared: Prepared = UNPREPARED
) -> Sequence[IndexRow]:
    """Index a version that was just written, and link it to similar memories.

    Chunks that were prepared for another source are made again, and wait for their vectors."""
    prepared = _with_current_model(store, tx, prepared)
    rows, vectors, near, embedder, *_ = prepared
    if not rows or rows[0].spoken != spoken(
        memory.content[rows[0].start : rows[0].stop], memory.source_user
    ):
        rows, vectors = _rows(store, memory), ()
        if near is not None:
            tx.index.wait(memory.id)
    model = (
        tx.vectors.model(embedder.model, len(vectors[0]) // 2, rows[0].chunker)
        if embedder and vectors
        else None
    )
    first = tx.index.add(memory, tagged(rows, memory.tags), model, vectors)
    if embedder and model is not None and near is not None:
        from ghostmem.graph.autolink import autolink

        autolink(
            store, tx, embedder, model, memory, vectors, [row.spoken for row in rows], near, first
        )
    return rows


def write_new(store: Store, tx: Transaction, memories: Sequence[Memory]) -> None:
    """Write versions that follow no stored ones, and index the live ones without vectors."""
    if not memories:
        return
    tx.memories.insert_all(memories)
    tx.index.add_all(
        [
            IndexedMemory(memory, tagged(_rows(store, memory), memory.tags))
            for memory in memories
            if memory.deleted_at is None
        ]
    )


def _rows(store: Store, memory: Memory) -> Sequence[IndexRow]:
    """Return the index rows of a memory, without its tags."""
    return index_rows(memory.key, memory.content, store.settings.chunk_target, memory.source_user)


def _with_current_model(store: Store, tx: Transaction, prepared: Prepared) -> Prepared:
    """Embed again if another process has changed the model of the store since the preparation."""
    if not prepared.vectors or (current := store.vectoriser.get(tx)) is prepared.embedder:
        return prepared
    from ghostmem.graph.autolink import NearestChunks

    texts = [row.spoken for row in prepared.rows[: len(prepared.vectors)]]
    return Prepared(
        prepared.rows,
        store.vectoriser.try_bytes(texts, current) if current else (),
        NearestChunks(),
        current,
    )
