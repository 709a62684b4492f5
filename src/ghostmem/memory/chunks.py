"""chunks: the pieces a memory is searched by."""

from ghostmem.model import Chunk
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store


def chunks(store: Store, ns: str, key: str) -> list[Chunk]:
    """Return the chunks of a memory's current version in order, with their lines.

    Nothing is counted.
    """
    validate.text(ns, "namespace")
    validate.text(key, "key")
    with store.engine.read() as tx:
        return tx.index.chunks(find(tx, ns, key, store.clock()))
