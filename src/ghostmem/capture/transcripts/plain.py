"""Read plain chats: JSON lines of {role, content, timestamp?, name?} or {"messages": […]}.

One JSON value of either works too."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    Event,
    ToolCall,
    TranscriptFile,
    TranscriptTurn,
    label,
    role_of,
    session_name,
    text_of,
    time_of,
    turn,
)

_ROLES = ("role", "from", "speaker", "author", "sender")
_TEXTS = ("content", "value", "text", "message")
_TIMES = ("timestamp", "created_at", "time", "date", "ts")
_LISTS = ("messages", "conversations", "conversation", "turns")
Repeated = Counter[tuple[str, str]]  # how often a session had a mark
_SESSIONS = ("session_id", "sessionId", "conversation_id", "thread_id", "chat_id", "session")


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a message or a conversation."""
    is_message = any(isinstance(head.get(name), str) for name in _ROLES)
    return (is_message and any(name in head for name in _TEXTS)) or any(
        isinstance(head.get(name), list) for name in _LISTS
    )


def read(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls."""
    repeated: Repeated = Counter()
    digest = source.digest
    for number, item in _items(source):
        if not isinstance(item, Mapping):
            continue
        own_session, name, messages = _first(item, _SESSIONS), source.path.stem, [item]
        own_session = own_session if isinstance(own_session, str | int) else None
        if isinstance(inner := _first(item, _LISTS), list):
            own_session, name = own_session or _first(item, ("id",)), f"{name}-{number}"
            messages = [message for message in inner if isinstance(message, Mapping)]
        session = session_name(own_session or name)
        for event in (event for each in messages for event in _message(each, session, repeated)):
            yield (
                event if own_session or isinstance(event, ToolCall) else event._replace(file=digest)
            )


def _numbered(new: TranscriptTurn, repeated: Repeated) -> TranscriptTurn:
    """Give each repetition of a turn without id and time a mark of its own: "yes", "yes"."""
    repeated[new.session, new.mark] += 1
    number = repeated[new.session, new.mark]
    return new if number == 1 else new._replace(mark=f"{new.mark}-{number}")


def _items(source: TranscriptFile) -> Iterator[tuple[int, Any]]:
    if source.is_lines:
        return source.objects()
    value = source.whole()
    return enumerate(value if isinstance(value, list) else [value], 1)


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _message(item: Mapping[str, Any], session: str, repeated: Repeated) -> Iterator[Event]:
    inner = item.get("message")
    if isinstance(inner, Mapping):
        item = {**item, **inner}
    role = role_of(_first(item, _ROLES))
    if role:
        mark = _first(item, ("id", "uuid", "message_id"))
        name = label(item.get("name")) or ("" if role in ("user", "assistant") else role)
        time, text = time_of(_first(item, _TIMES)), text_of(_first(item, _TEXTS))
        mark = label(mark) if isinstance(mark, str | int) else ""
        new = turn(session, role, text, time, mark, name)
        if new is not None:
            yield new if mark or time else _numbered(new, repeated)
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            yield ToolCall(session, label(function.get("name")), function.get("arguments"))
