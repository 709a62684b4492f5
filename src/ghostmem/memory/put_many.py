"""put_many: store many memories in a few transactions.

Items are read and checked in batches, and written in transactions of consecutive items: each is
stored completely or not at all, and is on disk when it is reported. An item that the state of the
store does not allow is refused; an item that is not valid ends the call with an error."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any, Required

from ghostmem.errors import ConflictError, GhostError, InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.draft import Prepared, prepare
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.put import PutRequest, check_put, reasons_to_hold, with_notes
from ghostmem.memory.quarantine import hold, memory_of_held
from ghostmem.memory.verdict import NOTHING, judge_prepared
from ghostmem.memory.write import compose, write_new, write_put
from ghostmem.model import Memory, Outcome, Record, Verdict, optional
from ghostmem.store import PutFields, Store, Transaction, again, validate

BATCH = 500  # items that are checked before any of them is written
MAX_JUDGED = 100  # memories that are compared with others in one transaction
MAX_SECONDS = 0.5  # time after which such a transaction ends, because it locks the store
UNLINKED = Prepared(waits=False)
_STORED = attrgetter("ns", "key", "version", "outcome", "requested_key", "verdict", "notes")
Progress = Callable[[int], None]


class NewMemory(PutFields, total=False):
    """A memory for `put_many`: the parameters of `put`."""

    ns: Required[str]
    key: Required[str]
    content: Required[str]
    ttl: str | None
    symbols: Iterable[str] | None
    language: str | None
    root: str | None
    base_version: int | None
    dedup: bool | None
    supersedes: str | None
    unlock: bool
    allow_secrets: bool


@frozen
class StoredItem(Record):
    """An item that was stored, as the memory that has its text now.

    `item` is its number in the input, from 1. A quarantined item has version 0."""

    item: int
    ns: str
    key: str
    version: int
    outcome: Outcome
    requested_key: str | None = optional()
    verdict: Verdict | None = optional()
    notes: tuple[str, ...] = optional(())


@frozen
class RefusedItem(Record):
    """An item that was not stored, and the error that a put of it raises."""

    item: int
    ns: str
    key: str
    error: str
    message: str


@frozen
class BatchReport(Record):
    """The result of `put_many`: every item in order, stored or refused, and counts by outcome."""

    created: int
    updated: int
    reinforced: int
    quarantined: int
    stored: tuple[StoredItem, ...]
    refused: tuple[RefusedItem, ...] = ()


class _RefusedError(Exception):
    """The position of an item that cannot be stored, and its error; it ends its transaction."""


Results = list[Memory | GhostError]  # for the first items of a batch, at least one


def put_many(
    store: Store,
    memories: Iterable[NewMemory | Mapping[str, Any]],
    *,
    judge: bool = True,
    progress: Progress | None = None,
) -> BatchReport:
    """Store many memories, in far fewer transactions than separate calls of `put`.

    Each item has the parameters of `put` as a mapping. Items are read as they are needed,
    checked in batches of 500, and written in order in transactions of consecutive items. A
    transaction is stored completely or not at all, and is on disk when `progress` is called.

    Args:
        memories: Mappings such as {"ns": "agent:me", "key": "tea", "content": "Green."}.
        judge: Compare each memory with the stored ones, as `put` does; False: store them
            without verdicts and automatic links, several times faster. `relink` adds links
            later.
        progress: Called with the number of items done.

    Returns:
        Every item in order, as stored or as refused. An item is refused, and the others are
        stored, when a put of it would raise an error because of the stored memories:
        ConflictError (including VersionConflictError and LockedError), NotFoundError, or
        InvalidInputError for an expiry of a pinned memory.

    Raises:
        InvalidInputError: An item is not valid. The error says which one, and up to which item
            the input is stored.
    """
    validate.flags(judge=judge)
    if isinstance(memories, str | bytes | Mapping) or not isinstance(memories, Iterable):
        raise InvalidInputError(
            f"memories must be a list of mappings, not {validate.shown(memories)}",
            'pass [{"ns": "agent:me", "key": "tea", "content": "Green."}]',
        )
    stored: list[StoredItem] = []
    refused: list[RefusedItem] = []
    inputs, done = enumerate(memories, 1), 0
    while batch := list(islice(inputs, BATCH)):
        items = [_checked(store, number, fields, done) for number, fields in batch]
        while items:
            results = _write(store, items, judge)
            for item, result in zip(items, results, strict=False):
                done += 1
                if isinstance(result, GhostError):
                    refused.append(
                        RefusedItem(done, *item.place, type(result).__name__, result.message)
                    )
                else:
                    stored.append(StoredItem(done, *_STORED(result)))
            items = items[len(results) :]
            if progress is not None:
                progress(done)
    if not judge and stored:
        catch_up(store, link=False)
    counts = {str(kind): sum(item.outcome is kind for item in stored) for kind in Outcome}
    return BatchReport(**counts, stored=tuple(stored), refused=tuple(refused))


def _checked(store: Store, number: int, fields: object, done: int) -> PutRequest:
    """Check one item of the input; the error names it and says how many items are stored."""
    try:
        if not isinstance(fields, Mapping):
            raise InvalidInputError(
                f"{validate.shown(fields)} is not a mapping", "it needs ns, key and content"
            )
        if unknown := sorted(str(name) for name in fields.keys() - NewMemory.__annotations__):
            raise InvalidInputError(f"unknown field {unknown[0]!r}", "the fields are those of put")
        if missing := [name for name in ("ns", "key", "content") if name not in fields]:
            raise InvalidInputError(f"missing field {missing[0]!r}", "it needs ns, key and content")
        return check_put(store, **fields)
    except InvalidInputError as error:
        state = f"items 1 to {done} are stored" if done else "nothing was stored"
        raise InvalidInputError(f"item {number}: {error.message}; {state}", error.hint) from None


@again
def _write(store: Store, items: Sequence[PutRequest], judge: bool) -> Results:
    """Write the first items in one transaction, and return their results.

    A refused item ends the transaction before it; the next one begins with it and has its error."""
    items = items[:MAX_JUDGED] if judge else items
    while True:
        prepared = _prepared(store, items) if judge else [UNLINKED] * len(items)
        try:
            with store.engine.write(within={item.place[0] for item in items}) as tx:
                return [*_put_items(store, tx, items, prepared, judge)]
        except _RefusedError as refused:
            position, error = refused.args
            if position == 0:
                return [error]
            items = items[:position]


def _prepared(store: Store, items: Sequence[PutRequest]) -> list[Prepared]:
    with store.engine.read() as tx:
        histories = tx.memories.histories(item.place for item in items)
    last = {place: versions[-1] for place, versions in histories.items()}
    now = store.clock()
    current = {place: memory for place, memory in last.items() if memory.is_current(now)}
    return prepare(store, [(item.draft, current.get(item.place)) for item in items])


def _put_items(
    store: Store,
    tx: Transaction,
    items: Sequence[PutRequest],
    prepared: Sequence[Prepared],
    judge: bool,
) -> list[Memory]:
    """Store items one after another, with `judge` each compared with all memories before it.

    Without it, new keys that follow each other are written together."""
    stored_places = set() if judge else set(tx.memories.histories(item.place for item in items))
    memories: list[Memory] = []
    new: list[Memory] = []
    deadline = time.monotonic() + MAX_SECONDS
    for item, ready in zip(items, prepared, strict=True):
        if judge and memories and time.monotonic() > deadline:
            break
        draft, current = item.draft, None
        # dedup, supersedes and a base version depend on other memories
        is_new = not (
            judge
            or item.place in stored_places
            or draft.dedup
            or draft.supersedes is not None
            or draft.base_version
        )
        try:
            if not is_new:
                write_new(store, tx, new)
                new = []
                current = tx.of(draft.ns).memories.current(*item.place, store.clock())
            if reasons := reasons_to_hold(store, item, current):
                memory = memory_of_held(draft, hold(store, tx, draft, reasons), item.notes)
            elif is_new:
                memory = compose(store, draft, None, None, store.clock())
                memory = with_notes(replace(memory, outcome=Outcome.CREATED), item, ready)
                new.append(memory)
            else:
                memory = _put_item(store, tx.of(draft.ns), item, ready, current, judge)
        except (ConflictError, NotFoundError, InvalidInputError) as error:
            raise _RefusedError(len(memories), error) from None
        stored_places.add(item.place)
        memories.append(memory)
    write_new(store, tx, new)
    return memories


def _put_item(
    store: Store,
    tx: Transaction,
    item: PutRequest,
    prepared: Prepared,
    current: Memory | None,
    judge: bool,
) -> Memory:
    judgement = NOTHING
    if judge:
        prepared, judgement = judge_prepared(store, tx, item.draft, prepared, current)
    memory = write_put(store, tx, item.draft, prepared, judgement)
    return with_notes(memory if judge else replace(memory, verdict=None), item, prepared)
