"""Answer the call of a hook at each moment of a session."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem.caller import CLIENT
from ghostmem.hooks.call import Call
from ghostmem.hooks.embedding import DeadlineVectoriser
from ghostmem.hooks.hosts import ADDING, Moment
from ghostmem.hooks.session import namespace, store_exists
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURE_FACTOR = 5  # a hook that captures may take this many times as long as one that adds
# Share of the time limit for loading the model and embedding the prompt. With the local model that
# takes 0.2 to 0.3 s, so half of the default 2 s is enough on a machine that is four times slower.
# A search by words and the record of shown memories take about 0.1 s of the rest.
EMBEDDING_SHARE = 0.5
LOCK_SHARE = 0.4  # of the time limit, for waiting for another program's write lock
_READY = ("none", "static")  # providers that need no model to be loaded and no server to be asked


def seconds_for(moment: Moment, settings: Settings) -> float:
    """Return the time limit of a hook."""
    return settings.hook_timeout * (1 if moment in ADDING else CAPTURE_FACTOR)


def respond(
    call: Call,
    settings: Settings,
    llm: str | None,
    say: "Callable[[str], object]",
    began: float,
) -> None:
    """Answer a call.

    Args:
        llm: The user's command that proposes memories, if any.
        say: Called with the answer, if any, as soon as it is known.
        began: The start of the time limit, as a time of `time.monotonic`.
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
    """Return the provider of a hook that adds memories; only a prompt needs a model."""
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
    """Add memories, and capture from the prompt if the host has no readable transcript."""
    if store_exists(settings):
        from ghostmem.ghost import Ghost
        from ghostmem.hooks.add import added

        with Ghost.open(settings=settings) as ghost:
            text = added(ghost.store, vectoriser, call, ns)
        if text:
            say(json.dumps(call.host.answer(call.event, text), ensure_ascii=False))
        if vectoriser.fallback:
            from ghostmem.hooks.log import log_path, write_log_line

            # a server may repeat the prompt in the details of its answer: do not log them
            reason = vectoriser.fallback.partition(": ")[0]
            message = f"searched by words; provider {settings.embed_provider}: {reason}"
            write_log_line(log_path(settings), call.host.name, call.event, message)
    if call.moment is Moment.PROMPT and not (call.transcript and call.host.transcripts):
        from ghostmem.hooks.capture import capture_prompt

        capture_prompt(settings, vectoriser, call, ns)


def _capture(call: Call, settings: Settings, ns: str, llm: str | None) -> None:
    """Capture by rules, and ask the user's command, if any, even after an error."""
    from ghostmem.hooks.capture import capture_session

    try:
        capture_session(settings, call, ns)
    finally:
        if llm:
            from ghostmem.hooks.ask import start

            start(settings, call, ns, llm)
