"""The memories that a question finds for a context, with scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ghostmem.context.composite import FACTORS, composite, refined, total
from ghostmem.context.packer import ContextItem, Unplaced
from ghostmem.context.request import ContextRequest
from ghostmem.model import Memory
from ghostmem.search.candidates import ChunkMatch
from ghostmem.search.cutoff import STRONG
from ghostmem.search.rank import rank, rank_for_task, rank_superseded
from ghostmem.store import Store, Transaction
from ghostmem.truth.corrections import successor_key
from ghostmem.truth.sources import Person

MAX_SEEDS = 50  # search results that enter a context at once, from which edges are followed
PREFERRED = 1.8  # factor of memories from the user or in the scope that the caller prefers
AT_HAND = 0.5  # the relevance of a memory about a file at hand
MAX_LEFT_OUT = 10  # best left-out memories that are named


class SearchResults:
    """The results of a search, taken a portion at a time, best first."""

    def __init__(self, store: Store, tx: Transaction, request: ContextRequest) -> None:
        self._store, self._tx, self._request = store, tx, request
        self._relevance_first = store.settings.context_score == "relevance"
        self._user = (
            None if request.for_user is None else Person(tx, request.for_user, request.filter_.ns)
        )
        find = rank_for_task if request.for_task else rank
        ranking = find(store, tx, request.query, request.filter_)
        self.notes = ranking.notes
        self._scores = {match.chunk.memory_id: match.score for match in ranking.matches}
        self._rest = ranking.answers
        self.floor: float | None = None  # results that score less are not packed, even with room
        self.strong_score = 0.0
        if (
            self._relevance_first
            and self._rest
            and store.settings.fusion == "linear"
            and not request.for_task
        ):
            self.floor = self.strong_score = STRONG * max(match.score for match in self._rest)

    def next(self) -> list[ContextItem]:
        """Return the next best results."""
        portion, self._rest = self._rest[:MAX_SEEDS], self._rest[MAX_SEEDS:]
        return self._items(portion)

    def whole(self, memories: Sequence[Memory]) -> list[ContextItem]:
        """Return memories of a namespace that is given whole, with their scores in the search."""
        self.floor = None
        uses = self._tx.journal.uses([memory.id for memory in memories])
        return [
            self._item(memory, self._scores.get(memory.id, 0.0), "namespace", uses)
            for memory in memories
        ]

    def with_at_hand(
        self, seeds: Iterable[ContextItem], at_hand: Iterable[tuple[Memory, float]]
    ) -> list[ContextItem]:
        """Add memories about files and symbols at hand, each with the share that it counts.

        A search result keeps its ranks and takes the better score."""
        items = {item.id: item for item in seeds}
        for memory, share in at_hand:
            item = self._item(memory, AT_HAND, "file", self._tx.journal.uses([memory.id]))
            parts = {
                name: value if name in FACTORS else value * share
                for name, value in item.parts.items()
            }
            seed, score = items.get(memory.id), total(parts)
            if seed is None or score > seed.score:
                items[memory.id] = replace(seed or item, score=score, stage="file", parts=parts)
        return list(items.values())

    def expired(self) -> list[Unplaced]:
        """Return memories that would be results if they had not expired."""
        expired = self._tx.listing.expired_ids(self._request.filter_.ns, self._request.query.now)
        if not expired:
            return []
        ranking = rank(
            self._store,
            self._tx,
            self._request.query,
            replace(self._request.filter_, now=None),
            judged=False,
        )
        lost = [match for match in ranking.answers if match.chunk.memory_id in expired]
        return [Unplaced(item, "expired") for item in self._items(lost[:MAX_LEFT_OUT])]

    def superseded(self) -> list[Unplaced]:
        """Return memories that would be results if they had not ended."""
        matches = rank_superseded(
            self._store, self._tx, self._request.query, self._request.filter_, MAX_LEFT_OUT
        )
        return [
            Unplaced(item, "superseded", successor_key(item.memory))
            for item in self._items(matches)
        ]

    def _items(self, matches: Sequence[ChunkMatch]) -> list[ContextItem]:
        if not matches:
            return []
        ids = [match.chunk.memory_id for match in matches]
        memories, uses = self._tx.memories.by_ids(ids), self._tx.journal.uses(ids)
        items: list[ContextItem] = []
        lowest = 1.0
        for match in matches:
            # a question that asks for several things is not answered in the order of scores: keep
            # the order of the search
            lowest = min(lowest, match.score)
            item = self._item(
                memories[match.chunk.memory_id],
                lowest if self._relevance_first else match.specified,
                "search",
                uses,
            )
            item.ranks, item.focus = match.ranks, (match.chunk.start, match.chunk.stop)
            items.append(item)
        return items

    def _item(
        self, memory: Memory, relevance: float, stage: str, uses: Mapping[str, int]
    ) -> ContextItem:
        now = self._request.query.now
        parts = (
            refined(memory, relevance, uses.get(memory.id, 0), now)
            if self._relevance_first
            else composite(memory, relevance, now)
        )
        scope = self._request.for_scope
        by_user = self._user is not None and self._user.is_named(memory.ns, memory.source_user)
        if by_user or (scope is not None and memory.source_scope == scope):
            parts["source"] = PREFERRED
        return ContextItem(memory, total(parts), stage, parts=parts)
