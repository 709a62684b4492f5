"""chunks: the pieces a memory is searched by."""

from ghostmem.chunk import Chunk
from ghostmem.verbs import accept
from ghostmem.verbs.get import find
from ghostmem.verbs.store import Store


def chunks(store: Store, ns: str, key: str) -> list[Chunk]:
    """Return the chunks of a memory's current version in order, with their lines; nothing is counted."""
    accept.text(ns, "namespace")
    accept.text(key, "key")
    with store.engine.read() as tx:
        return tx.index.chunks(find(tx, ns, key, store.clock()))
