"""What is held in quarantine."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ghostmem.model import Record


@dataclass(frozen=True, eq=False, repr=False)
class Held(Record):
    """Something that was put and is not trusted: what it says, the fields it came with as plain data, and why it is held."""

    id: str
    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    reasons: tuple[str, ...]
    at: datetime
