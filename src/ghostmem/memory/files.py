"""files: memories about a file."""

from __future__ import annotations

from ghostmem.memory.list import list_memories
from ghostmem.model import Memory
from ghostmem.store.store import Store


def files(
    store: Store, path: str, *, rel: str | None = None, ns: str | None = None, limit: int = 20
) -> list[Memory]:
    """Return live memories that name a file, newest first."""
    return list_memories(store, ns, file=path, file_rel=rel, limit=limit)
