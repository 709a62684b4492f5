"""Answering a call: what a hook does at each moment of a session."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem.caller import CLIENT
from ghostmem.hooks.call import Call
from ghostmem.hooks.hosts import ADDING, Moment
from ghostmem.hooks.session import is_there, namespace
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURING = 5  # a hook that captures has so many times as long as one that adds
_READY = ("none", "static")  # providers that need no model to be loaded and no server to be asked
_WAIT = 0.5  # the share of the time box that may be spent waiting for another program's write lock


def seconds_for(moment: Moment, settings: Settings) -> float:
    """Return how long a hook may take."""
    return settings.hook_timeout * (1 if moment in ADDING else CAPTURING)


def respond(call: Call, settings: Settings, llm: str | None, say: "Callable[[str], object]") -> None:
    """Do what a call is for; `say` is given the answer, if there is one, as soon as it is known."""
    patience = min(settings.busy_timeout, seconds_for(call.moment, settings) * _WAIT)
    settings = replace(settings, busy_timeout=patience)
    ns = namespace(call, settings)
    before = CLIENT.set(call.host.client)
    try:
        if call.moment in ADDING:
            _add(call, settings, ns, say)
        else:
            _capture(call, settings, ns, llm)
    finally:
        CLIENT.reset(before)


def _add(call: Call, settings: Settings, ns: str, say: "Callable[[str], object]") -> None:
    """Add memories; a cold model is not waited for."""
    if not settings.hook_model and settings.embed_provider not in _READY:
        settings = replace(settings, embed_provider="none")
    if is_there(settings):
        from ghostmem.ghost import Ghost
        from ghostmem.hooks.add import added

        with Ghost.open(settings=settings) as ghost:
            text = added(ghost.store, call, ns)
        if text:
            say(json.dumps(call.host.answer(call.event, text), ensure_ascii=False))
    if call.moment is Moment.PROMPT and not (call.transcript and call.host.transcripts):
        from ghostmem.hooks.capture import capture_prompt

        capture_prompt(settings, call, ns)


def _capture(call: Call, settings: Settings, ns: str, llm: str | None) -> None:
    """Capture by rules, and ask the user's command if there is one; the one does not depend on the other."""
    from ghostmem.hooks.capture import capture_session

    try:
        capture_session(settings, call, ns)
    finally:
        if llm:
            from ghostmem.hooks.ask import start

            start(settings, call, ns, llm)
