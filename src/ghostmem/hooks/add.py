"""Adding memories to a session: what matters when it starts, what is relevant with a prompt, each
memory once.
"""

import os
from collections.abc import Callable
from dataclasses import replace

from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.session import changed, claimed, known
from ghostmem.model import NsFilter, Pack
from ghostmem.store.session import Session
from ghostmem.store.store import Store
from ghostmem.text.render import render

MOST = 8_000  # characters that hosts take as they are
SHORTEST = 10  # characters of a prompt that is worth a search
LONGEST_MEMORY = 400  # tokens
_HEAD, _TAIL = 3_000, 1_000  # characters of a long prompt that are searched with
AFRESH = ("clear", "compact")  # after these a session has forgotten what it was shown
RESUMED = (
    "resume",
    "fork",
)  # these may begin with a transcript that another session was captured from


def added(store: Store, vectoriser: DeadlineVectoriser, call: Call, ns: str) -> str:
    """Return the text to add to a session, or an empty one; what it holds is recorded as shown."""
    store = replace(store, vectoriser=vectoriser)
    session = known(store, call, ns)
    is_start = call.moment is Moment.START
    if is_start and call.source in RESUMED and not (session.captured_to or session.shown):
        session = _resumed(store, call, session)
    afresh = is_start and call.source in AFRESH
    before = set() if afresh else set(session.shown)
    pack = _start(store, session) if is_start else _prompt(store, vectoriser, session, call)
    pack = _fitting(_only(pack, lambda id_: id_ not in before))
    if not pack.memories and not afresh:
        return ""
    if store.engine.read_only:  # nothing can be recorded: at the start nothing was shown yet
        return render(pack, "block") if is_start else ""
    fresh = claimed(store, session, [memory.id for memory in pack.memories], afresh)
    return render(_only(pack, lambda id_: id_ in fresh), "block")


def _only(pack: Pack, wanted: Callable[[str], bool]) -> Pack:
    """Return a pack with the memories whose ids are wanted."""
    return replace(pack, memories=tuple(memory for memory in pack.memories if wanted(memory.id)))


def _resumed(store: Store, call: Call, session: Session) -> Session:
    """Capture from here on: what is in the transcript was said in another session, and what was
    removed since stays away.
    """
    place = (
        os.path.getsize(call.transcript)
        if call.transcript and os.path.isfile(call.transcript)
        else 0
    )
    if (
        not place
        or call.transcript is None
        or call.transcript.endswith(".json")
        or store.engine.read_only
    ):
        return session
    return changed(
        store, session, lambda now: replace(now, captured_to=max(now.captured_to, place))
    )


def _start(store: Store, session: Session) -> Pack:
    """Return what the project knows most surely, and what is new since its previous session."""
    from ghostmem.context.brief import brief

    with store.engine.read() as tx:
        previous = tx.sessions.latest(session.ns, besides=session.id)
    since = previous.at if previous else None
    budget = store.settings.hook_budget
    return brief(store, session.ns, budget=budget, max_memory_tokens=LONGEST_MEMORY, since=since)


def _prompt(store: Store, vectoriser: DeadlineVectoriser, session: Session, call: Call) -> Pack:
    """Return what is relevant to a prompt and was not shown yet."""
    budget = max(1, store.settings.hook_budget // 2)
    text = _spoken(call.prompt).strip()
    if len(text) < SHORTEST or _is_empty(store, session.ns):
        return Pack(budget, 0, ())
    query = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]} {text[-_TAIL:]}"
    vectoriser.start(query)  # while the modules of the search are imported
    from ghostmem.context.context import context

    # what was shown before may fill as much as what was not
    found = budget * 2 if session.shown else budget
    pack = context(
        store, query, session.ns, budget=found, max_memory_tokens=LONGEST_MEMORY, whole=False
    )
    kept, used = [], 0
    for memory in pack.memories:
        if memory.id not in session.shown and used + memory.tokens <= budget:
            kept.append(memory)
            used += memory.tokens
    return replace(pack, memories=tuple(kept), used=used)


def _is_empty(store: Store, ns: str) -> bool:
    """Say whether a namespace has nothing to search, so that no model is loaded for it."""
    with store.engine.read() as tx:
        has_chunks = any(space.chunks for space in tx.search.spaces([ns]))
        return not has_chunks and not tx.notes.folders(NsFilter(ns))


def _spoken(prompt: str) -> str:
    """Return a prompt without what programs put into it."""
    if "<" not in prompt and "[" not in prompt:
        return prompt
    from ghostmem.text.machine import without_machine_text

    return without_machine_text(prompt)


def _fitting(pack: Pack) -> Pack:
    """Leave out the last ones until the text is short enough."""
    while (length := len(render(pack, "block"))) > MOST:
        count = len(pack.memories)
        pack = replace(pack, memories=pack.memories[: min(count - 1, count * MOST // length + 1)])
    return pack
