"""Read transcripts of Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl.

Newer versions write an envelope around each item."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
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

CLIENT = "codex"
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_EVENTS = {"user_message": USER, "agent_message": ASSISTANT}
_MAX_DISTANCE = 16  # messages between the two forms of one
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of this format."""
    if head.get("type") in _ENVELOPES and isinstance(head.get("payload"), Mapping):
        return True
    return ("instructions" in head and "id" in head and "timestamp" in head) or head.get(
        "record_type"
    ) == "state"


def read(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; most messages come twice, as an item and as an event."""
    session, about, is_agent = source.session, dict[str, str](), False
    recent: deque[tuple[bool, str, str]] = deque(maxlen=_MAX_DISTANCE)
    for _, line in source.objects():
        item: Any = line.get("payload", line)
        if not isinstance(item, Mapping):
            continue
        if line.get("type") == "session_meta" or _is_first(line):
            session = session_name(item.get("id") or session)
            about = {"cwd": cwd} if (cwd := label(item.get("cwd"))) else {}
            is_agent = item.get("thread_source") == "subagent" or isinstance(
                item.get("source"), Mapping
            )
        elif item.get("type") in _CALLS:
            yield ToolCall(session, label(item.get("name") or "shell"), _arguments(item))
        # The "user" of a subagent is not a person.
        elif (message := _message(line, item)) and not is_agent:
            at = time_of(line.get("timestamp") or item.get("timestamp"))
            new = turn(session, *message, at, about=about)
            is_event = line.get("type") == "event_msg"
            if new is None or (not is_event, new.role, new.text) in recent:
                continue
            recent.append((is_event, new.role, new.text))
            yield new


def _is_first(line: Mapping[str, Any]) -> bool:
    return "id" in line and "timestamp" in line and "role" not in line and "type" not in line


def _message(line: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the role and the text of a message."""
    if line.get("type") == "event_msg":
        role = _EVENTS.get(str(item.get("type")))
        return (
            (role, str(item["message"])) if role and isinstance(item.get("message"), str) else None
        )
    if "payload" in line and line.get("type") != "response_item":
        return None
    role = role_of(item.get("role"))
    return (role, text_of(item.get("content"))) if item.get("type") == "message" and role else None


def _arguments(item: Mapping[str, Any]) -> Any:
    """Return the arguments of a call, which may be JSON in a text."""
    if isinstance(action := item.get("action"), Mapping):
        return action
    arguments = item.get("arguments", item.get("input"))
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
