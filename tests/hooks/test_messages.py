"""What a hook tells the user, and how it answers a request to forget something."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from hooks.conftest import spoken

if TYPE_CHECKING:
    from hooks.conftest import Hook

NS = "project:shop"
TABS = "I prefer tabs over spaces in this project."
CENTS = "We decided to keep money as integer cents because floats lose pennies."


def answer(hook: "Hook", event: str, host: str = "claude", **fields: str) -> dict[str, object]:
    """Send an event and return the whole answer."""
    out = hook.raw(json.dumps(hook.payload(event, **fields)), host)
    return json.loads(out) if out else {}


def test_the_user_is_told_once_that_something_was_captured(
    hook: "Hook", transcript: Callable[..., Path]
) -> None:
    """The hook after a capture says how many memories were stored; the one after that does not."""
    path = transcript(spoken(TABS), spoken(CENTS))
    hook("Stop", transcript_path=str(path))
    told = answer(hook, "UserPromptSubmit", prompt="Which editor is open?")
    assert told["systemMessage"] == "Ghost remembered 2 things"
    assert "systemMessage" not in answer(hook, "UserPromptSubmit", prompt="Which editor is open?")


def test_a_new_session_tells_what_the_last_one_left(
    hook: "Hook", transcript: Callable[..., Path]
) -> None:
    """Memories of the end of a session are announced at the start of the next one."""
    hook("SessionEnd", transcript_path=str(transcript(spoken(TABS))))
    told = answer(hook, "SessionStart", session_id="s-2")
    assert told["systemMessage"] == "Ghost remembered 1 thing"


def test_a_host_without_messages_gets_none(hook: "Hook", transcript: Callable[..., Path]) -> None:
    """Cursor shows a message only for a refused prompt, so it gets none."""
    hook("Stop", transcript_path=str(transcript(spoken(TABS))))
    told = answer(hook, "beforeSubmitPrompt", "cursor", prompt="Which editor is open?")
    assert "systemMessage" not in told


@pytest.mark.parametrize(
    ("prompt", "keys"),
    [
        ("Forget what I said about integer cents.", '"money"'),
        ("Thanks! Please forget the deploys to production.", '"deploy-window"'),
        ("Don't forget to keep integer cents.", ""),
        ("forget it", ""),
        ("never mind, let's talk about deploys", ""),
        ("Forget what I said about the moon.", ""),
    ],
)
def test_a_request_to_forget_names_the_memories(
    hook: "Hook", filled: Path, prompt: str, keys: str
) -> None:
    """The agent learns which memories may be meant and which tool deletes them; none is deleted."""
    text = hook("UserPromptSubmit", prompt=prompt)
    assert ("asks to forget" in text) == bool(keys)
    assert not keys or f"may be meant: {keys}. Delete the one" in text
    with Ghost.open(filled, settings=Settings(embed_provider="none")) as ghost:
        assert {"money", "deploy-window"} <= {memory.key for memory in ghost.list(NS)}
