"""What hooks remember of one session of an agent host."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, eq=False, repr=False)
class Session:
    """A session: its namespace, the ids it was shown, and how far its transcript was captured and
    given to a model.
    """

    id: str
    ns: str
    at: datetime
    shown: tuple[str, ...] = ()
    captured_to: int = 0
    asked_to: int = 0
