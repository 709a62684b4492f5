"""The validated request to store a memory; its chunks and vectors, made before the write lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.frozen import frozen
from ghostmem.lazy import lazy_property
from ghostmem.model import Memory
from ghostmem.model.memory import conversation_of
from ghostmem.store import IndexRow, Space, Store, Transaction, index_rows
from ghostmem.truth.plain import AnalysedText

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder
    from ghostmem.graph.autolink import NearestChunks

NEVER = "never"  # the ttl that removes an expiry

_OF_ONE_VERSION = frozenset(
    "id ns key content version created_at access_count utility_count est_tokens supersedes "
    "deleted_at last_accessed_at valid_from valid_to recorded_at chunks outcome requested_key "
    "verdict aliases notes".split()
)
# Fields that a new version inherits from the previous one unless they are named.
INHERITED = [field.name for field in fields(Memory) if field.name not in _OF_ONE_VERSION]
SOURCE_FIELDS = ("source_user", "source_kind", "source_scope", "source_client")
USE_COUNTS = ("access_count", "utility_count", "last_accessed_at")


@frozen
class Draft:
    """A validated request to store a memory; `fields` has only the fields the caller named."""

    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    ttl: str | None = None
    base_version: int | None = None
    unlock: bool = False
    dedup: bool = False
    supersedes: str | None = None  # the key of the memory that it replaces
    quiet: bool = False  # a repetition does not count as a use
    revive: bool = False  # a removed memory comes back with its links

    @lazy_property
    def analysed(self) -> AnalysedText:
        """Return the content with what is compared with other texts."""
        return AnalysedText(self.content)

    def is_turn(self, current: Memory | None) -> bool:
        """Say whether it is a turn of a conversation; it inherits from the current version."""
        kind, user, scope = (
            self.fields.get(name, getattr(current, name, None))
            for name in ("kind", "source_user", "source_scope")
        )
        return conversation_of(kind, user, scope) is not None


class Prepared(NamedTuple):
    """The chunks of a draft, their vectors, the stored chunks nearest to them, and the model.

    A memory that gets its vectors later is then linked to similar ones, if it `waits` for that. If
    its key had no version, `new_in` may be its namespace: a writer then need not read both again,
    and fails with `ChangedMeanwhileError` if there is a version now."""

    rows: Sequence[IndexRow] = ()
    vectors: Sequence[bytes] = ()
    near: NearestChunks | None = None
    embedder: Embedder | None = None
    waits: bool = True
    new_in: Space | None = None


UNPREPARED = Prepared()


def read_current(store: Store, draft: Draft) -> Memory | None:
    """Return the current version of a draft's key, with its files and symbols."""
    with store.engine.read(draft.ns) as tx:
        current = tx.memories.current(draft.ns, draft.key, store.clock())
        return None if current is None else tx.memories.with_refs([current])[0]


def prepare(
    store: Store, drafts: Sequence[tuple[Draft, Memory | None]], tx: Transaction | None = None
) -> list[Prepared]:
    """Return the chunks of drafts, with vectors when the embedding provider works.

    The drafts come with the current versions of their keys, and are embedded together. `tx` is the
    transaction that is open, if any."""
    limit = store.settings.embed_put_chunks
    chunked = [_chunks(store, draft, current) for draft, current in drafts]
    texts = [row.spoken for rows in chunked for row in rows[:limit]]
    embedder = store.vectoriser.get(tx)
    vectors = iter(store.vectoriser.try_bytes(texts, embedder) if texts else ())
    return [
        Prepared(rows, own_vectors, None, embedder)
        if (own_vectors := list(islice(vectors, len(rows[:limit])))) and embedder
        else Prepared(rows)
        for rows in chunked
    ]


def _chunks(store: Store, draft: Draft, current: Memory | None) -> Sequence[IndexRow]:
    source = draft.fields.get("source_user")
    if source is None and store.vectoriser.wanted and current is not None:
        if current.content == draft.content and not draft.fields:
            return ()  # most likely a repetition, which needs no index
        source = current.source_user
    return index_rows(draft.key, draft.content, store.settings.chunk_target, source)


def with_nearest(store: Store, tx: Transaction, draft: Draft, prepared: Prepared) -> Prepared:
    """Return a prepared draft with the stored chunks that are nearest to its own."""
    if prepared.embedder is None or not prepared.vectors:
        return prepared
    from ghostmem.graph.autolink import find_near

    return prepared._replace(
        near=find_near(
            store,
            tx,
            prepared.embedder,
            draft.ns,
            prepared.vectors,
            [row.spoken for row in prepared.rows],
        )
    )
