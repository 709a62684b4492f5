"""Memories that say again what an older one of their namespace and source says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.graph.components import components
from ghostmem.text.chunk import CHUNKER
from ghostmem.truth.rules.alike import distinctive, resembles, turns

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder
    from ghostmem.model import Memory
    from ghostmem.store.nearest import VectorView
    from ghostmem.store.protocol import Transaction

LOOKED = 8  # how many of the nearest are looked at for each
MOST = 100_000  # chunks of one namespace up to which every one is compared with every other


def said_again(memories: Iterable[Memory]) -> set[str]:
    """Return the ids of memories whose text an earlier one has, whatever its case and
    white space.
    """
    seen: set[tuple[str, str | None, bytes]] = set()
    again: set[str] = set()
    for memory in memories:
        text = " ".join(memory.content.split()).casefold()
        said = (memory.ns, memory.source_user, blake2b(text.encode(), digest_size=16).digest())
        if said in seen:
            again.add(memory.id)
        seen.add(said)
    return again


def nearly_said_again(
    tx: Transaction, embedder: Embedder, ns: str, memories: Mapping[str, Memory]
) -> set[str] | None:
    """Return the ids of a namespace's memories that an older one nearly equals.

    None when there are no vectors, or too many.

    Every chunk must have its twin in the other memory, and what tells texts of one template apart
    must agree, as when reflect merges them."""
    space = next(iter(tx.search.spaces([ns])), None)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    view = None if space is None or model is None else tx.vectors.view(model, space)
    if view is None or not 0 < view.count <= MOST:
        return None
    matched: dict[tuple[str, str], set[int]] = {}
    for chunk, twin, one, other in _twins(tx, view, embedder.thresholds.dedup):
        if one != other and one in memories and other in memories:
            matched.setdefault((one, other), set()).add(chunk)
            matched.setdefault((other, one), set()).add(twin)
    ends = {end for pair in matched for end in pair}
    about = {id_: _about(memories[id_]) for id_ in ends}
    chunks = {id_: tx.index.count(id_) for id_ in ends}
    alike = [
        (one, other)
        for (one, other), found in matched.items()
        if len(found) == chunks[one]
        and len(matched[other, one]) == chunks[other]
        and _same(about[one], about[other])
    ]
    return {
        id_
        for group in components(alike)
        for id_ in sorted(group, key=lambda id_: (memories[id_].created_at, id_))[1:]
    }


class _About(NamedTuple):
    """What two memories must agree in, taken from each only once."""

    source: str | None
    text: str
    turns: tuple[str, ...]
    terms: frozenset[str]


def _about(memory: Memory) -> _About:
    text = memory.content
    return _About(memory.source_user, text, tuple(turns(text)), frozenset(distinctive(text)))


def _same(one: _About, other: _About) -> bool:
    if (
        one.source != other.source
        or one.turns != other.turns
        or not (one.terms <= other.terms or other.terms <= one.terms)
    ):
        return False
    return resembles(one.text, other.text) or resembles(other.text, one.text)


def _twins(tx: Transaction, view: VectorView, least: float) -> Iterator[tuple[int, int, str, str]]:
    """Yield chunks that are alike, with the memories they belong to."""
    from ghostmem.store.sketch import TILE, Sketches

    ids, sketches = view.ids, Sketches(view.rows)
    for start in range(0, len(ids), TILE):
        at, to, _ = sketches.nearest_before(start, min(start + TILE, len(ids)), least, LOOKED + 1)
        twins = at != to
        pairs = list(zip(ids[at[twins]].tolist(), ids[to[twins]].tolist(), strict=True))
        owners = tx.vectors.owners(list({end for pair in pairs for end in pair})) if pairs else {}
        for chunk, twin in pairs:
            if chunk in owners and twin in owners:
                yield chunk, twin, owners[chunk], owners[twin]
