"""Read transcripts of Qwen Code: ~/.qwen/projects/PROJECT/chats/SESSION.jsonl.

A line is a record with the message in the form of the Gemini API: a role and parts."""

from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
    USER,
    Event,
    ToolCall,
    TranscriptFile,
    label,
    session_name,
    text_of,
    time_of,
    turn,
)

CLIENT = "qwen-code"


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of this format."""
    if "sessionId" not in head or "uuid" not in head:
        return False
    message = head.get("message")
    has_parts = isinstance(message, Mapping) and isinstance(message.get("parts"), list)
    return has_parts or (head.get("type") == "system" and "systemPayload" in head)


def read(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; notifications and timed prompts have a subtype."""
    for _, line in source.objects():
        message, role = line.get("message"), line.get("type")
        if role not in (USER, ASSISTANT) or not isinstance(message, Mapping):
            continue
        if role == USER and line.get("subtype"):
            continue
        session = session_name(line.get("sessionId") or source.path.stem)
        about = {
            name: value
            for key, name in (("cwd", "cwd"), ("gitBranch", "branch"))
            if (value := label(line.get(key)))
        }
        at, mark = time_of(line.get("timestamp")), str(line.get("uuid") or "")
        new = turn(session, str(role), text_of(message), at, mark, about=about)
        if new is not None:
            yield new
        parts = message.get("parts")
        for part in parts if isinstance(parts, list) else ():
            call = part.get("functionCall") if isinstance(part, Mapping) else None
            if isinstance(call, Mapping):
                yield ToolCall(session, label(call.get("name")), call.get("args"))
