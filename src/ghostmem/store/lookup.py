"""Find one memory by its key, and count that it was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.caller import LOOKING
from ghostmem.errors import (
    LostConnectionError,
    NotFoundError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
)
from ghostmem.model import Memory
from ghostmem.store import validate

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.store import Store

PATIENCE = 0.25  # seconds a read waits to be counted while another process writes


def count(store: Store, memories: Sequence[Memory], now: datetime, used: bool) -> None:
    """Count a retrieval."""
    if memories:
        bookkeep(store, lambda tx: tx.memories.touch(memories, now, used))


def bookkeep(store: Store, work: Callable[[Transaction], object]) -> None:
    """Write bookkeeping of a read; it never waits long for another writer and never fails."""
    if store.engine.read_only or LOOKING.get():
        return
    try:
        with store.engine.write(durable=False, patience=PATIENCE, within=()) as tx:
            work(tx)
    except (StoreBusyError, StoreFullError, ReadOnlyStoreError, LostConnectionError):
        pass


def find(tx: Transaction, ns: str, key: str, now: datetime, version: int | None = None) -> Memory:
    """Return the current version of a key, or a numbered one, or raise NotFoundError."""
    if version is not None:
        validate.positive(version, "version")
        if memory := tx.memories.version(ns, key, version):
            return memory
        last = tx.memories.last(ns, key)
        problem = f"it has {last.version} version(s)" if last else "there is no such key"
        raise NotFoundError(
            f"memory not found: {ns}/{key} version {version}; {problem}",
            f"run `ghost history -n {ns} -k {key}`",
        )
    last = tx.memories.last(ns, key)
    if last is not None and last.is_current(now):
        return last
    raise NotFoundError(f"memory not found: {ns}/{key}", _hint(tx, ns, key, now, last))


def _hint(tx: Transaction, ns: str, key: str, now: datetime, last: Memory | None) -> str:
    if last is not None:
        state = "was removed" if last.deleted_at else "has expired"
        return f"it {state}; `ghost restore -n {ns} -k {key}` brings it back"
    from difflib import get_close_matches

    from ghostmem.model import NsFilter
    from ghostmem.store.rows import Filter

    keys = [memory.key for memory in tx.listing.select(Filter(ns=NsFilter(ns), now=now), limit=500)]
    close = get_close_matches(key, keys, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return (
        f"`ghost list -n {ns}` shows what is there"
        if keys
        else f"the namespace {ns} holds nothing; `ghost ns list` shows all"
    )
