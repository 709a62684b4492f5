"""Memories and the enums of their fields.

Field names are those of the specification. `to_dict` leaves out empty fields; JSON output,
export and tools show its result."""

import re
from collections.abc import Mapping
from dataclasses import field, fields
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from ghostmem.clock import format_time
from ghostmem.frozen import frozen


class TextEnum(StrEnum):
    """An enum whose members are hashed as the texts that they equal, faster than `Enum` does."""

    __hash__ = str.__hash__


class Kind(TextEnum):
    """The sort of knowledge in a memory."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class Tier(TextEnum):
    """The stage of a memory in its lifecycle."""

    SENSORY = "sensory"
    STM = "stm"
    LTM = "ltm"
    DORMANT = "dormant"


# the next tier for promoting and demoting a memory
TIER_ABOVE = {Tier.DORMANT: Tier.STM, Tier.STM: Tier.LTM, Tier.SENSORY: Tier.STM}
TIER_BELOW = {Tier.LTM: Tier.STM, Tier.STM: Tier.DORMANT}


class Priority(TextEnum):
    """The priority that the writer gave."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"


class FileRel(TextEnum):
    """The relation of a memory to a file."""

    MODIFIED = "modified"
    CREATED = "created"
    DELETED = "deleted"
    READ = "read"


class SourceKind(TextEnum):
    """The origin of a memory."""

    STATED = "stated"
    OBSERVED = "observed"
    SELF = "self"
    PEER = "peer"
    IMPORT = "import"


# sources that never replace or end a statement of the user
HEARSAY = (SourceKind.OBSERVED, SourceKind.PEER, SourceKind.IMPORT)


class Rel(TextEnum):
    """The relation of one memory to another."""

    RELATES_TO = "relates_to"
    CONTRADICTS = "contradicts"
    DEPENDS_ON = "depends_on"
    REFINES = "refines"
    CONTAINS = "contains"
    MERGED_INTO = "merged_into"
    CAUSED_BY = "caused_by"
    PREVENTS = "prevents"
    IMPLIES = "implies"


EDGE_WEIGHTS: Mapping[Rel, float] = {
    Rel.CONTRADICTS: 0.9,
    Rel.REFINES: 0.8,
    Rel.IMPLIES: 0.8,
    Rel.CAUSED_BY: 0.75,
    Rel.DEPENDS_ON: 0.7,
    Rel.PREVENTS: 0.7,
    Rel.CONTAINS: 0.6,
    Rel.RELATES_TO: 0.5,
    Rel.MERGED_INTO: 0.0,
}

# relations that only explicit statements create, never similarity
REASONING = (Rel.CAUSED_BY, Rel.PREVENTS, Rel.IMPLIES)


class Sort(TextEnum):
    """The type of a captured sentence."""

    CORRECTION = "correction"
    BOUNDARY = "boundary"
    HEALTH = "health"  # a boundary of the body
    PREFERENCE = "preference"
    DECISION = "decision"
    GOTCHA = "gotcha"
    PROCEDURE = "procedure"
    FACT = "fact"


class Outcome(TextEnum):
    """The result of a put."""

    CREATED = "created"
    UPDATED = "updated"
    REINFORCED = "reinforced"
    QUARANTINED = "quarantined"


class NsFilter(str):
    """A selection of namespaces: all (empty), one (`a:b`), or all with a prefix (`a:*`)."""

    __slots__ = ()

    @property
    def is_prefix(self) -> bool:
        """Say whether the filter names a prefix."""
        return self.endswith("*")

    @property
    def prefix(self) -> str:
        """Return the common start of all namespaces that match."""
        return self.removesuffix("*")

    def matches(self, ns: str) -> bool:
        """Say whether a namespace passes."""
        return not self or (ns.startswith(self.prefix) if self.is_prefix else ns == self)


_NAMESPACE = r"[A-Za-z0-9-][A-Za-z0-9_-]*(?::[A-Za-z0-9-][A-Za-z0-9_-]*)*"


def is_namespace(text: str) -> bool:
    """Say whether a text is a valid namespace.

    It has segments of letters, digits, - and _ joined by colons, and at most 128 characters."""
    return len(text) <= 128 and re.fullmatch(_NAMESPACE, text) is not None


LOCKED = "locked"  # the tag that protects a memory from rewriting and maintenance
CAPTURED = "captured"  # the tag of memories of `capture`; a second tag names their type
MINED = "mined"  # the tag of procedures that were found in transcripts
THREAD = "thread"  # the tag of turns that an adapter keeps for an agent framework
TRANSCRIPT = "transcript"  # the tag of turns of recorded conversations
# set by Ghost, and not used as search terms
MACHINE_TAGS = frozenset((LOCKED, CAPTURED, MINED, THREAD, TRANSCRIPT))


def plain(value: Any) -> Any:
    """Turn a model value into plain data for JSON."""
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


_SCALARS = (str, int, float, datetime)


class Record:
    """Give a dataclass equality, a representation and `to_dict`.

    Generating the first two for every class would cost each cold start a few milliseconds, so they
    are written once."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        # not of mappings, which have no hash; equal records may hold their fields in another order
        scalars = {item for item in self.__dict__.items() if isinstance(item[1], _SCALARS)}
        return hash((type(self), frozenset(scalars)))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, without empty optional ones."""
        data: dict[str, Any] = {}
        kind: Any = type(self)
        for name, is_optional, default in _fields(kind):
            value = getattr(self, name)
            if is_optional and (
                value is None or value in ((), {}, "") or value is default is False
            ):
                continue
            data[name] = value if type(value) is str else plain(value)
        return data


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, bool, Any], ...]:
    """Return the fields of a record as (name, whether to leave it out when empty, default)."""
    return tuple(
        (part.name, bool(part.metadata.get("optional")), part.default) for part in fields(kind)
    )


def optional(default: Any = None) -> Any:
    """Declare a field that `to_dict` leaves out when it is empty."""
    kind = {"default_factory": dict} if default == {} else {"default": default}
    return field(**kind, metadata={"optional": True})


@frozen
class FileRef(Record):
    """A file that a memory is about, and its relation to it."""

    path: str
    rel: FileRel = FileRel.MODIFIED


@frozen
class SymbolRef(Record):
    """A symbol that a memory is about: canonical name, position, and hash of its text then."""

    name: str
    language: str
    path: str
    root: str
    hash: str
    rel: FileRel = FileRel.MODIFIED


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


def conversation_of(
    kind: Kind | None, source_user: str | None, source_scope: str | None
) -> str | None:
    """Return the conversation that a memory is a turn of: an episode with a speaker and a scope.

    A fact may name the session in which it was stated (`source_scope`) and is no turn."""
    return source_scope if kind == Kind.EPISODIC and source_user is not None else None


@frozen
class Memory(Record):
    """One version of one memory: the unit that is stored, found and aged."""

    id: str
    ns: str
    key: str
    content: str
    kind: Kind
    version: int
    created_at: datetime
    tier: Tier = Tier.STM
    priority: Priority = Priority.NORMAL
    importance: float = 0.5
    pinned: bool = False
    access_count: int = 0
    utility_count: int = 0
    est_tokens: int = 0
    tags: tuple[str, ...] = optional(())
    supersedes: str | None = optional()
    deleted_at: datetime | None = optional()
    last_accessed_at: datetime | None = optional()
    meta: Mapping[str, Any] = optional({})
    expires_at: datetime | None = optional()
    source_user: str | None = optional()
    source_kind: SourceKind | None = optional()
    source_scope: str | None = optional()
    source_client: str | None = optional()
    valid_from: datetime | None = optional()
    valid_to: datetime | None = optional()
    recorded_at: datetime | None = optional()
    files: tuple[FileRef, ...] = optional(())
    symbols: tuple[SymbolRef, ...] = optional(())
    chunks: int | None = optional()
    outcome: Outcome | None = optional()
    requested_key: str | None = optional()
    verdict: Verdict | None = optional()
    aliases: tuple[str, ...] = optional(())
    notes: tuple[str, ...] = optional(())

    @property
    def locked(self) -> bool:
        """Say whether the memory carries the tag `locked`."""
        return LOCKED in self.tags

    @property
    def written_at(self) -> datetime:
        """Return when this version was stored; `created_at` may be the time of an event."""
        return self.recorded_at or self.created_at

    def is_current(self, now: datetime) -> bool:
        """Say whether the version is neither removed nor expired."""
        return self.deleted_at is None and (self.expires_at is None or self.expires_at > now)

    def is_open(self, at: datetime) -> bool:
        """Say whether the memory is still valid at a time."""
        return self.valid_to is None or self.valid_to > at

    def held_at(self, at: datetime) -> bool:
        """Say whether the memory was valid at a time.

        Validity begins at `valid_from`, or else when the memory was created."""
        return (self.valid_from or self.created_at) <= at and self.is_open(at)

    @property
    def from_user(self) -> bool:
        """Say whether it is the user's own statement, which observations never overrule."""
        return self.source_kind in (None, SourceKind.STATED)

    @property
    def conversation(self) -> str | None:
        """Return the conversation of which it is a turn, if it is one."""
        return conversation_of(self.kind, self.source_user, self.source_scope)

    @property
    def protected(self) -> bool:
        """Say whether maintenance must leave the memory alone."""
        return self.pinned or self.locked


def estimate_tokens(content: str) -> int:
    """Estimate the tokens of a memory in a prompt: UTF-8 bytes / 4 + 20."""
    return len(content.encode()) // 4 + 20
