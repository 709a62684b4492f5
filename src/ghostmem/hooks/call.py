"""Read the call of a hook from standard input, the same for all hosts."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.hooks.hosts import HOSTS, Host, Moment, UnansweredError

MAX_INPUT_BYTES = 10_000_000  # bytes of standard input


@frozen
class Call:
    """One call of a hook by a host."""

    host: Host
    event: str
    moment: Moment
    session: str
    folder: str | None
    prompt: str = ""
    transcript: str | None = None
    source: str = ""

    @property
    def is_idle(self) -> bool:
        """Say whether the host announces a compaction that mostly does not happen."""
        real = self.host.compactions
        return self.moment is Moment.COMPACT and bool(real) and self.source not in real

    def to_fields(self) -> dict[str, Any]:
        """Return what a later process needs to know, as values of JSON."""
        return {
            "host": self.host.name,
            "event": self.event,
            "session": self.session,
            "transcript": os.path.abspath(self.transcript) if self.transcript else None,
        }

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> "Call":
        """Return the call of a hook that has ended."""
        host, event, session = HOSTS[fields["host"]], str(fields["event"]), str(fields["session"])
        return cls(
            host,
            event,
            host.events[event],
            session,
            None,
            str(fields.get("prompt", "")),
            fields["transcript"],
        )

    def session_id(self, ns: str) -> str:
        """Return the id of the session in the store; a host without ids has one per namespace."""
        return f"{self.host.name}:{self.session or f'in {ns}'}"


def read_call(host: str, event: str | None, data: bytes) -> Call:
    """Return the call in the input of a host."""
    row = HOSTS.get(host)
    if row is None:
        raise UnansweredError(f"there is no host of that name; known: {', '.join(HOSTS)}")
    if not data.strip():
        raise UnansweredError("standard input is empty")
    fields = None
    with suppress(ValueError, RecursionError):
        fields = json.loads(data.decode("utf-8-sig"))
    if len(data) > MAX_INPUT_BYTES or not isinstance(fields, Mapping):
        raise UnansweredError("standard input is not a JSON object")
    named = row.event(event or _text(fields, "hook_event_name"))
    if named is None:
        raise UnansweredError("this event has no hook")
    session = _text(fields, "session_id", "conversation_id")
    roots = fields.get("workspace_roots")
    root = {"root": roots[0]} if isinstance(roots, list) and roots else {}
    return Call(
        row,
        *named,
        " ".join(session.split())[:200],
        _text(fields, "cwd") or _text(root, "root") or None,
        _text(fields, "prompt", "user_prompt"),
        _text(fields, "transcript_path") or None,
        _text(fields, "source", "trigger"),
    )


def _text(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first text of some fields, without NUL and surrogates, which no store can hold."""
    texts = [value for name in names if isinstance(value := fields.get(name), str)]
    return next(filter(None, texts), "").replace("\0", " ").encode("utf-8", "replace").decode()
