"""Writing what was put in the light of what is known: a restatement reinforces, a correction is
linked, a successor closes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.memory.draft import Draft, Prepared, reinforce, write_draft
from ghostmem.model import Alias, Kind, Memory, Outcome, SourceKind, Verdict, VerdictKind
from ghostmem.store.lookup import find

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ghostmem.store.protocol import Transaction
    from ghostmem.store.store import Store

CORRECTIONS = (VerdictKind.UPDATE, VerdictKind.CONFLICT)


class Found(NamedTuple):
    """What a text is to what is known, and to which memory."""

    kind: VerdictKind = VerdictKind.NEW
    memory: Memory | None = None
    evidence: Mapping[str, Any] = {}
    also: tuple[Memory, ...] = ()  # what it corrects beside that


NOTHING = Found()


def judged(store: Store, draft: Draft, prepared: Prepared) -> Found:
    """Compare a draft with what its namespace knows, before anything is locked."""
    if store.settings.freshness == "off" and not draft.dedup and not draft.supersedes:
        return NOTHING
    from ghostmem.truth.judge import find_verdict

    now = store.clock()
    with store.engine.read() as tx:
        found = find_verdict(
            store, tx, draft.ns, draft.key, draft.content, prepared.vectors, now, near=prepared.near
        )
        current = tx.memories.current(draft.ns, draft.key, now)
    if found.memory is not None and _same_speaker(found.memory, draft, current):
        also = tuple(memory for memory in found.also if _same_speaker(memory, draft, current))
        return Found(found.verdict.kind, found.memory, found.verdict.evidence, also)
    if current is not None:
        same = current.content == draft.content
        return Found(
            VerdictKind.RESTATEMENT if same else VerdictKind.UPDATE,
            current,
            {"version": current.version},
        )
    return NOTHING


def _same_speaker(old: Memory, draft: Draft, current: Memory | None) -> bool:
    """Say whether two statements may be about one thing: "I live in Oslo" is another fact in
    another mouth.
    """
    source = draft.fields.get("source_kind", current.source_kind if current else None)
    user = draft.fields.get("source_user", current.source_user if current else None)
    if old.from_user != (source in (None, SourceKind.STATED)):
        return True
    return old.source_user is None or user is None or old.source_user.casefold() == user.casefold()


def settle(store: Store, tx: Transaction, draft: Draft, prepared: Prepared, found: Found) -> Memory:
    """Write a draft inside an open transaction, with what follows from its verdict.

    What changed meanwhile is not judged by.
    """
    now = store.clock()
    found = _still(tx, found, now)
    if draft.supersedes is not None:
        return _superseding(store, tx, draft, prepared, now)
    other = found.memory if found.memory is not None and found.memory.key != draft.key else None
    if (
        other is not None
        and found.kind is VerdictKind.RESTATEMENT
        and draft.dedup
        and _is_free(tx, draft, now)
    ):
        return _restated(tx, draft, found, other, now)
    corrects = [*([other] if other is not None and found.kind in CORRECTIONS else []), *found.also]
    corrects = [old for old in corrects if not _is_turn(draft, old)]
    if corrects and store.settings.freshness == "close" and "importance" not in draft.fields:
        draft = _as_important(draft, corrects)
    memory = write_draft(store, tx, draft, prepared)
    if memory.requested_key is not None:  # the very same text is there under another key
        return replace(memory, verdict=Verdict(VerdictKind.RESTATEMENT, memory.key, {"same": True}))
    if (
        other is not None
        and memory.outcome is not Outcome.REINFORCED
        and store.settings.freshness != "off"
    ):
        from ghostmem.truth.correct import echo, suggest

        for old in corrects:
            suggest(store, tx, memory, old, store.clock())
        if found.kind is VerdictKind.RESTATEMENT:
            echo(tx, memory, other, store.clock())
    return replace(memory, verdict=_verdict(found))


def _is_turn(draft: Draft, old: Memory) -> bool:
    """Say whether both are turns of conversations: what was said then stays said, and corrects no
    other turn.
    """
    mine = (
        draft.fields.get("source_scope") is not None
        and draft.fields.get("kind", Kind.EPISODIC) is Kind.EPISODIC
    )
    return mine and old.source_scope is not None and old.kind is Kind.EPISODIC


def _still(tx: Transaction, found: Found, now: datetime) -> Found:
    """Keep a verdict only while the memories it is about are what they were."""
    if found.memory is None:
        return found
    rows = tx.memories.by_ids([found.memory.id, *(memory.id for memory in found.also)])
    there = {id_ for id_, memory in rows.items() if memory.is_current(now) and memory.is_open(now)}
    also = tuple(memory for memory in found.also if memory.id in there)
    return found._replace(also=also) if found.memory.id in there else NOTHING


def _is_free(tx: Transaction, draft: Draft, now: datetime) -> bool:
    return tx.memories.current(draft.ns, draft.key, now) is None


def _restated(tx: Transaction, draft: Draft, found: Found, other: Memory, now: datetime) -> Memory:
    """Count a restatement and keep its wording, instead of storing it as a memory of its own."""
    source = {
        name: draft.fields.get(name)
        for name in ("source_user", "source_kind", "source_scope", "source_client")
    }
    if draft.content != other.content:
        tx.aliases.add(other.id, Alias(draft.content, now, **source))
    wordings = tuple(alias.content for alias in tx.aliases.of([other.id]).get(other.id, ()))
    own = source["source_kind"] in (None, SourceKind.STATED)
    memory = reinforce(tx, tx.memories.by_ids([other.id])[other.id], now, used=own)
    return replace(memory, requested_key=draft.key, aliases=wordings, verdict=_verdict(found))


def _superseding(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared, now: datetime
) -> Memory:
    from ghostmem.truth.correct import may_supersede, supersede

    old = find(tx, draft.ns, draft.supersedes or "", now)
    may_supersede(tx, old, draft.fields.get("source_kind"), draft.key)
    memory = write_draft(store, tx, _as_important(draft, [old]), prepared)
    supersede(store, tx, memory, old, store.clock(), draft.unlock)
    return replace(memory, verdict=Verdict(VerdictKind.UPDATE, old.key, {"said": True}))


def _as_important(draft: Draft, replaced: list[Memory]) -> Draft:
    """Let a successor be no less important than what it replaces."""
    importance = max(
        draft.fields.get("importance", 0.5), *(memory.importance for memory in replaced)
    )
    return replace(draft, fields={**draft.fields, "importance": importance})


def _verdict(found: Found) -> Verdict:
    return Verdict(found.kind, None if found.memory is None else found.memory.key, found.evidence)
