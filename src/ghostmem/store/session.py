"""The state of one session of an agent host."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, eq=False, repr=False)
class HookSession:
    """A session: its namespace, the ids it was shown, and the positions in its transcript.

    `captured_to` and `asked_to` say how far the transcript was captured and sent to a model."""

    id: str
    ns: str
    at: datetime
    shown: tuple[str, ...] = ()
    captured_to: int = 0
    asked_to: int = 0
