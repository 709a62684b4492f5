"""The table of agent hosts: their names for the moments of a session, and their answers."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from ghostmem.frozen import frozen


class Moment(StrEnum):
    """A moment of a session at which a hook is called."""

    START = "start"
    PROMPT = "prompt"
    COMPACT = "compact"
    STOP = "stop"
    END = "end"


class UnansweredError(Exception):
    """A call that cannot be answered; its message contains no text of a session."""


ADDING = (Moment.START, Moment.PROMPT)  # moments at which memories are added


@frozen
class Host:
    """A host: its name in sources, its events, the format of its transcripts, its answers.

    `restarts` means that the host calls the start hook again after a compaction. A host that calls
    the compact hook without compacting has the `compactions` (values of `source`) that are real,
    and a `compaction_mark` that a real one leaves in its transcript. A host that escapes markup
    gets memories in the `style` "plain". A host that ignores the answer at the start of a session
    gets it with the first prompt (`starts_with_prompt`). `message` is the field of an answer that
    the host shows to the user, if it has one.
    """

    name: str
    client: str
    events: Mapping[str, Moment]
    transcripts: str | None
    answer: Callable[[str, str], Mapping[str, Any]]
    restarts: bool = False
    compactions: tuple[str, ...] = ()
    compaction_mark: bytes = b""
    style: str = "block"
    starts_with_prompt: bool = False
    message: str = "systemMessage"

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
        Host(
            "gemini",
            "gemini-cli",
            _GEMINI,
            "gemini",
            _specific,
            compactions=("manual",),  # "auto" comes before every request, mostly without effect
            compaction_mark=b"<state_snapshot>",
            style="plain",
        ),
        Host(
            "qwen",
            "qwen-code",
            _CLAUDE,
            "qwen",
            _specific,
            restarts=True,
            style="plain",
            starts_with_prompt=True,
        ),
        Host("cursor", "cursor", _CURSOR, None, _cursor, message=""),
    )
}
