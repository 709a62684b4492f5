"""The state of each namespace, by which readers notice writes."""

from typing import NamedTuple

from ghostmem.store.store import Store
from ghostmem.store.transaction import Transaction


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
