"""Packing candidates into a budget of tokens: corrections before what they correct, summaries for
their children.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ghostmem.context.item import Item
from ghostmem.text.focus import excerpt
from ghostmem.text.matches import NO_TERMS, QueryTerms
from ghostmem.truth.last_word import last_word

OVERHEAD = 20  # tokens for a memory's key, date and delimiters
LEAST = 25  # an excerpt is not made for fewer tokens than this
# where room is scarce, the best candidates are packed whole and the others as short excerpts, so
# that more of them find room
WHOLE, FIRST = 3, 10  # how many are packed whole, and how many are the first
FIRST_TOKENS, LATER_TOKENS = (
    55,
    40,
)  # tokens that an excerpt of the first and of the later ones may take
SHARE = (
    3  # pinned memories may take a third of the budget; so may, of the rest, what others depend on
)

BUDGET = "budget"
PINNED = "pinned memories may take a third of the budget"
SUMMARISED = "suppressed by its summary"
SHOWN = "its children are shown instead"
SUPERSEDED = "superseded by a newer memory that did not fit"


class Placed(NamedTuple):
    """A candidate in the pack, with its text and what that costs."""

    item: Item
    text: str
    tokens: int


class Left(NamedTuple):
    """A candidate that is not in the pack, and why."""

    item: Item
    reason: str
    by: str | None = None


@dataclass
class Bonds:
    """What holds candidates together, by id."""

    refuters: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # newer memories that contradict one
    parents: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # summaries of one, nearest first
    children: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # of summaries whose children are all current
    companions: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # what one depends on, or must prevent


def shortened(items: Sequence[Item]) -> list[Item]:
    """Limit what each candidate but the best may take, for a budget that not all of them fit."""
    first = [replace(item, limit=FIRST_TOKENS) for item in items[WHOLE:FIRST]]
    return [*items[:WHOLE], *first, *(replace(item, limit=LATER_TOKENS) for item in items[FIRST:])]


class Packer:
    """Fill a budget with what a pool holds; `used` never exceeds it."""

    def __init__(
        self, budget: int, cap: int, count: Callable[[str], int], query: QueryTerms = NO_TERMS
    ) -> None:
        self.budget, self.cap, self._count, self._query = budget, cap, count, query
        self.placed: dict[str, Placed] = {}
        self.left: dict[str, Left] = {}
        self.used = 0
        self._pool: Mapping[str, Item] = {}
        self._bonds = Bonds()
        self._found: set[str] = set()
        self._spread: set[str] = set()
        self._held: dict[str, int] = {}
        self._costs: dict[str, int] = {}
        self._under_way: set[str] = set()

    def cost(self, item: Item) -> int:
        """Return what a memory costs whole."""
        if item.id not in self._costs:
            self._costs[item.id] = self._count(item.memory.content) + OVERHEAD
        return self._costs[item.id]

    def pack(
        self, pinned: Sequence[Item], items: Sequence[Item], bonds: Bonds, roomy: bool
    ) -> None:
        """Pack the pinned, then the rest in order.

        `roomy` lets children stand for their summaries when everything fits whole.
        """
        self._pool = {item.id: item for item in (*pinned, *items)}
        self._found = {item.id for item in items}
        self._bonds = bonds
        self._pin(pinned)
        rest = [item for item in items if item.id not in self.placed]
        self._spread = self._substituted(rest) if roomy else set()
        best = next(
            (item for item in rest if item.id not in self._spread and item.stage != "child"), None
        )
        if best is not None and self.cost(best) <= self.budget - self.used:
            self._take(best)  # before room is reserved for what others depend on
        self._hold(rest)
        if best is not None and best.id in self.placed:
            self._take_companions(best)
        self._fill(rest)

    def _pin(self, items: Sequence[Item]) -> None:
        """Pack pinned memories whole into their share of the budget, each after what
        corrects it.
        """
        share = self.budget // SHARE
        for item in items:
            spent = sum(self.placed[one.id].tokens for one in items if one.id in self.placed)
            if item.id in self.placed:
                continue
            if spent + self.cost(item) > share:
                self.left[item.id] = Left(item, PINNED)
            elif self._corrected(item):
                if self.cost(item) <= self._room(item):
                    self._put(item, item.memory.content, self.cost(item))
                else:
                    self.left[item.id] = Left(item, BUDGET)

    def _fill(self, items: Sequence[Item]) -> None:
        while True:
            for item in items:
                if item.id in self._spread:
                    if item.id not in self.placed:
                        self.left[item.id] = Left(item, SHOWN)
                elif item.stage != "child" or any(
                    parent in self._spread for parent in self._bonds.parents.get(item.id, ())
                ):
                    self._take(item)
            if not self._held:
                self._grow()
                return
            self._held.clear()  # once more, for what was held back and not needed

    def _substituted(self, items: Sequence[Item]) -> set[str]:
        """Return the summaries whose children are shown instead: all of them, if everything else
        fits whole.
        """
        parents = self._bonds.parents
        needed = {other for item in items for other in self._bonds.refuters.get(item.id, ())}
        spread = {
            item.id for item in items if item.id in self._bonds.children and item.id not in needed
        }
        spread = {id_ for id_ in spread if self._bonds.children[id_] <= self._pool.keys()}
        spread = {
            id_
            for id_ in spread
            if not any(id_ in parents.get(above, ()) for above in parents.get(id_, ()))
        }  # no rings
        while hidden := {
            id_
            for id_ in spread
            if any(up in self._pool and up not in spread for up in parents.get(id_, ()))
        }:
            spread -= hidden
        rest = sum(self.cost(item) for item in items if item.id not in spread)
        return spread if rest <= self.budget - self.used else set()

    def _hold(self, items: Iterable[Item]) -> None:
        """Keep room for what the best candidates depend on, up to a third of what is left."""
        share = (self.budget - self.used) // SHARE
        for item in items:
            for other in self._bonds.companions.get(item.id, ()):
                tokens = self._capped(self._pool[other]) if other in self._pool else share + 1
                if other not in self._held and other not in self.placed and tokens <= share:
                    self._held[other] = tokens
                    share -= tokens

    def _take(self, item: Item) -> None:
        """Pack one candidate: not beside its summary, not before what corrects it, and with what it
        depends on.
        """
        if item.id in self.placed or item.id in self._under_way:
            return
        self._under_way.add(item.id)
        for parent in self._bonds.parents.get(item.id, ()):
            if parent in self._found and parent not in self._spread:
                self._take(self._pool[parent])
        by = self._summary(item)
        if by is not None and item.id not in self.placed:
            self.left[item.id] = Left(item, SUMMARISED, by)
        elif item.id in self.placed or (self._corrected(item) and self._place(item)):
            self._take_companions(item)
        self._under_way.discard(item.id)

    def _take_companions(self, item: Item) -> None:
        """Pack what a packed memory depends on or must prevent into the room that is reserved for
        it.
        """
        for other in self._bonds.companions.get(item.id, ()):
            if other in self._held and other not in self._spread:
                self._take(self._pool[other])
                self._held.pop(other, None)

    def _corrected(self, item: Item) -> bool:
        """Pack everything newer that contradicts a memory before it, newest first.

        Without that, it is not packed.

        When not all of it would fit, only what has the last word is packed.
        """
        needed = [self._pool[id_] for id_ in self._newer(item.id) if id_ not in self.placed]
        if not needed:
            return True
        needed.sort(key=lambda other: last_word(other.memory), reverse=True)
        fits = sum(map(self._capped, (*needed, item))) <= self._room(item)
        for other in needed:
            above = [id_ for id_ in self._bonds.refuters.get(other.id, ()) if id_ in self._pool]
            if (fits or not above) and all(id_ in self.placed for id_ in above):
                self._place(other)
            elif other.id not in self.placed:
                self.left[other.id] = Left(other, SUPERSEDED, self._pool[above[0]].memory.key)
        missing = [
            id_
            for id_ in self._bonds.refuters.get(item.id, ())
            if id_ in self._pool and id_ not in self.placed
        ]
        if missing:
            self.left[item.id] = Left(item, SUPERSEDED, self._pool[missing[0]].memory.key)
        return not missing

    def _newer(self, id_: str) -> list[str]:
        """Return everything that contradicts a memory, or what contradicts it, and is newer."""
        found: dict[str, None] = {}
        todo = [id_]
        while todo:
            fresh = [
                other
                for other in self._bonds.refuters.get(todo.pop(), ())
                if other in self._pool and other not in found
            ]
            found |= dict.fromkeys(fresh)
            todo += fresh
        return list(found)

    def _place(self, item: Item) -> bool:
        allowed = min(self._room(item), self._most(item))
        if self.cost(item) <= allowed:
            return self._put(item, item.memory.content, self.cost(item))
        text = self._excerpt(item, allowed) if allowed >= LEAST else None
        if text is None:
            self.left[item.id] = Left(item, BUDGET)
            return False
        return self._put(item, text, self._count(text) + OVERHEAD)

    def _excerpt(self, item: Item, tokens: int) -> str | None:
        """Return the text around the match that fits into some tokens, with the overhead of a
        memory.
        """
        by_meaning = set(item.legs) == {"vector"}
        content, room = item.memory.content, tokens - OVERHEAD
        return excerpt(content, self._query, item.focus, room, self._count, within_chunk=by_meaning)

    def _grow(self) -> None:
        """Let excerpts, the best first, have the room that nobody needed."""
        for placed in list(self.placed.values()):
            if placed.text == placed.item.memory.content:
                continue
            room = placed.tokens + self.budget - self.used
            allowed = room if self.cap < 0 else min(room, self.cap)
            text = self._excerpt(placed.item, allowed) if allowed > placed.tokens else None
            if text is not None and len(text) > len(placed.text):
                self.used -= placed.tokens
                self._put(placed.item, text, self._count(text) + OVERHEAD)

    def _put(self, item: Item, text: str, tokens: int) -> bool:
        self.placed[item.id] = Placed(item, text, tokens)
        self.used += tokens
        self.left.pop(item.id, None)
        self._held.pop(item.id, None)
        return True

    def _room(self, item: Item) -> int:
        """Return what is left of the budget, without what is held for others."""
        held = sum(self._held.values()) - self._held.get(item.id, 0) if self._held else 0
        return self.budget - self.used - held

    def _most(self, item: Item) -> int:
        """Return the most tokens that a memory may take."""
        most = self.cost(item) if self.cap < 0 else min(self.cost(item), self.cap)
        return min(most, item.limit) if item.limit else most

    def _capped(self, item: Item) -> int:
        return min(self.cost(item), self._most(item))

    def _summary(self, item: Item) -> str | None:
        """Return the key of a summary in the pack that stands for a memory."""
        found = [parent for parent in self._bonds.parents.get(item.id, ()) if parent in self.placed]
        return self.placed[found[0]].item.memory.key if found else None
