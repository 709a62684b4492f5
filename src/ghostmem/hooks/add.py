"""Add memories to a session: the important ones at its start, relevant ones with a prompt."""

import os
from collections.abc import Callable
from dataclasses import replace

from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.queue import entries
from ghostmem.hooks.session import claim_memories, stored_session, update_session
from ghostmem.model import NsFilter, Pack
from ghostmem.store import HookSession, Store
from ghostmem.text.capture import own_text
from ghostmem.text.machine import without_machine_text
from ghostmem.text.render import render

MAX_ADDED = 8_000  # characters that hosts accept
MIN_PROMPT = 10  # characters of a prompt that is searched for
MAX_MEMORY_TOKENS = 400
MAX_MEMORIES = 4  # that are added with a prompt
_HEAD, _TAIL = 3_000, 1_000  # characters of a long prompt that make the query
CLEARED_SOURCES = ("clear", "compact")  # the session has lost the memories it was shown
RESUMED_SOURCES = ("resume", "fork")  # the transcript may begin with that of another session


def added(store: Store, vectoriser: DeadlineVectoriser, call: Call, ns: str) -> str:
    """Return the text to add to a session, or an empty text; its memories are recorded as shown."""
    store = replace(store, vectoriser=vectoriser)
    session = stored_session(store, call, ns)
    is_start = call.moment is Moment.START
    if is_start and call.source in RESUMED_SOURCES and not (session.captured_to or session.shown):
        session = _resumed(store, call, session)
    is_cleared = is_start and call.source in CLEARED_SOURCES
    before = set() if is_cleared else set(session.shown)
    pack = _selected(store, vectoriser, session, call)
    pack = _fitting(_only(pack, lambda id_: id_ not in before), call.host.style)
    if not pack.memories and not is_cleared:
        return ""
    if store.engine.read_only:  # nothing can be recorded; at the start nothing was shown yet
        return render(pack, call.host.style) if is_start else ""
    fresh = claim_memories(store, session, [memory.id for memory in pack.memories], is_cleared)
    return render(_only(pack, lambda id_: id_ in fresh), call.host.style)


def _selected(
    store: Store, vectoriser: DeadlineVectoriser, session: HookSession, call: Call
) -> Pack:
    budget, starts_with_prompt = store.settings.hook_budget, call.host.starts_with_prompt
    if call.moment is Moment.START:
        return Pack(budget, 0, ()) if starts_with_prompt else _start(store, session, budget)
    relevant = _prompt(store, vectoriser, session, call)
    if not starts_with_prompt or session.shown or relevant.used >= budget:
        return relevant
    relevant_ids = {memory.id for memory in relevant.memories}
    first = _only(
        _start(store, session, budget - relevant.used), lambda id_: id_ not in relevant_ids
    ).memories
    return replace(
        relevant,
        budget=budget,
        used=relevant.used + sum(memory.tokens for memory in first),
        memories=(*relevant.memories, *first),
    )


def _only(pack: Pack, wanted: Callable[[str], bool]) -> Pack:
    return replace(pack, memories=tuple(memory for memory in pack.memories if wanted(memory.id)))


def _resumed(store: Store, call: Call, session: HookSession) -> HookSession:
    """Mark the present transcript as captured: its content belongs to another session."""
    path = call.transcript or ""
    place = os.path.getsize(path) if os.path.isfile(path) else 0
    if (
        not place
        or path.endswith(".json")
        or store.engine.read_only
        or any(entry.session == session.id for entry in entries(store.settings))
    ):
        return session
    _, after = update_session(
        store, session, lambda now: replace(now, captured_to=max(now.captured_to, place))
    )
    return after


def _start(store: Store, session: HookSession, budget: int) -> Pack:
    """Return the most certain memories of a project, and those since its previous session."""
    from ghostmem.context.brief import brief

    with store.engine.read() as tx:
        previous = tx.sessions.latest(session.ns, besides=session.id)
    return brief(
        store,
        session.ns,
        budget=budget,
        max_memory_tokens=MAX_MEMORY_TOKENS,
        since=previous.at if previous else None,
    )


def _prompt(store: Store, vectoriser: DeadlineVectoriser, session: HookSession, call: Call) -> Pack:
    """Return relevant memories for a prompt that were not shown yet."""
    budget = max(1, store.settings.hook_budget // 2)
    # a prompt that looks pasted as a whole may still be an order, such as `rename f() -> g()`
    text = own_text(call.prompt).strip() or without_machine_text(call.prompt).strip()
    if len(text) < MIN_PROMPT or _is_empty(store, session.ns):
        return Pack(budget, 0, ())
    query = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]} {text[-_TAIL:]}"
    vectoriser.start(query)  # while the modules of the search are imported
    from ghostmem.context.context import context_for_task

    # memories that were shown before may fill half of the result
    pack = context_for_task(
        store,
        query,
        session.ns,
        budget=budget * 2 if session.shown else budget,
        max_memory_tokens=MAX_MEMORY_TOKENS,
    )
    fitting, used = [], 0
    for memory in pack.memories[:MAX_MEMORIES]:
        if memory.id not in session.shown and used + memory.tokens <= budget:
            fitting.append(memory)
            used += memory.tokens
    return replace(pack, memories=tuple(fitting), used=used)


def _is_empty(store: Store, ns: str) -> bool:
    """Say whether a namespace has nothing to search; then no model is loaded."""
    with store.engine.read() as tx:
        return not any(space.chunks for space in tx.search.spaces([ns])) and not tx.notes.folders(
            NsFilter(ns)
        )


def _fitting(pack: Pack, style: str) -> Pack:
    """Return a pack without its last memories if its text is too long."""
    while (length := len(render(pack, style))) > MAX_ADDED:
        count = len(pack.memories)
        pack = replace(
            pack, memories=pack.memories[: min(count - 1, count * MAX_ADDED // length + 1)]
        )
    return pack
