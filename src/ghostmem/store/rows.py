"""Values that pass between operations and engines: filters, index rows, candidates."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ghostmem.clock import read_time
from ghostmem.frozen import frozen
from ghostmem.model import Memory, NsFilter
from ghostmem.store.records import unreadable


class StoreCopies(NamedTuple):
    """The copies of a store that hold some memories, and those that could not be read."""

    holding: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


@frozen
class Filter:
    """A selection of live memories; every condition that is set must hold."""

    ns: NsFilter = NsFilter()
    now: datetime | None = None
    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tagged: bool = False  # only memories with tags
    priorities: tuple[str, ...] = ()
    pinned: bool | None = None
    after: datetime | None = None
    before: datetime | None = None
    recorded_after: datetime | None = None  # written since, whatever `created_at` says
    source_user: str | None = None
    source_kind: str | None = None
    source_scope: str | None = None
    source_client: str | None = None
    file: str | None = None
    file_rel: str | None = None
    key_prefix: str | None = None
    valid_at: datetime | None = None
    trusted: bool = False  # only statements of the user
    closed: bool | None = None  # no longer valid now, or all others
    deleted: bool = False
    changed: bool = False  # only those with several versions, an end, or a deletion
    noted: bool | None = None  # sections of notes, or all others
    code: str | None = None  # about symbols of the project with this root; "" for any project
    paths: tuple[str, ...] = ()  # about one of these files


class IndexRow(NamedTuple):
    """One chunk ready to be indexed: its position, its terms, and its text for substrings."""

    seq: int
    start: int
    stop: int
    start_line: int
    end_line: int
    terms: str
    length: int
    tokens: str
    plain: str
    chunker: str
    spoken: str = ""  # the text as it is embedded


Reindex = Callable[[Memory], Sequence[IndexRow]]  # makes the rows of the index, for a repair


class IndexedMemory(NamedTuple):
    """A memory to be indexed: its chunks, and the vectors of the first of them."""

    memory: Memory
    rows: Sequence[IndexRow]
    vectors: Sequence[bytes] = ()


class AuditEntry(NamedTuple):
    """A recorded change of a run, to a memory (its id) or an edge (`from to relation`).

    `before` is None for a subject that did not exist, `after` for one that no longer does;
    `hash` is of the content, which is not recorded."""

    seq: int
    ns: str
    subject: str
    rule: str
    op: str
    hash: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    done: int = 0


class Group(NamedTuple):
    """Live memories that share a namespace, a tier and a source; ungrouped fields are empty."""

    ns: str
    tier: str
    source: str
    memories: int
    est_tokens: int
    pinned: int
    newest: datetime  # when the last of them was recorded


class Space(NamedTuple):
    """The numbers of a namespace that ranking needs."""

    number: int
    name: str
    sequence: int
    chunks: int
    length: int


class ChunkTerms(NamedTuple):
    """A chunk with its terms, the key and tags of its memory, and its place in the content."""

    chunk: int
    memory_id: str
    key: str
    terms: str
    tags: str | None
    start: int
    stop: int


class ChunkCandidate(NamedTuple):
    """A chunk that may answer a query, with the fields that ranking needs, in the order read."""

    chunk: int
    memory_id: str
    seq: int
    start: int
    stop: int
    start_line: int
    end_line: int
    terms: str
    thread: int | None
    place: str | None
    text: str
    created: str  # a time as text, which sorts like the time; few readers need the time itself
    source_user: str | None
    kind: str
    key: str
    priority: str
    tags: str | None = None  # as JSON, because few readers need them
    tier: str = ""
    expires: str | None = None
    valid_to: str | None = None

    @property
    def created_at(self) -> datetime:
        """Return when the memory was created."""
        try:
            return read_time(self.created)
        except (ValueError, TypeError) as error:
            raise unreadable(self.memory_id, error) from error
