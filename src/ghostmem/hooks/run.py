"""Answer the call of a hook at each moment of a session."""

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem.caller import CLIENT
from ghostmem.errors import GhostError
from ghostmem.hooks.call import MAX_INPUT_BYTES, Call, read_call
from ghostmem.hooks.hosts import ADDING, HOSTS, Moment
from ghostmem.hooks.later import start_later
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import add_entry, has_due, has_fresh, store_exists, take_captured
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.settings import Settings, load

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

CAPTURE_FACTOR = 5  # a hook that captures may take this many times as long as one that adds
# Share of the time limit for loading the model and embedding the prompt, which takes 0.2 to 0.3 s.
# A search by words and the record of shown memories take about 0.1 s of the rest.
EMBEDDING_SHARE = 0.75
EMBEDDING_CPU = 1.0  # seconds of CPU time: on a busy machine a model that loads is waited for
# Share of the time limit in which a session that starts waits for captures of the one before.
CAPTURES_SHARE = 0.5
_POLL_SECONDS = 0.02
_WORKER = "ghostmem.hooks.worker"
HELPER_SHARE = 0.5  # of the time limit, for an answer of the helper
LOCK_SHARE = 0.4  # of the time limit, for waiting for another program's write lock
_READY = ("none", "static")  # providers that need no model to be loaded and no server to be asked


def run_quickly(host: str, event: str, db: str | None, ns: str | None) -> None:
    """Handle an event without the command line, whose modules take long to import, and exit.

    Everything unusual is left to the command line: nothing has been read or written then."""
    named = HOSTS[host].event(event) if host in HOSTS else None
    if (
        named is None
        or not (sys.stdin is not None and not sys.stdin.isatty())
        or sys.getfilesystemencoding() != "utf-8"
    ):
        return
    try:
        settings = load(db=db, ns=ns)
    except GhostError:
        return
    handle(settings, host, event)
    os._exit(0)


def seconds_for(moment: Moment, settings: Settings) -> float:
    """Return the time limit of a hook."""
    return settings.hook_timeout * (1 if moment in ADDING else CAPTURE_FACTOR)


def handle(
    settings: Settings,
    host: str,
    event: str | None,
    llm: str | None = None,
    wait: bool = False,
    problem: str = "",
) -> None:
    """Handle the call on standard input, and print the answer, if any; errors go to the log."""
    if settings.hook_child:
        return  # an agent that a hook has asked runs hooks of its own
    path, name = log_path(settings), event or ""

    def log(what: str) -> None:
        write_log_line(path, host, name, what)

    def say(text: str) -> None:
        with watchdog.busy:  # completely or not at all
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()

    if problem:
        log(problem)
    with Watchdog(settings.hook_timeout, lambda: log("took too long and gave up")) as watchdog:
        try:
            data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
            call = read_call(host, event, data)
            name = call.event
            watchdog.extend(seconds_for(call.moment, settings))
            if wait or llm or not _helped(call, settings, data, say):
                respond(call, settings, llm, say, watchdog.began, wait)
        except Exception as error:  # noqa: BLE001 (nothing may disturb the host)
            log(describe_error(error))


def _helped(call: Call, settings: Settings, data: bytes, say: Callable[[str], object]) -> bool:
    """Let the helper answer a call that adds memories; without one, start it for the next call."""
    if call.moment not in ADDING or not settings.hook_helper:
        return False
    from ghostmem.hooks.helper import ask_helper, start_helper

    answer = ask_helper(
        settings, call.host.name, call.event, data, settings.hook_timeout * HELPER_SHARE
    )
    if answer is None:
        start_helper(settings)
    elif answer:
        say(answer)
    return answer is not None


def respond(
    call: Call,
    settings: Settings,
    llm: str | None,
    say: Callable[[str], object],
    began: float,
    wait: bool = False,
    opened: "Ghost | None" = None,
) -> None:
    """Answer a call.

    Args:
        llm: The user's command that proposes memories, if any.
        say: Called with the answer, if any, as soon as it is known.
        began: The start of the time limit, as a time of `time.monotonic`.
        wait: Capture now, not in the background.
        opened: The store, if this process has it open.
    """
    if call.is_idle:
        return
    from ghostmem.notes.project import project_namespace

    settings = patient(settings, call.moment)
    ns = settings.ns or project_namespace(call.folder)
    before = CLIENT.set(call.host.client)
    try:
        # The entry comes first: a host may end the hook, and the search may fail or be too slow.
        _queue(call, settings, ns)
        try:
            if call.moment is Moment.START and not wait:
                _wait_for_captures(settings, ns, began + settings.hook_timeout * CAPTURES_SHARE)
            if call.moment in ADDING:
                _add(call, settings, ns, say, began, opened)
        finally:
            if call.moment is not Moment.START:
                _capture(
                    call,
                    settings,
                    ns,
                    llm,
                    began + seconds_for(call.moment, settings) if wait else None,
                )
    finally:
        CLIENT.reset(before)


def patient(settings: Settings, moment: Moment) -> Settings:
    """Return settings that wait for another program's lock as long as a hook has time."""
    return replace(
        settings,
        busy_timeout=min(settings.busy_timeout, seconds_for(moment, settings) * LOCK_SHARE),
    )


def _add(
    call: Call,
    settings: Settings,
    ns: str,
    say: Callable[[str], object],
    began: float,
    opened: "Ghost | None",
) -> None:
    """Add memories, and log why a prompt was searched by words only."""
    if store_exists(settings):
        from ghostmem.ghost import Ghost
        from ghostmem.hooks.add import added
        from ghostmem.hooks.embedding import DeadlineVectoriser

        # only a prompt needs one
        has_model = call.moment is Moment.PROMPT and (
            settings.hook_model or settings.embed_provider in _READY
        )
        embedding = settings if has_model else replace(settings, embed_provider="none")
        deadline = began + settings.hook_timeout * EMBEDDING_SHARE
        with nullcontext(opened) if opened else Ghost.open(settings=settings) as ghost:
            vectoriser = DeadlineVectoriser(
                embedding,
                deadline,
                ghost.store.engine,
                EMBEDDING_CPU,
                ghost.store.vectoriser if opened else None,
            )
            text = added(ghost.store, vectoriser, call, ns)
            if call.moment is Moment.PROMPT:
                from ghostmem.hooks.forget import forget_answer

                text += forget_answer(replace(ghost.store, vectoriser=vectoriser), call.prompt, ns)
        answer = dict(call.host.answer(call.event, text)) if text else {}
        count = take_captured(settings, ns) if call.host.message else 0
        if count:
            answer[call.host.message] = f"Ghost remembered {count} thing{'s' * (count != 1)}"
        if answer:
            say(json.dumps(answer, ensure_ascii=False))
        if vectoriser.fallback:
            # a server may repeat the prompt in the details of its answer: do not log them
            reason = vectoriser.fallback.partition(": ")[0]
            write_log_line(
                log_path(settings),
                call.host.name,
                call.event,
                f"searched by words; provider {settings.embed_provider}: {reason}",
            )


def _wait_for_captures(settings: Settings, ns: str, deadline: float) -> None:
    """Give the captures of a session that has just ended a moment, so that this one has them."""
    if has_due(settings):
        start_later(_WORKER, settings)
    while has_fresh(settings, ns) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _queue(call: Call, settings: Settings, ns: str) -> None:
    """Queue a call to capture from, if any; without space for it, there is still an answer."""
    try:
        if call.moment is not Moment.START and (call.moment is not Moment.PROMPT or call.prompt):
            add_entry(settings, call, ns)
    except OSError as error:
        write_log_line(log_path(settings), call.host.name, call.event, describe_error(error))


def _capture(
    call: Call, settings: Settings, ns: str, llm: str | None, deadline: float | None
) -> None:
    """Capture from the queue, until a deadline or in the background; ask the user's command."""
    if deadline is not None:
        from ghostmem.hooks.worker import drain

        drain(settings, patience=max(0.0, deadline - time.monotonic()))
    elif call.moment is not Moment.PROMPT or has_due(settings):
        start_later(_WORKER, settings)
    if llm:
        from ghostmem.hooks.ask import start as ask

        ask(settings, call, ns, llm)
