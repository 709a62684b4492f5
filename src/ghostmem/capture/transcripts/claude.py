"""Read transcripts of Claude Code: ~/.claude/projects/PROJECT/SESSION.jsonl."""

from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
    USER,
    Event,
    ToolCall,
    TranscriptFile,
    TranscriptTurn,
    label,
    session_name,
    text_of,
    time_of,
    turn,
)

CLIENT = "claude-code"
# Flags of lines that the program itself wrote.
_PROGRAM_FLAGS = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of this format."""
    if head.get("type") in (
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "ai-title",
        "permission-mode",
    ):
        return "payload" not in head
    message = head.get("message")
    if "systemPayload" in head or (isinstance(message, Mapping) and "parts" in message):
        return False  # Qwen Code names its fields alike
    return "sessionId" in head and (
        isinstance(message, Mapping) or "parentUuid" in head or "uuid" in head
    )


def read(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; the lines of one answer become one turn."""
    open_turn: TranscriptTurn | None = None
    for _, line in source.objects():
        message = line.get("message")
        if (
            line.get("type") not in (USER, ASSISTANT)
            or not isinstance(message, Mapping)
            or any(line.get(flag) for flag in _PROGRAM_FLAGS)
        ):
            continue
        session = session_name(line.get("sessionId") or source.path.stem)
        content = message.get("content")
        role = str(line["type"])
        mark = str((message.get("id") if role == ASSISTANT else None) or line.get("uuid") or "")
        about = {
            name: value
            for key, name in (("cwd", "cwd"), ("gitBranch", "branch"))
            if (value := label(line.get(key)))
        }
        at = time_of(line.get("timestamp"))
        new = turn(session, role, text_of(content), at, mark, about=about)
        if new is not None:
            if (
                open_turn is not None
                and new.role == ASSISTANT
                and open_turn[:2] == new[:2]
                and open_turn.mark == new.mark
            ):
                new = open_turn._replace(text=f"{open_turn.text}\n\n{new.text}")
            elif open_turn is not None:
                yield open_turn
            open_turn = new
        for block in content if isinstance(content, list) and role == ASSISTANT else ():
            if isinstance(block, Mapping) and block.get("type") == "tool_use":
                if open_turn is not None and open_turn.role == USER:
                    yield open_turn
                    open_turn = None
                yield ToolCall(session, label(block.get("name")), block.get("input"))
    if open_turn is not None:
        yield open_turn
