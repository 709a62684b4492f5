"""Read and update the state of a session: shown memories, and the captured part of its transcript.

An update is one transaction, because hooks run in parallel.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ghostmem.hooks.call import Call
from ghostmem.store import HookSession, Store


def stored_session(store: Store, call: Call, ns: str) -> HookSession:
    """Return the session of a call; it stays in the namespace in which it began."""
    id_ = call.session_id(ns)
    with store.engine.read() as tx:
        stored = tx.sessions.get(id_)
    return stored or HookSession(id_, ns, store.clock())


def update_session(
    store: Store, session: HookSession, change: Callable[[HookSession], HookSession]
) -> tuple[HookSession, HookSession]:
    """Apply a change to the stored state of a session; return the state before and after it."""
    with store.engine.write(durable=False, within=()) as tx:
        before = tx.sessions.get(session.id) or session
        after = replace(change(before), at=store.clock())
        tx.sessions.put(after)
    return before, after


def claim_memories(
    store: Store, session: HookSession, ids: Sequence[str], is_cleared: bool
) -> set[str]:
    """Record memories as shown and return the new ones, so that two hooks never show one twice."""

    def seen(state: HookSession) -> tuple[str, ...]:
        return () if is_cleared else state.shown

    before, _ = update_session(
        store, session, lambda now: replace(now, shown=tuple(dict.fromkeys((*seen(now), *ids))))
    )
    return set(ids).difference(seen(before))
