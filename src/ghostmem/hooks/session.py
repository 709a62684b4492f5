"""Read and update the state of a session: shown memories, and the captured part of its transcript.

An update is one transaction, because hooks run in parallel.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ghostmem.hooks.call import Call
from ghostmem.store.small_tables import HookSession
from ghostmem.store.store import Store


def stored_session(store: Store, call: Call, ns: str) -> HookSession:
    """Return the session of a call; it stays in the namespace in which it began."""
    id_ = call.session_id(ns)
    with store.engine.read() as tx:
        stored = tx.sessions.get(id_)
    return stored or HookSession(id_, ns, store.clock())


def update_session(
    store: Store, session: HookSession, change: Callable[[HookSession], HookSession]
) -> HookSession:
    """Apply a change to the stored state of a session and return the new state."""
    with store.engine.write(durable=False, within=()) as tx:
        updated = replace(change(tx.sessions.get(session.id) or session), at=store.clock())
        tx.sessions.put(updated)
    return updated


def claim_memories(
    store: Store, session: HookSession, ids: Iterable[str], is_cleared: bool
) -> set[str]:
    """Record memories as shown and return the new ones, so that two hooks never show one twice."""
    fresh: set[str] = set()

    def claim(now: HookSession) -> HookSession:
        shown = () if is_cleared else now.shown
        fresh.update(id_ for id_ in ids if id_ not in shown)
        return replace(now, shown=(*shown, *(id_ for id_ in dict.fromkeys(ids) if id_ in fresh)))

    update_session(store, session, claim)
    return fresh
