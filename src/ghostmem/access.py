"""A day of use."""

from dataclasses import dataclass

from ghostmem.model import Record


@dataclass(frozen=True, eq=False, repr=False)
class Access(Record):
    """How often a memory was used and shown on one day."""

    memory_id: str
    day: str
    used: int
    shown: int
