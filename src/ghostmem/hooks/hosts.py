"""The table of agent hosts: their names for the moments of a session, and their answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Moment(StrEnum):
    """A moment of a session at which a hook is called."""

    START = "start"
    PROMPT = "prompt"
    COMPACT = "compact"
    STOP = "stop"
    END = "end"


ADDING = (Moment.START, Moment.PROMPT)  # moments at which memories are added


@dataclass(frozen=True, eq=False, repr=False)
class Host:
    """A host: its name in sources, its events, the format of its transcripts, its answers.

    `restarts` means that the host calls the start hook again after a compaction.
    """

    name: str
    client: str
    events: Mapping[str, Moment]
    transcripts: str | None
    answer: Callable[[str, str], Mapping[str, Any]]
    restarts: bool = False

    def event(self, spelling: str) -> tuple[str, Moment] | None:
        """Return the host's name and the moment of an event in any spelling, or None."""
        wanted = spelling.replace("-", "").replace("_", "").lower()
        return next(
            ((name, moment) for name, moment in self.events.items() if name.lower() == wanted), None
        )


def _specific(event: str, text: str) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _cursor(event: str, text: str) -> Mapping[str, Any]:
    """Answer Cursor; with a prompt it accepts the field, but documents only `continue`."""
    answer = {"additional_context": text}
    return {"continue": True, **answer} if event == "beforeSubmitPrompt" else answer


_CLAUDE = {
    "SessionStart": Moment.START,
    "UserPromptSubmit": Moment.PROMPT,
    "PreCompact": Moment.COMPACT,
    "Stop": Moment.STOP,
    "SessionEnd": Moment.END,
}
_GEMINI = {
    "SessionStart": Moment.START,
    "BeforeAgent": Moment.PROMPT,
    "PreCompress": Moment.COMPACT,
    "AfterAgent": Moment.STOP,
    "SessionEnd": Moment.END,
}
_CURSOR = {
    "sessionStart": Moment.START,
    "beforeSubmitPrompt": Moment.PROMPT,
    "preCompact": Moment.COMPACT,
    "stop": Moment.STOP,
    "sessionEnd": Moment.END,
}
HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host("claude", "claude-code", _CLAUDE, "claude", _specific, restarts=True),
        Host("codex", "codex", _CLAUDE, "codex", _specific, restarts=True),
        Host("gemini", "gemini-cli", _GEMINI, "gemini", _specific),
        Host("cursor", "cursor", _CURSOR, None, _cursor),
    )
}
