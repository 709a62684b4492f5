"""get: read one memory by its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.caller import LOOKING
from ghostmem.errors import LostConnectionError, NotFoundError, ReadOnlyStoreError, StoreBusyError, StoreFullError
from ghostmem.model import Memory
from ghostmem.times import as_time, format_time
from ghostmem.verbs import accept
from ghostmem.verbs.again import again
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction

PATIENCE = 0.25  # seconds a read waits to be counted while another process writes


@again
def get(store: Store, ns: str, key: str, version: int | None = None, *, as_of: datetime | str | None = None) -> Memory:
    """Return the current version of a memory, or a numbered one, or that which was believed at a time.

    The retrieval is counted, and the memory shows the counts before that; other wordings of it are its aliases.
    """
    accept.text(ns, "namespace")
    accept.text(key, "key")
    now = store.clock()
    with store.engine.read() as tx:
        memory = find(tx, ns, key, now, version) if as_of is None else _believed(tx, ns, key, as_of)
        memory = tx.memories.with_refs([memory])[0]
        if wordings := tx.aliases.of([memory.id]).get(memory.id):
            memory = replace(memory, aliases=tuple(alias.content for alias in wordings))
    count(store, [memory], now, used=True)
    return memory


def _believed(tx: Transaction, ns: str, key: str, as_of: datetime | str) -> Memory:
    at = as_time(as_of, "as_of")
    found = [
        m
        for m in tx.memories.history(ns, key)
        if (m.recorded_at or m.created_at) <= at and (not m.deleted_at or m.deleted_at > at)
    ]
    if not found:
        hint = f"`ghost history -n {ns} -k {key}` shows its versions"
        raise NotFoundError(f"memory not found: {ns}/{key} as of {format_time(at)}", hint)
    return found[-1]


def count(store: Store, memories: Sequence[Memory], now: datetime, used: bool) -> None:
    """Count a retrieval."""
    if memories:
        bookkeep(store, lambda tx: tx.memories.touch(memories, now, used))


def bookkeep(store: Store, work: Callable[[Transaction], object]) -> None:
    """Write something down beside a read: it never waits long for another writer and never fails the read."""
    if store.engine.read_only or LOOKING.get():
        return
    try:
        with store.engine.write(durable=False, patience=PATIENCE, within=()) as tx:
            work(tx)
    except (StoreBusyError, StoreFullError, ReadOnlyStoreError, LostConnectionError):
        pass


def find(tx: Transaction, ns: str, key: str, now: datetime, version: int | None = None) -> Memory:
    """Return the current version of a key, or a numbered one, or say that there is none and what comes close."""
    if version is not None:
        accept.positive(version, "version")
        if memory := tx.memories.version(ns, key, version):
            return memory
        last = tx.memories.last(ns, key)
        what = f"it has {last.version} version(s)" if last else "there is no such key"
        raise NotFoundError(f"memory not found: {ns}/{key} version {version}; {what}", f"run `ghost history -n {ns} -k {key}`")
    last = tx.memories.last(ns, key)
    if last is not None and last.is_current(now):
        return last
    raise NotFoundError(f"memory not found: {ns}/{key}", _hint(tx, ns, key, now, last))


def _hint(tx: Transaction, ns: str, key: str, now: datetime, last: Memory | None) -> str:
    if last is not None:
        state = "was removed" if last.deleted_at else "has expired"
        return f"it {state}; `ghost restore -n {ns} -k {key}` brings it back"
    from difflib import get_close_matches

    from ghostmem.engine.rows import Filter
    from ghostmem.model import NsFilter

    keys = [memory.key for memory in tx.listing.select(Filter(ns=NsFilter(ns), now=now), limit=500)]
    close = get_close_matches(key, keys, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"`ghost list -n {ns}` shows what is there" if keys else f"the namespace {ns} holds nothing; `ghost ns list` shows all"
