"""The verdict on a new text."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, optional


class VerdictKind(StrEnum):
    """The relation of a new text to an older one."""

    NEW = "new"
    RESTATEMENT = "restatement"
    UPDATE = "update"
    CONFLICT = "conflict"


@frozen
class Verdict(Record):
    """How a new text relates to stored memories, and the evidence."""

    kind: VerdictKind
    key: str | None = optional()
    evidence: Mapping[str, Any] = optional({})

    @property
    def is_tentative(self) -> bool:
        """Say whether the verdict is too uncertain to change anything."""
        return bool(self.evidence.get("tentative"))
