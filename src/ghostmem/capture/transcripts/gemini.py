"""Read transcripts of Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-*.json or .jsonl.

The file logs.json has the messages of the user only."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ghostmem.capture.transcripts.base import (
    USER,
    Event,
    ToolCall,
    TranscriptFile,
    label,
    role_of,
    session_name,
    text_of,
    time_of,
    turn,
)

CLIENT = "gemini-cli"
_TYPES = ("user", "gemini")


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a file, a line or an entry of this format."""
    if "sessionId" in head and ("projectHash" in head or "startTime" in head):
        return True
    if "messageId" in head and "sessionId" in head and "message" in head:
        return True
    return isinstance(head.get("history"), list) or ("parts" in head and "role" in head)


def read(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls."""
    if source.path.suffix.lower() == ".jsonl":
        yield from _messages((line for _, line in source.objects()), source.session)
        return
    value = source.whole()
    if isinstance(value, list):
        yield from _messages(iter(value), source.session)
    elif isinstance(value, Mapping):
        messages = value.get("messages", value.get("history"))
        session = session_name(value.get("sessionId") or source.path.stem)
        yield from _messages(iter(messages) if isinstance(messages, list) else iter(()), session)


def _messages(items: Iterator[Any], session: str) -> Iterator[Event]:
    for item in items:
        if not isinstance(item, Mapping):
            continue
        kind = item.get("type", item.get("role"))
        if item.get("sessionId"):
            session = session_name(item["sessionId"])
        if kind not in (*_TYPES, "model"):
            continue
        role = role_of(kind)
        content = item.get("content", item.get("message", item.get("parts")))
        text = text_of(content)
        if role == USER and text.startswith("/") and "\n" not in text and " " not in text:
            continue  # a command to the program
        mark = str(item.get("id") or (f"log-{item['messageId']}" if "messageId" in item else ""))
        new = turn(session, role, text, time_of(item.get("timestamp")), mark)
        if new is not None:
            yield new
        yield from _actions(item, content, session)


def _actions(item: Mapping[str, Any], content: object, session: str) -> Iterator[ToolCall]:
    calls = item.get("toolCalls")
    parts = (
        [part.get("functionCall") for part in content if isinstance(part, Mapping)]
        if isinstance(content, list)
        else []
    )
    for call in chain(calls if isinstance(calls, list) else (), parts):
        if isinstance(call, Mapping):
            yield ToolCall(session, label(call.get("name")), call.get("args"))
