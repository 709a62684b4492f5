"""Following edges from what was found: who comes along, and what holds the candidates together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.context.item import Item
from ghostmem.context.packer import Bonds
from ghostmem.graph.components import components
from ghostmem.graph.spread import CONFLICT, POLICIES, Step, propagated, steps
from ghostmem.model import Hop, Memory, Rel, Tie
from ghostmem.settings import Settings
from ghostmem.store.rows import Filter
from ghostmem.truth.last_word import prevails

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

BINDING = (
    Rel.CONTRADICTS,
    Rel.CONTAINS,
    Rel.DEPENDS_ON,
    Rel.PREVENTS,
)  # what matters also where no way leads on
SPARE = 8  # how many more memories are looked up at once than may join
FEW = 3  # from how many alike memories on a summary is worth writing


class Expansion:
    """The pool of a context while edges are followed."""

    def __init__(
        self, tx: Transaction, settings: Settings, now: datetime, which: Filter, follow: bool
    ) -> None:
        self._tx, self._settings, self._now, self._which, self._follow = (
            tx,
            settings,
            now,
            which,
            follow,
        )
        self._relevance_first = settings.context_score == "relevance"
        self.pool: dict[str, Item] = {}
        self._edges: dict[Tie, None] = {}
        self._near: list[Tie] = []  # the edges of those looked at last
        plain = Filter(ns=which.ns, now=which.now, closed=which.closed)
        # what a memory at the end of an edge must meet beside being current, if anything
        self._narrow = (
            None
            if replace(which, tiers=()).__dict__ == plain.__dict__
            else replace(which, tiers=())
        )
        self._looked: set[str] = set()
        self._memories: dict[str, Memory | None] = {}
        self._allowed: dict[str, bool] = {}
        self._added = 0
        self._pinned: dict[str, Item] = {}
        self._kids: Mapping[str, set[str]] = {}

    def run(self, seeds: Sequence[Item], pinned: Sequence[Item]) -> None:
        """Fill the pool with the seeds and with what is reached from them."""
        self.pool = {item.id: item for item in seeds}
        self._pinned = {item.id: item for item in pinned}
        self._look([item.id for item in (*seeds, *pinned)])
        if not self._follow:
            return
        source: list[Item] = sorted(seeds, key=lambda item: item.order)
        for left in reversed(range(self._settings.edge_hops)):
            source = self._hop(source)
            onward = left and self._added < self._settings.edge_max_expansion
            self._look([item.id for item in source], () if onward else BINDING)
        self._correct((*self.pool.values(), *pinned))
        self._settle()

    def add(self, memory: Memory, score: float, stage: str) -> None:
        """Add a memory that came neither from the search nor over an edge, with all that corrects
        it.
        """
        if memory.id not in self.pool and memory.id not in self._pinned:
            self.pool[memory.id] = Item(memory, score, stage)
            self._look([memory.id], BINDING)
            if self._follow:
                self._correct([self.pool[memory.id]])

    def more(self, seeds: Sequence[Item]) -> None:
        """Add further seeds without following their edges, but with all that corrects them."""
        fresh = [item for item in seeds if item.id not in self.pool]
        self.pool |= {item.id: item for item in fresh}
        self._look([item.id for item in fresh], BINDING)
        if self._follow:
            self._correct(fresh)

    @property
    def tokens(self) -> int:
        """Estimate what the whole pool would cost."""
        return sum(item.memory.est_tokens for item in self.pool.values())

    def _look(self, ids: Iterable[str], rels: tuple[Rel, ...] = ()) -> None:
        """Fetch the edges of memories; with `rels`, only those of some relations."""
        fresh = [id_ for id_ in ids if id_ not in self._looked]
        self._looked.update(fresh)
        self._near = self._tx.graph.touching(fresh, rels) if fresh else []
        self._edges |= dict.fromkeys(self._near)

    def _load(self, ids: Iterable[str]) -> None:
        """Fetch memories, and whether they pass the caller's conditions."""
        unknown = sorted({id_ for id_ in ids if id_ not in self._memories and id_ not in self.pool})
        if unknown:
            rows = self._tx.memories.by_ids(unknown)
            self._memories |= {id_: rows.get(id_) for id_ in unknown}
            if self._narrow:
                passing = self._tx.listing.passing(unknown, self._narrow)
                self._allowed |= {id_: id_ in passing for id_ in unknown}

    def _hop(self, sources: Sequence[Item]) -> list[Item]:
        """Follow the edges of some items by one step and return the items that are new."""
        least = self._settings.edge_min_weight
        edges = [edge for edge in self._near if edge.weight >= least or POLICIES[edge.rel].always]
        scores = {item.id: item.score for item in sources if item.stage != "child"}
        ways = [
            way
            for way in steps(scores, edges, self._settings.edge_max_per_seed)
            if way.target not in self._pinned
        ]
        # a summary of more than may join could never be shown by its children: they are not even
        # looked up
        kids = Counter(way.source for way in ways if way.edge.rel == Rel.CONTAINS and way.outward)
        large = {
            source for source, count in kids.items() if count > self._settings.edge_max_expansion
        }
        ways = (
            [
                w
                for w in ways
                if not (w.source in large and w.edge.rel == Rel.CONTAINS and w.outward)
            ]
            if large
            else ways
        )
        self._load(way.target for way in ways if POLICIES[way.edge.rel].always)
        fresh: list[Item] = []
        for at, way in enumerate(ways):
            if way.target not in self.pool and way.target not in self._memories:
                if not self._has_room(way):
                    continue
                room = self._settings.edge_max_expansion - self._added
                ahead = dict.fromkeys(
                    later.target for later in ways[at:] if later.target not in self._memories
                )
                self._load(list(ahead)[: room + SPARE])
            item = self._arrive(self.pool[way.source], way, scores[way.source])
            fresh += [item] if item else []
        return fresh

    def _arrive(self, source: Item, way: Step, score: float) -> Item | None:
        """Let a way add a memory to the pool, or raise one that is there.

        Return it when it is new.
        """
        there = self.pool.get(way.target)
        passed = propagated(score, way, self._settings.edge_damping)
        if way.edge.rel == Rel.CONTAINS and not way.outward:
            passed = score  # a summary scores no less than what it was found by
        if there is not None:
            self._raise(there, source, way, passed)
            return None
        memory = self._memories.get(way.target)
        if (
            memory is None
            or not self._may_come(memory, source.memory, way)
            or not self._has_room(way)
        ):
            return None
        stage = self._stage(memory, source.memory, way)
        hop = self._hop_of(way, source.memory, memory)
        item = Item(
            memory,
            passed,
            stage,
            path=(*source.path, hop),
            firm=way.typed,
            origin=source.origin or source.id,
        )
        item.last = self._relevance_first and stage == "edge" and not way.typed
        item.parts = {"seed": score, "weight": way.edge.weight}
        self.pool[memory.id] = item
        self._added += stage == "edge"
        return item

    def _raise(self, item: Item, source: Item, way: Step, passed: float) -> None:
        """Add what an edge passes on to a memory that is already there."""
        if way.source == way.target:
            return
        if way.edge.rel == Rel.CONTRADICTS or (way.edge.rel == Rel.CONTAINS and not way.outward):
            return  # settled at the end
        if self._relevance_first and item.stage in ("search", "file"):
            if way.typed and not item.firm and item.score < source.score:
                item.firm, item.origin = True, source.origin or source.id
        elif item.stage in ("search", "file") and way.edge.rel != Rel.CONTAINS and not source.path:
            direct = item.score - item.boost
            added = min(passed, self._settings.edge_max_boost * direct - item.boost)
            if added > 0:
                item.boost += added
                item.score += added
                item.parts["edges"] = item.boost
        elif passed > item.score and item.stage == "edge" and source.path == ():
            item.score, item.path = passed, (self._hop_of(way, source.memory, item.memory),)
            item.parts = {"seed": source.score, "weight": way.edge.weight}
            item.firm, item.origin = way.typed, source.id
            item.last = self._relevance_first and not way.typed

    def _may_come(self, memory: Memory, source: Memory, way: Step) -> bool:
        """Say whether a memory at the end of a way may join: current, of the same namespace, awake,
        and asked for.
        """
        if not self._holds(memory) or memory.ns != source.ns:
            return False
        needed = way.reserved and (way.edge.rel != Rel.CONTRADICTS or prevails(memory, source))
        if self._which.tiers and memory.tier not in self._which.tiers and not needed:
            return False
        return (
            needed
            or way.edge.rel == Rel.CONTRADICTS
            or self._narrow is None
            or self._allowed.get(memory.id, False)
        )

    def _has_room(self, way: Step) -> bool:
        bypass = way.edge.rel == Rel.CONTRADICTS or (
            way.edge.rel == Rel.CONTAINS and not way.outward
        )
        return bypass or self._added < self._settings.edge_max_expansion

    @staticmethod
    def _stage(memory: Memory, source: Memory, way: Step) -> str:
        if way.edge.rel == Rel.CONTAINS:
            return "child" if way.outward else "parent"
        return (
            "correction" if way.edge.rel == Rel.CONTRADICTS and prevails(memory, source) else "edge"
        )

    def _hop_of(self, way: Step, source: Memory, target: Memory) -> Hop:
        first, second = (source, target) if way.outward else (target, source)
        return Hop(first.key, way.edge.rel, second.key, round(way.edge.weight, 4))

    def _correct(self, items: Iterable[Item]) -> None:
        """Bring in whatever is newer than a candidate and contradicts it, and whatever is newer
        than that.
        """
        todo = list(items)
        while todo:
            self._look([item.id for item in todo], BINDING)
            sources = {item.id: item for item in todo}
            conflicts = [edge for edge in self._edges if edge.rel == Rel.CONTRADICTS]
            self._load(
                end
                for edge in conflicts
                for end in (edge.from_id, edge.to_id)
                if end not in self._pinned
            )
            todo = []
            for edge in conflicts:
                for start, end in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
                    if start in sources and end not in self.pool and end not in self._pinned:
                        other, source = self._memories.get(end), sources[start]
                        if other is not None and prevails(other, source.memory):
                            item = self._arrive(
                                source,
                                Step(start, end, edge, start == edge.from_id, True),
                                source.score,
                            )
                            todo += [item] if item else []

    def _settle(self) -> None:
        """Let conflicts and summaries have their share of what edges have added to a score since
        they were reached.
        """
        for share, rel, name in (
            (CONFLICT, Rel.CONTRADICTS, "conflict"),
            (1.0, Rel.CONTAINS, "child"),
        ):
            for edge in self._edges:
                if edge.rel != rel:
                    continue
                one, other = self.pool.get(edge.from_id), self.pool.get(edge.to_id)
                if one is not None and other is not None and other.stage != "child":
                    _lift(one, other.score * share, name)
                    if rel == Rel.CONTRADICTS:
                        _lift(other, one.score * share, name)

    def bonds(self) -> Bonds:
        """Return what holds the candidates together."""
        refuters: dict[str, list[str]] = defaultdict(list)
        companions: dict[str, list[str]] = defaultdict(list)
        parents: dict[str, list[str]] = defaultdict(list)
        children: dict[str, set[str]] = defaultdict(set)
        for edge in self._edges:
            match edge.rel:
                case Rel.CONTRADICTS:
                    self._conflict(edge, refuters)
                case Rel.CONTAINS:
                    children[edge.from_id].add(edge.to_id)
                    if edge.from_id in self.pool or edge.from_id in self._pinned:
                        parents[edge.to_id].append(edge.from_id)
                case Rel.DEPENDS_ON | Rel.PREVENTS if (
                    edge.from_id in self.pool and edge.to_id in self.pool
                ):
                    companions[edge.from_id].append(edge.to_id)
        self._kids = children
        for id_, kids in children.items():
            self._inherit(id_, kids, refuters)
        alive = {
            id_: frozenset(kids)
            for id_, kids in children.items()
            if all(self._current(kid) for kid in kids)
        }
        for found in companions.values():
            found.sort(key=lambda id_: self.pool[id_].order)
        return Bonds(refuters, _ancestors(parents), alive, companions)

    def _conflict(self, edge: Tie, refuters: dict[str, list[str]]) -> None:
        one, other = self.memory(edge.from_id), self.memory(edge.to_id)
        if one is None or other is None or one.id == other.id:
            return
        old, new = (other, one) if prevails(one, other) else (one, other)
        if self._holds(new) and new.id not in refuters[old.id]:
            refuters[old.id].append(new.id)

    def _inherit(self, id_: str, kids: set[str], refuters: dict[str, list[str]]) -> None:
        """Hold against a summary what is newer than it and contradicts what it stands for."""
        summary = self.memory(id_)
        if summary is None:
            return
        for kid in sorted(kids):
            for other in refuters.get(kid, ()):
                new = self.memory(other)
                if (
                    other not in kids
                    and other not in refuters[id_]
                    and new is not None
                    and prevails(new, summary)
                ):
                    refuters[id_].append(other)

    def memory(self, id_: str) -> Memory | None:
        """Return a memory that was met on the way."""
        known = self.pool.get(id_) or self._pinned.get(id_)
        return known.memory if known else self._memories.get(id_)

    def _current(self, id_: str) -> bool:
        memory = self.memory(id_)
        return memory is not None and self._holds(memory)

    def _holds(self, memory: Memory) -> bool:
        """Say whether a memory is current and true: now, or at the time that was asked for."""
        at = self._which.valid_at
        return memory.is_current(self._now) and (
            memory.is_open(self._now) if at is None else memory.held_at(at)
        )

    def children(self, id_: str) -> list[str]:
        """Return the keys of a summary's current children, as far as they were met."""
        if id_ not in self._kids:
            return []
        kids = [self.memory(kid) for kid in self._kids[id_]]
        return sorted(kid.key for kid in kids if kid is not None and self._holds(kid))

    def compaction(self) -> str:
        """Say what consolidation would join among the candidates: alike memories that no summary
        stands for yet.
        """
        told = {kid for kids in self._kids.values() for kid in kids}
        pairs = [
            (edge.from_id, edge.to_id)
            for edge in self._edges
            if edge.rel == Rel.RELATES_TO and edge.from_id in self.pool and edge.to_id in self.pool
        ]
        for group in sorted(components(pairs), key=lambda group: (-len(group), group)):
            loose = [id_ for id_ in group if id_ not in told and not self._kids.get(id_)]
            if len(loose) >= FEW and len(loose) * 2 > len(group):
                keys = sorted(self.pool[id_].memory.key for id_ in loose)
                shown = ", ".join(keys[:FEW]) + (" …" if len(keys) > FEW else "")
                return (
                    f"{len(loose)} alike memories have no summary yet ({shown}); `ghost "
                    "clusters`, then `ghost consolidate`"
                )
        return ""


def _lift(item: Item, least: float, name: str) -> None:
    if least > item.score:
        item.parts[name] = item.parts.get(name, 0.0) + least - item.score
        item.score = least


def _ancestors(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return, for each memory, its summaries, theirs, and so on; nearest first."""
    found: dict[str, list[str]] = {}
    for child in parents:
        above: dict[str, None] = {}
        todo = list(parents[child])
        while todo:
            nearest = todo.pop(0)
            if nearest != child and nearest not in above:
                above[nearest] = None
                todo += parents.get(nearest, ())
        found[child] = list(above)
    return found
