"""Pack candidates into a token budget: corrections first, summaries before their children."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.model import Hop, Memory, Packed, Why
from ghostmem.search.corrections import reachable
from ghostmem.text.focus import excerpt
from ghostmem.text.matches import NO_TERMS, QueryTerms
from ghostmem.truth.annotations import contradiction_notes
from ghostmem.truth.corrections import precedence

OVERHEAD = 20  # tokens for a memory's key, date and delimiters
MIN_EXCERPT = 25  # an excerpt is not made for fewer tokens than this
# where room is scarce, the best candidates are packed whole and the others as short excerpts, so
# that more of them fit
MAX_UNSHORTENED = 3  # best candidates that are packed whole
MAX_FIRST = 10  # best candidates that get the longer excerpts
FIRST_TOKENS, LATER_TOKENS = 55, 40  # tokens of an excerpt of the first and of the later ones
# pinned memories may take this part of the budget; dependencies may take it of the rest
RESERVED_PART = 3

# reasons for leaving a memory out
BUDGET = "budget"
PINNED = "pinned memories may take a third of the budget"
SUMMARISED = "suppressed by its summary"
SUPERSEDED = "superseded by a newer memory that did not fit"


@dataclass
class ContextItem:
    """A memory that may be packed, with its score and the stage that added it."""

    memory: Memory
    score: float
    stage: str  # pinned, search, namespace, file, edge, correction, own words, parent or child
    ranks: Mapping[str, int] = field(default_factory=dict)  # by retriever
    parts: dict[str, float] = field(default_factory=dict)
    focus: tuple[int, int] = (0, 0)  # the chunk that matched
    path: tuple[Hop, ...] = ()
    firm: bool = False  # reached over an edge that says more than likeness
    origin: str = ""  # the id of the memory it was reached from, if it did not match itself
    boost: float = 0.0
    last: bool = False  # comes after all matches
    limit: int = 0  # tokens it may take while others need room; 0: all of them
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.id = self.memory.id

    @property
    def order(self) -> tuple[bool, float, float, str, str]:
        """Return the sort key: best first, then newest, then by name; mere likeness comes last."""
        return (
            self.last,
            -self.score,
            -self.memory.created_at.timestamp(),
            self.memory.ns,
            self.memory.key,
        )


@frozen
class Relations:
    """Relations of candidates that packing must respect, by id."""

    refuters: Mapping[str, Sequence[str]]  # memories that contradict it and prevail
    parents: Mapping[str, Sequence[str]]  # its summaries, nearest first
    # memories that it depends on or must prevent
    companions: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Placed(NamedTuple):
    """A candidate in the pack, with its text and the tokens that it takes."""

    item: ContextItem
    text: str
    tokens: int


class Unplaced(NamedTuple):
    """A candidate that is not in the pack, and the reason; `by` is the key of the cause."""

    item: ContextItem
    reason: str
    by: str | None = None


def shortened(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Limit the tokens of all but the best candidates, for a budget that not all of them fit."""
    for place, item in enumerate(items[MAX_UNSHORTENED:], MAX_UNSHORTENED):
        item.limit = FIRST_TOKENS if place < MAX_FIRST else LATER_TOKENS
    return list(items)


class Packer:
    """Fill a budget of tokens; `used` never exceeds it."""

    def __init__(
        self, budget: int, cap: int, count: Callable[[str], int], query: QueryTerms = NO_TERMS
    ) -> None:
        self.budget, self.cap, self._count, self._query = budget, cap, count, query
        self.placed: dict[str, Placed] = {}
        self.left_out: dict[str, Unplaced] = {}
        self.used = 0
        self._reserved: dict[str, int] = {}  # tokens reserved for companions
        self._costs: dict[str, int] = {}
        self._visiting: set[str] = set()

    def cost(self, item: ContextItem) -> int:
        """Return the tokens that a memory takes whole."""
        if item.id not in self._costs:
            self._costs[item.id] = self._count(item.memory.content) + OVERHEAD
        return self._costs[item.id]

    def pack(
        self,
        pinned: Sequence[ContextItem],
        items: Sequence[ContextItem],
        relations: Relations,
        roomy: bool,
    ) -> None:
        """Pack the pinned memories, then the others in order, summaries before their children.

        A packed summary suppresses its children; with `roomy`, only if not everything fits."""
        self._items = {item.id: item for item in (*pinned, *items)}
        self._unpinned = {item.id for item in items}
        self._relations = relations
        # those among the items
        self._refuters: Mapping[str, Sequence[str]] = {
            id_: [other for other in others if other in self._items]
            for id_, others in relations.refuters.items()
        }
        self._pack_pinned(pinned)
        unplaced = [item for item in items if item.id not in self.placed]
        # children follow their summary
        self._with_children = roomy and sum(map(self.cost, unplaced)) <= self.budget - self.used
        best = next((item for item in unplaced if item.stage != "child"), None)
        if best is not None and self.cost(best) <= self.budget - self.used:
            self._take(best)  # before room is reserved for companions
        self._reserve(unplaced)
        if best is not None and best.id in self.placed:
            self._take_companions(best)
        self._fill(unplaced)

    def _pack_pinned(self, items: Sequence[ContextItem]) -> None:
        """Pack pinned memories whole into their part of the budget, each after its corrections."""
        for item in items:
            if item.id in self.placed:
                continue
            spent = sum(self.placed[other.id].tokens for other in items if other.id in self.placed)
            if spent + self.cost(item) > self.budget // RESERVED_PART:
                self._leave(item, PINNED)
            elif self._place_corrections(item):
                if self.cost(item) <= self._room(item):
                    self._put(item, item.memory.content)
                else:
                    self._leave(item, BUDGET)

    def _fill(self, items: Sequence[ContextItem]) -> None:
        while True:
            for item in items:
                if item.stage != "child" or self._with_children:
                    self._take(item)
            if not self._reserved:
                self._grow()
                return
            self._reserved.clear()  # once more, with the room that companions did not need

    def _reserve(self, items: Iterable[ContextItem]) -> None:
        """Reserve room for the companions of the best candidates, up to a third of the rest."""
        room = (self.budget - self.used) // RESERVED_PART
        for item in items:
            for other in self._relations.companions.get(item.id, ()):
                candidate = None if other in self.placed else self._items.get(other)
                tokens = self._allowance(candidate) if candidate else room + 1
                if tokens <= room and other not in self._reserved:
                    self._reserved[other] = tokens
                    room -= tokens

    def _take(self, item: ContextItem) -> None:
        """Pack a candidate after its corrections, with its companions, or its summary instead."""
        if item.id in self.placed or item.id in self._visiting:
            return
        self._visiting.add(item.id)
        summaries = self._relations.parents.get(item.id, ())
        for parent in summaries:
            if parent in self._unpinned:
                self._take(self._items[parent])
        summary = next((parent for parent in summaries if parent in self.placed), None)
        if summary is not None and item.id not in self.placed and not self._with_children:
            self._leave(item, SUMMARISED, summary)
        elif item.id in self.placed or (self._place_corrections(item) and self._place(item)):
            self._take_companions(item)
        self._visiting.discard(item.id)

    def _take_companions(self, item: ContextItem) -> None:
        """Pack the dependencies of a packed memory into the room that is reserved for them."""
        for other in self._relations.companions.get(item.id, ()):
            if other in self._reserved:
                self._take(self._items[other])
                self._reserved.pop(other, None)

    def _place_corrections(self, item: ContextItem) -> bool:
        """Pack the corrections of a memory, the last word first, and return whether it may follow.

        When not all of them would fit, only those that nothing corrects are packed."""
        if not self._refuters.get(item.id):
            return True
        corrections = [
            self._items[id_]
            for id_ in reachable([item.id], self._refuters)
            if id_ not in self.placed
        ]
        corrections.sort(key=lambda correction: precedence(correction.memory), reverse=True)
        fits = sum(map(self._allowance, (*corrections, item))) <= self._room(item)
        for correction in corrections:
            above = self._refuters.get(correction.id, ())
            if (fits or not above) and all(id_ in self.placed for id_ in above):
                self._place(correction)
            elif correction.id not in self.placed:
                self._leave(correction, SUPERSEDED, above[0])
        if missing := [id_ for id_ in self._refuters.get(item.id, ()) if id_ not in self.placed]:
            self._leave(item, SUPERSEDED, missing[0])
        return not missing

    def _place(self, item: ContextItem) -> bool:
        allowed = min(self._room(item), self._allowance(item))
        if self.cost(item) <= allowed:
            return self._put(item, item.memory.content)
        text = self._excerpt(item, allowed) if allowed >= MIN_EXCERPT else None
        return self._leave(item, BUDGET) if text is None else self._put(item, text)

    def _excerpt(self, item: ContextItem, tokens: int) -> str | None:
        """Return the text around the match that fits into some tokens, the overhead included."""
        return excerpt(
            item.memory.content,
            self._query,
            item.focus,
            tokens - OVERHEAD,
            self._count,
            within_chunk=set(item.ranks) == {"vector"},  # found by meaning only
        )

    def _grow(self) -> None:
        """Enlarge excerpts, the best first, into the room that is left."""
        for item, text, tokens in [
            entry for entry in self.placed.values() if entry.text != entry.item.memory.content
        ]:
            room = tokens + self.budget - self.used
            allowed = room if self.cap < 0 else min(room, self.cap)
            longer = self._excerpt(item, allowed) if allowed > tokens else None
            if longer is not None and len(longer) > len(text):
                self.used -= tokens
                self._put(item, longer)

    def _put(self, item: ContextItem, text: str) -> bool:
        tokens = self.cost(item) if text == item.memory.content else self._count(text) + OVERHEAD
        self.placed[item.id] = Placed(item, text, tokens)
        self.used += tokens
        self.left_out.pop(item.id, None)
        self._reserved.pop(item.id, None)
        return True

    def _leave(self, item: ContextItem, reason: str, by: str | None = None) -> bool:
        """Leave a candidate out; `by` is the id of the memory that is the cause."""
        self.left_out[item.id] = Unplaced(
            item, reason, None if by is None else self._items[by].memory.key
        )
        return False

    def _room(self, item: ContextItem) -> int:
        """Return the rest of the budget without the room that is reserved for others."""
        return (
            self.budget
            - self.used
            - (sum(self._reserved.values()) - self._reserved.get(item.id, 0))
        )

    def _allowance(self, item: ContextItem) -> int:
        tokens = self.cost(item) if self.cap < 0 else min(self.cost(item), self.cap)
        return min(tokens, item.limit) if item.limit else tokens


def packed_memories(
    placed: Mapping[str, Placed],
    refuters: Mapping[str, Sequence[str]],
    remarks: Iterable[tuple[str, str]],
    children: Mapping[str, Sequence[str]] | None = None,
    copies: Mapping[str, Sequence[ContextItem]] | None = None,
) -> tuple[Packed, ...]:
    """Return packed memories with their reasons and notes.

    `refuters` are the ids of memories that correct a memory; `remarks` are notes with the id of a
    memory; `children` are keys, `copies` the
    duplicates of a memory."""
    memories = {id_: entry.item.memory for id_, entry in placed.items()}
    newer = {
        id_: [memories[other] for other in refuters.get(id_, ()) if other in memories]
        for id_ in memories
    }
    older = grouped((memory.id, memories[id_]) for id_ in refuters for memory in newer.get(id_, ()))
    texts = grouped(remarks)
    return tuple(
        _packed(
            entry,
            [
                *texts.get(id_, ()),
                *contradiction_notes(memories[id_], older.get(id_, []), newer[id_]),
            ],
            {memory.key for memory in (*older.get(id_, ()), *newer[id_])},
            (children or {}).get(id_, ()),
            [item.memory.key for item in (copies or {}).get(id_, ())],
        )
        for id_, entry in placed.items()
    )


def _packed(
    placed: Placed,
    notes: Sequence[str],
    conflicts: Iterable[str],
    children: Sequence[str],
    copies: Sequence[str],
) -> Packed:
    item, text, tokens = placed
    memory = item.memory
    return Packed(
        memory.ns,
        memory.key,
        memory.kind,
        round(item.score, 4),
        text,
        text != memory.content,
        tokens,
        Why(
            item.stage,
            item.ranks,
            {name: round(value, 4) for name, value in item.parts.items()},
            item.path,
            "; ".join(notes),
        ),
        memory.id,
        memory.tier,
        memory.created_at,
        memory.version,
        memory.pinned,
        memory.tags,
        memory.source_user,
        memory.source_kind,
        tuple(sorted(conflicts)),
        tuple(children),
        1 + len(copies),
        tuple(copies),
    )
