"""forget: remove everything that a poisoned source wrote, and everything derived from it."""

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.memory.draft import INHERITED, SOURCE_FIELDS, USE_COUNTS, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.remove import remove, still_in_backups
from ghostmem.memory.write import index_memory, write_draft
from ghostmem.model import Memory, NsFilter, Record, Rel, SourceKind, Tier, optional
from ghostmem.store import Filter, Store, StoreCopies, Transaction, validate
from ghostmem.truth.corrections import reopen, successor_key

MAX_NAMED = 5  # protected memories that an error names


@frozen
class Forgotten(Record):
    """One item that was forgotten or came back.

    `why` is one of source, derived from KEY, restored, reopened, alias, quarantine. `versions` is
    the number of versions removed, or, of a restored memory, the version that came back."""

    ns: str
    key: str
    why: str
    versions: int = optional(0)


@frozen
class Forgetting(Record):
    """The items that were or would be forgotten; see `Removal` for the other fields."""

    hard: bool
    dry_run: bool
    items: tuple[Forgotten, ...]
    backups: tuple[str, ...] = optional(())
    pending: str = optional("")
    unchecked_backups: tuple[str, ...] = optional(())


@frozen
class SourceFilter:
    """The source to forget: every field that is not None must match."""

    source_user: str | None = None
    source_kind: SourceKind | None = None
    source_client: str | None = None
    source_scope: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def wrote(self, item: Any, written: datetime) -> bool:
        """Say whether an item with source fields, written at a time, is from this source."""
        return (
            all(getattr(self, name) in (None, getattr(item, name)) for name in SOURCE_FIELDS)
            and (self.since is None or written >= self.since)
            and (self.until is None or written < self.until)
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
    """Delete the statements of a source, and everything derived from them.

    A source, kind, client, scope or `since` is required. Memories that these statements had
    replaced become current again.

    Args:
        source: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_client: Program that stored it.
        source_scope: Conversation, session or place it comes from.
        since: Written at or after this time.
        until: Written before this time.
        ns: Namespace, prefix such as "agent:*", or None for all.
        hard: Delete permanently; otherwise the memories can be restored.
        unlock: Also delete locked and pinned memories.
        dry_run: Change nothing; report what would happen.
    """
    validate.flags(hard=hard, unlock=unlock, dry_run=dry_run)
    writer = _source_filter(source, source_kind, source_client, source_scope, since, until)
    namespaces, now = validate.ns_filter(ns), store.clock()
    with store.engine.write(dry_run=dry_run) as tx:
        versions, reasons = _find_versions(tx, namespaces, writer)
        if not unlock:
            _refuse_protected(versions)
        backups = tx.backups.all() if hard else {}
        duplicates = _archived_duplicates(tx, reasons.keys())
        items = [
            *_forget_memories(store, tx, versions, reasons, now, hard),
            *_reopen_closed(store, tx, namespaces, versions, now),
            *(
                Forgotten(memory.ns, memory.key, "reopened")
                for memory in duplicates
                if _reactivate(store, tx, memory, now)
            ),
            *_drop_aliases(tx, namespaces, writer),
            *_drop_quarantined(tx, namespaces, writer, now),
        ]
        kinds = {item.why for item in items}
        if hard or kinds & {"alias", "quarantine"}:
            tx.owe_scrub()
    copies = still_in_backups(store, backups, versions) if hard else StoreCopies()
    if kinds & {"restored", "reopened"} and not dry_run:
        catch_up(store)
    return Forgetting(
        hard,
        dry_run,
        tuple(items),
        copies.holding,
        "" if dry_run else store.engine.scrub(),
        copies.unchecked,
    )


def _source_filter(
    source: str | None,
    source_kind: str | None,
    source_client: str | None,
    source_scope: str | None,
    since: datetime | str | None,
    until: datetime | str | None,
) -> SourceFilter:
    """Return the checked source to forget; `until` alone would forget nearly everything."""
    kind = validate.choice(source_kind, SourceKind, "source kind")
    names = {"source": source, "source_client": source_client, "source_scope": source_scope}
    for what, name in names.items():
        if name is not None and not validate.text(name, what):
            raise InvalidInputError(f"{what} is empty", "give a name, or leave it out")
    if all(part is None for part in (*names.values(), kind, since)):
        raise InvalidInputError(
            "no source to forget was given", "give a source, or a time with --since"
        )
    return SourceFilter(
        source,
        kind,
        source_client,
        source_scope,
        None if since is None else as_time(since, "since"),
        None if until is None else as_time(until, "until"),
    )


def _refuse_protected(versions: Iterable[Memory]) -> None:
    if names := [f"{m.ns}/{m.key}" for m in versions if m.protected and m.deleted_at is None]:
        more = ", …" if len(names) > MAX_NAMED else ""
        raise LockedError(
            f"locked or pinned, and of that source: {', '.join(names[:MAX_NAMED])}{more}; "
            "nothing forgotten"
        )


def _find_versions(
    tx: Transaction, namespaces: NsFilter, writer: SourceFilter
) -> tuple[list[Memory], dict[str, str]]:
    """Return the versions of a source and of summaries made of them, and the reasons by id."""
    versions = [
        memory for memory in tx.listing.rows(namespaces) if writer.wrote(memory, memory.written_at)
    ]
    reasons = {memory.id: "source" for memory in versions}
    for source in versions:  # it grows meanwhile: a summary may be part of another
        for version in _summaries(tx, source):
            if version.id not in reasons:
                reasons[version.id] = f"derived from {source.key}"
                versions.append(version)
    return versions, reasons


def _by_key(versions: Iterable[Memory]) -> dict[tuple[str, str], list[Memory]]:
    """Return the versions of each key, oldest first, sorted by key."""
    return grouped(
        ((memory.ns, memory.key), memory)
        for memory in sorted(versions, key=lambda m: (m.ns, m.key, m.version))
    )


def _summaries(tx: Transaction, source: Memory) -> list[Memory]:
    """Return the versions of summaries that were written while a source was current."""
    ids = {memory.id for memory in tx.memories.history(source.ns, source.key)}
    parents = {
        edge.from_id for edge in tx.graph.touching(sorted(ids), [Rel.CONTAINS]) if edge.to_id in ids
    }
    return [
        version
        for parent in tx.memories.by_ids(sorted(parents)).values()
        for version in tx.memories.history(parent.ns, parent.key)
        if source.written_at <= version.written_at
        and (source.deleted_at is None or version.written_at < source.deleted_at)
    ]


def _archived_duplicates(tx: Transaction, ids: Set[str]) -> list[Memory]:
    """Return memories that the lifecycle archived as duplicates of targets."""
    edges = tx.graph.touching(sorted(ids), [Rel.MERGED_INTO]) if ids else []
    rows = tx.memories.by_ids(sorted({edge.from_id for edge in edges if edge.to_id in ids} - ids))
    return [rows[id_] for id_ in sorted(rows)]


def _forget_memories(
    store: Store,
    tx: Transaction,
    targets: Iterable[Memory],
    reasons: Mapping[str, str],
    now: datetime,
    hard: bool,
) -> list[Forgotten]:
    """Remove versions key by key, and restore the good version that one replaced."""
    items = []
    for (ns, key), versions in _by_key(targets).items():
        live = next((memory for memory in versions if memory.deleted_at is None), None)
        removed = versions if hard else [live] if live else []
        if not removed:
            continue
        items.append(Forgotten(ns, key, reasons[removed[-1].id], len(removed)))
        if live is not None and (good := _replaced(tx, live, versions, now)) is not None:
            _restore_version(store, tx, live, good, now)
            items.append(Forgotten(ns, key, "restored", good.version))
            removed = removed if hard else []
        remove(tx, removed, now, hard, op="forget")
    return items


def _replaced(
    tx: Transaction, live: Memory, versions: Sequence[Memory], now: datetime
) -> Memory | None:
    """Return the good version that the targets replaced, unless it was removed before that."""
    doomed_ids = {memory.id for memory in versions}
    history = tx.memories.history(live.ns, live.key)
    good = next((memory for memory in reversed(history) if memory.id not in doomed_ids), None)
    if good is None or good.deleted_at is None or _has_expired(good, now):
        return None
    successor = next(memory for memory in history if memory.version > good.version)
    return good if good.deleted_at >= successor.written_at else None


def _restore_version(
    store: Store, tx: Transaction, live: Memory, good: Memory, now: datetime
) -> None:
    """Write a good version again in place of the live one, with its fields, counts and times.

    The edges made since the good version was replaced go."""
    for edge in list(tx.graph.edges(live.id)):
        if good.deleted_at is not None and edge.created_at >= good.deleted_at:
            tx.graph.remove_edge(edge.from_id, edge.to_id, edge.rel)
    # first, because a statement of the user could not be replaced
    remove(tx, [live], now, hard=False, op="supersede")
    fields = {
        name: getattr(good, name)
        for name in (*INHERITED, *USE_COUNTS, "created_at", "valid_from", "valid_to")
    }
    write_draft(store, tx, Draft(good.ns, good.key, good.content, fields, unlock=True, revive=True))
    tx.journal.record(live.ns, live.id, "forget", now)


def _reopen_closed(
    store: Store, tx: Transaction, namespaces: NsFilter, versions: Iterable[Memory], now: datetime
) -> list[Forgotten]:
    """Reopen the memories that were closed in favour of a forgotten one."""
    items = []
    starts = {
        name: {m.valid_from or m.created_at for m in group}
        for name, group in _by_key(versions).items()
    }
    for memory in list(tx.listing.scan(Filter(ns=namespaces, now=now, closed=True))):
        ns, key = successor = (memory.ns, successor_key(memory) or "")
        if successor in starts and (
            memory.valid_to in starts[successor] or tx.memories.current(ns, key, now) is None
        ):
            reopen(store, tx, memory, now, unlock=True)
            items.append(Forgotten(memory.ns, memory.key, "reopened"))
    return items


def _reactivate(store: Store, tx: Transaction, memory: Memory, now: datetime) -> bool:
    """Bring back a memory that was archived or merged as a duplicate of a forgotten one.

    One that has expired meanwhile stays as it is."""
    last = tx.memories.last(memory.ns, memory.key)
    if last is None or last.id != memory.id or _has_expired(last, now):
        return False
    if last.deleted_at is not None:
        tx.memories.change(last, "restore", now, deleted_at=None)
        index_memory(store, tx, last)
    elif last.tier is Tier.DORMANT:
        tx.memories.change(last, "wake", now, tier=Tier.STM)
    return last.deleted_at is not None or last.tier is Tier.DORMANT


def _has_expired(memory: Memory, now: datetime) -> bool:
    return memory.expires_at is not None and memory.expires_at <= now


def _drop_aliases(tx: Transaction, namespaces: NsFilter, writer: SourceFilter) -> list[Forgotten]:
    aliases = [(id_, alias) for id_, alias in tx.aliases.all() if writer.wrote(alias, alias.at)]
    owners = tx.memories.by_ids([id_ for id_, _ in aliases])
    return [
        Forgotten(owners[id_].ns, owners[id_].key, "alias")
        for id_, alias in aliases
        if namespaces.matches(owners[id_].ns) and tx.aliases.forget(id_, alias.content)
    ]


def _drop_quarantined(
    tx: Transaction, namespaces: NsFilter, writer: SourceFilter, now: datetime
) -> list[Forgotten]:
    items = []
    for held in tx.quarantine.all(namespaces):
        if writer.wrote(
            SourceFilter(**{name: held.fields.get(name) for name in SOURCE_FIELDS}), held.at
        ):
            tx.quarantine.drop(held.id)
            tx.journal.record(held.ns, held.id, "drop", now)
            items.append(Forgotten(held.ns, held.key, "quarantine"))
    return items
