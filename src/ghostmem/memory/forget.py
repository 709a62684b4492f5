"""forget: remove a poisoned source with everything that was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.memory.draft import INHERITED, Draft, index_memory, write_draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.remove import remove, still_in_backups
from ghostmem.model import Memory, NsFilter, Record, SourceKind, Tier, optional
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.close import SUPERSEDED_BY, reopen
from ghostmem.truth.derived import Doomed, doubles, find_doomed

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

SHOWN = 5  # locked memories that an error names


@dataclass(frozen=True, eq=False, repr=False)
class Forgotten(Record):
    """One thing that was forgotten or came back, and why: source, derived from KEY, restored,
    reopened, alias, quarantine.

    `versions` is how many went, or, of what was restored, which one came back.
    """

    ns: str
    key: str
    why: str
    versions: int = optional(0)


@dataclass(frozen=True, eq=False, repr=False)
class Forgetting(Record):
    """What was forgotten, or would be; see `Removal` for `backups` and `pending`."""

    hard: bool
    dry_run: bool
    items: tuple[Forgotten, ...]
    backups: tuple[str, ...] = optional(())
    pending: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """Whose words are meant: every field that is not None must agree."""

    source_user: str | None = None
    source_kind: SourceKind | None = None
    source_client: str | None = None
    source_scope: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def wrote(self, said: Any, at: datetime) -> bool:
        """Say whether something with fields of provenance, written at a time, is of this source."""
        named = ("source_user", "source_kind", "source_client", "source_scope")
        same = all(getattr(self, name) in (None, getattr(said, name)) for name in named)
        return (
            same
            and (self.since is None or at >= self.since)
            and (self.until is None or at < self.until)
        )


def forget(
    store: Store,
    *,
    source: str | None = None,
    source_kind: str | None = None,
    source_client: str | None = None,
    source_scope: str | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    ns: str | None = None,
    hard: bool = False,
    unlock: bool = False,
    dry_run: bool = False,
) -> Forgetting:
    """Remove everything a source wrote from `since` on and before `until`, and everything that was
    derived from it.

    Where it had replaced what another had said, that comes back as a new version; summaries made of
    its words go, and summaries of those; what was closed because of it is true again; its wordings
    of others' memories and what is held of it in quarantine are dropped. Softly, memories can be
    restored; `hard` leaves no byte. Locked and pinned ones need `unlock`."""
    kind = None if source_kind is None else validate.choice(source_kind, SourceKind, "source kind")
    times = [
        None if at is None else as_time(at, what)
        for at, what in ((since, "since"), (until, "until"))
    ]
    whose = Source(source, kind, source_client, source_scope, *times)
    if all(part is None for part in (source, kind, source_client, source_scope, since)):
        raise InvalidInputError(
            "nothing says whose words to forget", "name a source, or since when"
        )
    which = validate.ns_filter(ns)
    now = store.clock()
    with store.engine.write(dry_run=dry_run) as tx:
        doomed = find_doomed(tx, which, whose.wrote)
        _refuse_protected(doomed, unlock)
        backups = tx.backups.all() if hard else {}
        asleep = doubles(tx, doomed)
        items = [
            *_forget_memories(store, tx, doomed, now, hard),
            *_reopen(store, tx, which, doomed, now),
        ]
        items += [
            Forgotten(memory.ns, memory.key, "reopened")
            for memory in asleep
            if _wake(store, tx, memory, now)
        ]
        items += _drop_aliases(tx, which, whose) + _drop_held(tx, which, whose, now)
        if hard or any(item.why in ("alias", "quarantine") for item in items):
            tx.owe_scrub()
    held = still_in_backups(store, backups, doomed.versions) if hard else ()
    if any(item.why in ("restored", "reopened") for item in items) and not dry_run:
        catch_up(store)
    pending = "" if dry_run else store.engine.scrub()
    return Forgetting(hard, dry_run, tuple(items), held, pending)


def _refuse_protected(doomed: Doomed, unlock: bool) -> None:
    kept = [memory for memory in doomed.versions if memory.protected and memory.deleted_at is None]
    if kept and not unlock:
        names = ", ".join(f"{memory.ns}/{memory.key}" for memory in kept[:SHOWN]) + (
            ", …" if len(kept) > SHOWN else ""
        )
        raise LockedError(f"locked or pinned, and of that source: {names}; nothing was forgotten")


def _forget_memories(
    store: Store, tx: Transaction, doomed: Doomed, now: datetime, hard: bool
) -> list[Forgotten]:
    """Remove the doomed versions key by key.

    Where one had replaced a good version, that one comes back.
    """
    items = []
    for (ns, key), versions in doomed.by_key().items():
        live = next((memory for memory in versions if memory.deleted_at is None), None)
        going = versions if hard else [live] if live else []
        if not going:
            continue
        items.append(Forgotten(ns, key, doomed.why[going[-1].id], len(going)))
        good = _replaced(tx, live, versions, now) if live else None
        if good is not None and live is not None:
            _drop_edges(tx, live, good)
            _bring_back(store, tx, good)
            tx.journal.record(ns, live.id, "forget", now)
            items.append(Forgotten(ns, key, "restored", good.version))
            going = going if hard else []
        remove(tx, going, now, hard, op="forget")
    return items


def _replaced(
    tx: Transaction, live: Memory, versions: Sequence[Memory], now: datetime
) -> Memory | None:
    """Return the good version that the doomed ones behind it replaced.

    What had been removed before stays removed.
    """
    gone = {memory.id for memory in versions}
    history = tx.memories.history(live.ns, live.key)
    good = next((memory for memory in reversed(history) if memory.id not in gone), None)
    if (
        good is None
        or good.deleted_at is None
        or (good.expires_at is not None and good.expires_at <= now)
    ):
        return None
    next_one = next(memory for memory in history if memory.version > good.version)
    return good if good.deleted_at >= (next_one.recorded_at or next_one.created_at) else None


def _drop_edges(tx: Transaction, live: Memory, good: Memory) -> None:
    """Remove the links that were made while the poison stood there.

    Older ones were the good version's.
    """
    for edge in list(tx.graph.edges(live.id)):
        if good.deleted_at is not None and edge.created_at >= good.deleted_at:
            tx.graph.remove_edge(edge.from_id, edge.to_id, edge.rel)


def _bring_back(store: Store, tx: Transaction, good: Memory) -> Memory:
    """Write a version again as the newest, with its fields, its counts and the time it was said."""
    names = (
        *INHERITED,
        "created_at",
        "valid_from",
        "valid_to",
        "access_count",
        "utility_count",
        "last_accessed_at",
    )
    fields = {name: getattr(good, name) for name in names}
    return write_draft(
        store, tx, Draft(good.ns, good.key, good.content, fields, unlock=True, revive=True)
    )


def _reopen(
    store: Store, tx: Transaction, which: NsFilter, doomed: Doomed, now: datetime
) -> list[Forgotten]:
    """Let be true again what was closed for something that is forgotten."""
    items = []
    ends = {
        name: {m.valid_from or m.created_at for m in versions}
        for name, versions in doomed.by_key().items()
    }
    for memory in list(tx.listing.scan(Filter(ns=which, now=now, closed=True))):
        by = (memory.ns, str(memory.meta.get(SUPERSEDED_BY, "")))
        if by in ends and (memory.valid_to in ends[by] or not _is_current(tx, *by, now)):
            reopen(store, tx, memory, now)
            items.append(Forgotten(memory.ns, memory.key, "reopened"))
    return items


def _is_current(tx: Transaction, ns: str, key: str, now: datetime) -> bool:
    return tx.memories.current(ns, key, now) is not None


def _wake(store: Store, tx: Transaction, memory: Memory, now: datetime) -> bool:
    """Bring back a memory that slept, or was merged away, because something forgotten said the
    same.
    """
    last = tx.memories.last(memory.ns, memory.key)
    if last is None or last.id != memory.id:
        return False
    if last.deleted_at is not None:
        tx.memories.change(last, "restore", now, deleted_at=None)
        index_memory(store, tx, last)
    elif last.tier is Tier.DORMANT:
        tx.memories.change(last, "wake", now, tier=Tier.STM)
    return last.deleted_at is not None or last.tier is Tier.DORMANT


def _drop_aliases(tx: Transaction, which: NsFilter, whose: Source) -> list[Forgotten]:
    """Drop the source's wordings of what others said."""
    said = [
        (memory_id, alias) for memory_id, alias in tx.aliases.all() if whose.wrote(alias, alias.at)
    ]
    owners = tx.memories.by_ids([memory_id for memory_id, _ in said])
    items = []
    for memory_id, alias in said:
        if which.matches(owners[memory_id].ns) and tx.aliases.forget(memory_id, alias.content):
            items.append(Forgotten(owners[memory_id].ns, owners[memory_id].key, "alias"))
    return items


def _drop_held(tx: Transaction, which: NsFilter, whose: Source, now: datetime) -> list[Forgotten]:
    """Drop what is held of the source in quarantine."""
    items = []
    for held in tx.quarantine.all(which):
        fields = {
            name: held.fields.get(name)
            for name in ("source_user", "source_kind", "source_client", "source_scope")
        }
        if whose.wrote(Source(**fields), held.at):
            tx.quarantine.drop(held.id)
            tx.journal.record(held.ns, held.id, "drop", now)
            items.append(Forgotten(held.ns, held.key, "quarantine"))
    return items
