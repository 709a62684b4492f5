"""chunks: the chunks that a memory is indexed by."""

from __future__ import annotations

from ghostmem.model import Chunk
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store


def chunks(store: Store, ns: str, key: str) -> list[Chunk]:
    """Return the chunks of a memory's current version in order; nothing is counted."""
    with store.engine.read() as tx:
        memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), store.clock())
        return tx.index.chunks(memory)
