"""Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl, with an envelope around each item
or, before, without.
"""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
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

CLIENT = "codex"
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_EVENTS = {"user_message": USER, "agent_message": ASSISTANT}
_RECENT = 16  # messages within which the other form of one comes
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of such a file."""
    if head.get("type") in _ENVELOPES and isinstance(head.get("payload"), Mapping):
        return True
    return ("instructions" in head and "id" in head and "timestamp" in head) or head.get(
        "record_type"
    ) == "state"


def read(source: Source) -> Iterator[Event]:
    """Yield messages and calls; most messages come twice, as an item and as an event, and some only
    as one of them.
    """
    session, about, is_agent = source.session, dict[str, str](), False
    recent: deque[tuple[bool, str, str]] = deque(maxlen=_RECENT)
    for _, line in source.objects():
        item: Any = line.get("payload", line)
        if not isinstance(item, Mapping):
            continue
        if line.get("type") == "session_meta" or _is_first(line):
            session = session_name(item.get("id") or session)
            about = {"cwd": found} if (found := label(item.get("cwd"))) else {}
            is_agent = item.get("thread_source") == "subagent" or isinstance(
                item.get("source"), Mapping
            )
        elif item.get("type") in _CALLS:
            yield Action(session, label(item.get("name") or "shell"), _told(item))
        elif (
            said := _said(line, item)
        ) and not is_agent:  # the "user" of an agent's agent is no person
            made = turn(
                session,
                said[0],
                said[1],
                time_of(line.get("timestamp") or item.get("timestamp")),
                about=about,
            )
            is_event = line.get("type") == "event_msg"
            if made is None or (not is_event, made.role, made.text) in recent:
                continue
            recent.append((is_event, made.role, made.text))
            yield made


def _is_first(line: Mapping[str, Any]) -> bool:
    return "id" in line and "timestamp" in line and "role" not in line and "type" not in line


def _said(line: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return whose words a line holds, and the words."""
    if line.get("type") == "event_msg":
        role = _EVENTS.get(str(item.get("type")))
        return (
            (role, str(item["message"])) if role and isinstance(item.get("message"), str) else None
        )
    if "payload" in line and line.get("type") != "response_item":
        return None
    role = role_of(item.get("role"))
    return (role, text_of(item.get("content"))) if item.get("type") == "message" and role else None


def _told(item: Mapping[str, Any]) -> Any:
    """Return what a call was told: its arguments are JSON in a text."""
    if isinstance(action := item.get("action"), Mapping):
        return action
    told = item.get("arguments", item.get("input"))
    if not isinstance(told, str):
        return told
    try:
        return json.loads(told)
    except (ValueError, RecursionError):
        return told
