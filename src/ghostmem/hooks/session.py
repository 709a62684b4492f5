"""What a session was shown and how far it was captured: read and written in one step, for hooks run
side by side.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace

from ghostmem.hooks.call import Call
from ghostmem.settings import Settings
from ghostmem.store.session import Session
from ghostmem.store.store import Store


def is_there(settings: Settings) -> bool:
    """Say whether there is a store: looking at a session makes none."""
    return "://" in settings.path or os.path.exists(settings.path)


def session_id(call: Call, ns: str) -> str:
    """Return the name of a session in the store; a host that names none has one per namespace."""
    return f"{call.host.name}:{call.session or f'in {ns}'}"


def namespace(call: Call, settings: Settings) -> str:
    """Return the namespace of a call: that of the settings, or of the project that its folder
    belongs to.
    """
    from ghostmem.notes.project import project_namespace

    return settings.ns or project_namespace(call.folder)


def known(store: Store, call: Call, ns: str) -> Session:
    """Return what is known of a session.

    It stays in the namespace that it began in, wherever its shell goes.
    """
    id_ = session_id(call, ns)
    with store.engine.read() as tx:
        found = tx.sessions.get(id_)
    return found or Session(id_, ns, store.clock())


def changed(store: Store, session: Session, change: Callable[[Session], Session]) -> Session:
    """Change what is known of a session, starting from what is known by now."""
    with store.engine.write(durable=False, within=()) as tx:
        made = replace(change(tx.sessions.get(session.id) or session), at=store.clock())
        tx.sessions.put(made)
    return made


def claimed(store: Store, session: Session, ids: Iterable[str], afresh: bool) -> set[str]:
    """Write down that memories are shown, and return those that were not before: two hooks never
    show one twice.
    """
    fresh: set[str] = set()

    def claim(now: Session) -> Session:
        shown = () if afresh else now.shown
        fresh.update(id_ for id_ in ids if id_ not in shown)
        return replace(now, shown=(*shown, *(id_ for id_ in dict.fromkeys(ids) if id_ in fresh)))

    changed(store, session, claim)
    return fresh
