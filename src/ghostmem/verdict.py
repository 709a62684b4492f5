"""What a put found out about what is already known."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ghostmem.model import Record, optional


class VerdictKind(StrEnum):
    """What a new text is to an older one."""

    NEW = "new"
    RESTATEMENT = "restatement"
    UPDATE = "update"
    CONFLICT = "conflict"


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Record):
    """What a text is to what is known: the memory it concerns, and why: likeness, shared terms, words of change, what differs."""

    kind: VerdictKind
    key: str | None = optional()
    evidence: Mapping[str, Any] = optional({})
