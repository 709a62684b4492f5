"""What a question finds for a context, portion by portion, and what it would have found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.context.composite import FACTORS, composite, refined, total
from ghostmem.context.item import Item
from ghostmem.context.packer import Left
from ghostmem.search.candidates import Match
from ghostmem.search.cutoff import STRONG
from ghostmem.search.query import read_query
from ghostmem.search.rank import rank, rank_superseded
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.close import SUPERSEDED_BY

if TYPE_CHECKING:
    from ghostmem.model import Memory
    from ghostmem.store.protocol import Transaction

SEEDS = 50  # how many memories a search sends into a context, from which edges are followed
NEARER = 1.8  # what the score of what was said by a user or in a scope at hand is multiplied by
FLOOR = (
    0.5  # what scores less than this share of the best hit is not packed, even when there is room
)
AT_HAND = 0.5  # the relevance of a memory about a file at hand
LEFT_OUT = 10  # how many of the best that were left out are named


class Near(NamedTuple):
    """Whose words, and from where, count more."""

    user: str | None = None
    scope: str | None = None

    def lifted(self, memory: Memory, parts: dict[str, float]) -> dict[str, float]:
        """Return the parts of a score with the factor for who said it, when that was asked for."""
        said = (
            self.user is not None and (memory.source_user or "").casefold() == self.user.casefold()
        )
        return (
            {**parts, "source": NEARER}
            if said or (self.scope is not None and memory.source_scope == self.scope)
            else parts
        )


class Found:
    """What a question finds, taken a portion at a time, best first."""

    def __init__(
        self, store: Store, tx: Transaction, text: str, which: Filter, at: datetime, near: Near
    ) -> None:
        self._store, self._tx, self._text, self._which, self._at, self._near = (
            store,
            tx,
            text,
            which,
            at,
            near,
        )
        self._relevance_first = store.settings.context_score == "relevance"
        self._query = read_query(text, at, SEEDS)
        found = rank(store, tx, self._query, which)
        self.notes = found.notes
        self._scores = {s.chunk.memory_id: s.score for s in found.matches}
        self._rest = found.answers
        self.floor, self.strong_score = self._thresholds()

    def _thresholds(self) -> tuple[float | None, float]:
        """Return the score below which nothing is packed, and the one from which on candidates are
        strong.
        """
        if not self._relevance_first or not self._rest or self._store.settings.fusion != "linear":
            return None, 0.0
        best = max(s.score for s in self._rest)
        return FLOOR * best, STRONG * best

    def next(self, count: int) -> list[Item]:
        """Return the next best, scored."""
        chosen, self._rest = self._rest[:count], self._rest[count:]
        return self._items(chosen)

    def others(self, memories: Iterable[Memory]) -> list[Item]:
        """Return memories that are given because the whole namespace is, with the score that a
        search gave them.
        """
        rows = list(memories)
        uses = self._tx.journal.uses([memory.id for memory in rows])
        return [
            self._item(memory, self._scores.get(memory.id, 0.0), "namespace", uses)
            for memory in rows
        ]

    def item_at_hand(self, memory: Memory, share: float = 1.0) -> Item:
        """Return a memory about a file or symbol at hand.

        `share` damps what is only related to it.
        """
        item = self._item(memory, AT_HAND, "file", self._tx.journal.uses([memory.id]))
        item.parts = {
            name: value if name in FACTORS else value * share for name, value in item.parts.items()
        }
        return replace(item, score=total(item.parts))

    def expired(self) -> list[Left]:
        """Return what would have been found, had its time not been up.

        Gc has not collected it yet.
        """
        gone = self._tx.listing.expired_ids(self._which.ns, self._at)
        if not gone:
            return []
        found = rank(self._store, self._tx, self._query, replace(self._which, now=None))
        lost = [s for s in found.answers if s.chunk.memory_id in gone]
        return [Left(item, "expired") for item in self._items(lost[:LEFT_OUT])]

    def superseded(self) -> list[Left]:
        """Return what would have been found, had it not ended."""
        ended = self._items(rank_superseded(self._store, self._tx, self._query, self._which, LEFT_OUT))
        return [Left(item, "superseded", item.memory.meta.get(SUPERSEDED_BY)) for item in ended]

    def _items(self, scored: Sequence[Match]) -> list[Item]:
        ids = [s.chunk.memory_id for s in scored]
        rows, uses = self._tx.memories.by_ids(ids), self._tx.journal.uses(ids)
        made: list[Item] = []
        least = 1.0
        for s in scored:
            # questions after several things are answered in another order than by score: keep the
            # order of the search
            least = min(least, s.score)
            relevance = least if self._relevance_first else s.specified
            item = self._item(rows[s.chunk.memory_id], relevance, "search", uses)
            made.append(replace(item, legs=s.ranks, focus=(s.chunk.start, s.chunk.stop)))
        return made

    def _item(self, memory: Memory, relevance: float, stage: str, uses: Mapping[str, int]) -> Item:
        if self._relevance_first:
            parts = refined(memory, relevance, uses.get(memory.id, 0), self._at)
        else:
            parts = composite(memory, relevance, self._at)
        parts = self._near.lifted(memory, parts)
        return Item(memory, total(parts), stage, parts=parts)
