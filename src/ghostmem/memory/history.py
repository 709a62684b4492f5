"""history: all versions of a key."""

from __future__ import annotations

from ghostmem.errors import NotFoundError
from ghostmem.model import Memory
from ghostmem.store import validate
from ghostmem.store.store import Store


def history(store: Store, ns: str, key: str) -> list[Memory]:
    """Return every version of a key, oldest first, including removed ones; nothing is counted."""
    validate.text(ns, "namespace")
    validate.text(key, "key")
    with store.engine.read() as tx:
        versions = tx.memories.history(ns, key)
    if not versions:
        raise NotFoundError(
            f"memory not found: {ns}/{key}", f"`ghost list -n {ns}` shows the keys of the namespace"
        )
    return versions
