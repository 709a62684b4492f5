"""Adding memories to a session: what matters when it starts, what is relevant with a prompt, each memory once."""

import os
from dataclasses import replace

from ghostmem.engine.session import Session
from ghostmem.hooks.call import Call
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.session import changed, claimed, known
from ghostmem.pack import Pack
from ghostmem.text.render import render
from ghostmem.verbs.store import Store

MOST = 8_000  # characters that hosts take as they are
SHORTEST = 10  # characters of a prompt that is worth a search
LONGEST_MEMORY = 400  # tokens
_HEAD, _TAIL = 3_000, 1_000  # characters of a long prompt that are searched with
AFRESH = ("clear", "compact")  # after these a session has forgotten what it was shown
RESUMED = ("resume", "fork")  # these may begin with a transcript that another session was captured from


def added(store: Store, call: Call, ns: str) -> str:
    """Return the text to add to a session, or an empty one; what it holds is written down as shown."""
    session = known(store, call, ns)
    is_start = call.moment is Moment.START
    if is_start and call.source in RESUMED and not (session.captured_to or session.shown):
        session = _resumed(store, call, session)
    afresh = is_start and call.source in AFRESH
    before = set() if afresh else set(session.shown)
    found = _start(store, session.ns) if is_start else _prompt(store, session.ns, call.prompt, before)
    found = _fitting(replace(found, memories=tuple(one for one in found.memories if one.id not in before)))
    if not found.memories and not afresh:
        return ""
    if store.engine.read_only:  # nothing can be written down: at the start nothing was shown yet
        return render(found, "block") if is_start else ""
    fresh = claimed(store, session, [one.id for one in found.memories], afresh)
    return render(replace(found, memories=tuple(one for one in found.memories if one.id in fresh)), "block")


def _resumed(store: Store, call: Call, session: Session) -> Session:
    """Capture from here on: what is in the transcript was said in another session, and what was removed since stays away."""
    place = os.path.getsize(call.transcript) if call.transcript and os.path.isfile(call.transcript) else 0
    if not place or call.transcript is None or call.transcript.endswith(".json") or store.engine.read_only:
        return session
    return changed(store, session, lambda now: replace(now, captured_to=max(now.captured_to, place)))


def _start(store: Store, ns: str) -> Pack:
    from ghostmem.verbs.brief import brief

    return brief(store, ns, budget=store.settings.hook_budget, max_memory_tokens=LONGEST_MEMORY)


def _prompt(store: Store, ns: str, prompt: str, shown: set[str]) -> Pack:
    """Find what is relevant; what was shown before may fill as much as what was not."""
    budget = max(1, store.settings.hook_budget // 2)
    text = _spoken(prompt).strip()
    if len(text) < SHORTEST:
        return Pack(budget, 0, ())
    from ghostmem.verbs.context import context

    asked = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]} {text[-_TAIL:]}"
    pack = context(store, asked, ns, budget=budget * 2 if shown else budget, max_memory_tokens=LONGEST_MEMORY)
    kept, used = [], 0
    for one in pack.memories:
        if one.id not in shown and used + one.tokens <= budget:
            kept.append(one)
            used += one.tokens
    return replace(pack, memories=tuple(kept), used=used)


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
