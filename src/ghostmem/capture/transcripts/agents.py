"""Read transcripts of coding agents: JSON objects, one for each message.

- Claude Code: ~/.claude/projects/PROJECT/SESSION.jsonl
- Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl; newer versions write an envelope
  around each item, and most messages twice, as an item and as an event.
- Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-*.json or .jsonl; logs.json has the messages of
  the user only.
- Qwen Code: ~/.qwen/projects/PROJECT/chats/SESSION.jsonl, the lines of Claude Code with messages in
  the form of the Gemini API.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ghostmem.capture.transcripts.base import (
    ASSISTANT,
    USER,
    Event,
    ToolCall,
    TranscriptFile,
    TranscriptTurn,
    json_value,
    label,
    role_of,
    session_name,
    text_of,
    time_of,
    turn,
)

# By role, the flags of lines that the program itself wrote.
_CLAUDE_FLAGS = dict.fromkeys(
    (USER, ASSISTANT),
    "isMeta isSidechain isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage".split(),
)
_QWEN_FLAGS: dict[str, list[str]] = {USER: ["subtype"], ASSISTANT: []}
_CLAUDE_TYPES = "summary file-history-snapshot queue-operation ai-title permission-mode".split()
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_EVENTS = {"user_message": USER, "agent_message": ASSISTANT}
_MAX_DISTANCE = 16  # messages between the two forms of one
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")


def is_claude(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of Claude Code; Qwen Code names its fields alike."""
    if head.get("type") in _CLAUDE_TYPES:
        return "payload" not in head
    message: Any = head.get("message")
    is_message = isinstance(message, Mapping)
    return (
        not ("systemPayload" in head or (is_message and "parts" in message))
        and "sessionId" in head
        and (is_message or "parentUuid" in head or "uuid" in head)
    )


def is_codex(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of Codex."""
    if head.get("type") in _ENVELOPES and isinstance(head.get("payload"), Mapping):
        return True
    is_first = "instructions" in head and "id" in head and "timestamp" in head
    return is_first or head.get("record_type") == "state"


def is_gemini(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a file, a line or an entry of Gemini CLI."""
    is_chat = (
        "projectHash" in head or "startTime" in head or {"messageId", "message"} <= head.keys()
    )
    return (
        ("sessionId" in head and is_chat)
        or isinstance(head.get("history"), list)
        or ("parts" in head and "role" in head)
    )


def is_qwen(head: Mapping[str, Any]) -> bool:
    """Say whether an object is a line of Qwen Code."""
    message = head.get("message")
    has_parts = isinstance(message, Mapping) and isinstance(message.get("parts"), list)
    is_system = head.get("type") == "system" and "systemPayload" in head
    return "sessionId" in head and "uuid" in head and (has_parts or is_system)


def read_claude(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; the lines of one answer become one turn."""
    open_turn: TranscriptTurn | None = None
    for event in _lines(source, _CLAUDE_FLAGS):
        if isinstance(event, ToolCall):
            yield event
            continue
        if open_turn is not None:
            is_answer = event.role == ASSISTANT and open_turn[:2] == event[:2]
            if is_answer and open_turn.mark == event.mark:
                event = open_turn._replace(text=f"{open_turn.text}\n\n{event.text}")
            else:
                yield open_turn
        open_turn = event
    if open_turn is not None:
        yield open_turn


def read_qwen(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; notifications and timed prompts have a subtype."""
    return _lines(source, _QWEN_FLAGS)


def _lines(source: TranscriptFile, flags: Mapping[str, Iterable[str]]) -> Iterator[Event]:
    for _, line in source.objects():
        message, role = line.get("message"), str(line.get("type"))
        if role not in flags or not isinstance(message, Mapping) or any(map(line.get, flags[role])):
            continue
        session = session_name(line.get("sessionId") or source.path.stem)
        content = message if "parts" in message else message.get("content")
        mark = (role == ASSISTANT and message.get("id")) or line.get("uuid")
        about = {"cwd": label(line.get("cwd")), "branch": label(line.get("gitBranch"))}
        yield from _events(session, role, content, line.get("timestamp"), mark, about)


def read_gemini(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls of a file with lines, with a list, or with one session."""
    is_lines, session = source.path.suffix.lower() == ".jsonl", source.session
    messages: Any = (line for _, line in source.objects()) if is_lines else source.whole()
    if isinstance(messages, Mapping):
        session = session_name(messages.get("sessionId") or source.path.stem)
        messages = messages.get("messages", messages.get("history"))
    for item in messages if isinstance(messages, list | Iterator) else ():
        if not isinstance(item, Mapping):
            continue
        session = session_name(item.get("sessionId") or session)
        kind = item.get("type", item.get("role"))
        content = item.get("content", item.get("message", item.get("parts")))
        text = text_of(content)
        is_command = kind == USER and text.startswith("/") and len(text.split()) == 1
        if kind not in (USER, "gemini", "model") or is_command:
            continue
        mark = item.get("id") or (f"log-{item['messageId']}" if "messageId" in item else "")
        yield from _events(session, role_of(kind), content, item.get("timestamp"), mark)
        yield from _tool_calls(session, item.get("toolCalls"))


def read_codex(source: TranscriptFile) -> Iterator[Event]:
    """Yield turns and tool calls; of the two forms of a message, the first."""
    session, about, is_agent = source.session, dict[str, str](), False
    recent: deque[tuple[bool, str, str]] = deque(maxlen=_MAX_DISTANCE)
    for _, line in source.objects():
        item: Any = line.get("payload", line)
        if not isinstance(item, Mapping):
            continue
        kind, is_event = item.get("type"), line.get("type") == "event_msg"
        role = _EVENTS.get(str(kind), "") if is_event else role_of(item.get("role"))
        is_first = {"id", "timestamp"} <= line.keys() and line.keys().isdisjoint({"role", "type"})
        if line.get("type") == "session_meta" or is_first:
            session = session_name(item.get("id") or session)
            about = {"cwd": label(item.get("cwd"))}
            is_subagent = item.get("thread_source") == "subagent"
            is_agent = is_subagent or isinstance(item.get("source"), Mapping)
        elif kind in _CALLS:
            yield ToolCall(session, label(item.get("name") or "shell"), _arguments(item))
        # The "user" of a subagent is not a person.
        elif role and (is_event or kind == "message") and not is_agent:
            time = line.get("timestamp") or item.get("timestamp")
            for event in _events(
                session, role, item.get("message" if is_event else "content"), time, "", about
            ):
                assert isinstance(event, TranscriptTurn)
                if (not is_event, role, event.text) not in recent:
                    recent.append((is_event, role, event.text))
                    yield event


def _arguments(item: Mapping[str, Any]) -> Any:
    """Return the arguments of a call of Codex, which may be JSON in a text."""
    if isinstance(action := item.get("action"), Mapping):
        return action
    arguments = item.get("arguments", item.get("input"))
    return json_value(arguments, arguments) if isinstance(arguments, str) else arguments


def _events(
    session: str, role: str, content: Any, time: object, mark: object, about: Mapping[str, str] = {}
) -> Iterator[Event]:
    """Yield a message as a turn, if it has text, and the tool calls in its parts."""
    about = {name: value for name, value in about.items() if value}
    new = turn(session, role, text_of(content), time_of(time), str(mark or ""), about=about)
    if new is not None:
        yield new
    parts = content.get("parts") if isinstance(content, Mapping) else content
    calls = [
        part if part.get("type") == "tool_use" else part.get("functionCall")
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, Mapping)
    ]
    yield from _tool_calls(session, calls)


def _tool_calls(session: str, calls: object) -> Iterator[ToolCall]:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping):
            yield ToolCall(session, label(call.get("name")), call.get("args", call.get("input")))
