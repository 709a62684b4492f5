"""A call of a hook: what a host says on standard input, read into one shape."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ghostmem.hooks.hosts import HOSTS, Host, Moment
from ghostmem.hooks.unanswered import UnansweredError

MOST = 10_000_000  # bytes of standard input
_PROMPTS = ("prompt", "user_prompt")
_SESSIONS = ("session_id", "conversation_id")


@dataclass(frozen=True, eq=False, repr=False)
class Call:
    """One call: by which host, at which of its events, in which session and folder, with what."""

    host: Host
    event: str
    moment: Moment
    session: str
    folder: str | None
    prompt: str = ""
    transcript: str | None = None
    source: str = ""


def read_call(host: str, event: str | None, said: bytes) -> Call:
    """Read what a host said."""
    row = HOSTS.get(host)
    if row is None:
        raise UnansweredError(f"there is no host of that name; known are {', '.join(HOSTS)}")
    if not said.strip():
        raise UnansweredError("standard input is empty")
    try:
        found = json.loads(said.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if len(said) > MOST or not isinstance(found, Mapping):
        raise UnansweredError("standard input is no JSON object")
    named = row.event(event or _text(found, "hook_event_name"))
    if named is None:
        raise UnansweredError("an event that is not answered")
    source = _text(found, "source") or _text(found, "trigger")
    prompt = next((text for name in _PROMPTS if (text := _text(found, name))), "")
    session = next((text for name in _SESSIONS if (text := _text(found, name))), "")
    return Call(
        row,
        *named,
        " ".join(session.split())[:200],
        _folder(found),
        prompt,
        _text(found, "transcript_path") or None,
        source,
    )


def _text(found: Mapping[str, Any], name: str) -> str:
    return _storable(found.get(name))


def _storable(value: object) -> str:
    """Return a text without what no store can hold: NUL and halves of characters."""
    return (
        value.replace("\0", " ").encode("utf-8", "replace").decode()
        if isinstance(value, str)
        else ""
    )


def _folder(found: Mapping[str, Any]) -> str | None:
    """Return the folder that the session is in."""
    roots = found.get("workspace_roots")
    return (
        _text(found, "cwd")
        or _storable(roots[0] if isinstance(roots, list) and roots else None)
        or None
    )
