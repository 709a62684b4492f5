"""What a question finds for a context, portion by portion, and what it would have found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.engine.rows import Filter
from ghostmem.rank.composite import composite, total
from ghostmem.rank.item import Item
from ghostmem.rank.pack import Left
from ghostmem.text.terms import query_terms
from ghostmem.verbs.close import SUPERSEDED_BY
from ghostmem.verbs.ranked import ranked
from ghostmem.verbs.ranking import Scored
from ghostmem.verbs.search import answers
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction
    from ghostmem.model import Memory

SEEDS = 50  # how many memories a search sends into a context, from which edges are followed
NEARER = 1.8  # what the score of what was said by a user or in a scope at hand is multiplied by
LEFT_OUT = 10  # how many of the best that were left out are named


class Near(NamedTuple):
    """Whose words, and from where, count more."""

    user: str | None = None
    scope: str | None = None

    def lifted(self, memory: Memory, parts: dict[str, float]) -> dict[str, float]:
        """Return the parts of a score with the factor for who said it, when that was asked for."""
        said = self.user is not None and (memory.source_user or "").casefold() == self.user.casefold()
        return {**parts, "source": NEARER} if said or (self.scope is not None and memory.source_scope == self.scope) else parts


class Found:
    """What a question finds, taken a portion at a time, best first."""

    def __init__(self, store: Store, tx: Transaction, text: str, which: Filter, at: datetime, near: Near) -> None:
        self._store, self._tx, self._text, self._which, self._at, self._near = store, tx, text, which, at, near
        found = ranked(store, tx, text, which.ns, which, at, SEEDS)
        self.notes = found.notes
        self._rest = answers(found, None, store.settings.abstain)
        self._words = frozenset(query_terms(text))

    def next(self, count: int) -> list[Item]:
        """Return the next best, scored."""
        chosen, self._rest = self._rest[:count], self._rest[count:]
        return self._items(chosen)

    def expired(self) -> list[Left]:
        """Return what would have been found, had its time not been up; gc has not collected it yet."""
        gone = self._tx.listing.expired_ids(self._which.ns, self._at)
        if not gone:
            return []
        found = ranked(self._store, self._tx, self._text, self._which.ns, replace(self._which, now=None), self._at, SEEDS)
        lost = [s for s in answers(found, None, self._store.settings.abstain) if s.item.memory_id in gone]
        return [Left(item, "expired") for item in self._items(lost[:LEFT_OUT])]

    def superseded(self) -> list[Left]:
        """Return what would have been found, had it not ended."""
        if self._which.closed is None or not self._tx.listing.has_closed(self._which.ns, self._at):
            return []
        which = replace(self._which, closed=True, tiers=())
        found = ranked(self._store, self._tx, self._text, which.ns, which, self._at, LEFT_OUT)
        ended = self._items(answers(found, None, self._store.settings.abstain)[:LEFT_OUT])
        return [Left(item, "superseded", item.memory.meta.get(SUPERSEDED_BY)) for item in ended]

    def _items(self, scored: Sequence[Scored]) -> list[Item]:
        rows = self._tx.memories.by_ids([s.item.memory_id for s in scored])
        made = []
        for s in scored:
            parts = self._near.lifted(rows[s.item.memory_id], composite(rows[s.item.memory_id], s.relevance, self._at))
            place = (s.item.start, s.item.stop)
            made.append(Item(rows[s.item.memory_id], total(parts), "search", s.ranks, parts, place, self._words))
        return made
