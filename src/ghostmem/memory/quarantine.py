"""quarantine: what was put and is not trusted waits here, where no retrieval reads it, until
somebody releases or drops it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.draft import Draft
from ghostmem.model import (
    FileRef,
    FileRel,
    Held,
    Kind,
    Memory,
    Outcome,
    Record,
    SymbolRef,
    optional,
    plain,
)
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

_SHORTEST = 4  # characters of an id that may stand for it
_ORDERS = (
    "ttl",
    "unlock",
    "dedup",
    "supersedes",
)  # what a put was told beside its fields; its base version is no longer the point


SOURCES = "source_keys"  # the keys that a summary stands for


@dataclass(frozen=True, eq=False, repr=False)
class Dropped(Record):
    """What was dropped from the quarantine, or would be.

    `backups` and `pending` say where it still is, and why.
    """

    dropped: tuple[str, ...]
    dry_run: bool = False
    backups: tuple[str, ...] = optional(())
    pending: str = optional("")


def hold(
    store: Store, tx: Transaction, draft: Draft, reasons: Sequence[str], sources: Sequence[str] = ()
) -> Held:
    """Keep a draft where no retrieval reads it; the same text for the same key is held once.

    With `sources` it is a summary, and these are the keys of what it stands for.
    """
    now = store.clock()
    orders: dict[str, Any] = {name: value for name in _ORDERS if (value := getattr(draft, name))}
    if sources:
        orders[SOURCES] = list(sources)
    fields = plain({**draft.fields, **orders})
    same = (
        h
        for h in tx.quarantine.at_key(draft.ns, draft.key)
        if (h.content, h.fields) == (draft.content, fields)
    )
    if (twin := next(same, None)) is not None:
        return twin
    fresh = Held(store.new_id(now), draft.ns, draft.key, draft.content, fields, tuple(reasons), now)
    tx.quarantine.add(fresh)
    return fresh


def memory_of(
    draft: Draft, held: Held, notes: Iterable[str] = (), *, dry_run: bool = False
) -> Memory:
    """Return what a caller is told about a draft that is held: no version of a memory, why it is
    held, and what releases it.
    """
    kind = draft.fields.get("kind", Kind.EPISODIC)
    known = {
        name: value
        for name, value in draft.fields.items()
        if name.startswith("source_") or name == "tags"
    }
    told = (*notes, would_hold(held.reasons) if dry_run else told_of(held))
    return Memory(
        held.id,
        draft.ns,
        draft.key,
        draft.content,
        kind,
        0,
        held.at,
        outcome=Outcome.QUARANTINED,
        notes=told,
        **known,
    )


def told_of(held: Held) -> str:
    """Say that something is held, why, and the command that releases it."""
    why = "; ".join(held.reasons)
    return (
        f"held in quarantine, where nothing reads it: {why}; to store it: ghost "
        f"quarantine release {held.id}"
    )


def would_hold(reasons: Iterable[str]) -> str:
    """Say that something would be held, and why."""
    return f"would be held in quarantine: {'; '.join(reasons)}"


def quarantined(store: Store, ns: str | None = None) -> list[Held]:
    """Return what is held, oldest first."""
    with store.engine.read() as tx:
        return tx.quarantine.all(validate.ns_filter(ns))


def held(store: Store, held_id: str, *, ns: str | None = None) -> Held:
    """Return one thing that is held; the id may be abbreviated."""
    with store.engine.read() as tx:
        return _find(tx, held_id, ns)


def drop(
    store: Store, held_ids: Iterable[str], *, ns: str | None = None, dry_run: bool = False
) -> Dropped:
    """Delete what is held for good: no byte of it stays in the file; ids may be abbreviated."""
    ids = validate.texts(held_ids, "ids", "id")
    with store.engine.write(dry_run=dry_run) as tx:
        doomed = list({one.id: one for one in (_find(tx, id_, ns) for id_ in ids)}.values())
        backups = tx.backups.all()
        for one in doomed:
            tx.quarantine.drop(one.id)
        if doomed:
            tx.owe_scrub()
    copies = (
        store.engine.copies_holding(backups, [h.id for h in doomed], [h.content for h in doomed])
        if doomed
        else ()
    )
    pending = store.engine.scrub() if doomed and not dry_run else ""
    return Dropped(tuple(one.id for one in doomed), dry_run, tuple(copies), pending)


def draft_of(one: Held) -> Draft:
    """Read back the draft that was held; what came from elsewhere is checked like any put."""
    fields = dict(one.fields)
    orders = {name: fields.pop(name) for name in _ORDERS if name in fields}
    validate.texts(fields.pop(SOURCES, ()), SOURCES, "key")
    symbols, expires_at = fields.pop("symbols", None), fields.pop("expires_at", None)
    try:
        if fields.get("files") is not None:
            fields["files"] = [
                FileRef(str(file["path"]), FileRel(file["rel"])) for file in fields["files"]
            ]
        checked: dict[str, Any] = put_fields(**fields)
        if symbols is not None:
            checked["symbols"] = validate.symbols(
                [SymbolRef(**{**ref, "rel": FileRel(ref["rel"])}) for ref in symbols]
            )
        if expires_at is not None:
            checked["expires_at"] = as_time(expires_at, "expires_at")
    except (TypeError, KeyError, ValueError) as error:
        raise InvalidInputError(
            f"what is held as {one.id} has fields that no memory has: {error}"
        ) from None
    ttl, supersedes = orders.get("ttl"), orders.get("supersedes")
    return Draft(
        validate.namespace(one.ns),
        validate.key(one.key),
        validate.text(one.content, "content"),
        checked,
        ttl=None if ttl is None else validate.text(ttl, "ttl"),
        unlock=orders.get("unlock") is True,
        dedup=orders.get("dedup") is True,
        supersedes=None if supersedes is None else validate.key(supersedes),
    )


def _find(tx: Transaction, held_id: str, ns: str | None) -> Held:
    """Find what is held by its id, or by the start or the end of it."""
    which = validate.ns_filter(ns)
    short = validate.text(held_id, "id").strip().upper()
    every = tx.quarantine.all(which)
    found = [h for h in every if h.id == short]
    if not found and len(short) >= _SHORTEST:
        found = [h for h in every if h.id.startswith(short)] or [
            h for h in every if h.id.endswith(short)
        ]
    if len(found) > 1:
        raise InvalidInputError(
            f"{validate.shown(held_id)} stands for {len(found)} held memories",
            f"give more of it, such as {found[0].id}",
        )
    if not found:
        raise missing(held_id)
    return found[0]


def missing(held_id: str) -> NotFoundError:
    """Return the error for something that is not held."""
    return NotFoundError(
        f"nothing is held as {validate.shown(held_id)}", "`ghost quarantine list` shows what is"
    )
