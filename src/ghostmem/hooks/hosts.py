"""The agent hosts whose hooks Ghost answers: what they call the moments of a session, and how they
want to be answered.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Moment(StrEnum):
    """What happens in a session."""

    START = "start"
    PROMPT = "prompt"
    COMPACT = "compact"
    STOP = "stop"
    END = "end"


ADDING = (Moment.START, Moment.PROMPT)  # moments at which memories are added


@dataclass(frozen=True, eq=False, repr=False)
class Host:
    """A host: the program's name in sources, its events, the format of its transcripts (if they can
    be read), its answers.

    `restarts` says that it calls the start of a session again when it has compacted it.
    """

    name: str
    client: str
    events: Mapping[str, Moment]
    transcripts: str | None
    answer: Callable[[str, str], Mapping[str, Any]]
    restarts: bool = False

    def event(self, said: str) -> tuple[str, Moment] | None:
        """Return an event by its name as the host spells it, however it was spelt, and its
        moment.
        """
        wanted = said.replace("-", "").replace("_", "").lower()
        return next(
            ((name, moment) for name, moment in self.events.items() if name.lower() == wanted), None
        )


def _specific(event: str, text: str) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _cursor(event: str, text: str) -> Mapping[str, Any]:
    """Answer Cursor; with a prompt the field is accepted, though only `continue` is promised."""
    return (
        {"continue": True, "additional_context": text}
        if event == "beforeSubmitPrompt"
        else {"additional_context": text}
    )


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
