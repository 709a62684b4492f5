"""What verbs and engines hand each other beside the model: filters, and chunks ready for the index."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class NsFilter:
    """Which namespaces: all (`""`), one (`a:b`), or all that start alike (`a:*`)."""

    text: str = ""

    @property
    def is_prefix(self) -> bool:
        """Say whether the filter names a prefix."""
        return self.text.endswith("*")

    @property
    def prefix(self) -> str:
        """Return the common start of all namespaces that match."""
        return self.text.removesuffix("*")


@dataclass(frozen=True)
class Filter:
    """Which live memories: every condition that is set must hold."""

    ns: NsFilter = field(default_factory=NsFilter)
    now: datetime | None = None
    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    pinned: bool | None = None
    after: datetime | None = None
    before: datetime | None = None
    source_user: str | None = None
    source_kind: str | None = None
    source_scope: str | None = None
    file: str | None = None
    file_rel: str | None = None
    key_prefix: str | None = None
    deleted: bool = False


@dataclass(frozen=True)
class IndexRow:
    """One chunk ready to be indexed: where it stands in the content, its terms, and its text for substrings."""

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
