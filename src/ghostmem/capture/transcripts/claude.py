"""Claude Code: ~/.claude/projects/PROJECT/SESSION.jsonl."""

from collections.abc import Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
    USER,
    Action,
    Event,
    Source,
    Turn,
    label,
    session_name,
    text_of,
    time_of,
    turn,
)

CLIENT = "claude-code"
# lines that the program wrote in the user's or the agent's name
_NOT_SAID = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)


def is_ours(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of such a file."""
    if head.get("type") in (
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "ai-title",
        "permission-mode",
    ):
        return "payload" not in head
    return "sessionId" in head and (
        isinstance(head.get("message"), Mapping) or "parentUuid" in head or "uuid" in head
    )


def read(source: Source) -> Iterator[Event]:
    """Yield turns and tool calls; the lines that one answer was written on become one turn."""
    open_turn: Turn | None = None
    for _, line in source.objects():
        message = line.get("message")
        if (
            line.get("type") not in (USER, ASSISTANT)
            or not isinstance(message, Mapping)
            or any(line.get(k) for k in _NOT_SAID)
        ):
            continue
        session = session_name(line.get("sessionId") or source.path.stem)
        content = message.get("content")
        role = str(line["type"])
        mark = str((message.get("id") if role == ASSISTANT else None) or line.get("uuid") or "")
        about = {
            name: found
            for key, name in (("cwd", "cwd"), ("gitBranch", "branch"))
            if (found := label(line.get(key)))
        }
        made = turn(
            session, role, text_of(content), time_of(line.get("timestamp")), mark, about=about
        )
        if made is not None:
            if (
                open_turn is not None
                and made.role == ASSISTANT
                and open_turn[:2] == made[:2]
                and open_turn.mark == made.mark
            ):
                made = open_turn._replace(text=f"{open_turn.text}\n\n{made.text}")
            elif open_turn is not None:
                yield open_turn
            open_turn = made
        for block in content if isinstance(content, list) and role == ASSISTANT else ():
            if isinstance(block, Mapping) and block.get("type") == "tool_use":
                if open_turn is not None and open_turn.role == USER:
                    yield open_turn
                    open_turn = None
                yield Action(session, label(block.get("name")), block.get("input"))
    if open_turn is not None:
        yield open_turn
