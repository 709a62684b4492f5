"""Capture statements of the user from a session."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime

from ghostmem.capture.candidates import Captured, candidates
from ghostmem.errors import InvalidInputError
from ghostmem.ghost import Ghost
from ghostmem.hooks.call import Call
from ghostmem.hooks.hosts import Moment, UnansweredError
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import CaptureEntry, add_captured, kept_prompt, store_exists
from ghostmem.hooks.session import stored_session, update_session
from ghostmem.hooks.tail import UserTexts, texts_since
from ghostmem.judge import find_judge
from ghostmem.memory.redact import redact_content
from ghostmem.model import SourceKind
from ghostmem.settings import Settings
from ghostmem.store.small_tables import HookSession
from ghostmem.text.machine import without_machine_text

# Nobody sees what a hook stores: the judge must be surer than in a capture that is asked for.
CERTAINTY = 0.8
_MAX_CAPTURED = 1_000  # statements of one session that are compared


def capture_entries(settings: Settings, entries: Sequence[CaptureEntry]) -> None:
    """Capture from the user's texts of one session since the last capture.

    After a compaction, the record of shown memories is cleared too, unless the host starts the
    session again after it. A missing store is created only for something worth storing.
    """
    call, ns = entries[-1].call, entries[-1].ns
    with ExitStack() as opened:
        ghost = (
            opened.enter_context(Ghost.open(settings=settings)) if store_exists(settings) else None
        )
        session = stored_session(ghost.store, call, ns) if ghost is not None else None
        texts = _user_texts(entries, session.captured_to if session else 0)
        worth = _statements(settings, call, texts.texts)
        if ghost is None and worth:
            ghost = opened.enter_context(Ghost.open(settings=settings))
        if ghost is None:
            return
        session = session or stored_session(ghost.store, call, ns)
        captured = _captured_since(ghost, call, session.ns, entries[0].at) if worth else set()
        stored = sum(
            _capture(ghost, call, session.ns, statements)
            for statements in _without(worth, captured)
        )
        add_captured(settings, session.ns, stored)
        is_compacted = texts.compacted or any(e.call.moment is Moment.COMPACT for e in entries)
        _record(ghost, session, texts.to, is_compacted and not call.host.restarts)


def _statements(settings: Settings, call: Call, texts: Sequence[str]) -> list[list[Captured]]:
    """Return the statements of each text that are worth remembering, if any, without secrets.

    A text that is refused for a secret is logged and left out."""
    judge = find_judge(settings) if texts else None
    found = []
    for text in texts:
        try:
            found.append(
                candidates(redact_content(settings, text).content, judge, certainty=CERTAINTY)
            )
        except InvalidInputError as error:
            write_log_line(
                log_path(settings),
                call.host.name,
                call.event,
                f"a text was refused: {describe_error(error)}",
            )
    return [statements for statements in found if statements]


def _user_texts(entries: Sequence[CaptureEntry], place: int) -> UserTexts:
    """Return the new texts of the user in the transcript, and the prompts that are not there.

    A transcript may be missing, unreadable, of an unknown form, or not written yet."""
    calls = [entry.call for entry in entries]
    prompts = [without_machine_text(call.prompt).strip() for call in calls]
    recorded = [call for call in calls if call.transcript and call.host.transcripts]
    try:
        read = UserTexts([], place)
        if recorded:
            path, host = str(recorded[-1].transcript), recorded[-1].host
            read = texts_since(path, str(host.transcripts), place, host.compaction_mark)
    except (UnansweredError, OSError, InvalidInputError):
        if not any(prompts):
            raise
        read = UserTexts([], place)
    return read._replace(texts=_in_order(read.texts, [text for text in prompts if text]))


def _in_order(texts: Sequence[str], prompts: Sequence[str]) -> list[str]:
    """Return texts of a transcript with the prompts that are missing there, oldest first.

    A missing prompt is placed before the text of the prompt that was sent after it, because of
    two statements that contradict each other the later one is valid."""
    positions = {kept_prompt(text).strip(): index for index, text in enumerate(texts)}
    ordered, position = list(texts), len(texts)
    for prompt in reversed(prompts):
        if prompt in positions:
            position = min(position, positions[prompt])
        else:
            ordered.insert(position, prompt)
    return ordered


def _captured_since(ghost: Ghost, call: Call, ns: str, since: datetime) -> set[str]:
    """Return the statements of a session that were stored after its oldest entry was queued.

    A worker that was killed, or another that read the transcript early, has stored them."""
    return {
        memory.content
        for is_deleted in (False, True)
        for memory in ghost.list(
            ns,
            source_kind=SourceKind.STATED,
            source_client=call.host.client,
            source_scope=call.session or None,
            after=since,
            deleted=is_deleted,
            limit=_MAX_CAPTURED,
        )
    }


def _without(texts: Sequence[list[Captured]], captured: set[str]) -> list[list[Captured]]:
    """Return the statements of texts without those texts whose statements are all captured.

    Stored again, an older statement would count as newer than its correction. A repeated text is
    left out only once: the user may have returned to what was said first."""
    new, missing = [], set(captured)
    for statements in texts:
        contents = {statement.content for statement in statements}
        if contents <= missing:
            missing -= contents
        else:
            new.append(statements)
    return new


def _capture(ghost: Ghost, call: Call, ns: str, statements: Sequence[Captured]) -> int:
    """Store the statements of a text and return the number of new memories.

    Statements that are refused are logged and left out."""
    report = ghost.capture(
        None,
        ns,
        candidates=[
            {
                "key": statement.key,
                "content": statement.content,
                "kind": statement.kind,
                "tags": list(statement.tags),
                "importance": statement.importance,
            }
            for statement in statements
        ],
        source_kind=SourceKind.STATED,
        source_client=call.host.client,
        source_scope=call.session or None,
    )
    if report.refused:
        write_log_line(
            log_path(ghost.store.settings),
            call.host.name,
            call.event,
            f"{len(report.refused)} of the statements of a text refused",
        )
    return report.stored


def _record(ghost: Ghost, session: HookSession, to: int, is_compacted: bool) -> None:
    """Record how far the transcript was captured, and that a compaction removed memories."""
    is_changed = to != session.captured_to or (is_compacted and session.shown)
    if is_changed and not ghost.store.engine.read_only:
        update_session(
            ghost.store,
            session,
            lambda now: replace(now, captured_to=to, shown=() if is_compacted else now.shown),
        )
