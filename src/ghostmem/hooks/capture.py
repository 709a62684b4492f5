"""Capture statements of the user from a session, by rules."""

import os
from contextlib import ExitStack
from dataclasses import replace

from ghostmem.capture.rules.capture import candidates
from ghostmem.ghost import Ghost
from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.session import store_exists, stored_session, update_session
from ghostmem.hooks.tail import UserTexts, texts_since
from ghostmem.model import SourceKind
from ghostmem.settings import Settings
from ghostmem.store.session import HookSession


def capture_prompt(settings: Settings, vectoriser: DeadlineVectoriser, call: Call, ns: str) -> None:
    """Capture from a prompt, for a host without a readable transcript."""
    if candidates(call.prompt):
        with Ghost.open(settings=settings) as opened:
            # the provider that the search has loaded, so that it is not loaded twice
            ghost = Ghost(replace(opened.store, vectoriser=vectoriser))
            _capture(ghost, call, stored_session(ghost.store, call, ns).ns, [call.prompt])


def capture_session(settings: Settings, call: Call, ns: str) -> None:
    """Capture from the user's texts since the last capture.

    Before a compaction, the record of shown memories is cleared too, unless the host starts the
    session again after it. A missing store is created only for something worth storing.
    """
    with ExitStack() as opened:
        ghost = (
            opened.enter_context(Ghost.open(settings=settings)) if store_exists(settings) else None
        )
        session: HookSession | None = None
        if ghost is not None:
            session = stored_session(ghost.store, call, ns)
            if call.moment is Moment.COMPACT and not call.host.restarts and session.shown:
                session = update_session(ghost.store, session, lambda now: replace(now, shown=()))
        place = session.captured_to if session else 0
        texts, to = _user_texts(call, place)
        worth = [text for text in texts if candidates(text)]
        if ghost is None and worth:
            ghost = opened.enter_context(Ghost.open(settings=settings))
        if ghost is None or (to == place and not worth):
            return
        session = session or stored_session(ghost.store, call, ns)
        _capture(ghost, call, session.ns, worth)
        if not ghost.store.engine.read_only:
            update_session(ghost.store, session, lambda now: replace(now, captured_to=to))


def _user_texts(call: Call, place: int) -> UserTexts:
    """Return the new texts of the user in the transcript, or without one the prompt."""
    if (
        call.transcript
        and call.host.transcripts
        and (os.path.exists(call.transcript) or not call.prompt)
    ):
        return texts_since(call.transcript, call.host.transcripts, place)
    return UserTexts([call.prompt] if call.prompt else [], place)


def _capture(ghost: Ghost, call: Call, ns: str, texts: list[str]) -> None:
    for text in texts:
        ghost.capture(
            text,
            ns,
            source_kind=SourceKind.STATED,
            source_client=call.host.client,
            source_scope=call.session or None,
        )
