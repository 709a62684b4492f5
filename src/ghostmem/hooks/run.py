"""Answering a call: what a hook does at each moment of a session."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem.caller import CLIENT
from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import ADDING, Moment
from ghostmem.hooks.session import is_there, namespace
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURING = 5  # a hook that captures has so many times as long as one that adds
# Share of the time box for loading the model and embedding the prompt. With the local model that
# takes 0.2 to 0.3 s, so half of the default 2 s is enough on a machine that is four times slower.
# A search by words and writing down what was shown take about 0.1 s of the rest.
EMBEDDING_SHARE = 0.5
LOCK_SHARE = 0.4  # of the time box, for waiting for another program's write lock
_READY = ("none", "static")  # providers that need no model to be loaded and no server to be asked


def seconds_for(moment: Moment, settings: Settings) -> float:
    """Return how long a hook may take."""
    return settings.hook_timeout * (1 if moment in ADDING else CAPTURING)


def respond(
    call: Call,
    settings: Settings,
    llm: str | None,
    say: "Callable[[str], object]",
    began: float,
) -> None:
    """Do what a call is for.

    Args:
        llm: The user's command that proposes memories, if there is one.
        say: Is given the answer, if there is one, as soon as it is known.
        began: When the time box began, as a time of `time.monotonic`.
    """
    patience = min(settings.busy_timeout, seconds_for(call.moment, settings) * LOCK_SHARE)
    settings = replace(settings, busy_timeout=patience)
    ns = namespace(call, settings)
    before = CLIENT.set(call.host.client)
    try:
        if call.moment in ADDING:
            _add(call, settings, ns, say, _vectoriser(call, settings, began))
        else:
            _capture(call, settings, ns, llm)
    finally:
        CLIENT.reset(before)


def _vectoriser(call: Call, settings: Settings, began: float) -> DeadlineVectoriser:
    """Return the provider of a hook that adds memories: only a prompt is searched with."""
    is_allowed = settings.hook_model or settings.embed_provider in _READY
    if call.moment is not Moment.PROMPT or not is_allowed:
        settings = replace(settings, embed_provider="none")
    return DeadlineVectoriser(settings, began + settings.hook_timeout * EMBEDDING_SHARE)


def _add(
    call: Call,
    settings: Settings,
    ns: str,
    say: "Callable[[str], object]",
    vectoriser: DeadlineVectoriser,
) -> None:
    """Add memories, and capture from the prompt where the host has no transcript to read."""
    if is_there(settings):
        from ghostmem.ghost import Ghost
        from ghostmem.hooks.add import added

        with Ghost.open(settings=settings) as ghost:
            text = added(ghost.store, vectoriser, call, ns)
        if text:
            say(json.dumps(call.host.answer(call.event, text), ensure_ascii=False))
        if vectoriser.fallback:
            from ghostmem.hooks.log import log_path, note

            # a server may repeat the prompt in the details of its answer: they stay out of the log
            reason = vectoriser.fallback.partition(": ")[0]
            what = f"searched by words; provider {settings.embed_provider}: {reason}"
            note(log_path(settings), call.host.name, call.event, what)
    if call.moment is Moment.PROMPT and not (call.transcript and call.host.transcripts):
        from ghostmem.hooks.capture import capture_prompt

        capture_prompt(settings, vectoriser, call, ns)


def _capture(call: Call, settings: Settings, ns: str, llm: str | None) -> None:
    """Capture by rules, and ask the user's command if there is one.

    The one does not depend on the other.
    """
    from ghostmem.hooks.capture import capture_session

    try:
        capture_session(settings, call, ns)
    finally:
        if llm:
            from ghostmem.hooks.ask import start

            start(settings, call, ns, llm)
