"""The position of the audit log of each namespace, by which readers notice writes."""

from ghostmem.store.store import Store


def sequences(store: Store) -> dict[str, int]:
    """Return the number of changes of each namespace; cheap enough to poll every second."""
    with store.engine.read() as tx:
        return {
            head.name: head.sequence for head in tx.journal.heads() if not head.name.startswith("#")
        }
