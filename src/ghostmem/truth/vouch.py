"""The user's own words beside what others say about the same: a claim never comes without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import Memory, NsFilter
from ghostmem.text.rarity import rarity
from ghostmem.text.terms import encode, index_terms

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.rows import Filter, Space

FIRST = 2_000  # characters of a text that tell what it is about
TERMS = 8  # how many of its words are looked up
POSTINGS = (
    4_000  # how many of the newest chunks of each: a flood must not hide what was said before it
)
BATCH, LOOKED = 200, 2_000  # chunks that are read at once, and at most
CLAIMS = 50  # how many claims are looked at; a context has as many seeds
BESIDE = 3  # how many of the user's memories stand beside one
SHARE, LEAST = 0.5, 2  # what part of the words of the shorter text both must have, and how many


def vouched(
    tx: Transaction, memories: Iterable[Memory], which: Filter, at: datetime
) -> dict[str, list[Memory]]:
    """Return, for each memory that is not the user's own word, what the user said about the same.

    Most alike first.

    What the caller asked for holds for these too, except that they may be asleep. What was said in
    one conversation belongs together anyway."""
    found: dict[str, list[Memory]] = {}
    spaces: dict[str, Space] = {}
    for claim in [memory for memory in memories if not memory.from_user][:CLAIMS]:
        if claim.ns not in spaces:
            spaces |= {space.name: space for space in tx.search.spaces([claim.ns])}
        trusted = replace(which, ns=NsFilter(claim.ns), now=at, tiers=(), trusted=True)
        beside = _beside(tx, spaces[claim.ns], claim, trusted) if claim.ns in spaces else []
        rows = tx.memories.by_ids(beside)
        apart = [
            rows[id_]
            for id_ in beside
            if claim.source_scope is None or rows[id_].source_scope != claim.source_scope
        ]
        if apart:
            found[claim.id] = apart[:BESIDE]
    return found


def _beside(tx: Transaction, space: Space, claim: Memory, trusted: Filter) -> list[str]:
    mine = list(dict.fromkeys(index_terms(claim.content[:FIRST])))
    wanted = sorted(mine, key=lambda term: (not any(char.isdigit() for char in term), -len(term)))[
        :TERMS
    ]
    found = tx.search.postings(space.number, [encode(term) for term in wanted], POSTINGS)
    chunks = _worded(dict(zip(wanted, found, strict=True)), space)
    shares: dict[str, float] = {}
    for start in range(0, min(LOOKED, len(chunks)), BATCH):
        for one in tx.search.candidates(chunks[start : start + BATCH], trusted):
            theirs = set(index_terms(one.text))
            both = len(theirs & set(mine))
            share = both / max(1, min(len(theirs), len(mine)))
            if both >= LEAST and share >= SHARE:
                shares[one.memory_id] = max(share, shares.get(one.memory_id, 0.0))
        if len(shares) >= BESIDE:
            break
    return sorted(shares, key=lambda id_: (-shares[id_], id_))


def _worded(found: Mapping[str, list[int]], space: Space) -> list[int]:
    """Return chunks by how many of the words they have, rare ones first; at least two words."""
    totals: dict[int, tuple[int, float]] = {}
    for chunks in found.values():
        worth = rarity(space.chunks, len(chunks)) if chunks else 0.0
        for chunk in chunks:
            count, total = totals.get(chunk, (0, 0.0))
            totals[chunk] = (count + 1, total + worth)
    ranked = sorted(((-total, chunk) for chunk, (count, total) in totals.items() if count >= LEAST))
    return [chunk for _, chunk in ranked]
