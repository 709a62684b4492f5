"""Capturing from a session: the user's own words alone, found by rules, through the gate that every
capture goes through.
"""

import os
from contextlib import ExitStack
from dataclasses import replace

from ghostmem.capture.rules.capture import candidates
from ghostmem.ghost import Ghost
from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.session import changed, is_there, known
from ghostmem.hooks.tail import Said, said_since
from ghostmem.model import SourceKind
from ghostmem.settings import Settings
from ghostmem.store.session import Session


def capture_prompt(settings: Settings, vectoriser: DeadlineVectoriser, call: Call, ns: str) -> None:
    """Capture from a prompt, for a host that keeps no transcript we can read."""
    if candidates(call.prompt):
        with Ghost.open(settings=settings) as opened:
            # the provider that the search has loaded, so that it is not loaded twice
            ghost = Ghost(replace(opened.store, vectoriser=vectoriser))
            _capture(ghost, call, known(ghost.store, call, ns).ns, [call.prompt])


def capture_session(settings: Settings, call: Call, ns: str) -> None:
    """Capture what the user said since the last time.

    Before a compaction also forget what was shown, unless the session is started again after it.
    Only something worth storing makes a store where there is none."""
    with ExitStack() as opened:
        ghost = opened.enter_context(Ghost.open(settings=settings)) if is_there(settings) else None
        session: Session | None = None
        if ghost is not None:
            session = known(ghost.store, call, ns)
            if call.moment is Moment.COMPACT and not call.host.restarts and session.shown:
                session = changed(ghost.store, session, lambda now: replace(now, shown=()))
        place = session.captured_to if session else 0
        texts, to = _said(call, place)
        worth = [text for text in texts if candidates(text)]
        if ghost is None and worth:
            ghost = opened.enter_context(Ghost.open(settings=settings))
        if ghost is None or (to == place and not worth):
            return
        session = session or known(ghost.store, call, ns)
        _capture(ghost, call, session.ns, worth)
        if not ghost.store.engine.read_only:
            changed(ghost.store, session, lambda now: replace(now, captured_to=to))


def _said(call: Call, place: int) -> Said:
    """Return what the user said: in the transcript, or, for want of one, in what the host sent
    along.
    """
    if (
        call.transcript
        and call.host.transcripts
        and (os.path.exists(call.transcript) or not call.prompt)
    ):
        return said_since(call.transcript, call.host.transcripts, place)
    return Said([call.prompt] if call.prompt else [], place)


def _capture(ghost: Ghost, call: Call, ns: str, texts: list[str]) -> None:
    for text in texts:
        ghost.capture(
            text,
            ns,
            source_kind=SourceKind.STATED,
            source_client=call.host.client,
            source_scope=call.session or None,
        )
