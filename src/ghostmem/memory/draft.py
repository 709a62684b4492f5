"""A wish to store something, and writing it: the row, its index, its links, in a transaction that
is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.caller import CLIENT
from ghostmem.clock import later, parse_ttl
from ghostmem.errors import ConflictError, InvalidInputError, LockedError, VersionConflictError
from ghostmem.model import HEARSAY, Kind, Memory, Outcome, SourceKind, Tier, estimate_tokens
from ghostmem.store.indexing import index_rows, spoken, tagged
from ghostmem.store.rows import IndexRow
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.graph.autolink import Near
    from ghostmem.store.protocol import Transaction

NEVER = "never"  # the ttl that takes an expiry away

# Fields a new version takes over from the one before unless they are named.
INHERITED = [
    "kind",
    "tier",
    "priority",
    "importance",
    "pinned",
    "tags",
    "meta",
    "expires_at",
    "files",
    "symbols",
    "source_user",
    "source_kind",
    "source_scope",
    "source_client",
]
_COUNTED = ("access_count", "utility_count", "last_accessed_at")


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """A checked wish to store something; `fields` holds only what the caller named."""

    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    ttl: str | None = None
    base_version: int | None = None
    unlock: bool = False
    dedup: bool = False
    supersedes: str | None = None  # the key of what it replaces
    quiet: bool = False  # saying the same again is no use of it
    revive: bool = False  # what was removed comes back with its links


class Prepared(NamedTuple):
    """What can be made of a draft before anything is locked: its chunks, their vectors, and what
    lies near them.
    """

    rows: Sequence[IndexRow] = ()
    vectors: Sequence[bytes] = ()
    near: Near | None = None


UNPREPARED = Prepared()


def prepare(store: Store, draft: Draft) -> Prepared:
    """Chunk and embed a draft before anything is locked.

    Without a working provider there are no vectors yet.
    """
    source = draft.fields.get("source_user")
    if source is None and store.vectoriser.wanted:
        with store.engine.read() as tx:
            current = tx.memories.current(draft.ns, draft.key, store.clock())
        source = None if current is None else current.source_user
        if current is not None and current.content == draft.content and not draft.fields:
            return UNPREPARED  # most likely nothing new
    rows = index_rows(draft.key, draft.content, store.settings.chunk_target, source)
    texts = [row.spoken for row in rows[: store.settings.embed_put_chunks]]
    vectors = store.vectoriser.try_bytes(texts)
    if not vectors:
        return Prepared(rows)
    from ghostmem.graph.autolink import find_near

    with store.engine.read() as tx:
        return Prepared(rows, vectors, find_near(store, tx, draft.ns, vectors, texts))


def write_draft(
    store: Store, tx: Transaction, draft: Draft, prepared: Prepared = UNPREPARED
) -> Memory:
    """Store a draft inside a transaction that is already open.

    Rows made for another source are made again.
    """
    now = store.clock()
    last = tx.memories.last(draft.ns, draft.key)
    current = last if last is not None and last.is_current(now) else None
    check_base(draft, current)
    if (
        current is None
        and draft.dedup
        and (twin := tx.listing.same_content(draft.ns, draft.content, now))
    ):
        return replace(reinforce(tx, twin, now), requested_key=draft.key)
    if current is not None and ("files" in draft.fields or "symbols" in draft.fields):
        current = tx.memories.with_refs([current])[0]
    if current is not None and _says_nothing_new(draft, current):
        if draft.quiet:
            return replace(current, outcome=Outcome.REINFORCED)
        return reinforce(tx, current, now, _expiry(draft.ttl, now, current.expires_at))
    if current is not None and current.locked and not draft.unlock:
        raise LockedError(f"{draft.ns}/{draft.key} is locked")
    if (
        current is not None
        and draft.fields.get("source_kind") in HEARSAY
        and _is_the_users(current)
    ):
        raise ConflictError(
            f"{draft.ns}/{draft.key} is the user's own word, and what is "
            f"{draft.fields['source_kind']} cannot replace it",
            "put it under another key, and let the user decide with `ghost resolve`",
        )
    memory = compose(store, draft, last, current, tx, now)
    if last is not None and last.deleted_at is None:
        tx.index.remove(last)
        tx.memories.change(last, "supersede", now, deleted_at=now)
    tx.memories.insert(memory)
    before = last if draft.revive else current
    if before is not None:
        tx.graph.relink(before.id, memory.id)
        tx.journal.carry(before.id, memory.id)
        tx.aliases.carry(before.id, memory.id)
    rows = index_memory(store, tx, memory, prepared)
    if not prepared.vectors:
        tx.index.wait(memory.id)
    return replace(
        memory, chunks=len(rows), outcome=Outcome.CREATED if current is None else Outcome.UPDATED
    )


def _is_the_users(memory: Memory) -> bool:
    """Say whether a memory is what the user stated, or pinned: hearsay does not take its key."""
    return memory.source_kind is SourceKind.STATED or (memory.pinned and memory.from_user)


def index_memory(
    store: Store, tx: Transaction, memory: Memory, prepared: Prepared = UNPREPARED
) -> Sequence[IndexRow]:
    """Index a version that was just written, with vectors and links if they were made of the same
    rows.
    """
    rows, vectors, near = prepared
    if not rows or rows[0].spoken != spoken(
        memory.content[rows[0].start : rows[0].stop], memory.source_user
    ):
        rows, vectors = (
            index_rows(memory.key, memory.content, store.settings.chunk_target, memory.source_user),
            (),
        )
        if near is not None:
            tx.index.wait(memory.id)
    embedder = store.vectoriser.get() if vectors else None
    model = (
        tx.vectors.model(embedder.model, len(vectors[0]) // 2, rows[0].chunker)
        if embedder and vectors
        else None
    )
    first = tx.index.add(memory, tagged(rows, memory.tags), model, vectors)
    if vectors and near is not None:
        from ghostmem.graph.autolink import autolink

        autolink(store, tx, memory, vectors, [row.spoken for row in rows], near, first)
    return rows


def check_base(draft: Draft, current: Memory | None) -> None:
    """Refuse a draft whose base version is not the current one."""
    found = 0 if current is None else current.version
    if draft.base_version is not None and draft.base_version != found:
        state = f"is at version {found}" if found else "does not exist"
        raise VersionConflictError(
            f"{draft.ns}/{draft.key} {state}, not at version {draft.base_version}"
        )


def _says_nothing_new(draft: Draft, current: Memory) -> bool:
    same = all(getattr(current, name) == value for name, value in draft.fields.items())
    return (
        same
        and draft.content == current.content
        and not (draft.ttl == NEVER and current.expires_at)
    )


def _expiry(ttl: str | None, now: datetime, before: datetime | None) -> datetime | None:
    if ttl is None:
        return before
    return None if ttl == NEVER else later(now, parse_ttl(ttl))


def reinforce(
    tx: Transaction,
    memory: Memory,
    now: datetime,
    expires_at: datetime | None = None,
    used: bool = True,
) -> Memory:
    """Count a repetition of what is already known; a new ttl moves the expiry in place."""
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
    store: Store,
    draft: Draft,
    last: Memory | None,
    current: Memory | None,
    tx: Transaction,
    now: datetime,
) -> Memory:
    """Build the version to write from the draft, what it inherits, and the defaults."""
    fields = dict(draft.fields)
    if current is not None:
        if "files" not in fields or "symbols" not in fields:
            current = tx.memories.with_refs([current])[0]
        fields = {name: getattr(current, name) for name in (*INHERITED, *_COUNTED)} | fields
    if "source_client" not in draft.fields and (client := CLIENT.get()):
        fields["source_client"] = client
    tier = fields.setdefault("tier", Tier.STM)
    fields.setdefault("kind", Kind.EPISODIC if tier in (Tier.SENSORY, Tier.STM) else Kind.SEMANTIC)
    fields.setdefault("created_at", now)
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
    if memory.expires_at is not None and memory.protected:
        state = "pinned" if memory.pinned else "locked"
        raise InvalidInputError(
            f"{draft.ns}/{draft.key} is {state} and cannot expire",
            f"leave the ttl out, or give {NEVER} as ttl",
        )
    return memory
