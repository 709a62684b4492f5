"""Quarantined texts and counted accesses."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record


@frozen
class Held(Record):
    """A quarantined text: its content, the fields it came with as plain data, and the reasons."""

    id: str
    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    reasons: tuple[str, ...]
    at: datetime


@frozen
class Access(Record):
    """How often a memory was used and shown on one day."""

    memory_id: str
    day: str
    used: int
    shown: int
