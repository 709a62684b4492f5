"""Find a memory by its key, count reads and changes, and repeat reads of a busy store."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import wraps
from shlex import quote
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from ghostmem.caller import LOOKING
from ghostmem.errors import (
    LockedError,
    LostConnectionError,
    NotFoundError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
)
from ghostmem.model import Memory, NsFilter
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.store.transaction import Transaction

PATIENCE = 0.25  # seconds a read waits to be counted while another process writes

P = ParamSpec("P")
T = TypeVar("T")
FIRST_WAIT, MAX_WAIT = 0.1, 2.0  # seconds between two attempts


def names_of(tx: Transaction, scope: NsFilter) -> list[str]:
    """Return the namespaces that a filter selects, in order."""
    if scope.is_prefix or not scope:
        return sorted(tx.search.names(scope.prefix))
    return [str(scope)] if tx.search.space(scope) else []


def count(store: Store, memories: Sequence[Memory], now: datetime, used: bool) -> None:
    """Count a retrieval."""
    if memories:
        bookkeep(store, lambda tx: tx.memories.touch(memories, now, used))


def bookkeep(store: Store, work: Callable[[Transaction], object]) -> bool:
    """Write bookkeeping of a read, and say whether that was possible.

    It never waits long for another writer and never fails."""
    if store.engine.read_only or LOOKING.get():
        return False
    try:
        with store.engine.write(durable=False, patience=PATIENCE, within=()) as tx:
            work(tx)
    except (StoreBusyError, StoreFullError, ReadOnlyStoreError, LostConnectionError):
        return False
    return True


def locked_error(tx: Transaction, memory: Memory) -> LockedError:
    """Return the error for a memory that is locked; a section of a note has the file in its hint.

    Without that hint, a caller would unlock the indexed copy and leave the note unchanged."""
    place = tx.notes.places([memory.id]).get(memory.id)
    return LockedError(
        f"{memory.ns}/{memory.key} is locked",
        place and f"it is a section of the note {place.path}: change that file instead",
    )


def find(tx: Transaction, ns: str, key: str, now: datetime, version: int | None = None) -> Memory:
    """Return the current version of a key, or a numbered one, or raise NotFoundError."""
    if version is not None:
        version = validate.positive(version, "version")
        if memory := tx.memories.version(ns, key, version):
            return memory
        if newest := tx.memories.last(ns, key):
            versions = "1 version" if newest.version == 1 else f"{newest.version} versions"
            raise NotFoundError(
                f"memory not found: {ns}/{key} version {version}; it has {versions}",
                f"run `ghost history -n {ns} -k {quote(key)}`",
            )
    last = tx.memories.last(ns, key)
    if last is not None and last.is_current(now):
        return last
    raise not_found(tx, ns, key, now, last)


def not_found(
    tx: Transaction, ns: str, key: str, now: datetime, last: Memory | None = None
) -> NotFoundError:
    """Return the error for a key without a current version; `last` is its last version."""
    message = f"memory not found: {ns}/{key}"
    if last is not None:
        state = "was deleted" if last.deleted_at else "has expired"
        return NotFoundError(
            message, f"it {state}; `ghost restore -n {ns} -k {quote(key)}` brings it back"
        )
    if ns.endswith("*"):
        return NotFoundError(
            message, f"give one namespace; `ghost list -n '{ns}'` shows the memories of all of them"
        )
    keys = [memory.key for memory in tx.listing.select(Filter(ns=NsFilter(ns), now=now), limit=500)]
    folded = {name.casefold(): name for name in keys}
    if close := [folded[name] for name in get_close_matches(key.casefold(), folded, n=3)]:
        return NotFoundError(message, f"did you mean {' or '.join(close)}?", tuple(close))
    return NotFoundError(
        message,
        f"`ghost list -n {ns}` shows the stored memories"
        if keys
        else f"the namespace {ns} is empty; `ghost ns list` shows all",
    )


def again(verb: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Retry an operation while the connection breaks before anything was stored.

    It is retried as long as a lock would be waited for. When the connection breaks during a
    commit it is unknown whether the change was stored: then the error is raised. Iterators among
    the arguments are read once, so that a retry has all of their values."""

    @wraps(verb)
    def tried(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        values = tuple(map(_reusable, args))
        options = {name: _reusable(value) for name, value in kwargs.items()}
        wait, deadline = FIRST_WAIT, time.monotonic() + store.settings.busy_timeout
        while True:
            try:
                return verb(store, *values, **options)  # type: ignore[arg-type]
            except LostConnectionError as error:
                if error.stored is not False or time.monotonic() + wait > deadline:
                    raise
                time.sleep(wait)
                wait = min(wait * 2, MAX_WAIT)

    return tried


def _reusable(value: object) -> object:
    return list(value) if isinstance(value, Iterator) else value


class Written(NamedTuple):
    """The changes of a namespace, and its items in quarantine, which have no audit log."""

    sequence: int
    quarantine: int


def sequences(store: Store) -> dict[str, int]:
    """Return the number of changes of each namespace; cheap enough to poll every second."""
    with store.engine.read() as tx:
        return _ends(tx)


def written(store: Store) -> dict[str, Written]:
    """Return the state of each namespace; cheap enough to poll every second."""
    with store.engine.read() as tx:
        ends, held = _ends(tx), tx.quarantine.counts()
    return {ns: Written(ends.get(ns, 0), held.get(ns, 0)) for ns in {**ends, **held}}


def _ends(tx: Transaction) -> dict[str, int]:
    return {
        head.name: head.sequence for head in tx.journal.heads() if not head.name.startswith("#")
    }
