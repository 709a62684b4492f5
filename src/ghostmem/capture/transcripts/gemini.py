"""Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-*.json (or .jsonl), and logs.json, which has the
user's words alone.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ghostmem.capture.transcripts.base import (
    USER,
    Action,
    Event,
    Source,
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
    """Say whether an object is such a file, a line or an entry of one."""
    if "sessionId" in head and ("projectHash" in head or "startTime" in head):
        return True
    if "messageId" in head and "sessionId" in head and "message" in head:
        return True
    return isinstance(head.get("history"), list) or ("parts" in head and "role" in head)


def read(source: Source) -> Iterator[Event]:
    """Yield turns and tool calls."""
    if source.path.suffix.lower() == ".jsonl":
        yield from _messages((line for _, line in source.objects()), source.session)
        return
    found = source.whole()
    if isinstance(found, list):
        yield from _messages(iter(found), source.session)
    elif isinstance(found, Mapping):
        messages = found.get("messages", found.get("history"))
        session = session_name(found.get("sessionId") or source.path.stem)
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
        made = turn(session, role, text, time_of(item.get("timestamp")), mark)
        if made is not None:
            yield made
        yield from _actions(item, content, session)


def _actions(item: Mapping[str, Any], content: object, session: str) -> Iterator[Action]:
    calls = item.get("toolCalls")
    parts = (
        [part.get("functionCall") for part in content if isinstance(part, Mapping)]
        if isinstance(content, list)
        else []
    )
    for call in chain(calls if isinstance(calls, list) else (), parts):
        if isinstance(call, Mapping):
            yield Action(session, label(call.get("name")), call.get("args"))
